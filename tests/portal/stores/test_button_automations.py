"""A tap on a button starts the automation that names it, once."""

from itertools import count

import pytest

from jobs import automations as automations_job
from jobs.inbound import messages as inbound_messages
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import InboundMessage
from tests.factories import Browser
from tests.line_factory import make_line
from tests.webhooks.stores.shops import messages

AYSE = "905321112233"
_ids = count(1)


@pytest.fixture
def line(app, shop, redis):
    return make_line(shop)


@pytest.fixture
def owner(app, shop):
    return Browser(app.test_client()).signs_in(shop.owner)


def taps(app, business, line, title, button_id="", kind="button"):
    content = {"id": button_id or title, "title": title} if kind == "button" else {}
    message = InboundMessage(
        f"wamid.tap{next(_ids)}", AYSE, AYSE, "Ayşe Kaya", 0, kind, title, content
    )
    with business.scope():
        tally = UsageTally()
        inbound_messages.receive_and_react(line, message, tally)
        tally.write()
    with app.app_context():
        automations_job.drain()


def fields(**more):
    usual = {"name": "Table", "says": "text", "delay": "0", "unit": "minutes", "act": "save"}
    return {**usual, "text": "{{customer.first_name}}: {{button.title}}", **more}


def sent(business):
    return [one.text for one in messages(business) if one.direction == "out"]


def test_a_tap_on_a_named_button_is_answered_on_its_line(app, owner, shop, line):
    asked = owner.post("/automations/tick/button_reply")
    assert asked.location.endswith("/automations/new/button_reply")
    made = owner.post("/automations/new/button_reply", **fields(tapped="Evet\nconfirm"))
    assert made.status_code == 302
    taps(app, shop, line, "EVET")
    taps(app, shop, line, "Yes, please", button_id="confirm")
    taps(app, shop, line, "Hayır")
    taps(app, shop, line, "Evet", kind="text")
    assert sent(shop) == ["Ayşe: EVET", "Ayşe: Yes, please"]
    with shop.scope():
        (automation,) = automation_definitions.list_automations()
        runs = automation_definitions.list_runs(automation.id, None, 10)
        assert [one.run.state for one in runs] == ["sent", "sent"]
        assert store_connections.list_connections() == []
    page = owner.get(f"/automations/{automation.id}").get_data(as_text=True)
    assert "confirm</textarea>" in page
    assert "Ayşe: Yes, please" in page  # the preview of the last tap


def test_an_automation_needs_a_button(owner, shop, line):
    refused = owner.post("/automations/new/button_reply", **fields(tapped=" "))
    assert "Enter the title or the id of a button." in refused.get_data(as_text=True)


def test_an_automation_that_is_off_answers_nothing(app, owner, shop, line):
    owner.post("/automations/new/button_reply", **fields(tapped="Evet"))
    with shop.scope():
        (automation,) = automation_definitions.list_automations()
        automation_definitions.set_enabled(automation.id, False)
    taps(app, shop, line, "Evet")
    assert sent(shop) == []
