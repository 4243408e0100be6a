"""The diner's menu pages. There is no sign-in; a token in the URL proves the table."""

import json
from collections import OrderedDict
from hashlib import blake2s
from threading import Lock
from typing import Any
from urllib.parse import urlencode

from babel.numbers import format_percent
from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    render_template,
    request,
    url_for,
)
from markupsafe import Markup

from core.db import tenant_scope
from core.settings import Settings
from core.values.money import format_money
from core.values.text import one_line
from messaging.links import short_links
from messaging.links.preview_requests import is_person
from portal.diner import menu_content, opening_hours
from portal.diner.menu_cache import MenuFacts, menu_cache
from portal.diner.texts import diner_languages, diner_text, page_functions, script_texts
from portal.web.auth import open_to_all
from restaurant.menus.validation import ALLERGENS, DIETS
from restaurant.models import Site
from restaurant.sites import tables

diner = Blueprint("diner", __name__)

MOST_PAGES = 400
LARGEST_CART = 64 * 1024
LONGEST_ABOUT = 160
TABLE_PLACEHOLDER = "@@table@@"
QUERY_PLACEHOLDER = "@@query@@"
BILL_PLACEHOLDER = "@@bill@@"
"""Before and after the link to the bill, which only guests at a table have."""
# The page has no inline scripts or styles, so no nonce is needed; photos are on this host.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none';"
    " form-action 'self'; frame-ancestors 'none'"
)

_pages: OrderedDict[tuple[Any, ...], tuple[str, str]] = OrderedDict()
_lock = Lock()


@diner.get("/menu")
@open_to_all
def menu_here() -> Response:
    """The menu on a restaurant's own host; 404 on the service's host."""
    facts = site_of_host()
    return _menu(facts) if facts else not_found_page()


@diner.get("/r/<slug>/menu")
@open_to_all
def menu(slug: str) -> Response:
    facts = menu_cache.of("slug", slug)
    return _menu(facts) if facts else not_found_page()


@diner.get("/r/<slug>")
@open_to_all
def place(slug: str) -> Response:
    return menu(slug)


@diner.get("/r/<slug>/tone.css")
@open_to_all
def tone(slug: str) -> Response:
    """The restaurant's accent colour, as a file because the policy forbids inline styles."""
    facts = menu_cache.of("slug", slug)
    colour = facts.site.tone if facts else ""
    answer = Response(menu_content.tone_css(colour) if colour else "", mimetype="text/css")
    answer.headers["Cache-Control"] = "public, max-age=300"
    return answer


def _menu(facts: MenuFacts) -> Response:
    _record_visit(facts)
    language = chosen_language(facts)
    number, seated = _table(facts)
    html, etag = _page(facts, language)
    unknown = bool(request.args.get("table")) and not number
    marks = {"table": number, "seated": seated, "unknown": unknown}
    query = urlencode({"table": number, "k": request.args.get("k", "")})
    html = fill_in_table(html, json.dumps(marks), query if seated else "")
    etag = blake2s(f"{etag}{marks}".encode(), digest_size=10).hexdigest()
    answer = make_response(html)
    answer.set_etag(etag)
    answer.headers["Content-Security-Policy"] = live_policy()
    answer.headers["Cache-Control"] = "private, no-cache"
    answer.headers["Vary"] = "Accept-Language"
    if request.args.get("table"):
        answer.headers["X-Robots-Tag"] = "noindex"
    # The only page that uses geolocation, and only after the diner taps the button.
    answer.headers["Permissions-Policy"] = "camera=(), microphone=(), geolocation=(self)"
    answer.make_conditional(request)
    return answer


def _record_visit(facts: MenuFacts) -> None:
    """Of a guest who came from a short link of a campaign."""
    token = request.args.get("via", "")
    if token and is_person(request.method, request.headers):
        with tenant_scope(facts.tenant_id):
            if code := short_links.read_via(token):
                short_links.record_visit(code)


def _page(facts: MenuFacts, language: str) -> tuple[str, str]:
    """Render and cache the page by published version, language and state of the kitchen."""
    site = facts.site
    closed = opening_hours.why_closed(facts, language)
    key = (
        site.id, facts.version, language, facts.missing, closed, site.name, site.tone,
        tuple(site.languages), tuple(site.order_types), tuple(site.payment_methods),
        tuple(site.tip_percents), site.applied_service_percent, tuple(site.service_order_types),
        json.dumps(site.welcome), site.logo,
        json.dumps([site.hours, site.special_days]), opening_hours.today(site),
        tuple(zone.fee for zone in facts.zones), facts.cards, facts.coupons,
        tuple(sorted(facts.left.items())), tuple(rule["id"] for rule in facts.rules),
        site.later_days, site.slot_orders, bool(site.slot_minutes),
        tuple(sorted(facts.minutes.items())),
    )  # fmt: skip
    with _lock:
        if key in _pages:
            _pages.move_to_end(key)
            return _pages[key]
    html = render_menu(facts, language, closed)
    made = (html, blake2s(html.encode(), digest_size=10).hexdigest())
    with _lock:
        _pages[key] = made
        while len(_pages) > MOST_PAGES:
            _pages.popitem(last=False)
    return made


