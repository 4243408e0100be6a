"""The reply box in a real browser: what can be added to a message, quick replies, reactions."""

import pytest
from playwright.sync_api import expect

from messaging.inbox import quick_replies
from messaging.inbox.composed import ComposedCard
from messaging.lines.simulated_line import add_simulated_line
from tests.browser.driver import check_appearance, new_page, save_screenshot, sign_in
from tests.factories import PASSWORD, make_business
from tests.messaging.inbox.inbox_factory import talk_with, writes

pytestmark = pytest.mark.browser


@pytest.fixture
def talk(app, service, settings):
    business = make_business("Lokanta Mavi")
    with business.scope():
        line = add_simulated_line("Desk", service.url, settings.simulator_secret, test=False)
        quick_replies.save("saat", "Hangi saat?", card=ComposedCard("buttons", ("19:00", "20:00")))
    writes(business, line.id, text="Bu akşam yer var mı?")
    return business, talk_with(business).id


def test_buttons_are_added_to_a_text_and_sent(chromium, service, talk):
    business, talk_id = talk
    context, page, _ = new_page(chromium, service.url)
    sign_in(page, business.owner.email, PASSWORD)
    page.goto(f"/inbox/{talk_id}")
    page.get_by_role("button", name="Add to message").click()
    save_screenshot(page, "composer-more")
    page.get_by_role("button", name="Buttons", exact=True).click()
    page.get_by_label("Your message").fill("20:00 uygun mu?")
    page.get_by_label("Button 1").fill("Evet")
    page.get_by_label("Button 2").fill("Hayır")
    check_appearance(page, "composer-buttons")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".message-choices li")).to_have_text(["Evet", "Hayır"])
    expect(page.get_by_label("Button 1")).to_be_hidden()

    page.get_by_role("button", name="Add to message").click()
    page.get_by_role("button", name="Contact card").click()
    page.get_by_label("Your message").fill("bekliyor")
    page.get_by_label("Phone", exact=True).fill("1")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator("[data-fault]")).to_contain_text("Enter the name on the contact card.")
    expect(page.get_by_label("Your message")).to_have_value("bekliyor")
    page.get_by_role("button", name="Remove from message").click()
    context.close()


def test_a_quick_reply_brings_its_buttons(chromium, service, talk):
    business, talk_id = talk
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, business.owner.email, PASSWORD)
    page.goto(f"/inbox/{talk_id}")
    page.get_by_label("Your message").press_sequentially("/sa")
    page.locator("[data-suggestions] li").first.click()
    expect(page.get_by_label("Button 2")).to_have_value("20:00")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.locator(".message-choices li")).to_have_text(["19:00", "20:00"])
    page.goto("/inbox/quick-replies")
    expect(page.get_by_label("Choices")).to_be_hidden()
    page.get_by_label("Below the text").select_option("list")
    expect(page.get_by_label("Choices")).to_be_visible()
    check_appearance(page, "quick-reply-list")
    save_screenshot(page, "quick-reply-list")
    watch.expect_none()
    context.close()


def test_a_member_reacts_to_a_message(chromium, service, talk):
    business, talk_id = talk
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, business.owner.email, PASSWORD)
    page.goto(f"/inbox/{talk_id}")
    page.locator(".entry-in").hover()
    page.get_by_role("button", name="React to this message").click()
    save_screenshot(page, "composer-reactions")
    page.get_by_role("button", name="👍").click()
    expect(page.get_by_text("Reacted with 👍")).to_be_visible()
    page.reload()
    expect(page.locator(".message-reactions")).to_have_text("👍")
    watch.expect_none()
    context.close()
