"""An order written in Turkish becomes a proposal, is corrected, tapped, and printed."""

import pytest
from playwright.sync_api import expect

from messaging.lines.simulated_line import add_simulated_line
from messaging.simulator.phones.access_links import phones_link
from restaurant.sites import sites
from tests.browser.driver import new_page, save_screenshot
from tests.factories import make_business
from tests.journeys.test_inbox import Place
from tests.journeys.test_printing import Wire, printer_of
from tests.restaurant.text_orders.grill import open_grill
from tests.webhooks.receivers import wait_until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

GUEST = "905321118844"
SLOW = 30_000


@pytest.fixture
def grill(app, settings, service):
    business = make_business("Ocakbaşı")
    made = open_grill(business)
    with business.scope():
        line = add_simulated_line(
            "Siparişler", service.url, settings.simulator_secret, test=False, default=True
        )
        sites.change(made.site_id, {"line_id": line.id})
    made.line = line
    member = business.hires("inbox", "Mehmet Demir")
    made.place = Place(service, settings, business, member, line)
    made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
    made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
    return made


def test_words_are_proposed_corrected_tapped_and_printed(app, chromium, settings, service, grill):
    place = grill.place
    wire = Wire(service, grill)
    kitchen = printer_of(grill, "Mutfak", agent_id=wire.id, output={"kind": "demo"},
                         stations=["kitchen", "bar"])  # fmt: skip
    place.writes(
        GUEST, text="Merhaba, iki lahmacun biri acısız, bir de ayran, gel al", name="Ayşe Kaya"
    )
    link = phones_link(settings.simulator_url, settings.simulator_secret, grill.business.tenant_id)
    context, phone, _ = new_page(chromium, settings.simulator_url)
    phone.goto(link)
    phone.goto(f"/phones/{GUEST}")
    phone.locator(".chats a.person").first.click()
    log = phone.get_by_role("log")
    expect(log).to_contain_text("Siparişinizi şöyle anladık", timeout=SLOW)
    expect(log).to_contain_text("₺285,00")
    assert grill.orders() == []

    place.writes(GUEST, text="hayır, üç ayran olsun", name="Ayşe Kaya")
    expect(log).to_contain_text("3 × Ayran", timeout=SLOW)
    expect(log).to_contain_text("₺375,00")
    save_screenshot(phone, "phone-words-proposal")
    assert grill.orders() == []

    phone.get_by_role("button", name="Mutfağa gönder").last.click()
    expect(log).to_contain_text("siparişiniz mutfakta", timeout=SLOW)
    (order,) = grill.orders()
    assert (order.state, order.order_type) == ("sent_to_kitchen", "takeaway")
    assert grill.items(order) == [
        (1, "Lahmacun", ("Acılı",)), (1, "Lahmacun", ("Acısız",)), (3, "Ayran", ()),
    ]  # fmt: skip
    assert wait_until(lambda: wire.polls(kitchen.id).json()["jobs"], 30)
    context.close()


def test_a_question_nobody_can_answer_waits_in_the_inbox(app, chromium, settings, service, grill):
    place = grill.place
    place.writes(GUEST, text="iki lahmacun, masa 5", name="Ayşe Kaya")
    assert wait_until(lambda: len(grill.answers(GUEST)) == 1, 30)
    place.writes(GUEST, text="zbrgl frnktz", name="Ayşe Kaya")
    assert wait_until(lambda: len(grill.answers(GUEST)) == 2, 30)
    context, page, watch = place.open_portal(chromium, place.selin, "/inbox")
    page.locator("a.talk-row").first.click()
    box = page.locator("#answer")
    expect(box).to_contain_text("2 × Lahmacun", timeout=SLOW)
    expect(page.get_by_text("zbrgl frnktz").first).to_be_visible()
    save_screenshot(page, "inbox-words-draft")
    watch.expect_none()
    context.close()