def fill_in_table(html: str, marks: str, bill_query: str) -> str:
    """The menu for one table. Without a query there is no link to the bill."""
    html = html.replace(TABLE_PLACEHOLDER, str(Markup.escape(marks)))
    before, bill_link, after = html.split(BILL_PLACEHOLDER)
    bill_link = bill_link.replace(QUERY_PLACEHOLDER, str(Markup.escape(bill_query)))
    return f"{before}{bill_link if bill_query else ''}{after}"


def render_menu(facts: MenuFacts, language: str, closed: str) -> str:
    """Render the page; `closed` is why orders are not accepted, or empty."""
    site = facts.site
    return render_template(
        "diner/menu.html",
        site=site,
        **page_functions(language),
        script_texts=script_texts(language),
        language=language,
        direction=menu_content.direction(language),
        languages=[(code, menu_content.own_name(code)) for code in site.languages],
        categories=menu_content.menu_for(facts, language),
        data=menu_content.data_for(facts, language),
        fee_from=_lowest_fee(facts, language),
        tips=[(one, format_percent(one / 100, locale=language)) for one in site.tip_percents],
        closed=closed,
        orderable=not closed or facts.orders_for_later,
        later=facts.orders_for_later,
        allergens=ALLERGENS,
        diets=DIETS,
        welcome=site.welcome.get(language) or site.welcome.get(site.languages[0], ""),
        ways=[way for way in site.payment_methods if way != "card_link" or facts.cards],
        coupons=facts.coupons,
        week=opening_hours.week(site, language),
        special_days=opening_hours.special_days(site, language),
        about=_about(facts, language),
        address=site_address(site),
        picture=_picture(facts),
        table_mark=TABLE_PLACEHOLDER,
        table_query=QUERY_PLACEHOLDER,
        bill_mark=BILL_PLACEHOLDER,
        base=url_for("diner.place", slug=site.slug),
    )


def _about(facts: MenuFacts, language: str) -> str:
    """The description for search engines and link previews: the welcome text or the categories."""
    site = facts.site
    welcome = site.welcome.get(language) or site.welcome.get(site.languages[0], "")
    names = ", ".join(one["name"] for one in menu_content.menu_for(facts, language))
    return one_line(welcome or names or site.name, LONGEST_ABOUT)


def _picture(facts: MenuFacts) -> str:
    """The logo, or the first photo of a dish."""
    photos = [
        item["photo"] for category in facts.content["categories"] for item in category["items"]
    ]
    key = facts.site.logo or next(filter(None, photos), "")
    return url_for("photos.show", key=key, _external=True) if key else ""


def _lowest_fee(facts: MenuFacts, language: str) -> str:
    """The lowest delivery fee, shown until the diner shares a location."""
    if not facts.zones:
        return ""
    fees = [zone.fee for zone in facts.zones]
    if not max(fees):
        return diner_text(language, "fee_none")
    if not min(fees):
        return diner_text(language, "fee_near")
    least = format_money(min(fees), facts.site.currency, language)
    return diner_text(language, "fee_from", fee=least)


def _table(facts: MenuFacts) -> tuple[str, bool]:
    """The table in the URL if it belongs to this restaurant, and whether its token is valid."""
    code = request.args.get("table", "")
    if not code:
        return "", False
    with tenant_scope(facts.tenant_id):
        token = request.args.get("k", "")
        table = tables.find_by_code(facts.site.id, code.replace("\0", ""), token)
        if table is None:
            return "", False
        return table.number, tables.token_matches(table, token)


def chosen_language(facts: MenuFacts) -> str:
    return _language(facts, request.args.get("lang", ""))


def _language(facts: MenuFacts, requested: str) -> str:
    known = facts.site.languages
    if requested in known:
        return requested
    return request.accept_languages.best_match(known) or known[0]


def error_reply(status: int, key: str, language: str) -> Response:
    code = "paused" if key == "paused_table" else key
    return json_response({"message": diner_text(language, key), "code": code}, status)


def not_found_page(
    title: str = "no_such_place", text: str = "no_such_place_text", *, status: int = 404
) -> Response:
    language = request.accept_languages.best_match(sorted(diner_languages())) or "en"
    page = render_template(
        "diner/not_found.html",
        title=diner_text(language, title),
        text=diner_text(language, text),
        language=language,
        direction=menu_content.direction(language),
    )
    answer = make_response(page, status)
    answer.headers["Content-Security-Policy"] = POLICY
    return answer


def site_of_host() -> MenuFacts | None:
    """The restaurant that owns the requested host; None on the service's host."""
    host = request.host.partition(":")[0].lower()
    settings: Settings = current_app.extensions["comanda"]
    domain = settings.menu_domain
    if domain and host.endswith(f".{domain}"):
        return menu_cache.of("slug", host.removesuffix(f".{domain}"))
    return menu_cache.of("host", host)


def live_policy() -> str:
    """For pages that follow the tab of a table: the live server may have another origin."""
    settings: Settings = current_app.extensions["comanda"]
    return POLICY.replace("connect-src 'self'", f"connect-src 'self' {settings.live_url}".rstrip())


def read_body() -> bytes:
    request.max_content_length = LARGEST_CART
    return request.get_data()


def json_response(body: dict[str, Any], status: int = 200) -> Response:
    answer = Response(json.dumps(body, ensure_ascii=False), status, mimetype="application/json")
    answer.headers["Cache-Control"] = "no-store"
    return answer


def site_address(site: Site) -> str:
    settings: Settings = current_app.extensions["comanda"]
    return tables.menu_url(settings.base_url, site, settings.menu_domain)
