"""Every message type on a simulated phone: taken, drawn, and tapped."""

import copy
import json
import re

import pytest

from messaging.lines.drivers.base import SendAccepted, SendRefused
from messaging.simulator.network.checks.interactive import interactive_fault
from tests.messaging.messages.kind_examples import EXAMPLES, REPLY_CARD, example
from tests.messaging.simulator.simulated_network import eventually, started
from tests.messaging.simulator.test_phone_pages import CHAT, Visitor


@pytest.fixture(scope="module")
def process():
    with started() as network:
        network.register()
        yield network


@pytest.fixture
def network(process):
    process.ask("DELETE", "/_sim/accepted")
    process.hooks.bodies.clear()
    return process


@pytest.fixture
def visitor(network):
    return Visitor(network, tenant_id=7)


def sent(network, code, given=None):
    text, content = example(code, given)
    outcome = network.send(kind=code, text=text, **content)
    assert isinstance(outcome, SendAccepted), outcome
    return outcome.network_id


def forms(page):
    """The values of each form with a button to tap, by the button's label."""
    found = {}
    for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
        label = re.search(r'class="(?:tap|primary)">([^<]+)', form)
        if label:
            found[label[1]] = dict(re.findall(r'name="([\w.]+)"(?: [^>]*?)? value="([^"]*)"', form))
    return found


def tap(network, visitor, label):
    status, _ = visitor.post(CHAT, **forms(visitor.page(CHAT))[label])
    assert status == 303
    return eventually(lambda: network.hooks.messages())[-1]


@pytest.mark.parametrize("code", EXAMPLES)
def test_the_network_takes_every_type_and_the_phone_shows_it(network, visitor, code):
    sent(network, code)
    assert network.shown()[-1]["direction"] == "received"
    assert 'role="log"' in visitor.page(CHAT)


def test_a_tapped_button_arrives_with_its_id(network, visitor):
    network_id = sent(network, "buttons")
    message = tap(network, visitor, "Yes")
    assert (message.kind, message.text) == ("button", "Yes")
    assert message.content == {"id": "y", "title": "Yes", "reply_to": network_id}


def test_a_chosen_row_arrives_with_its_id(network, visitor):
    rows = [{"id": "a", "title": "19:00", "description": "By the window"}]
    given = {"body": "When?", "button": "Times", "sections": [{"rows": rows}]}
    sent(network, "list", given)
    message = tap(network, visitor, "19:00")
    assert (message.kind, message.content["id"]) == ("button", "a")
    assert message.content["description"] == "By the window"


def test_a_button_of_a_card_arrives_with_its_id(network, visitor):
    other = {**REPLY_CARD, "buttons": [{"id": "y", "title": "Add two"}]}
    sent(network, "carousel", {"body": "New", "cards": [REPLY_CARD, other]})
    assert tap(network, visitor, "Add two").content["id"] == "y"


def test_a_request_is_answered_with_a_location_or_the_number(network, visitor):
    sent(network, "location_request")
    assert tap(network, visitor, "Share location").kind == "location"
    network.hooks.bodies.clear()
    sent(network, "contact_request")
    message = tap(network, visitor, "Share phone number")
    assert message.content["contacts"][0]["phones"] == ["905321112233"]
    assert message.content["origin"] == "contact_request"


def test_a_form_is_sent_back(network, visitor):
    sent(network, "flow")
    assert "Open" in visitor.page(CHAT)
    tap(network, visitor, "Submit form")
    [value] = [one for one in network.hooks.values() if "messages" in one]
    reply = value["messages"][0]["interactive"]["nfm_reply"]
    assert json.loads(reply["response_json"])["flow_token"] == "unused"
    assert json.loads(reply["response_json"])["guests"] == "2"


def test_products_are_ordered(network, visitor):
    given = {
        "catalog_id": "77",
        "header": "Menu",
        "body": "B",
        "sections": [{"product_ids": ["a"]}],
    }
    sent(network, "product_list", given)
    order = tap(network, visitor, "Place the order").content
    assert (order["catalog_id"], order["items"][0]["product_retailer_id"]) == ("77", "a")
    assert "95.00 TRY" in visitor.page(CHAT)


