"""A delivery order paid by card, with real processes, a real browser and printed bills."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from messaging.lines.simulated_line import add_simulated_line
from restaurant.orders import carts
from restaurant.payments import payments, provider_events
from restaurant.sites import sites
from tenants import accounts
from tenants.plans import billing
from tests.browser.driver import new_page, sign_in
from tests.factories import PASSWORD, make_business
from tests.journeys.card_steps import (
    card_page_url,
    order_for_delivery,
    order_of,
    pays_by_card,
    reaches,
    set_up_cards,
)
from tests.journeys.test_inbox import Place
from tests.restaurant.bistro import open_bistro
from tests.webhooks.receivers import add_endpoint, wait_until

pytestmark = pytest.mark.browser

GUEST = "905321118855"


@pytest.fixture(scope="module")
def bistro(app, settings, service, server):
    with app.app_context():
        business = make_business("Lokanta Kart")
        made = open_bistro(business)
        with business.scope():
            line = add_simulated_line(
                "Orders", service.url, settings.simulator_secret, test=False, default=True
            )
            sites.change(made.site_id, {"line_id": line.id})
        set_up_cards(made, settings)
        add_endpoint(business, server.url, "restaurant.order_created")
        made.place = Place(service, settings, business, business.owner, line)
        made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
        made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
        return made


def test_paid_by_card_then_cooked(app, chromium, service, server, bistro):
    place = bistro.place
    text = order_for_delivery(chromium, service, bistro, "Galip Dede Cd. 12, Beyoğlu")
    place.writes(GUEST, text=text, name="Ayşe Kaya")

    # The link arrives in the chat; the kitchen gets nothing yet.
    assert wait_until(lambda: card_page_url(place.shown(GUEST), service.network), 30), place.shown(
        GUEST
    )
    url = card_page_url(place.shown(GUEST), service.network)
    with app.app_context():
        order = order_of(bistro, carts.find_code(text))
        assert (order.state, order.paid_at) == ("awaiting_payment", None)
    context, board, watch = place.open_portal(
        chromium, place.selin, f"/orders/board/{bistro.site_id}"
    )
    expect(board.locator("html[data-board=ready]")).to_be_attached()
    expect(board.locator(".lane-new .ticket")).to_have_count(0)
    assert not server.bodies

    # Declined, then paid, on the provider's page.
    pays_by_card(chromium, url, declined_first=True)
    with app.app_context():
        assert reaches(bistro, order_code(text), "sent_to_kitchen")
    expect(board.locator(".lane-new .ticket")).to_contain_text("Ayran", timeout=20_000)
    assert wait_until(lambda: server.bodies, 30)
    body = server.bodies[0]
    assert (body["order_id"], body["status"]) == (order.number, "sent_to_kitchen")
    assert (body["order_type"], body["payment_method"], body["paid"]) == (
        *("delivery", "card_link", True),
    )
    told = "received your payment"
    assert wait_until(lambda: [o for o in place.shown(GUEST) if told in (o.get("text") or "")], 30)

    # Staff see the payment on the order and refund a part of it.
    board.goto(f"/orders/{order.number}")
    money = board.locator("section", has=board.get_by_role("heading", name="Payment", exact=True))
    expect(money.locator(".money").first).to_contain_text("Paid")
    money.get_by_role("link", name="Refund").click()
    board.get_by_label("Amount").fill("5")
    board.get_by_label("Reason").fill("The straw was missing")
    board.get_by_role("button", name="Refund payment").click()
    with app.app_context():

        def given_back() -> bool:
            with bistro.scope():
                payload = {
                    one.event for one in provider_events.listed(None, 10) if one.state == "done"
                }
                done = payments.of_order(order.id)[0].refunded == 5
                return done and "payment.refunded" in payload

        assert wait_until(given_back, 30)
    board.goto("/payments/signals")
    for what in ("payment.declined", "payment.succeeded", "payment.refunded"):
        expect(board.get_by_text(what).first).to_be_visible()
    watch.expect_none()
    context.close()


def test_a_plan_is_paid_on_the_providers_page(app, chromium, service):
    with app.app_context():
        business = make_business("Atölye Kart", "starter")
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, business.owner.email, PASSWORD)
    page.goto("/plan")
    page.get_by_role("button", name="Switch to Growth").click()
    page.wait_for_url(f"{service.network}/card/*")
    expect(page.get_by_role("heading", name="$79.00")).to_be_visible()
    page.locator("button.second").click()
    expect(page.locator(".result.bad")).to_be_visible()
    page.locator("button[value=pay]").click()
    page.locator("a.back").click()
    page.wait_for_url("**/plan")
    expect(
        page.get_by_text(
            "Payment received, thank you. Your plan is active. You can find the invoice below."
        )
    ).to_be_visible()
    expect(page.locator(".plan-mine")).to_contain_text("Growth")
    with page.expect_download() as taken:
        page.get_by_role("link", name="PDF").click()
    assert Path(taken.value.path()).read_bytes().startswith(b"%PDF-")
    with app.app_context(), business.scope():
        (invoice,) = billing.list_invoices()
        assert (accounts.get(business.tenant_id).plan, invoice.total) == ("growth", 79)
    own = [fault for fault in watch.faults if service.network not in fault]
    assert not own
    context.close()


def order_code(text: str) -> str:
    code = carts.find_code(text)
    assert code is not None
    return code
