"""The simulated phones in a real browser: live, readable, without requests to other hosts."""

from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.cloud import driver as cloud_driver
from messaging.simulator.phones.access_links import phones_link
from tests.browser.driver import (
    READABLE,
    SPILLS,
    THEMES,
    WIDTHS,
    new_page,
    save_screenshot,
    unreadable_texts,
)
from tests.messaging.messages.kind_examples import EXAMPLES, example
from tests.messaging.simulator.simulated_network import PHONE, SECRET, eventually, started

pytestmark = pytest.mark.browser

CHAT = f"/phones/{PHONE}/5501"


@pytest.fixture(scope="module")
def network():
    with started() as network:
        network.register()
        network.set(sent_ms=1, delivered_ms=2, read_ms=3)
        yield network


@pytest.fixture
def visit(chromium, network):
    context, page, watch = new_page(chromium, network.url)
    page.goto(phones_link(network.url, SECRET, 7))
    yield page, watch
    context.close()


def send(network, text):
    """Without the driver, because its event loop and the browser's cannot share a thread."""
    body = {
        "messaging_product": "whatsapp",
        "to": PHONE,
        "type": "text",
        "text": {"body": text},
    }
    headers = {"Authorization": "Bearer EAAB"}
    assert network.ask("POST", "/v23.0/5501/messages", body, **headers)[0] == 200


def test_a_conversation_without_a_reload(visit, network):
    page, watch = visit
    page.goto(CHAT)
    log = page.get_by_role("log")
    page.get_by_label("Message", exact=True).fill("Merhaba")
    page.keyboard.press("Enter")
    expect(log).to_contain_text("Merhaba")
    expect(page.get_by_label("Message", exact=True)).to_have_value("")
    assert eventually(network.hooks.messages)[-1].text == "Merhaba"
    send(network, "Buyurun: https://e.com/menu")
    expect(log.get_by_role("link", name="https://e.com/menu")).to_be_visible()
    page.get_by_label("Attach").click()
    page.get_by_role("button", name="Photo").click()
    picture = log.get_by_role("img", name="Photo")
    expect(picture).to_be_visible()
    expect(picture).to_be_in_viewport()
    watch.expect_none()


def test_an_order_typed_in_waits_for_the_person_to_send_it(chromium, network):
    """From the diner's page: the chat opens with the whole text and sends it unchanged."""
    text = "Merhaba, sipariş:\n2 x Ayran & su\nKod: AB12-CD34"
    network.write(text="before the order")
    eventually(lambda: [m for m in network.hooks.messages() if m.text == "before the order"])
    before = len(network.hooks.messages())
    context, page, watch = new_page(chromium, network.url)
    typed = urlencode({"to": "5501", "text": text})
    page.goto(f"{phones_link(network.url, SECRET, 7)}&{typed}")
    field = page.get_by_label("Message", exact=True)
    expect(field).to_have_value(text)
    assert "text=" not in page.url
    assert len(network.hooks.messages()) == before
    field.press("Enter")
    expect(page.get_by_role("log")).to_contain_text("AB12-CD34")
    assert eventually(lambda: network.hooks.messages()[before:])[-1].text == text
    watch.expect_none()
    context.close()


def test_the_list_of_phones_follows(visit, network):
    page, watch = visit
    send(network, "for the list")
    expect(page.get_by_role("navigation", name="Phones in use")).to_contain_text("for the list")
    watch.expect_none()


def send_every_kind(network):
    for code in EXAMPLES:
        text, content = example(code)
        envelope = Envelope("msg_1", 1, 7, 1, PHONE, code, text, content)
        body = cloud_driver.payload(envelope)
        assert (
            network.ask("POST", "/v23.0/5501/messages", body, Authorization="Bearer EAAB")[0] == 200
        )


def test_what_can_be_done_with_a_message(visit, network):
    page, watch = visit
    page.set_viewport_size({"width": 390, "height": 844})
    network.write(text="iki ayran", name="Ayşe Yılmaz")
    page.goto(CHAT)
    mine = page.locator(".bubble.mine").last
    mine.hover()
    mine.get_by_label("Message actions").click()
    mine.get_by_text("Edit", exact=True).click()
    mine.get_by_label("New text").fill("üç ayran")
    mine.get_by_role("button", name="Save").click()
    expect(page.locator(".bubble.mine").last).to_contain_text("üç ayran")
    expect(page.locator(".bubble.mine").last).to_contain_text("Edited")
    page.get_by_role("link", name="What this person can do").click()
    page.get_by_text("Type on the business phone", exact=True).click()
    page.get_by_label("Staff message").fill("Geliyoruz")
    page.get_by_role("button", name="Send from the phone").click()
    expect(page.locator(".bubble.theirs").last).to_contain_text("Geliyoruz")
    expect(page.locator("#person")).not_to_be_in_viewport()
    page.get_by_role("link", name="What this person can do").click()
    page.get_by_text("24 hours later", exact=True).click()
    page.get_by_role("button", name="Move the clock by 24 hours").click()
    expect(page.locator("#person")).not_to_be_in_viewport()
    page.get_by_role("link", name="What this person can do").click()
    expect(page.get_by_text("Window closed: templates only")).to_be_visible()
    watch.expect_none()


def test_a_sheet_of_choices_opens_over_the_chat(visit, network):
    page, watch = visit
    network.write(text="hi again")
    send_every_kind(network)
    page.goto(CHAT)
    page.get_by_text("Times", exact=True).first.click()
    row = page.get_by_role("button", name="19:00").first
    expect(row).to_be_in_viewport()
    row.click()
    expect(page.locator(".bubble.mine").last).to_contain_text("19:00")
    watch.expect_none()


def test_a_sheet_opened_while_the_chat_is_loading_stays_open(visit, network):
    page, watch = visit
    network.write(text="hi")
    send_every_kind(network)
    page.goto(CHAT)
    requests = []
    page.route("**/bubbles*", lambda route: requests.append(route))
    send(network, "news")
    while not requests:
        page.wait_for_timeout(20)
    page.get_by_text("Times", exact=True).first.click()
    with page.expect_response("**/bubbles*"):
        requests[0].continue_()
    page.unroute_all()
    page.wait_for_timeout(100)
    expect(page.get_by_role("button", name="19:00").first).to_be_in_viewport()
    watch.expect_none()


def test_nothing_spills_and_everybody_can_read_it(visit, network):
    page, watch = visit
    message_id = network.write(text="selam", name="Ayşe Yılmaz")[1]["id"]
    network.act("messages/delete", id=message_id)
    for kind in ("voice", "sticker", "order", "flow_reply", "poll"):
        network.write(kind=kind)
    network.act("agent/answer", text="We are open")
    network.act("business_phone", text="Coming")
    network.write(kind="location", place="Ev")
    send_every_kind(network)
    send(network, "a_very_long_word_without_any_break_" * 5)
    faults = []
    for path in ("/phones", f"/phones/{PHONE}", CHAT, f"{CHAT}#person"):
        page.goto(path)
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                page.emulate_media(color_scheme=theme)
                where = f"{path} at {width} px, {theme}"
                faults += [f"{where}: spills: {html}" for html in page.evaluate(SPILLS)]
                faults += [
                    f"{where}: {fault}" for fault in unreadable_texts(page, theme, READABLE[theme])
                ]
                name = path.strip("/").replace("/", "-").replace("#", "-")
                save_screenshot(page, f"{name}-{width}-{theme}")
    assert not faults, "\n".join(faults)
    watch.expect_none()
