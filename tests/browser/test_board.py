"""The orders board on a waiter's phone and on a tablet."""

import os

import pytest

from tests.browser.driver import new_page
from tests.browser.test_interactions import PASSWORD, sign_in
from tests.restaurant.bistro import open_bistro

pytestmark = pytest.mark.browser


@pytest.fixture
def bistro(restaurant):
    found = open_bistro(restaurant)
    first = found.order()
    found.order(phone="905321119999", table="3")
    done = found.order(phone="905321118888", table="4")
    found.changes_state(first, "preparing")
    found.changes_state(done, "ready")
    return found


def opened(chromium, service, person, width, height):
    context, page, watch = new_page(chromium, service.url)
    page.set_viewport_size({"width": width, "height": height})
    sign_in(page, person.email, PASSWORD)
    return context, page, watch


def test_a_waiters_phone_shows_the_first_order_without_scrolling(chromium, service, bistro):
    """The buttons above the orders must not fill the screen."""
    waiter = bistro.business.hires("waiter", "Mehmet Demir")
    context, page, _ = opened(chromium, service, waiter, 390, 844)
    page.goto(f"/orders/board/{bistro.site_id}")
    assert page.locator(".ticket").first.bounding_box()["y"] < 500
    assert page.locator(".bottombar").get_by_text("Orders").is_visible()
    picture(page, "board-390")
    context.close()


def test_the_bottom_bar_of_a_restaurants_owner_leads_to_its_orders(chromium, service, bistro):
    context, page, _ = opened(chromium, service, bistro.business.owner, 390, 844)
    page.goto("/home")
    assert page.locator(".bottombar").get_by_text("Orders").is_visible()
    context.close()


def test_a_tablet_shows_the_ready_column(chromium, service, bistro):
    context, page, _ = opened(chromium, service, bistro.business.owner, 820, 1180)
    page.goto(f"/orders/board/{bistro.site_id}")
    box = page.locator(".lane-ready .ticket").first.bounding_box()
    assert box["x"] + box["width"] <= 820
    assert box["y"] < 900
    picture(page, "board-820")
    context.close()


def picture(page, name):
    if folder := os.environ.get("PICTURES"):
        page.screenshot(path=f"{folder}/{name}.png")
