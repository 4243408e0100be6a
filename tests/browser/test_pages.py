"""Every page of the portal at phone, tablet and desktop width, in light and dark."""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

import pytest
from flask import current_app
from playwright.sync_api import Page, expect

from core import mail
from core.clock import now
from core.db import global_scope, tenant_scope
from deploy.demo import loader as demo
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.contacts import custom_fields
from messaging.contacts import identities as contact_identities
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.importing import batches as import_batches
from messaging.contacts.importing import csv_files
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.search import ContactFilters
from messaging.contacts.validation import ContactInput
from messaging.lines import repository as line_repository
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked import sessions as linked_sessions
from messaging.lines.drivers.linked.client import QrCodeShown
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from restaurant.couriers import couriers
from restaurant.delivery import zones
from restaurant.menus import menus
from restaurant.orders import queries as order_finding
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries, payments
from restaurant.sites import sites, tables
from tenants import api_keys, people, signin, team
from tenants import request_log as tenant_request_log
from tenants.passwords import hash_password
from tenants.plans.catalog import current_tenant_facts
from tenants.request_log import RequestFilters as CallFilters
from tests.browser.driver import Watch, check_appearance, new_page, sign_in
from tests.browser.page_lists.account import ACCOUNT
from tests.browser.page_lists.ads import ADS, ADS_OFF, report_purchases
from tests.browser.page_lists.agents import AGENTS, agent_ids, consent_ids
from tests.browser.page_lists.campaigns import CAMPAIGNS, campaign_ids
from tests.browser.page_lists.inbox import INBOX, inbox_ids
from tests.browser.page_lists.journeys import JOURNEYS, journey_ids
from tests.browser.page_lists.kitchen import KITCHEN, kitchen_ids
from tests.browser.page_lists.loyalty import LOYAL, loyalty_ids
from tests.browser.page_lists.menus import MENU_PAGES
from tests.browser.page_lists.not_visited import ELSEWHERE
from tests.browser.page_lists.printing import PAPER, printing_ids
from tests.browser.page_lists.templates import TEMPLATES, template_ids
from tests.factories import unique_email
from tests.short_demo import short_demo
from webhooks import endpoints
from webhooks import queries as deliveries
from webhooks.inbound import hook_log
from webhooks.queries import DeliveryFilters

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
    "reference-messages-open": "/reference/{group}",
    "guides-open": "/docs",
    "guide-open": "/docs/{guide}",
    "guide-pictures-open": "/docs/restaurant",
    "guides-search-open": "/docs/search?q=key",
    "not-found": "/nothing-here",
}
OWNER = {
    "home": "/home",
    **ACCOUNT,
    "choose": "/choose",
    "team": "/team",
    "member": "/team/{member}",
    "member-remove": "/team/{member}/remove",
    "integrations": "/integrations",
    "key-new": "/integrations/keys/new",
    "key": "/integrations/keys/{key}",
    "key-revoke": "/integrations/keys/{key}/revoke",
    "reference": "/reference",
    "reference-messages": "/reference/messages",
    "reference-events": "/reference/events",
    "guides": "/docs",
    "guide": "/docs/quick-start",
    "guides-search-empty": "/docs/search?q=nothing-like-it",
    "usage": "/usage",
    "usage-country": "/usage?period=30-days&by=country",
    "usage-empty": "/usage?since=2020-01-01&until=2020-01-31",
    "requests": "/integrations/requests",
    "requests-empty": "/integrations/requests?outcome=broken",
    "request": "/integrations/requests/{call}",
    **INBOX,
    "messages": "/messages",
    "message-new": "/messages/new",
    "messages-empty": "/messages?reference=nothing",
    "message": "/messages/{message}",
    "message-cancel": "/messages/{message}/cancel",
    "contacts": "/contacts",
    "contacts-search": "/contacts?q=ay&sort=name",
    "contacts-empty": "/contacts?q=nobody-at-all",
    "contacts-duplicates": "/contacts/duplicates",
    "contact": "/contacts/{contact}",
    "contact-no-phone": "/contacts/{no_phone}",
    "contact-new": "/contacts/new",
    "contact-edit": "/contacts/{contact}/edit",
    "contact-merge": "/contacts/{contact}/merge?q=a",
    "contact-merge-look": "/contacts/{contact}/merge?other={no_phone}",
    "contact-remove": "/contacts/{contact}/remove",
    "contact-erase": "/contacts/{contact}/erase",
    "contact-erasure": "/contacts/erasures/{erasure}",
    "contact-fields": "/contacts/fields",
    "contact-field": "/contacts/fields/{field}",
    "contact-field-remove": "/contacts/fields/{field}/remove",
    "contact-import": "/contacts/import",
    "contact-import-columns": "/contacts/import/{uploaded}",
    "contact-import-ready": "/contacts/import/{ready}",
    "contact-import-cancel": "/contacts/import/{ready}/cancel",
    "board": "/orders/board",
    "board-bar": "/orders/board/{site}?station=bar",
    "board-kitchen": "/orders/board/{site}?view=kitchen",
    "board-tables": "/orders/board/{site}?view=tables",
    "board-table-bill": "/orders/board/{site}/tables/{table}/bill",
    "board-delivery": "/orders/board/{site}?view=delivery",
    "board-day": "/orders/board/{site}?view=day",
    "orders": "/orders",
    "orders-empty": "/orders?q=nothing",
    "orders-unhappy": "/orders/unhappy",
    "order-new": "/orders/new",
    "order": "/orders/{order}",
    "order-waiting": "/orders/{order_waiting}",
    "order-delivery": "/orders/{order_riding}",
    "order-add": "/orders/{order}/add",
    "order-cancel": "/orders/{order}/cancel",
    **ADS,
    **AGENTS,
    **KITCHEN,
    **PAPER,
    **CAMPAIGNS,
    "order-unpaid": "/orders/{order_unpaid}",
    "payments": "/payments",
    "payments-empty": "/payments?q=NOTHING",
    "payment-new": "/payments/links/new",
    "payment-link": "/payments/links/{link}",
    "payment-link-cancel": "/payments/links/{link}/cancel",
    "payment-review": "/payments/review",
    "payment-refund": "/payments/money/{payment}/refund",
    "payment-keep": "/payments/money/{payment}/keep",
    "payment-signals": "/payments/signals",
    "payment-providers": "/payments/providers",
    "payment-provider-new": "/payments/providers/new?provider=stripe",
    "payment-provider": "/payments/providers/{account}",
    "payment-provider-remove": "/payments/providers/{account}/remove",
    "lines": "/lines",
    "line-new": "/lines/new",
    "line": "/lines/{line}",
    "line-remove": "/lines/{line}/remove",
    "line-resume": "/lines/{line}/resume",
    "line-link": "/lines/link",
    "line-linked": "/lines/{phone}",
    "line-pair": "/lines/{phone}/pair",
    "line-code": "/lines/{pairing}/pair",
    "line-paired": "/lines/{paired}/pair",
    "line-linked-up": "/lines/{paired}",
    "line-logout": "/lines/{paired}/logout",
    **TEMPLATES,
    "message-photo": "/messages/{photo}",
    "received": "/received",
    "received-empty": "/received?kind=form",
    "received-hook": "/received/{parked_hook}",
    "webhooks": "/webhooks",
    "webhook-new": "/webhooks/new",
    "webhook": "/webhooks/{endpoint}",
    "webhook-off": "/webhooks/{endpoint}/off",
    "webhook-remove": "/webhooks/{endpoint}/remove",
    "webhook-gone": "/webhooks/{gone}",
    "deliveries": "/webhooks/deliveries",
    "deliveries-empty": "/webhooks/deliveries?id=nothing",
    "delivery": "/webhooks/deliveries/{delivery}",
    "delivery-failed": "/webhooks/deliveries/{undelivered}",
    "restaurants": "/restaurants",
    "restaurant-new": "/restaurants/new",
    "restaurant": "/restaurants/{site}",
    "restaurant-close": "/restaurants/{site}/close",
    "tables": "/restaurants/{site}/tables",
    "table-edit": "/restaurants/tables/{table}",
    "area-edit": "/restaurants/areas/{area}",
    "table-code": "/restaurants/tables/{table}/rotate",
    "table-remove": "/restaurants/tables/{table}/remove",
    "site-pace": "/restaurants/{site}?part=pace",
    "sold-out": "/restaurants/{site}/sold-out",
    "sold-out-empty": "/restaurants/{site}/sold-out?q=nothing-like-it",
    "delivery-zones": "/restaurants/{site}/delivery",
    "zone-new": "/restaurants/{site}/delivery/zones/new",
    "zone": "/restaurants/zones/{zone}",
    "zone-remove": "/restaurants/zones/{zone}/remove",
    "couriers": "/restaurants/{site}/couriers",
    "courier": "/restaurants/couriers/{courier}",
    "courier-links": "/restaurants/couriers/{courier}/end-links",
    "courier-remove": "/restaurants/couriers/{courier}/remove",
    **LOYAL,
    "menus": "/menus",
    **MENU_PAGES,
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
    **JOURNEYS,
    **ADS_OFF,
}
OPERATOR = {
    "operator": "/operator/",
    "operator-tenant": "/operator/tenants/{tenant}",
    "operator-queues": "/operator/queues",
    "operator-health": "/operator/health",
    "operator-invoices": "/operator/invoices",
    "operator-plans": "/operator/plans",
    "operator-plan": "/operator/plans/growth",
    "operator-plan-new": "/operator/plans/new",
    "operator-partners": "/operator/partners",
    "operator-partner": "/operator/partners/{partner}",
    "operator-partner-new": "/operator/partners/new",
    "operator-partner-suspend": "/operator/partners/{partner}/suspend",
    "operator-rates": "/operator/rates",
    "operator-rate": "/operator/rates/TR",
}
# The browser itself logs these as errors.
EXPECTED = {"not-found": 404, "app-unknown": 422}