def test_a_business_that_reads_and_types_is_shown(network, visitor):
    visitor.post(CHAT, kind="text", text="Merhaba")
    message = eventually(lambda: network.hooks.messages())[-1]
    assert 'class="ticks sent"' in visitor.page(CHAT)
    report = {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": message.network_id,
        "typing_indicator": {"type": "text"},
    }
    network.ask("POST", "/v23.0/5501/messages", report, Authorization="Bearer EAAB")
    page = visitor.page(CHAT)
    assert 'class="ticks read"' in page
    assert "Lokanta Mavi is typing" in page
    sent(network, "text")
    assert "is typing" not in visitor.page(CHAT)


def test_a_link_button_opens_its_page(network, visitor):
    sent(network, "link_button")
    assert re.search(r'<a class="tap" href="https://example.com/a"', visitor.page(CHAT))


def test_a_reaction_is_shown_at_the_message(network, visitor):
    visitor.post(CHAT, kind="text", text="Merhaba")
    message = eventually(lambda: network.hooks.messages())[-1]
    sent(network, "reaction", {"message_id": message.network_id, "emoji": "👍"})
    page = visitor.page(CHAT)
    assert re.search(r'class="reaction"[^>]*>👍', page)
    assert page.count("<article") == 1


def test_an_order_to_pay_shows_what_it_comes_to(network, visitor):
    sent(network, "order_details")
    page = visitor.page(CHAT)
    for part in ("Review and pay", "2 × Lahmacun", "19.00 BRL", "Courier", "−2.00 BRL"):
        assert part in page
    assert re.search(r"<strong>25\.00 BRL</strong>", page)
    assert re.search(r'<a class="tap" href="https://example.com/a"', page)


@pytest.mark.parametrize("part", ["subtotal", "total_amount"])
def test_an_order_with_a_wrong_sum_is_refused(part):
    interactive = copy.deepcopy(EXAMPLES["order_details"][2])
    parameters = interactive["action"]["parameters"]
    (parameters if part in parameters else parameters["order"])[part]["value"] += 1
    refusal = interactive_fault(interactive)
    assert refusal.code == 131009
    assert part in refusal.details


def test_a_catalog_is_ordered_from(network, visitor):
    sent(network, "catalog")
    assert "View catalog" in visitor.page(CHAT)
    order = tap(network, visitor, "Place the order").content
    assert order["items"][0]["product_retailer_id"] == "ayran"


def test_the_buttons_of_a_template_are_tapped(network, visitor):
    booking = {"name": "table_booking", "language": "en"}
    flow = {"type": "flow", "token": "visit-7"}
    network.send(kind="template", **booking, parameters={"body": ["Ada"], "buttons": [flow]})
    tap(network, visitor, "Submit form")
    [value] = [one for one in network.hooks.values() if "messages" in one]
    reply = value["messages"][0]["interactive"]["nfm_reply"]
    assert json.loads(reply["response_json"])["flow_token"] == "visit-7"
    network.hooks.bodies.clear()
    offer = {"name": "catalog_offer", "language": "en"}
    catalog = {"type": "catalog", "product_id": "lahmacun"}
    given = {"body": ["Ada", "₺100"], "buttons": [catalog]}
    network.send(kind="template", **offer, parameters=given)
    order = tap(network, visitor, "Place the order").content
    assert order["items"][0]["product_retailer_id"] == "lahmacun"
    network.hooks.bodies.clear()
    menu = {"name": "weekend_menu", "language": "en"}
    quick = {"type": "quick_reply", "text": "menu-please"}
    network.send(kind="template", **menu, parameters={"body": ["Ada"], "buttons": [quick]})
    assert tap(network, visitor, "Show me").content["id"] == "menu-please"


def test_a_template_with_a_flow_button_needs_its_value(network):
    booking = {"name": "table_booking", "language": "en", "parameters": ["Ada"]}
    assert isinstance(network.send(kind="template", **booking), SendRefused)
