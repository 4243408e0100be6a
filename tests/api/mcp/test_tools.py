"""What each tool does, and that nothing of another business can be seen or changed."""

from datetime import timedelta

import pytest

from api.mcp.tools.registry import TOOLS
from core.clock import now
from core.db import db
from messaging.approvals import queries
from messaging.campaigns import repository as campaigns
from messaging.campaigns.repository import CampaignInput
from messaging.models import Conversation, HeldMessage, Message
from printing import printers
from tenants.models import AuditEntry
from tests.api.mcp.rpc import Agent
from tests.messaging.inbox.inbox_factory import AYSE, talk_with, writes
from tests.restaurant.bistro import GUEST, open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


@pytest.fixture
def agent(client, restaurant):
    return Agent(client, restaurant.key)


@pytest.fixture
def talk(restaurant, bistro):
    writes(restaurant, bistro.line.id)
    return talk_with(restaurant)


def sent(business):
    with business.scope():
        rows = db.session.query(Message).filter_by(tenant_id=business.tenant_id, direction="out")
        return rows.count()


def test_an_agent_finds_a_contact_and_reads_the_conversation(agent, talk):
    [contact] = agent.gets("find_contact", query="ayşe")["contacts"]
    assert contact["phone"] == AYSE
    [listed] = agent.gets("list_conversations", view="all")["conversations"]
    assert listed["id"] == talk.id
    found = agent.gets("read_conversation", phone=AYSE)
    assert [one["text"] for one in found["messages"]] == ["Merhaba"]
    assert found == agent.gets("read_conversation", conversation_id=talk.id)


def test_a_drafted_reply_waits_for_a_person(agent, restaurant, talk):
    found = agent.gets("draft_reply", conversation_id=talk.id, text="Hello Ayşe")
    assert found["message"]["status_code"] == "held"
    assert "/approvals" in found["next_step"]
    assert sent(restaurant) == 0
    state = agent.gets("get_message", id=found["message"]["id"])["message"]
    assert (state["status_code"], state["text"]) == ("held", "Hello Ayşe")
    with restaurant.scope():
        [entry] = db.session.query(AuditEntry).filter_by(
            tenant_id=restaurant.tenant_id, act="approvals.requested"
        )
        assert entry.actor_name == "Live key, for Comanda"


def test_a_repeated_call_with_the_same_key_has_one_effect(agent, restaurant, talk):
    call = {"phone": AYSE, "text": "Hello", "idempotency_key": "once"}
    first = agent.gets("send_message", **call)
    assert agent.gets("send_message", **call) == first
    assert agent.is_refused("send_message", **{**call, "text": "Other"}) == "idempotency_mismatch"
    with restaurant.scope():
        assert queries.waiting_count() == 1


def test_a_text_outside_the_window_is_refused(agent, restaurant, talk):
    with restaurant.scope():
        [row] = db.session.query(Conversation).filter_by(tenant_id=restaurant.tenant_id)
        row.window_until = now() - timedelta(minutes=1)
    assert agent.is_refused("send_message", phone=AYSE, text="Hello") == "window_closed"
    assert agent.is_refused("draft_reply", conversation_id=talk.id, text="Hi") == "window_closed"


def test_orders_are_listed_and_moved_on(agent, bistro):
    order = bistro.order()
    [listed] = agent.gets("list_orders")["orders"]
    assert listed["order_id"] == order.number
    moved = agent.gets("change_order_state", order_id=order.number, state="preparing")["order"]
    assert moved["status"] == "preparing"
    assert (
        agent.is_refused("change_order_state", order_id=order.number, state="refunded")
        == "refund_needed"
    )
    figures = agent.gets("day_summary")
    assert figures["figures"]["orders"] == "1"


