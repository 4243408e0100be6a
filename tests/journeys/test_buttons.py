"""From the API to a tap on a phone, and back as an event: in real processes and a real browser."""

import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from messaging.lines.simulated_line import add_simulated_line
from messaging.simulator.phones.access_links import phones_link
from tests.browser.driver import new_page, save_screenshot, sign_in
from tests.factories import PASSWORD, make_business
from tests.messaging.messages.kind_examples import EXAMPLES
from tests.timeouts import allow_for_load

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PHONE = "905321112233"
SLOW = 30_000


@pytest.fixture
def business(app, service, settings):
    made = make_business("Lokanta Mavi")
    with made.scope():
        add_simulated_line("Front desk", service.url, settings.simulator_secret, test=False)
    return made


def ask(service, business, path, body=None):
    request = Request(
        f"{service.url}/api/v1{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={**business.bearer, "Content-Type": "application/json"},
    )
    try:
        with urlopen(request, timeout=40) as answer:
            return answer.status, json.load(answer)
    except HTTPError as refusal:
        return refusal.code, json.load(refusal)


def event_of_tap(service, business):
    end = time.monotonic() + allow_for_load(15)
    while time.monotonic() < end:
        _, found = ask(service, business, "/events")
        taps = [
            one["data"]
            for one in found["data"]
            if one["event"] == "messages.upsert" and one["data"]["type"] == "button"
        ]
        if taps:
            return taps[0]
        time.sleep(0.2)
    raise AssertionError("the event of the tap did not come")


def test_a_tapped_button_comes_back_as_an_event(app, settings, service, business, chromium):
    buttons = [{"id": "confirm", "title": "Confirm"}, {"id": "cancel", "title": "Cancel"}]
    body = {
        "to": {"phone": PHONE},
        "type": "buttons",
        "header": "Your table",
        "body": "Is 20:00 all right?",
        "footer": "Lokanta Mavi",
        "buttons": buttons,
    }
    status, sent = ask(service, business, "/messages", body)
    assert (status, sent["status_code"]) == (200, "sent")

    link = phones_link(settings.simulator_url, settings.simulator_secret, business.tenant_id)
    other, phone, _ = new_page(chromium, settings.simulator_url)
    phone.goto(link)
    phone.goto(f"/phones/{PHONE}")
    phone.locator(".chats a.person").first.click()
    save_screenshot(phone, "phone-buttons")
    phone.get_by_role("button", name="Confirm").click()
    expect(phone.locator(".bubble.mine")).to_contain_text("Confirm", timeout=SLOW)

    event = event_of_tap(service, business)
    assert event["button"] == {"id": "confirm", "title": "Confirm"}
    assert (event["text"], event["reply_to"]) == ("Confirm", sent["message_id"])

    context, page, _ = new_page(chromium, service.url)
    sign_in(page, business.owner.email, PASSWORD)
    page.goto("/inbox")
    page.locator("a[href*='/inbox/cnv_']").first.click()
    expect(page.locator(".message-choices li").first).to_have_text("Confirm", timeout=SLOW)
    expect(page.locator(".entry-in .message-quote")).to_contain_text("Is 20:00 all right?")
    save_screenshot(page, "inbox-buttons")
    page.goto(f"/lines/{sent['instance_id']}")
    expect(page.locator("#types")).to_contain_text("Buttons")
    save_screenshot(page, "line-types")
    other.close()
    context.close()


def test_a_chosen_row_comes_back_as_an_event(app, settings, service, business, chromium):
    rows = [{"id": "t-19", "title": "19:00", "description": "By the window"}]
    body = {
        "to": {"phone": PHONE},
        "type": "list",
        "body": "Which time?",
        "button": "Choose a time",
        "sections": [{"rows": rows}],
    }
    status, sent = ask(service, business, "/messages", body)
    assert (status, sent["status_code"]) == (200, "sent")
    link = phones_link(settings.simulator_url, settings.simulator_secret, business.tenant_id)
    context, phone, _ = new_page(chromium, settings.simulator_url)
    phone.goto(link)
    phone.goto(f"/phones/{PHONE}")
    phone.locator(".chats a.person").first.click()
    phone.locator("summary", has_text="Choose a time").click()
    phone.get_by_role("button", name="19:00").click()
    expect(phone.locator(".bubble.mine")).to_contain_text("19:00", timeout=SLOW)
    event = event_of_tap(service, business)
    assert event["button"]["id"] == "t-19"
    context.close()


@pytest.mark.parametrize("code", sorted(set(EXAMPLES) - {"reaction"}))
def test_every_type_is_sent_over_the_real_driver(service, business, code):
    body = {"to": {"phone": PHONE}, "type": code, **EXAMPLES[code][0]}
    status, sent = ask(service, business, "/messages", body)
    assert (status, sent["status_code"]) == (200, "sent"), sent
    _, shown = ask(service, business, f"/messages/{sent['id']}")
    assert shown["type"] == code
