"""A customer writes, the team answers: real processes, real browsers, nobody reloads."""

import json
import re
import time
from contextlib import contextmanager
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import Page, expect

from messaging.lines.simulated_line import add_simulated_line
from messaging.simulator.phones.access_links import phones_link
from tests.browser.driver import new_page, sign_in
from tests.factories import PASSWORD, make_business
from tests.portal.hostile_texts import RUNS
from tests.timeouts import allow_for_load

pytestmark = pytest.mark.browser

AYSE, VELI = "905321118801", "905321118802"
SOON_SECONDS = 2.0


@pytest.fixture(scope="module")
def place(app, settings, service):
    """A business with a simulated live line, and a colleague for the inbox."""
    with app.app_context():
        business = make_business("Lokanta Mavi")
        with business.scope():
            line = add_simulated_line(
                "Front desk", service.url, settings.simulator_secret, test=False, default=True
            )
        selin = business.hires("inbox", "Selin Kaya")
        found = Place(service, settings, business, selin, line)
        found.ask("/_sim/lines", **found.registration(service.url, line))
        found.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
        return found


class Place:
    def __init__(self, service, settings, business, selin, line):
        self.service, self.settings = service, settings
        self.business, self.selin, self.line = business, selin, line

    def registration(self, url, line):
        return {
            "phone_number_id": line.phone_number_id,
            "phone": line.phone,
            "app_secret": line.app_secret,
            "callback_url": f"{url}/hooks/cloud/{line.hook_token}",
            "tenant_id": self.business.tenant_id,
            "name": "Lokanta Mavi",
        }

    def ask(self, path, **body):
        headers = {
            "X-Simulator-Secret": self.settings.simulator_secret,
            "Content-Type": "application/json",
        }
        request = Request(f"{self.service.network}{path}", json.dumps(body).encode(), headers)
        with urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def shown(self, phone):
        headers = {"X-Simulator-Secret": self.settings.simulator_secret}
        with urlopen(
            Request(f"{self.service.network}/_sim/phones/{phone}/messages", headers=headers)
        ) as answer:
            return json.load(answer)["messages"]

    def writes(self, phone, **more):
        body = {"to_phone_number_id": self.line.phone_number_id, **more}
        return self.ask(f"/_sim/phones/{phone}/messages", **body)

    def phone(self, chromium, number=AYSE):
        context, page, watch = new_page(chromium, self.service.network)
        link = phones_link(
            self.service.network, self.settings.simulator_secret, self.business.tenant_id
        )
        page.goto(link)
        page.goto(f"/phones/{number}/{self.line.phone_number_id}")
        return context, page, watch

    def open_portal(self, chromium, person, path="/inbox"):
        context, page, watch = new_page(chromium, self.service.url)
        sign_in(page, person.email, PASSWORD)
        page.goto(path)
        expect(page.locator("html[data-live=connected]")).to_be_attached()
        return context, page, watch


