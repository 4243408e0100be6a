"""Unusual characters in every field of every form are rejected or stored, never a crash."""

import re
from functools import cache
from urllib.parse import urlencode

import pytest

from core.db import global_scope
from tenants import people
from tests.factories import Browser, make_business
from tests.portal.conftest import things_of

ODD = {
    "nul": "a\0b",
    "only nul": "\0",
    "control": "\x01\x1b[31m\x7f",
    "surrogate": "\ud83d".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
    "long": "x" * 20_000,
    "emoji": "👩‍👩‍👧‍👦" * 40,
    "bidi": "\u202e\u2066abc",
    "combining": "e" + "\u0301" * 500,
    "number": "9" * 400,
    "negative": "-1",
    "sql": "'; DROP TABLE people; --",
    "format": "%(x)s {x} %n",
    "list": ["a", "b", "\0"],
}
FIELDS = (
    *("email", "password", "name", "business", "time_zone", "code", "next", "locale", "theme"),
    *("role", "mode", "scopes", "expires", "rate_per_second", "overlap", "country", "currency"),
    *("current", "because", "plan", "burst", "monthly_messages", "spend_cap_usd", "tenant_id"),
    *("phone", "text", "token", "app_secret", "phone_number_id", "account_id", "per_second"),
    *("act", "on", "cap_usd"),
    *("plans", "most_tenants", "key_name"),
    *("fallback", "line", "values", "header", "buttons", "kind", "category", "since", "usd"),
    *("tags", "birthday", "language", "choices", "column", "consent_source"),
    *("other", "encoding", "delimiter", "agreed", "update", "own_0"),
    *("once", "reply_to", "place", "template", "parameters", "person", "seen", "shortcut"),
    *("without_tags", "languages", "birthday_within_days", "seen_within_days", "save_as"),
    *("not_messaged_days", "ordered_within_days", "not_ordered_days", "orders_at_least"),
    *("orders_at_most", "spent_at_least", "audience_id", "gift", "begins", "at", "quiet"),
    *("quiet_from", "quiet_until", "rest_days", "follow_days"),
    *("secret", "consent", "connection_id", "line_id", "to_phone", "delay"),
    *("unit", "paid", "tracking", "at_least", "countries", "says", "template_name"),
    *("template_language", "value", "item_id", "valid_days", "per_contact", "cost", "site_ids"),
    *("amount", "points", "worth", "gift_id", "keywords", "quiet_from", "quiet_until", "reward_id"),
    *("welcome-text-tr", "welcome-number", "welcome-reward_id", "welcome-template_name"),
    *("site", "reward", "coupon"),
    *(
        "part",
        "slug",
        "order_prefix",
        "others",
        "address",
        "menu_id",
        "day_starts",
        "hours-0-0-from",
    ),
    *("hours-0-0-to", "order_types", "told_states", "accept_minutes", "manager_phone", "tips"),
    "guest_cancel_minutes",
    *("service_percent", "newcomer_limit", "table_orders_per_hour", "tone", "host", "welcome-tr"),
    *("numbers", "area_id", "area", "seats", "for", "remove", "thing", "ids", "name-tr"),
    *("description-tr", "price", "tax_percent", "stations", "allergens", "diets", "groups"),
    *("category_id", "least", "most", "free", "o0-name-tr", "o0-price", "o0-id", "carried"),
    *("url", "events", "description", "every", "since", "until", "missed"),
    *("to", "seen", "position", "quantity", "waiter", "table", "table_id", "order_type"),
    *("way", "agent", "output", "port", "profile", "width_mm", "checks", "bills", "copies"),
    *("fallback_seconds", "enabled", "page", "prints_bills", "ConnectionType", "ResponseFile"),
    *("Status", "ID"),
    *("payment_method", "notes", "site", "call", "q.itm_x.0", "g.itm_x.0.ogr", "n.itm_x.0"),
    *("position", "radius", "corners", "fee", "minimum", "zone", "zone_id", "courier", "active"),
    *(
        "order",
        "note",
        "payment_method",
        "notes",
        "site",
        "call",
        "q.itm_x.0",
        "g.itm_x.0.ogr",
        "n.itm_x.0",
    ),
    *("amount", "tell", "provider", "key", "hook_secret", "link_minutes", "reason", "site_id"),
    *("message_days", "media_days", "call_days", "hook_days", "aims", "again"),
    *("billing_name", "billing_address", "billing_tax_number"),
    *("prices", "trial_days", "trial_messages", "most_lines", "most_members", "most_sites"),
    *("whom", "paid_until"),
    *("decision", "line_ids", "method", "tip", "share", "display", "station", "guest", "people"),
    *("preparation_minutes", "delivery_minutes", "later_days", "slot_orders", "slot_order_types"),
    *("kitchen_warn_minutes", "kitchen_late_minutes", "feedback_minutes", "review_url"),
    *("course", "categories", "items", "percent", "payment_methods", "orders_in_words"),
    *("daily_messages", "daily_usd", "hold_hours", "model", "transcription_model"),
    *("timeout_seconds", "daily_requests"),
    *(
        "due_at",
        "batch",
        "left",
        "left-sit_x",
        "left-sit_x-was",
        "dishes",
        "dishes_shown",
        "hidden",
    ),
    *("no_logo", "no_photo", "own_tone", "preset", "price-takeaway", "tax-takeaway", "synonyms"),
    *("o0-item", "o0-preset", "o0-removal", "station-kitchen", "minutes-kitchen", "tax_included"),
    *("service_order_types", "prints_ticket_codes", "shows_promise", "pay", "when", "number"),
    *("item:ord_x:1", "emoji", "message", "card", "button_1", "button_2", "button_3", "rows"),
    *("list_button", "link_text", "link_url", "contact_name", "contact_phone", "send_at"),
    *("label", "labels", "away", "colour", "assignment", "return_minutes", "rating"),
    *("rating_lines", "rating_text", "topics", "shows_text", "dataset_id", "codes"),
    *("title_0", "description_0", "next_0", "next", "then", "otherwise", "no_answer", "failed"),
    *("action", "ad", "answer", "member", "what", "choice", "said", "ready_made", "date", "days"),
    *("hour", "minutes", "open_days", "opens", "closes", "states", "words", "tag"),
    *("body", "footer", "from", "apps", "header_type", "header_text", "header_example"),
    *("header_url", "kept_file", "b0-type", "b0-text", "b0-url", "b0-phone", "b0-example"),
    *("example-1", "example-name", "otp_type", "otp_text", "code_expiration_minutes"),
    *("security_recommendation", "terms_accepted", "place_name", "place_address", "latitude"),
    *("longitude", "location", "location_name", "location_address", "template_parameters"),
    *("holdout_percent", "count_clicks", "stand_in", "stand_in_values", "weight", "weight_b"),
    *("text_b", "template_b", "values_b", "weight_d", "text_d", "template_d", "values_d"),
    *("only_who_wrote", "no_marketing", "tapped", "headers", "filters", "lines", "ordered"),
    *("ends", "from_messages", "source", "sure", "system", "special0-starts"),
    *("special0-ends", "special0-name", "auth", "p256dh", "endpoint", "id"),
)
QUERIES = (
    *("q", "who", "area", "after", "next", "recovery"),
    *("phone", "line", "state", "direction", "reference"),
    *("id", "outcome", "key", "call"),
    *("shown",),
    *("period", "since", "until", "by", "sort"),
    *("tag", "mark", "language", "other", "value"),
    *("view", "before", "again"),
    *("lang", "table", "k"),
    *("endpoint", "event", "kind", "target", "category", "to"),
    *("site", "day", "station", "table"),
    *("printer", "type", "mac", "code", "token"),
    *("site", "day", "station", "table", "provider"),
    *("reward", "coupon"),
    *("wants", "currency"),
    *("label", "member", "message", "step", "codes", "problem", "via", "when", "allergen", "diet"),
    *("client_id", "redirect_uri", "response_type", "scope", "resource", "code_challenge"),
)
# What programs send to the OAuth endpoints, whose bodies are limited to 16 KB.
OAUTH = (
    *("grant_type", "code", "refresh_token", "client_id", "client_secret", "redirect_uri"),
    *("code_verifier", "resource", "token", "scope"),
)
MARKS = re.compile(r"[\x00-\x20%&+=;#\x7f]")
LEAVES = {"start.signout", "account.end_all_sessions"}


