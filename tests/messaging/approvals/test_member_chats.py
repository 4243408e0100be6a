"""A member approves in their own chat."""

import pytest

from core.clock import now
from core.db import db
from jobs.inbound.messages import receive_and_react
from messaging.approvals import member_chats, queries, submit
from messaging.approvals.submit import SendingApp
from messaging.costs.usage import UsageTally
from messaging.lines import repository as lines
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.accept import MessageDraft
from messaging.models import Message
from tenants import team
from tenants.models import AuditEntry
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.inbox.inbox_factory import AYSE, add_line, writes

MEMBER, STRANGER = "905329990001", "905329990002"


@pytest.fixture
def line(restaurant):
    made = add_line(restaurant)
    writes(restaurant, made)
    return made


@pytest.fixture
def selin(restaurant):
    return restaurant.hires("inbox", "Selin Kaya")


def receives(business, line, phone, text, kind="text", **content):
    message = InboundMessage(
        network_id=f"wamid.{phone}.{text}.{now().timestamp()}",
        sender_phone=phone,
        sender_network_id="",
        sender_name="Selin",
        at=int(now().timestamp()),
        kind=kind,
        text=text,
        content=content,
    )
    with business.scope():
        tally = UsageTally()
        receive_and_react(lines.get(line), message, tally)
        tally.write()


def connect(business, line, person, phone=MEMBER):
    with business.scope():
        code = member_chats.start_connecting(person.id, lines.get(line)).code
    receives(business, line, phone, f"OK-{code}")
    return code


def hold(business, line):
    with business.scope():
        return submit.submit_message(
            SendingApp(business.key_id, "Table agent", "Derya Aksoy"),
            MessageDraft("text", AYSE, "Your table is ready"),
            lines.get(line),
            current_tenant_facts(),
        ).id


def texts_to(business, phone):
    with business.scope():
        rows = db.session.query(Message).filter_by(
            tenant_id=business.tenant_id, direction="out", phone=phone
        )
        return [one.text for one in rows.order_by(Message.id)]


def tap(business, line, phone, choice, message_id):
    receives(business, line, phone, choice, "button", id=f"approval:{choice}:{message_id}")


def test_a_held_message_arrives_with_buttons_and_a_tap_sends_it(restaurant, line, selin, run_jobs):
    connect(restaurant, line, selin)
    held = hold(restaurant, line)
    run_jobs()
    connected, request = texts_to(restaurant, MEMBER)
    assert connected.startswith("Connected.")
    assert "Table agent (for Derya Aksoy) wants to send this to Ayşe Yılmaz:" in request
    assert "Your table is ready" in request
    tap(restaurant, line, MEMBER, "yes", held)
    assert texts_to(restaurant, AYSE) == ["Your table is ready"]
    assert texts_to(restaurant, MEMBER)[-1] == "Approved and sent."
    with restaurant.scope():
        [entry] = db.session.query(AuditEntry).filter_by(
            tenant_id=restaurant.tenant_id, act="approvals.approved"
        )
        assert (entry.actor_name, entry.detail["app"]) == ("Selin Kaya", "Table agent")


def test_a_tap_on_reject_sends_nothing_and_a_later_approval_is_refused(restaurant, line, selin):
    connect(restaurant, line, selin)
    held = hold(restaurant, line)
    tap(restaurant, line, MEMBER, "no", held)
    tap(restaurant, line, MEMBER, "yes", held)
    assert texts_to(restaurant, AYSE) == []
    assert texts_to(restaurant, MEMBER)[-1].startswith("Nothing was sent. Somebody has already")


def test_a_tap_of_anybody_else_does_nothing(restaurant, line, selin):
    connect(restaurant, line, selin)
    held = hold(restaurant, line)
    tap(restaurant, line, STRANGER, "yes", held)
    tap(restaurant, line, AYSE, "yes", held)
    assert texts_to(restaurant, AYSE) == []
    with restaurant.scope():
        assert queries.waiting_count() == 1


def test_a_member_who_left_cannot_approve(restaurant, line, selin):
    connect(restaurant, line, selin)
    held = hold(restaurant, line)
    with restaurant.scope():
        [member] = [one for one in team.members() if one.person_id == selin.id]
        team.remove_member(member.id, "owner")
    tap(restaurant, line, MEMBER, "yes", held)
    assert texts_to(restaurant, AYSE) == []


def test_a_code_works_once(restaurant, line, selin):
    code = connect(restaurant, line, selin)
    receives(restaurant, line, STRANGER, f"OK-{code}")
    with restaurant.scope():
        assert member_chats.chat_of(selin.id).phone == MEMBER
