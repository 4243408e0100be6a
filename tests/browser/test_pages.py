"""Every page of the portal, in a phone's, a tablet's and a desk's width, light and dark."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from core import mail
from core.clock import now
from core.db import global_scope, tenant_scope
from messaging import automation_book, connections, lines_book, sending
from messaging.sending import Draft
from portal.operator import demo
from tenants import keys, people, signin, team
from tenants.plans import known_facts
from tests.browser.driver import look_over, new_page, sign_in
from tests.cast import unique_email

pytestmark = pytest.mark.browser

STRANGER = {
    "signin": "/signin",
    "signup": "/signup",
    "reset-request": "/reset",
    "reset": "/reset/{reset}",
    "verify": "/verify/{verify}",
    "link-over": "/verify/nothing",
    "invitation": "/invitations/{invitation}",
    "invitation-over": "/invitations/nothing",
    "mailbox": "/mailbox",
    "letter": "/mailbox/{letter}",
    "reference-open": "/reference",
    "not-found": "/nothing-here",
}
OWNER = {
    "home": "/home",
    "choose": "/choose",
    "team": "/team",
    "member": "/team/{member}",
    "member-remove": "/team/{member}/remove",
    "integrations": "/integrations",
    "key-new": "/integrations/keys/new",
    "key": "/integrations/keys/{key}",
    "key-revoke": "/integrations/keys/{key}/revoke",
    "reference": "/reference",
    "messages": "/messages",
    "messages-empty": "/messages?reference=nothing",
    "message": "/messages/{message}",
    "message-cancel": "/messages/{message}/cancel",
    "lines": "/lines",
    "line-new": "/lines/new",
    "line": "/lines/{line}",
    "line-remove": "/lines/{line}/remove",
    "settings": "/settings",
    "audit": "/audit",
    "audit-empty": "/audit?who=nobody-at-all",
    "account": "/account",
    "two-step": "/account/two-step",
    "sessions": "/account/sessions",
    "sessions-end": "/account/sessions/end-all",
}
SHOP = {
    "stores": "/stores",
    "store-new": "/stores/new",
    "store": "/stores/{shop}",
    "store-parked": "/stores/{shop}?state=parked",
    "store-waiting": "/stores/{waiting}",
    "store-form": "/stores/{form}",
    "store-remove": "/stores/{shop}/remove",
    "store-hook": "/stores/{shop}/hooks/{hook}",
    "store-hook-parked": "/stores/{form}/hooks/{parked}",
    "automations": "/automations",
    "automation": "/automations/{automation}",
    "automation-new": "/automations/new/owner_notice",
    "automation-remove": "/automations/{automation}/remove",
    "automation-runs": "/automations/{automation}/runs",
    "automation-runs-none": "/automations/{automation}/runs?state=failed",
}
OPERATOR = {
    "operator": "/operator/",
    "operator-tenant": "/operator/tenants/{tenant}",
    "operator-queues": "/operator/queues",
}
# The browser itself calls these an error.
EXPECTED = {"not-found": 404}


@dataclass
class Shown:
    """The demo, its ids, and what a signed-in browser remembers."""

    ids: dict[str, object]
    states: dict[str, object]


@pytest.fixture(scope="module")
def shown(app, settings, service, chromium) -> Iterator[Shown]:
    with app.app_context():
        facts = demo.load(settings)
        ids = _ids(facts["tenant_id"]) | _shop_ids()
    states = {}
    for name, email in (
        ("owner", demo.OWNER),
        ("shop", "marta@comanda.example"),
        ("operator", demo.OPERATOR),
    ):
        context, page, _ = new_page(chromium, service.url)
        sign_in(page, email, demo.PASSWORD)
        if page.url.endswith("/choose"):
            page.get_by_role("button", name=demo.RESTAURANT).click()
            page.wait_for_url("**/home")
        states[name] = context.storage_state()
        context.close()
    yield Shown(ids, states)
    with app.app_context():
        demo.erase(settings)


def _ids(tenant_id: int) -> dict[str, object]:
    with tenant_scope(tenant_id):
        member = next(one for one in team.members() if one.role == "manager")
        key = keys.listed()[0]
        line = next(one for one in lines_book.listed() if one.is_default)
        draft = Draft(
            kind="text",
            phone="905321112233",
            text="Masanız hazır.",
            scheduled_at=now() + timedelta(hours=2),
        )
        ticket = sending.accept(draft, line, known_facts())
        _, token = team.invite(unique_email(), "waiter", "owner", "Derya Aksoy")
    with global_scope():
        person = people.register(unique_email(), "Nora Sol", "a fine long password")
        mail.write(person.email, "Confirm your e-mail address", "Open http://localhost/verify/x")
        return {
            "tenant": tenant_id,
            "member": member.id,
            "key": key.id,
            "line": line.id,
            "message": ticket.id,
            "invitation": token,
            "verify": people.issue_token(person.id, "verify"),
            "reset": people.issue_token(person.id, "reset"),
            "letter": mail.mailbox(None, 1)[0].id,
        }


def _shop_ids() -> dict[str, object]:
    with global_scope():
        owner = people.find("marta@comanda.example")
        tenant_id = signin.tenants_of(owner.id)[0].id
    with tenant_scope(tenant_id):
        known = {one.kind: one.id for one in connections.listed()}
        cart = next(one for one in automation_book.listed() if one.recipe == "abandoned_cart")
        return {
            "shop": known["shopify"],
            "form": known["form"],
            "waiting": connections.add("store", "Market stall").id,
            "hook": connections.received(known["shopify"], None, 1)[0].id,
            "parked": connections.received(known["form"], None, 1, "parked")[0].id,
            "automation": cart.id,
        }


PAGES = [
    *((None, name, path) for name, path in STRANGER.items()),
    *(("owner", name, path) for name, path in OWNER.items()),
    *(("shop", name, path) for name, path in SHOP.items()),
    *(("operator", name, path) for name, path in OPERATOR.items()),
]


@pytest.mark.parametrize(("who", "name", "path"), PAGES, ids=[name for _, name, _ in PAGES])
def test_a_page_is_whole_for_everybody(app, service, chromium, shown, who, name, path):
    context, page, watch = new_page(chromium, service.url, shown.states.get(who))
    try:
        answer = page.goto(path.format(**shown.ids))
        assert answer.status == EXPECTED.get(name, 200)
        expect(page.locator("h1").first).to_be_visible()
        if path == "/reference":
            expect(page.locator(".opblock").first).to_be_visible()
        look_over(page, name)
        if name in EXPECTED:
            watch.faults = [fault for fault in watch.faults if page.url not in fault]
        watch.expect_none()
    finally:
        context.close()


def test_no_page_is_forgotten(app):
    """Every address a person can open is in the lists above."""
    listed = {re.sub(r"\{\w+\}|owner_notice", "X", path.partition("?")[0]) for _, _, path in PAGES}
    elsewhere = {
        "/": "leads on",
        "/audit.csv": "a file",
        "/automations/X/runs.csv": "a file",
        "/signin/two-step": "seen on the first day",
        "/team/invite": "the team's page",
        "/lines/X/message": "the line's page",
        "/account/sessions/X/end": "asks as /account/sessions/end-all does",
        "/team/invitations/X/withdraw": "asks as /team/X/remove does",
    }
    for rule in app.url_map.iter_rules():
        guard = getattr(app.view_functions[rule.endpoint], "guard", None)
        if guard is not None and "GET" in rule.methods:
            address = re.sub(r"<[^>]+>", "X", rule.rule)
            assert address in {re.sub(r"nothing$", "X", one) for one in listed} | set(elsewhere)