def signed_in_with_every_right(app, business):
    with global_scope():
        people.get(business.owner.id).operator = True
    return Browser(app.test_client()).signs_in(business.owner)


@pytest.fixture
def everywhere(app, restaurant):
    return signed_in_with_every_right(app, restaurant)


@pytest.fixture(scope="module")
def reader(app):
    """For tests that only read: the client, and the ids of one of everything."""
    with app.app_context():
        business = make_business("Lokanta Mavi")
        return signed_in_with_every_right(app, business).client, things_of(business)


@cache
def form(first):
    """Every field has an unusual value; `first` shifts which field gets which."""
    kinds = list(ODD.values())
    fields = {name: kinds[(first + number) % len(kinds)] for number, name in enumerate(FIELDS)}
    return urlencode(fields, doseq=True, quote_via=marks_alone)


def marks_alone(text, *_):
    """Encode only special characters: decoding thousands of escapes would dominate the test."""
    return MARKS.sub(lambda found: f"%{ord(found[0]):02X}", text)


@pytest.mark.parametrize("turn", range(5))
def test_no_form_falls_over_it(app, everywhere, ids, turn):
    """The unusual value of a field differs between forms and between turns."""
    forms = 0
    for rule in app.url_map.iter_rules():
        if "POST" not in rule.methods or rule.rule.startswith("/api/") or rule.endpoint in LEAVES:
            continue
        if rule.endpoint.startswith("oauth_endpoints."):
            continue  # no form of a page; in the next test, with the fields that they read
        path = rule.build({name: ids[name] for name in rule.arguments}, append_unknown=False)[1]
        forms += 1
        first = (3 * turn + forms) % len(ODD)
        status = everywhere.post(path, form=form(first)).status_code
        assert status < 500, (path, first)
        page = hasattr(app.view_functions[rule.endpoint], "guard")
        assert status != 413 or not page, (path, "too long a form is read by nobody")


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("grant", ["", "authorization_code", "refresh_token"])
def test_no_oauth_endpoint_falls_over_it(client, odd, grant):
    text = ODD[odd] if isinstance(ODD[odd], list) else ODD[odd][:100]
    fields = dict.fromkeys(OAUTH, text) | ({"grant_type": grant} if grant else {})
    for name in ("token", "revoke", "register"):
        status = client.post(f"/oauth/{name}", data=fields).status_code
        assert status in (200, 400, 401, 422), (name, odd)
    metadata = {"client_name": text, "redirect_uris": [text], "scope": text}
    status = client.post("/oauth/register", json=metadata).status_code
    assert status in (400, 422), odd


