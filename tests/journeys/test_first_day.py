"""A stranger's first day: from sign-up to a colleague in the team and a key that came and went."""

import json
import re
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pyotp
import pytest
from playwright.sync_api import Page, expect

from core.clock import now
from tests.browser.driver import new_page
from tests.factories import unique_email
from tests.timeouts import allow_for_load

pytestmark = pytest.mark.browser

PASSWORD = "a table by the window"


def read_email(page: Page, email: str, subject: str) -> None:
    """In the demo's mailbox, by clicking the link in the e-mail."""
    page.goto("/mailbox")
    row = page.get_by_role("row").filter(has_text=email).filter(has_text=subject).first
    row.get_by_role("link").click()
    page.locator(".letter a").first.click()


def me(url: str, key: str) -> tuple[int, dict]:
    request = Request(f"{url}/api/v1/me", headers={"Authorization": f"Bearer {key}"})
    try:
        with urlopen(request) as answer:
            return answer.status, json.load(answer)
    except HTTPError as error:
        return error.code, json.load(error)


def heading(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(text)


def test_the_first_day(app, service, chromium):
    owner, colleague = unique_email("nora"), unique_email("selin")
    context, page, watch = new_page(chromium, service.url)

    sign_up(page, owner)
    secret = turn_on_two_step(page)
    sign_out(page)
    sign_in(page, owner)
    second_step(page, secret)

    key = make_test_key(page)
    status, body = me(service.url, key)
    assert (status, body["tenant"]["name"], body["key"]["mode"]) == (200, "Café Sol", "test")

    invite(page, colleague)
    with_colleague = join(chromium, service.url, colleague)
    expect(with_colleague.get_by_text("Nora Sol")).not_to_have_count(0)

    page.goto("/team")
    expect(page.get_by_role("row").filter(has_text="Selin Kaya")).to_be_visible()

    revoke(page)
    revoked_at = time.monotonic()
    while me(service.url, key)[0] != 401:
        assert time.monotonic() - revoked_at < allow_for_load(5), (
            "a revoked key is refused within 5 seconds"
        )
        time.sleep(0.1)
    assert me(service.url, key)[1]["code"] == "invalid_key"

    page.goto("/home")
    expect(page.get_by_text("revoked the API key")).to_be_visible()
    watch.expect_none()
    with_colleague.context.close()
    context.close()


def sign_up(page: Page, email: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Create account").click()
    page.get_by_label("Business").fill("Café Sol")
    page.get_by_label("Your name").fill("Nora Sol")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    heading(page, "Check your e-mail")
    page.get_by_role("link", name="Open the demo mailbox").click()
    read_email(page, email, "Confirm your e-mail address")
    page.get_by_role("button", name="Confirm").click()
    page.wait_for_url("**/home")


def sign_in(page: Page, email: str) -> None:
    page.goto("/signin")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(re.compile("/(home|signin/two-step)$"))


def turn_on_two_step(page: Page) -> str:
    heading(page, "Hello, Nora")
    page.get_by_role("link", name="Turn on").click()
    page.get_by_text("Cannot scan the code? Enter this key instead").click()
    secret = page.locator("details code").first.text_content() or ""
    page.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).at(now()))
    page.get_by_role("button", name="Turn on").click()
    expect(page.locator(".recovery li")).to_have_count(10)
    page.get_by_role("link", name="I have saved the codes").click()
    return secret


def second_step(page: Page, secret: str) -> None:
    """The next code: the one of this half minute was used to turn it on."""
    heading(page, "Two-step verification")
    page.get_by_label("Code", exact=True).fill(pyotp.TOTP(secret).at(now(), 1))
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/home")


def sign_out(page: Page) -> None:
    page.get_by_role("button", name="Your account").first.click()
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/signin")


def make_test_key(page: Page) -> str:
    page.get_by_role("link", name="Create key").click()
    page.get_by_label("Name").fill("My first program")
    page.get_by_role("button", name="Create API key").click()
    heading(page, "Your new API key")
    key = page.locator("#new-key").text_content() or ""
    page.get_by_role("link", name="I have saved it").click()
    return key


def invite(page: Page, email: str) -> None:
    page.goto("/team")
    page.get_by_label("E-mail").fill(email)
    page.get_by_role("radio", name="Restaurant manager").check()
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_text(f"Invitation sent to {email}.")).to_be_visible()


def join(chromium, url: str, email: str) -> Page:
    """A colleague with their own browser."""
    _, page, watch = new_page(chromium, url)
    read_email(page, email, "invited you to Café Sol")
    heading(page, "Join Café Sol")
    page.get_by_label("Your name").fill("Selin Kaya")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Join team").click()
    expect(page.get_by_text("Welcome to Café Sol.")).to_be_visible()
    page.get_by_role("link", name="Team").first.click()
    heading(page, "Team")
    watch.expect_none()
    return page


def revoke(page: Page) -> None:
    page.goto("/integrations")
    page.get_by_role("link", name="My first program").click()
    page.get_by_role("link", name="Revoke key").click()
    # In the dialog, or on the page that asks when the script has not come yet.
    page.get_by_role("button", name="Revoke key").click()
    expect(page.get_by_text("“My first program” no longer works.")).to_be_visible()
