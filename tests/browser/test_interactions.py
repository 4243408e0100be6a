"""Interactions with pages by mouse and keyboard, and what must not happen on its own."""

import re
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from core.db import global_scope
from tenants import api_keys, people, team
from tests.browser.driver import check_appearance, new_page, sign_in
from tests.factories import PASSWORD, make_business, make_person
from tests.portal.hostile_texts import CORPUS, RUNS

pytestmark = pytest.mark.browser


@pytest.fixture
def visit(chromium, service):
    """A separate, watched browser context, closed after the test."""
    opened = []

    def start(person=None, state=None):
        context, page, watch = new_page(chromium, service.url, state)
        opened.append(context)
        if person is not None:
            sign_in(page, person.email, PASSWORD)
        return page, watch

    yield start
    for context in opened:
        context.close()


def test_signing_in_with_the_keyboard_alone(visit, restaurant):
    page, watch = visit()
    page.goto("/signin")
    for _ in range(12):  # until the field has the focus, wherever it started
        if page.evaluate("document.activeElement.name") == "email":
            break
        page.keyboard.press("Tab")
    page.keyboard.type(restaurant.owner.email)
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.name") == "password":
            break
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url("**/home")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
    watch.expect_none()


def test_every_focused_thing_can_be_seen(visit, restaurant):
    page, _ = visit(restaurant.owner)
    page.goto("/integrations/keys/new")
    unseen = []
    for _ in range(40):
        page.keyboard.press("Tab")
        seen = page.evaluate(
            """() => {
              const one = document.activeElement;
              if (one === document.body) return "end";
              const look = getComputedStyle(one), box = one.getBoundingClientRect();
              const ring = look.outlineStyle !== "none" || look.boxShadow !== "none";
              return ring && box.width > 0 ? "" : one.outerHTML.slice(0, 120);
            }"""
        )
        if seen == "end":
            break
        if seen:
            unseen.append(seen)
    assert not unseen


def test_the_question_before_revoking_holds_the_focus_and_escape_closes_it(visit, restaurant):
    page, watch = visit(restaurant.owner)
    page.goto(f"/integrations/keys/{restaurant.key_id}")
    link = page.get_by_role("link", name="Revoke key")
    link.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("heading")).to_have_text("Revoke “Live key”?")
    expect(dialog.get_by_role("button", name="Go back")).to_be_focused()
    for _ in range(6):
        page.keyboard.press("Tab")
        inside = "document.activeElement === document.body"
        inside += " || document.querySelector('dialog[open]').contains(document.activeElement)"
        assert page.evaluate(inside)
    check_appearance(page, "dialog")
    page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    expect(link).to_be_focused()
    assert page.url.endswith(restaurant.key_id), "the page behind did not move"
    with restaurant.scope():
        assert api_keys.get(restaurant.key_id).revoked_at is None
    link.click()
    dialog.get_by_role("button", name="Revoke key").click()
    page.wait_for_url("**/integrations")
    expect(page.get_by_text("“Live key” no longer works.")).to_be_visible()
    watch.expect_none()