@pytest.mark.parametrize("odd", ["nul", "control", "emoji", "number"])
def test_no_address_falls_over_it(app, reader, odd):
    client, ids = reader
    # A URL holds fifty of them, and a non-ASCII character takes ten characters there.
    text = ODD[odd] if ODD[odd].isascii() else ODD[odd][:100]
    query = urlencode(dict.fromkeys(QUERIES, text))
    for rule in app.url_map.iter_rules():
        if "GET" not in rule.methods or "static" in rule.endpoint:
            continue
        known = {name: ids.get(name, 1) for name in rule.arguments}
        path = rule.build(known, append_unknown=False)[1]
        assert client.get(path, query_string=query).status_code < 500, (path, odd)
        for name in rule.arguments - {"tenant_id", "line_id", "instance_id", "kind", "recipe"}:
            path = rule.build({**known, name: text}, append_unknown=False)[1]
            assert client.get(path).status_code < 500, (path, odd)


@pytest.mark.parametrize("header", ["User-Agent", "Accept-Language", "Referer", "Cookie", "Host"])
@pytest.mark.parametrize("value", ["", "x" * 5000, "\x7f\xff", "*;q=zzz", "comanda=broken.value.x"])
def test_no_header_makes_it_fall_over(app, restaurant, header, value):
    browser = Browser(app.test_client())
    assert browser.client.get("/signin", headers={header: value}).status_code < 500
    browser.get("/signin")
    data = {"csrf_token": browser.token, "email": restaurant.owner.email, "password": "x" * 12}
    assert browser.client.post("/signin", data=data, headers={header: value}).status_code < 500