@dataclass
class Shown:
    """The demo, its ids, and a signed-in browser context for each person.

    Each has one tab, because a new tab for every page would start a new process for every page.
    """

    ids: dict[str, object]
    tabs: dict[str, tuple[Page, Watch]]


@pytest.fixture(scope="module")
def shown(app, settings, service, chromium) -> Iterator[Shown]:
    with app.app_context(), short_demo():
        facts = demo.load(settings)
        ids = _ids(facts["tenant_id"]) | _shop_ids()
    tabs = {}
    for name, email in (
        ("stranger", ""),
        ("owner", demo.OWNER),
        ("shop", "marta@comanda.example"),
        ("operator", demo.OPERATOR),
    ):
        _, page, watch = new_page(chromium, service.url, examined=True)
        if email and sign_in(page, email, demo.PASSWORD).endswith("/choose"):
            page.goto("/choose")
            page.get_by_role("button", name=demo.RESTAURANT).click()
            page.wait_for_url("**/home")
        tabs[name] = page, watch
    yield Shown(ids, tabs)
    with app.app_context():
        demo.erase(settings)


def _ids(tenant_id: int) -> dict[str, object]:
    with tenant_scope(tenant_id):
        member = next(one for one in team.members() if one.role == "manager")
        key = api_keys.list_keys()[0]
        line = next(one for one in line_repository.list_lines() if one.is_default)
        call = tenant_request_log.list_requests(
            CallFilters(outcome="refused"), None, 1, timedelta(days=7)
        )[0]
        phones = [
            pairing.add_linked_line(f"Phone {number}", network="simulator") for number in range(3)
        ]
        linked_sessions.record_code_shown(
            phones[1].id, QrCodeShown("2@" + "Ab3/" * 36, now() + timedelta(hours=1))
        )
        linked_sessions.record_paired(phones[2].id, "905321110000")
        linked_sessions.record_connected(phones[2].id)
        draft = MessageDraft(
            kind="text",
            phone="905321112233",
            text="Masanız hazır.",
            scheduled_at=now() + timedelta(hours=2),
        )
        ticket = message_accept.accept_message(draft, line, current_tenant_facts())
        _, token = team.invite(unique_email(), "waiter", "owner", "Derya Aksoy")
        [hook] = hook_log.list_hooks(hook_log.HookFilters(state="parked"), None, 1)
        photo = message_queries.get("wamid.demo-photo")
        working = next(one for one in endpoints.list_endpoints() if one.enabled)
        gone = next(one for one in endpoints.list_endpoints() if not one.enabled)
        delivered = deliveries.list_deliveries(DeliveryFilters(endpoint_id=working.id), None, 1)[0]
        undelivered = deliveries.list_deliveries(DeliveryFilters(state="cancelled"), None, 1)[0]
        people_there = _contacts() | _dining() | _orders() | campaign_ids() | agent_ids()
        people_there |= inbox_ids() | template_ids()
        report_purchases()
    password = hash_password("a fine long password")
    with global_scope():
        person = people.register(unique_email(), "Nora Sol", password)
        mail.queue_email(
            person.email, "Confirm your e-mail address", "Open http://localhost/verify/x"
        )
        return {
            **people_there,
            **consent_ids(),
            "tenant": tenant_id,
            "member": member.id,
            "key": key.id,
            "line": line.id,
            "phone": phones[0].id,
            "pairing": phones[1].id,
            "paired": phones[2].id,
            "message": ticket.id,
            "call": call.id,
            "parked_hook": hook.id,
            "photo": photo.id,
            "group": "messages",
            "guide": "magic-numbers",
            "endpoint": working.id,
            "gone": gone.id,
            "delivery": delivered.id,
            "undelivered": undelivered.id,
            "invitation": token,
            "verify": people.issue_token(person.id, "verify"),
            "reset": people.issue_token(person.id, "reset"),
            "letter": mail.recent_emails(None, 1)[0].id,
        }


