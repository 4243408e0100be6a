"""Special days are added and removed on the page of opening hours."""

import pytest
from playwright.sync_api import expect

from tests.browser.driver import SPILLS, new_page, sign_in
from tests.factories import PASSWORD
from tests.restaurant.bistro import open_bistro

pytestmark = pytest.mark.browser


def test_special_days_are_added_and_removed(chromium, service, restaurant):
    bistro = open_bistro(restaurant)
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, restaurant.owner.email, PASSWORD)
    page.goto(f"/restaurants/{bistro.site_id}?part=hours")
    rows = page.locator(".special-row")
    rows.nth(0).get_by_label("Start date").fill("2030-12-31")
    rows.nth(0).get_by_label("Name").fill("New Year's Eve")
    rows.nth(0).get_by_label("Special day 1, from").first.fill("12:00")
    rows.nth(0).get_by_label("Special day 1, until").first.fill("18:00")
    add = page.get_by_role("button", name="Add a special day")
    for name in ("Not wanted", "Inventory"):
        add.click()
        expect(rows.last.get_by_label("Start date")).to_be_focused()
        rows.last.get_by_label("Start date").fill("2031-01-02")
        rows.last.get_by_label("Name").fill(name)
    rows.nth(1).get_by_role("button", name="Delete").click()
    expect(rows).to_have_count(2)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    with bistro.scope():
        days = bistro.site().special_days
        assert [(day["starts_on"], day["hours"], day["name"]) for day in days] == [
            ("2030-12-31", [["12:00", "18:00"]], "New Year's Eve"),
            ("2031-01-02", [], "Inventory"),
        ]
    for width in (320, 390, 820):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(SPILLS) == [], width
    rows.nth(1).get_by_role("button", name="Delete").click()
    rows.nth(0).get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    with bistro.scope():
        assert bistro.site().special_days == []
    watch.expect_none()
    context.close()