def test_an_item_is_marked_as_sold_out_and_put_back(agent, bistro):
    [item] = agent.gets("find_menu_items", query="hamb")["items"]
    assert (item["id"], item["sold_out"]) == (bistro.items["Hamburger"], False)
    agent.gets("set_sold_out", item_id=item["id"], sold_out=True)
    assert agent.gets("find_menu_items", query="hamb")["items"][0]["sold_out"] is True
    agent.gets("set_sold_out", item_id=item["id"], sold_out=False)
    assert agent.gets("find_menu_items", query="hamb")["items"][0]["sold_out"] is False


def test_restaurants_and_print_problems(agent, bistro):
    assert [one["id"] for one in agent.gets("list_restaurants")["restaurants"]] == [bistro.site_id]
    assert agent.gets("find_print_problems") == {"printers": [], "print_jobs": [], "ok": True}


def test_a_test_key_writes_to_simulated_phones_only(client, restaurant, bistro):
    agent = Agent(client, restaurant.test_key)
    bistro.order()
    names = {one["name"] for one in agent.asks("tools/list")["tools"]}
    assert "send_message" in names
    assert "find_contact" not in names
    assert "day_summary" not in names
    assert agent.gets("list_orders")["orders"] == []


def arguments_of(bistro, talk, order, held_id, campaign_id):
    """Valid arguments of every tool, all about one business."""
    write = {"idempotency_key": None}
    return {
        "find_contact": {"query": "ayşe"},
        "list_conversations": {"view": "all"},
        "read_conversation": {"conversation_id": talk.id},
        "draft_reply": {"conversation_id": talk.id, "text": "Hello"},
        "send_message": {"phone": AYSE, "text": "Hello", "instance_id": bistro.line.id},
        "send_template": {
            "phone": AYSE,
            "name": "order_ready",
            "language": "en",
            "instance_id": bistro.line.id,
        },
        "list_templates": {},
        "get_message": {"id": held_id},
        "list_campaigns": {},
        "quote_campaign": {"campaign_id": campaign_id},
        "list_restaurants": {},
        "list_orders": {"open_only": False, "phone": GUEST},
        "change_order_state": {"order_id": order.id, "state": "preparing", **write},
        "find_menu_items": {"site_id": bistro.site_id},
        "set_sold_out": {
            "item_id": bistro.items["Hamburger"],
            "sold_out": True,
            "site_id": bistro.site_id,
        },
        "day_summary": {"site_id": bistro.site_id},
        "find_print_problems": {},
    }


def test_two_businesses_and_all_tools_without_a_leak(client, restaurant, shop, bistro, talk):
    """Every tool with the ids of one business and the key of another, and with a search for it."""
    own, other = Agent(client, restaurant.key), Agent(client, shop.key)
    order = bistro.order()
    held_id = own.gets("draft_reply", conversation_id=talk.id, text="Secret reply")["message"]["id"]
    with restaurant.scope():
        campaign = campaigns.add(CampaignInput(name="Secret campaign"))
        printer = printers.add(bistro.site_id, "Secret printer", "cloudprnt", {})
        printer.state = "offline"
        campaign_id = campaign.id
    secrets = {
        *("Secret", "Ayşe", AYSE, GUEST, talk.id, talk.contact_id, order.id, order.number),
        *(held_id, campaign_id, bistro.site_id, "Hamburger", str(bistro.line.id)),
    }
    arguments = arguments_of(bistro, talk, order, held_id, campaign_id)
    assert arguments.keys() == {tool.name for tool in TOOLS}
    for name, given in arguments.items():
        result = other.calls(name, **given)
        shown = {value for value in secrets if value in str(result)}
        assert not shown, f"{name} shows {shown}: {result}"
    with shop.scope():
        assert db.session.query(HeldMessage).filter_by(tenant_id=shop.tenant_id).count() == 0
    with restaurant.scope():
        [row] = db.session.query(HeldMessage).filter_by(tenant_id=restaurant.tenant_id)
        assert row.id == held_id
    assert own.gets("list_orders")["orders"][0]["status"] != "preparing"
    assert own.gets("find_menu_items", query="hamb")["items"][0]["sold_out"] is False
    assert own.gets("find_print_problems")["printers"][0]["name"] == "Secret printer"