def _dining() -> dict[str, object]:
    site = next(one for one in sites.listed() if one.prefix == "MAV")
    dish = next(one for one in menus.items(site.menu_id) if len(one.groups) > 1)
    menus.change_item(dish.id, {"price": "395"})
    return {
        "site": site.id,
        "table": tables.listed(site.id)[0].id,
        "area": tables.areas(site.id)[0].id,
        "menu": site.menu_id,
        "category": dish.category_id,
        "item": dish.id,
        "options": dish.groups[-1],
        "happy_hour": menus.get(site.menu_id).happy_hours[0]["id"],
    }


def _contacts() -> dict[str, object]:
    """The demo's contacts: a detailed one, one without a phone, and imports in progress."""
    blobs = current_app.extensions["blobs"]
    guest = contact_search.search_contacts(ContactFilters(search="zeynep arslan"))[0]
    unknown = contact_identities.find_or_create("", "TR.99127361827", "", now()).id
    gone = contact_repository.create(ContactInput(name="Gone"))
    text = b"Telefon;Ad;Soyad;Etiket\n0532 111 22 33;Ay\xc5\x9fe;Y\xc4\xb1lmaz;vip\n12;Kim;Bu;\n"
    uploaded = contact_importing.upload_file(io.BytesIO(text), "musteriler.csv", blobs)
    ready = contact_importing.upload_file(io.BytesIO(text), "fuar.csv", blobs)
    rows = [
        csv_files.FileRow(2, ["0532 111 22 33", "Ay\u015fe"]),
        csv_files.FileRow(3, ["12", "Kim"]),
    ]
    counts = import_batches.apply_batch(ready, rows, write=False)
    ready.state, ready.total, ready.position = "ready", 2, 2
    ready.created, ready.rejected = counts.created, counts.rejected
    return {
        "contact": guest.id,
        "no_phone": unknown,
        "erasure": contact_erasures.start_erasure(gone.id).id,
        "field": custom_fields.list_fields()[0].id,
        "uploaded": uploaded.id,
        "ready": ready.id,
        "note": contact_repository.list_notes(guest.id)[0].id,
    }