@contextmanager
def within(seconds=SOON_SECONDS):
    """On a machine whose cores are shared with others, each waits its turn that much longer."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took < allow_for_load(seconds), f"it took {took:.2f} s of {allow_for_load(seconds):.2f}"


def type_on_phone(phone: Page, text: str) -> None:
    phone.get_by_label("Message", exact=True).fill(text)
    phone.keyboard.press("Enter")


@pytest.mark.timing
def test_an_evening_at_the_inbox(app, chromium, place):
    held = [place.phone(chromium), place.open_portal(chromium, place.business.owner)]
    held.append(place.open_portal(chromium, place.selin))
    (_, phone, _), (_, derya, her_watch), (_, selin, his_watch) = held

    # Typed on a phone, it is in both inboxes without a reload.
    type_on_phone(phone, "Merhaba, 4 kişilik yer var mı?")
    with within():
        row = derya.locator(".talk-row").filter(has_text="4 kişilik yer var mı?")
        expect(row).to_be_visible()
    expect(derya.locator(".sidebar [data-unread-badge]")).to_have_text("1")
    expect(selin.locator(".talk-row")).to_contain_text("4 kişilik yer")
    row.click()
    log = derya.get_by_role("log")
    expect(log).to_contain_text("Merhaba, 4 kişilik yer var mı?")
    expect(derya.locator(".sidebar [data-unread-badge]")).to_be_hidden()

    # Another message comes while something is being written: it stays.
    writing = derya.get_by_label("Your message")
    writing.press_sequentially("Tabii, saat kaç")
    type_on_phone(phone, "Saat 20.00")
    with within():
        expect(log).to_contain_text("Saat 20.00")
    expect(writing).to_have_value("Tabii, saat kaç")
    expect(writing).to_be_focused()

    # The answer is on the phone, and its status marks are updated without a reload.
    writing.fill("Tabii, *sizi bekliyoruz*!")
    expect(derya.locator("html[data-inbox=ready]")).to_be_attached()
    derya.keyboard.press("Enter")
    with within():
        expect(phone.get_by_role("log")).to_contain_text("sizi bekliyoruz")
    answer = log.locator(".entry-out").filter(has_text="sizi bekliyoruz")
    expect(answer).to_have_count(1)
    expect(answer.locator("strong")).to_have_text("sizi bekliyoruz")
    with within():
        expect(answer.get_by_role("img", name="Delivered")).to_be_visible()
    place.ask(f"/_sim/phones/{AYSE}/read")
    with within():
        expect(answer.get_by_role("img", name="Read")).to_be_visible()
    expect(writing).to_have_value("")

    # Two people see each other's assignment at once.
    selin.locator(".talk-row").click()
    expect(selin.get_by_role("log")).to_contain_text("sizi bekliyoruz")
    owner = place.business.owner.name
    expect(selin.get_by_label("Assigned to")).to_have_value(place.business.owner.id)
    selin.get_by_label("Assigned to").select_option(place.selin.id)
    with within():
        expect(derya.get_by_label("Assigned to")).to_have_value(place.selin.id)
    expect(log).to_contain_text("Selin Kaya assigned this conversation to themselves")
    with within():
        derya.get_by_label("Assigned to").select_option(place.business.owner.id)
        expect(selin.get_by_role("log")).to_contain_text(
            f"{owner} assigned this conversation to themselves"
        )

    # A note reaches the colleague and never the customer.
    selin.get_by_text("Note", exact=True).click()
    selin.get_by_label("Your message").fill("VIP, pencere kenarı")
    selin.keyboard.press("Enter")
    with within():
        expect(log.locator(".entry-note")).to_contain_text("VIP, pencere kenarı")
    assert "VIP" not in (phone.get_by_role("log").text_content() or "")

    # Closed by one member, it is closed for both; the customer's next message reopens it.
    selin.get_by_role("button", name="Close").click()
    with within():
        expect(derya.get_by_role("button", name="Reopen")).to_be_visible()
    type_on_phone(phone, "Bir şey daha")
    with within():
        expect(derya.get_by_role("button", name="Close", exact=True)).to_be_visible()

    her_watch.expect_none()
    his_watch.expect_none()
    for context, _, _ in held:
        context.close()


def test_a_double_click_sends_once(app, chromium, place):
    place.writes(VELI, text="Bir kez", name="Veli")
    context, page, _ = place.open_portal(chromium, place.selin)
    page.locator(".talk-row").filter(has_text="Veli").click()
    expect(page.locator("html[data-inbox=ready]")).to_be_attached()
    page.get_by_label("Your message").fill("Tek mesaj")
    send = page.get_by_role("button", name="Send", exact=True)
    send.dblclick()
    expect(page.locator(".entry-out").filter(has_text="Tek mesaj")).to_have_count(1)
    expect(page.get_by_role("img", name="Delivered").last).to_be_visible()
    assert [one["text"] for one in place.shown(VELI)].count("Tek mesaj") == 1
    context.close()


def test_a_page_shows_when_it_is_not_live_and_catches_up(app, chromium, place, service):
    context, page, _ = place.open_portal(chromium, place.selin)
    sign = page.get_by_text("Connection lost. Reconnecting…")
    expect(sign).to_be_hidden()
    service.stops("live")
    expect(sign).to_be_visible(timeout=20_000)
    place.writes("905321118803", text="Kimse duymadı", name="Murat")
    service.starts("live")
    expect(page.locator(".talk-row").filter(has_text="Kimse duymadı")).to_be_visible(timeout=40_000)
    expect(sign).to_be_hidden()
    context.close()


def test_what_customers_call_themselves_runs_nothing(app, chromium, place):
    context, page, watch = place.open_portal(chromium, place.selin)
    for number, text in enumerate(RUNS):
        place.writes(f"90532111{9000 + number}", text=text, name=text[:60])
    last = page.locator(".talk-row").filter(has_text=RUNS[-1][:20])
    expect(last).to_be_visible(timeout=60_000)
    for row in page.locator(".talk-row").all()[:3]:
        page.goto(row.get_attribute("href") or "")
        expect(page.get_by_role("log")).to_be_visible()
        assert page.evaluate("window.pwned") is None
        page.goto("/inbox")
    assert page.evaluate("window.pwned") is None
    watch.expect_none()
    context.close()


def test_on_a_phone_the_list_leads_to_the_talk_and_back(app, chromium, place):
    place.writes(VELI, text="Telefondan", name="Veli")
    context, page, _ = place.open_portal(chromium, place.selin)
    page.set_viewport_size({"width": 390, "height": 844})
    page.locator(".talk-row").filter(has_text="Veli").click()
    expect(page.get_by_role("log")).to_be_visible()
    expect(page.locator(".talks")).to_be_hidden()
    page.get_by_role("link", name="Back to list").click()
    expect(page).to_have_url(re.compile(r"/inbox$"))
    expect(page.locator(".talks")).to_be_visible()
    context.close()


def test_the_keyboard_is_enough(app, chromium, place):
    place.writes(AYSE, text="Klavye", name="Ayşe")
    context, page, _ = place.open_portal(chromium, place.selin)
    expect(page.locator(".talk-row").first).to_contain_text("Klavye")
    page.keyboard.press("j")
    page.wait_for_url(re.compile("/inbox/cnv_"))
    expect(page.locator("html[data-inbox=ready]")).to_be_attached()
    page.keyboard.press("a")
    expect(page.get_by_label("Assigned to")).to_have_value(place.selin.id)
    page.keyboard.press("r")
    expect(page.get_by_label("Your message")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.wait_for_url(re.compile(r"/inbox$"))
    context.close()
