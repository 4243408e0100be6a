"""Build “hours, menu, hand over” from the empty editor, play it on the phone and publish it."""

import pytest
from playwright.sync_api import expect

from tests.browser.driver import check_appearance, new_page, sign_in
from tests.factories import PASSWORD
from tests.line_factory import make_line

pytestmark = pytest.mark.browser


@pytest.fixture
def visit(chromium, service, shop):
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, shop.owner.email, PASSWORD)
    yield page, watch
    context.close()


def add_step(page, kind):
    page.get_by_label("New step").select_option(kind)
    page.get_by_role("button", name="Add step").click()


def test_hours_menu_and_hand_over_are_built_played_and_published(visit, app, shop):
    make_line(shop)
    page, watch = visit
    page.goto("/journeys")
    check_appearance(page, "journeys")
    page.get_by_role("button", name="New journey").click()
    expect(page.get_by_label("Ad ID")).not_to_be_visible()
    page.get_by_label("Keywords, one per line").fill("help\ninfo")
    page.get_by_role("button", name="Save", exact=True).click()
    add_step(page, "ask")
    page.get_by_label("Question").fill("How can we help?")
    for number, title in enumerate(("Hours", "Menu", "A person"), 1):
        page.get_by_label(f"Choice {number}").fill(title)
    page.get_by_role("button", name="Save step").click()
    add_step(page, "say")
    page.get_by_label("Text", exact=True).fill("We are open from 9 to 22.")
    page.get_by_role("button", name="Save step").click()
    add_step(page, "menu_link")
    page.get_by_label("Text", exact=True).fill("Here is our menu.")
    page.get_by_label("Button text").fill("Open menu")
    page.get_by_role("button", name="Save step").click()
    add_step(page, "end")
    add_step(page, "hand_over")
    page.get_by_label("Note for the team").fill("Wants a person")
    page.get_by_role("button", name="Save step").click()
    expect(page.get_by_text("Before you publish")).to_be_visible()
    check_appearance(page, "journey-problems")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("link", name="Edit step 1").click()
    expect(page.get_by_label("Choice 4")).not_to_be_visible()
    for number, target in enumerate(("2. Say", "3. Send menu link", "4. Hand to a person")):
        options = page.locator(f"select[name=next_{number}]")
        label = options.locator("option", has_text=target).first.text_content()
        options.select_option(label=label)
    check_appearance(page, "journey-step")
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Save step").click()
    page.get_by_role("link", name="Edit step 2").click()
    last = page.locator("select[name=next] option", has_text="5. End").text_content()
    page.locator("select[name=next]").select_option(label=last)
    page.get_by_role("button", name="Save step").click()
    page.get_by_role("link", name="Edit step 3").click()
    page.locator("select[name=next]").select_option(label=last)
    page.get_by_role("button", name="Save step").click()
    expect(page.get_by_text("Before you publish")).not_to_be_visible()
    phone = page.locator("[data-phone]")
    phone.get_by_role("button", name="Hours", exact=True).click()
    expect(phone.get_by_text("We are open from 9 to 22.")).to_be_visible()
    expect(phone.get_by_text("The journey ends here.")).to_be_visible()
    check_appearance(page, "journey-played")
    page.set_viewport_size({"width": 1440, "height": 900})
    phone.get_by_role("button", name="Start again").click()
    phone.get_by_label("Message").fill("a person")
    phone.get_by_role("button", name="Send", exact=True).click()
    expect(phone.get_by_text("Handed to a person: Wants a person")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_text("Version 1 is published.")).to_be_visible()
    watch.expect_none()
