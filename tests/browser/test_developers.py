"""Trying a call from the reference, and finding it in the request log."""

import pytest
from playwright.sync_api import expect

from tests.browser.driver import new_page, sign_in
from tests.factories import PASSWORD

pytestmark = pytest.mark.browser


def test_a_call_tried_in_the_page_is_answered_and_found_by_its_id(chromium, service, restaurant):
    context, page, watch = new_page(chromium, service.url)
    try:
        sign_in(page, restaurant.owner.email, PASSWORD)
        page.goto("/reference/account")
        form = page.get_by_role("form", name="Try: Get the account and API key of this request")
        form.get_by_role("button", name="Try it").click()
        expect(form.get_by_role("status")).to_have_text(
            "First paste an API key at the top of the page."
        )
        page.get_by_label("API key for testing").fill(restaurant.test_key)
        form.get_by_role("button", name="Try it").click()
        expect(form.get_by_role("status")).to_contain_text("200 ·")
        expect(form.get_by_label("Response")).to_contain_text('"name": "Lokanta Mavi"')
        request_id = form.get_by_role("status").inner_text().split("·")[2].strip()
        kept = "JSON.stringify([{...localStorage}, document.cookie, location])"
        assert restaurant.test_key not in page.evaluate(kept)
        page.wait_for_timeout(2500)  # the log is written every second
        page.goto(f"/integrations/requests?id={request_id}")
        expect(page.get_by_role("heading", level=1)).to_contain_text("/me")
        expect(page.locator("#content")).to_contain_text("Test key")
        expect(page.locator("#content")).not_to_contain_text("Lokanta Mavi")
        watch.expect_none()
    finally:
        context.close()


def test_a_wrong_body_is_named_before_anything_is_sent(chromium, service, restaurant):
    context, page, watch = new_page(chromium, service.url)
    try:
        page.goto("/reference/messages")
        page.get_by_label("API key for testing").fill(restaurant.test_key)
        form = page.get_by_role("form", name="Try: Send a text message")
        form.get_by_label("Body").fill("{nothing")
        form.get_by_role("button", name="Try it").click()
        expect(form.get_by_role("status")).to_contain_text("The body is not valid JSON:")
        watch.expect_none()
    finally:
        context.close()


def test_the_reference_is_searched_as_one_types(chromium, service):
    context, page, watch = new_page(chromium, service.url)
    try:
        page.goto("/reference")
        page.get_by_label("Find a request").fill("costs")
        expect(page.get_by_role("link", name="Costs by day")).to_be_visible()
        expect(page.get_by_role("link", name="Send a text message")).to_be_hidden()
        page.get_by_label("Find a request").fill("no such thing")
        expect(page.get_by_text("No results")).to_be_visible()
        watch.expect_none()
    finally:
        context.close()


def test_the_test_key_stays_between_the_pages(chromium, service, restaurant):
    """It is pasted once; a live key is not kept."""
    context, page, watch = new_page(chromium, service.url)
    page.goto("/reference/messages")
    page.locator("#try-key").fill("ck_test_abc")
    page.goto("/reference/contacts")
    assert page.locator("#try-key").input_value() == "ck_test_abc"
    page.locator("#try-key").fill("ck_live_abc")
    page.goto("/reference/messages")
    assert page.locator("#try-key").input_value() == ""
    watch.expect_none()
    context.close()
