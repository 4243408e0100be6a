"""The preview beside the template editor follows what the author types."""

import pytest
from playwright.sync_api import expect

from messaging.lines.simulated_line import add_simulated_line
from tests.browser.driver import SPILLS, new_page, sign_in
from tests.factories import PASSWORD
from tests.messaging.simulator.simulated_network import eventually

pytestmark = pytest.mark.browser


def test_the_preview_follows_the_form_until_it_is_submitted(
    chromium, service, restaurant, settings
):
    with restaurant.scope():
        add_simulated_line("Desk", service.url, settings.simulator_secret, test=False, default=True)
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, restaurant.owner.email, PASSWORD)
    page.goto("/templates/new")
    preview = page.locator("[data-preview]")
    page.get_by_label("Name", exact=True).fill("order_ready")
    page.get_by_label("Text", exact=True).last.fill("Your *order* is ready, ")
    page.get_by_role("button", name="Add placeholder").click()
    page.keyboard.type("!")
    page.get_by_label("Sample value for {{1}}").fill("Zeynep")
    expect(preview).to_contain_text("Your order is ready, Zeynep!")
    expect(preview.locator("strong")).to_have_text("order")
    page.get_by_label("Footer").last.fill("Lokanta Mavi")
    page.get_by_label("Button text").first.fill("Thanks")
    page.get_by_role("button", name="Add button").click()
    row = page.get_by_role("group", name="Button 2")
    row.get_by_label("Type").select_option("url")
    row.get_by_label("Button text").fill("Track")
    row.get_by_label("Address").fill("https://example.com/{{1}}")
    row.get_by_label("Sample value").fill("184")
    expect(preview.locator(".bubble-buttons li")).to_have_count(2)
    expect(preview).to_contain_text("https://example.com/184")
    for width in (320, 390, 820):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate(SPILLS) == [], width
    page.get_by_role("button", name="Submit for review").click()
    expect(page.get_by_text("Submitted. WhatsApp now reviews the template.")).to_be_visible()
    expect(page.get_by_text("WhatsApp is reviewing this template.")).to_be_visible()
    approved = page.locator(".pill", has_text="Approved")
    eventually(lambda: page.reload() and approved.count() > 0, 20)
    watch.expect_none()
    context.close()
