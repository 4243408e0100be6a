"""The kitchen's pace: a full quarter of an hour, and an order for later. Real processes."""

import time
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from core.clock import now
from messaging.lines.simulated_line import add_simulated_line
from restaurant.menus import stock
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import placing
from restaurant.orders import queries as order_queries
from restaurant.orders.placing import OrderRequest
from restaurant.sites import sites
from tests.browser.driver import save_screenshot
from tests.factories import make_business
from tests.journeys.test_inbox import Place, within
from tests.restaurant.bistro import open_bistro
from tests.webhooks.receivers import add_endpoint, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.timing]

GUEST = "905321118833"
LATE_SECONDS = 30


@pytest.fixture(scope="module")
def bistro(app, settings, service, server):
    with app.app_context():
        business = make_business("Lokanta Mavi")
        made = open_bistro(
            business,
            slot_orders=1,
            order_types=["dine_in", "takeaway"],
            preparation_minutes=1,
        )
        with business.scope():
            line = add_simulated_line(
                "Orders", service.url, settings.simulator_secret, test=False, default=True
            )
            sites.change(made.site_id, {"line_id": line.id})
            stock.set_left(made.site(), made.items["Ayran"], 3)
        waiter = business.hires("waiter", "Mehmet Demir")
        add_endpoint(business, server.url, "restaurant.order_created")
        made.place = Place(service, settings, business, waiter, line)
        made.place.ask("/_sim/lines", **made.place.registration(service.url, line))
        made.place.ask("/_sim/settings", sent_ms=10, delivered_ms=200, auto_read=False)
        return made


def place_order(bistro, due_at=None):
    with bistro.scope():
        request = OrderRequest(
            items=[RequestedItem(bistro.items["Menemen"], 1)],
            order_type="takeaway",
            payment_method="cash",
            source="api",
            due_at=due_at,
        )
        return placing.place_order(bistro.site(), request)


def state(bistro, order):
    with bistro.scope():
        return order_queries.get(order.number).state


def test_a_full_quarter_of_an_hour_offers_the_next(app, chromium, service, bistro):
    place_order(bistro)
    context = chromium.new_context(
        base_url=service.url, locale="en-GB", viewport={"width": 390, "height": 844}
    )
    page = context.new_page()
    page.goto(f"/r/lemar-{bistro.business.tenant_id}/menu")
    expect(page.get_by_text("Only 3 left")).to_be_visible()
    page.get_by_role("button", name="Add Menemen").click()
    page.get_by_role("button", name="Your order").click()
    cart = page.get_by_role("dialog")
    cart.get_by_label("Pickup").check()
    # The kitchen has no room at once, so only the free times are there.
    times = cart.get_by_role("combobox", name="Time")
    expect(times).to_be_visible()
    expect(cart.get_by_text("As soon as possible")).to_be_hidden()
    save_screenshot(page, "diner-times")
    chosen = " ".join(times.locator("option").first.inner_text().split())
    cart.get_by_role("button", name="Send order").click()
    expect(page.get_by_text("Order code").first).to_be_visible()
    text = page.locator("[data-text]").inner_text()
    assert f"For {chosen}" in " ".join(text.split())
    context.close()

    context, board, _ = bistro.place.open_portal(
        chromium, bistro.place.selin, f"/orders/board/{bistro.site_id}"
    )
    bistro.place.writes(GUEST, text=text, name="Ayşe Kaya")
    with within(20):
        ticket = board.locator(".scheduled .ticket")
        expect(ticket).to_contain_text("Menemen", timeout=30_000)
    save_screenshot(board, "board-scheduled")
    expect(ticket.get_by_role("button", name="Send now")).to_be_visible()
    context.close()


def test_an_order_for_later_fires_on_time_although_a_worker_was_killed(
    app, service, server, bistro
):
    with app.app_context(), bistro.scope():
        sites.change(bistro.site_id, {"slot_orders": 50, "later_days": 1})
    with app.app_context():
        order = place_order(bistro, now() + timedelta(seconds=75))
    assert (order.state, order.fires_at - now() < timedelta(seconds=15)) == ("scheduled", True)
    seen = len(server.bodies)
    worker = service.processes["slow worker"]
    worker.kill()
    worker.wait(10)
    with app.app_context():
        time.sleep(max(0.0, (order.fires_at - now()).total_seconds()) + 3)
        assert state(bistro, order) == "scheduled"
        service.starts("slow worker")
        assert wait_until(lambda: state(bistro, order) == "sent_to_kitchen", LATE_SECONDS - 3)
        late = (now() - order.fires_at).total_seconds()
    assert late <= LATE_SECONDS
    assert wait_until(lambda: len(server.bodies) > seen, 20)
    assert server.bodies[-1]["order_id"] == order.number