def _orders() -> dict[str, object]:
    site = sites.listed()[0]
    open_now = order_finding.open_orders(site.id)
    return {
        "site": site.id,
        "order": next(one.number for one in open_now if one.state == "preparing"),
        "order_riding": next(one.number for one in open_now if one.state == "out_for_delivery"),
        "zone": next(one.id for one in zones.listed(site.id) if one.kind == "polygon"),
        "courier": couriers.listed(site.id)[0].id,
        **loyalty_ids(),
        **printing_ids(site.id),
        **kitchen_ids(site.id),
        "order_waiting": next(
            one.number for one in open_now if one.state == "awaiting_confirmation"
        ),
        "order_unpaid": next(one.number for one in open_now if one.state == "awaiting_payment"),
        "account": payment_accounts.listed()[0].id,
        "link": link_queries.listed(link_queries.LinkFilters(state="paid"), None, 1)[0].id,
        "payment": payments.listed("review", None, 1)[0].id,
    }


def _shop_ids() -> dict[str, object]:
    with global_scope():
        owner = people.find("marta@comanda.example")
        tenant_id = signin.tenants_of(owner.id)[0].id
    with tenant_scope(tenant_id):
        known = {one.kind: one.id for one in store_connections.list_connections()}
        cart = next(
            one
            for one in automation_definitions.list_automations()
            if one.recipe == "abandoned_cart"
        )
        return {
            "shop": known["shopify"],
            "form": known["form"],
            "waiting": store_connections.add("store", "Market stall").id,
            "hook": store_connections.list_received(known["shopify"], None, 1)[0].id,
            "parked": store_connections.list_received(known["form"], None, 1, "parked")[0].id,
            "automation": cart.id,
            **journey_ids(),
        }


PAGES = [
    *(("stranger", name, path) for name, path in STRANGER.items()),
    *(("owner", name, path) for name, path in OWNER.items()),
    *(("shop", name, path) for name, path in SHOP.items()),
    *(("operator", name, path) for name, path in OPERATOR.items()),
]


@pytest.mark.parametrize(("who", "name", "path"), PAGES, ids=[name for _, name, _ in PAGES])
def test_a_page_is_whole_for_everybody(app, service, chromium, shown, who, name, path):
    page, watch = shown.tabs[who]
    watch.faults.clear()
    answer = page.goto(path.format(**shown.ids))
    assert answer.status == EXPECTED.get(name, 200)
    expect(page.locator("h1").first).to_be_visible()
    check_appearance(page, name)
    if name in EXPECTED:
        watch.faults = [fault for fault in watch.faults if page.url not in fault]
    watch.expect_none()


def test_no_page_is_forgotten(app):
    """Every URL that a person can open is in the lists above."""
    listed = {re.sub(r"\{\w+\}|owner_notice", "X", path.partition("?")[0]) for _, _, path in PAGES}
    pages = {
        re.sub(r"<[^>]+>", "X", rule.rule)
        for rule in app.url_map.iter_rules()
        if getattr(app.view_functions[rule.endpoint], "guard", None) and "GET" in rule.methods
    }
    assert pages - {re.sub(r"nothing$", "X", one) for one in listed} - set(ELSEWHERE) == set()
