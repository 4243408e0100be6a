"""A new user's first hour: sign-up, a first message, a webhook, a printed ticket.

Nothing is typed into the address bar after the first page: every way is a link or a button that a
page shows.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.driver import new_page
from tests.factories import unique_email
from tests.printing.agent_process import AgentProcess, wait_until
from tests.timeouts import allow_for_load
from tests.webhooks.receivers import Receiver

pytestmark = pytest.mark.browser

PASSWORD = "a table by the window"


@pytest.fixture
def receiver():
    one = Receiver(200)
    yield one
    one.close()


def press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).first.click()


def follow(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("link", name=name, exact=True).first.click()


def area(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Main menu").get_by_role(
        "link", name=name, exact=True
    ).click()


def ticked(page: Page, title: str) -> None:
    """The step is marked as done automatically."""
    area(page, "Home")
    step = page.locator(".step", has=page.get_by_text(title, exact=True))
    expect(step).to_have_class(re.compile("step-done"))


def test_a_newcomer_follows_the_pages(app, service, chromium, tmp_path: Path, receiver):
    context, page, watch = new_page(chromium, service.url)
    agent = None
    try:
        signs_up(page)
        chooses(page)
        sends_a_message(page)
        ticked(page, "Send a message to a simulated phone")
        receives_an_event(page, receiver)
        ticked(page, "Receive an event at your webhook endpoint")
        opens_a_restaurant(page)
        ticked(page, "Add your restaurant")
        publishes_a_menu(page)
        ticked(page, "Publish a menu")
        agent = connects_a_computer(page, service.url, tmp_path)
        ticked(page, "Connect a print agent")
        prints_a_ticket(page, tmp_path)
        ticked(page, "Print your first ticket")
        follow_the_question_mark(page)
        puts_the_steps_away(page)
        watch.expect_none()
    finally:
        if agent is not None:
            agent.stop()
        context.close()


def signs_up(page: Page) -> None:
    email = unique_email("nil")
    page.goto("/")
    page.get_by_role("link", name="Create account").click()
    page.get_by_label("Business").fill("Café Nil")
    page.get_by_label("Your name").fill("Nil Aydın")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("link", name="Open the demo mailbox").click()
    row = page.get_by_role("row").filter(has_text=email).filter(has_text="Confirm your e-mail")
    row.get_by_role("link").first.click()
    page.locator(".letter a").first.click()
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()


def chooses(page: Page) -> None:
    page.get_by_role("checkbox", name="Send and receive messages").check()
    page.get_by_role("checkbox", name="Run a restaurant").check()
    press(page, "Show my steps")
    expect(page.locator(".steps")).to_contain_text("Send a message to a simulated phone")


def sends_a_message(page: Page) -> None:
    follow(page, "Write a message")
    page.get_by_label("Text").fill("Merhaba from Café Nil")
    press(page, "Send")
    expect(page.locator(".handset")).to_contain_text("Merhaba from Café Nil")
    expect(page.get_by_text("Delivered. You have sent your first message.")).to_be_visible(
        timeout=allow_for_load(20) * 1000
    )
    with page.context.expect_page() as opened:
        follow(page, "Open phone and reply")
    phone = opened.value
    expect(phone.get_by_role("log")).to_contain_text("Merhaba from Café Nil")
    phone.get_by_label("Message", exact=True).fill("Afiyet olsun!")
    phone.keyboard.press("Enter")
    expect(page.locator(".handset")).to_contain_text(
        "Afiyet olsun!", timeout=allow_for_load(60) * 1000
    )
    phone.close()
    follow(page, "Back to first steps")


def receives_an_event(page: Page, receiver: Receiver) -> None:
    follow(page, "Add endpoint")
    page.get_by_label("URL").fill(receiver.url)
    press(page, "Add endpoint")
    press(page, "Send test event")
    assert wait_until(lambda: receiver.requests, allow_for_load(20)) < allow_for_load(20)
    assert receiver.bodies[0]


def opens_a_restaurant(page: Page) -> None:
    follow(page, "Add restaurant")
    page.get_by_label("Name", exact=True).fill("Café Nil Moda")
    page.get_by_label("Country").select_option("TR")
    page.get_by_label("Currency").select_option("TRY")
    press(page, "Add restaurant")
    expect(page.get_by_text("” was added. Next, add tables and a menu.")).to_be_visible()


def publishes_a_menu(page: Page) -> None:
    follow(page, "Set up menu")
    page.get_by_label("Name", exact=True).fill("Menü")
    press(page, "Create menu")
    follow(page, "Add category")
    page.get_by_label("Name", exact=True).first.fill("Kahvaltı")
    press(page, "Save")
    follow(page, "Item")
    page.get_by_label("Name", exact=True).first.fill("Menemen")
    page.get_by_label("Price").first.fill("240")
    press(page, "Save to draft")
    area(page, "Home")
    follow(page, "Set up menu")
    follow(page, "Publish menu")
    press(page, "Publish menu")
    area(page, "Home")
    if page.get_by_role("main").get_by_role("link", name="Open restaurant").count():
        follow(page, "Open restaurant")
        page.get_by_label("Menu", exact=True).select_option(label="Menü")
        page.locator("section", has=page.locator("#basics")).get_by_role(
            "button", name="Save"
        ).click()


def connects_a_computer(page: Page, url: str, folder: Path) -> AgentProcess:
    follow(page, "Connect a computer")
    press(page, "Connect a computer")
    command = page.locator("#command").text_content() or ""
    found = re.search(r"print-agent\.pyz --server (\S+) --pair (\S+) --install", command)
    assert found, command
    assert found[1] == url
    agent = AgentProcess(found[1], folder, found[2])
    agent.start()
    expect(page.get_by_role("heading", name="Connected")).to_be_visible(
        timeout=allow_for_load(30) * 1000
    )
    return agent


def prints_a_ticket(page: Page, folder: Path) -> None:
    follow(page, "Add printer")
    page.get_by_label("Name", exact=True).fill("Mutfak")
    press(page, "Add printer")
    page.get_by_label("Connection").select_option("demo")
    press(page, "Save")
    press(page, "Print test ticket")
    tickets = folder / "tickets"
    assert wait_until(lambda: any(tickets.rglob("*.*")), allow_for_load(40)) < allow_for_load(40)
    assert wait_until(
        lambda: page.reload() and page.get_by_text("Printed").count() > 0, allow_for_load(30)
    ) < allow_for_load(30)


def follow_the_question_mark(page: Page) -> None:
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Help for this page").click()
    expect(opened.value.get_by_role("heading", level=1)).to_be_visible()
    opened.value.close()


def puts_the_steps_away(page: Page) -> None:
    press(page, "Hide")
    expect(page.get_by_role("heading", name="First steps")).to_have_count(0)
    press(page, "Show first steps")
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