def test_a_new_key_is_copied(visit, restaurant):
    page, watch = visit(restaurant.owner)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto("/integrations/keys/new")
    page.get_by_label("Name").fill("Online shop")
    page.get_by_role("button", name="Create API key").click()
    secret = page.locator("#new-key").text_content()
    assert re.fullmatch(r"ck_test_\w{36}", secret)
    page.get_by_role("button", name="Copy", exact=True).first.click()
    expect(page.get_by_role("status").filter(has_text="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    check_appearance(page, "key-created")
    watch.expect_none()


def test_without_scripts_pages_are_read_and_forms_work(chromium, service, restaurant):
    context = chromium.new_context(base_url=service.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/signin")
    page.get_by_label("E-mail").fill(restaurant.owner.email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/home")
    page.goto(f"/integrations/keys/{restaurant.key_id}")
    page.get_by_role("link", name="Revoke key").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Revoke “Live key”?")
    page.get_by_role("button", name="Revoke key").click()
    expect(page.get_by_text("“Live key” no longer works.")).to_be_visible()
    context.close()


def test_a_theme_is_chosen_and_stored(visit, restaurant):
    page, watch = visit(restaurant.owner)
    page.emulate_media(color_scheme="light")
    page.goto("/home")
    page.get_by_role("button", name="Your account").first.click()
    with page.expect_response("**/theme"):
        page.get_by_role("button", name="Dark").click()
    assert page.evaluate("document.documentElement.dataset.bsTheme") == "dark"
    page.goto("/team")
    assert page.evaluate("document.documentElement.dataset.bsTheme") == "dark"
    page.emulate_media(media="print")  # paper is light, and menus are not printed
    expect(page.locator(".sidebar")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(22, 32, 27)"
    watch.expect_none()


def test_on_a_phone_the_menu_leads_everywhere(visit, restaurant):
    page, watch = visit(restaurant.owner)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/home")
    page.get_by_role("button", name="Menu").last.click()
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Settings")
    watch.expect_none()


def test_no_name_runs(app, visit):
    """Every hostile text at once as tenant, member and key, on every page that shows it."""
    owner = make_person(CORPUS[0])
    business = make_business(CORPUS[1], owner=owner)
    with global_scope():
        people.get(owner.id).operator = True
    for text in CORPUS:
        with business.scope():
            key, _ = api_keys.create(text, "test", ["orders"])
        business.hires("viewer", text)
    for text in RUNS[:8]:
        make_business(text, owner=owner)
    with business.scope():
        member = team.members()[-1]
        team.invite("corpus@example.com", "viewer", "owner", CORPUS[7])
    page, watch = visit(owner)
    page.goto("/choose")
    page.locator(f'button[name="tenant_id"][value="{business.tenant_id}"]').first.click()
    page.wait_for_url("**/home")
    for path in (
        *("/home", "/team", f"/team/{member.id}", "/integrations", f"/integrations/keys/{key.id}"),
        *("/settings", "/audit", "/account", "/account/sessions", "/choose", "/operator/"),
        *(f"/operator/tenants/{business.tenant_id}", "/mailbox"),
    ):
        page.goto(path)
        assert page.evaluate("window.pwned") is None, path
        watch.expect_none()
    page.goto("/team")
    asked = page.evaluate(
        """async () => {
          const links = [...document.querySelectorAll("a[data-confirm]")];
          for (const link of links) {
            link.click();
            await new Promise(requestAnimationFrame);
            document.querySelector("dialog[open]").close();
          }
          return links.length;
        }"""
    )
    assert asked > len(CORPUS)
    assert page.evaluate("window.pwned") is None
    watch.expect_none()


def test_a_connection_turns_green_automatically_when_its_first_event_comes(
    visit, app, shop, service
):
    page, watch = visit(shop.owner)
    page.goto("/stores/new?kind=store")
    page.get_by_label("Name", exact=True).fill("Market stall")
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("Waiting for the first event…")).to_be_visible()
    address = page.locator("#hook-url").input_value()
    secret = page.locator("#hook-secret").input_value()
    body = b'{"event": "order.created", "order": {"id": "7", "number": "#7"}}'
    headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    with urlopen(Request(address, data=body, headers=headers)) as answer:
        assert answer.status == 200
    expect(page.locator(".pulse-good")).to_be_visible(timeout=15_000)
    expect(page.get_by_text("Waiting for the first event…")).to_have_count(0)
    expect(page.locator(".log").get_by_role("row")).to_have_count(2)
    watch.expect_none()


def test_an_automation_is_ticked_edited_and_previewed(visit, app, shop):
    page, watch = visit(shop.owner)
    page.goto("/automations")
    page.locator("li", has_text="Abandoned cart").get_by_role("button", name="Turn on").click()
    expect(page.get_by_role("heading", name="Abandoned cart")).to_be_visible()
    page.get_by_text("Approved template").click()
    expect(page.get_by_label("Template language")).to_be_visible()
    page.locator("label", has_text="Free text").click()
    expect(page.get_by_label("Template language")).not_to_be_visible()
    page.locator("textarea[name=text]").fill("Come back, {{customer.frist_name}}")
    page.get_by_role("button", name="Save").click()
    refusal = page.get_by_text("{{customer.frist_name}} is not available here")
    expect(refusal).to_be_visible(timeout=15_000)
    page.locator("textarea[name=text]").fill("Come back, {{customer.first_name|dear customer}}")
    page.get_by_role("button", name="Save").click()
    saved = page.get_by_text("Saved. The change applies from the next event.")
    expect(saved).to_be_visible(timeout=15_000)
    watch.expect_none()


def test_an_import_of_contacts_finishes_on_the_screen_without_a_reload(visit, app, restaurant):
    """Also while the page's live connection is open."""
    page, _ = visit(restaurant.owner)
    rows = "".join(f"90532{number:07},Guest {number}\n" for number in range(2000))
    page.goto("/contacts/import")
    page.get_by_label("CSV or Excel file").set_input_files(
        {"name": "guests.csv", "mimeType": "text/csv", "buffer": b"phone,name\n" + rows.encode()}
    )
    page.get_by_role("button", name="Upload file").click()
    connected = page.locator("html[data-live=connected]")

    def once_connected(route):
        """Report the end of the import only once the live connection is open."""
        if route.request.headers.get("x-part") and not connected.count():
            route.fulfill(status=503)
        else:
            route.continue_()

    page.route("**/contacts/import/imp_*", once_connected)
    page.get_by_role("button", name="Check file").click()
    expect(connected).to_be_attached()
    start = page.get_by_role("button", name="Import contacts (2,000)")
    expect(start).to_be_visible(timeout=60_000)
    start.click()
    expect(page.get_by_text("Import finished.")).to_be_visible(timeout=60_000)
    expect(connected).to_be_attached()


def test_a_live_connection_does_not_count_as_a_part_that_can_change(visit, app, restaurant):
    """Otherwise pages of messages, print jobs and stores would poll forever."""
    page, watch = visit(restaurant.owner)
    page.goto("/home")
    expect(page.locator("html[data-live=connected]")).to_be_attached()
    shown = page.evaluate(
        """async () => {
          const { anyPartIsLive } = await import("/static/js/parts.js");
          const none = anyPartIsLive();
          document.body.insertAdjacentHTML("beforeend", "<p data-part=x data-live></p>");
          return [none, anyPartIsLive()];
        }"""
    )
    assert shown == [False, True]
    watch.expect_none()


def test_the_foot_of_the_menu_covers_no_area(visit, restaurant):
    page, watch = visit(restaurant.owner)
    page.goto("/home")
    covered = page.evaluate(
        """() => [...document.querySelectorAll(".sidebar-areas .nav-item")].filter((one) => {
          one.scrollIntoView({ block: "nearest" });
          const box = one.getBoundingClientRect();
          return [box.top + 1, box.bottom - 1].some((y) =>
            !one.contains(document.elementFromPoint(box.left + box.width / 2, y)));
        }).map((one) => one.textContent.trim())"""
    )
    assert not covered
    watch.expect_none()
