"""Joining a table, its bill, and paying a share. Works without JavaScript."""

import time
from typing import Any

from flask import Response, make_response, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict

from core import chaos
from core.db import db, tenant_scope
from core.errors import DomainError, Invalid, NotFound
from core.ids import BadId
from core.values.text import BadText
from portal.diner import menu_content
from portal.diner.menu_cache import MenuFacts, menu_cache
from portal.diner.tabs import access
from portal.diner.tabs import state as tab_state
from portal.diner.texts import diner_languages, diner_text, page_functions
from portal.diner.views import (
    POLICY,
    chosen_language,
    diner,
    error_reply,
    json_response,
    live_policy,
    not_found_page,
    read_body,
)
from portal.web.auth import open_to_all
from restaurant.models import TabGuest, Table
from restaurant.payments import link_queries, tab_shares
from restaurant.payments.tab_shares import ShareRequest
from restaurant.sites import sites, tables
from restaurant.tabs import guests as tab_guests

LINK_WAIT_SECONDS, LINK_POLL_SECONDS = 3.0, 0.15
# Errors that have their own text; all others get the general one.
MESSAGES = frozenset(
    {
        *("tab_ended", "already_paid", "being_paid", "items_taken", "no_items", "invalid_amount"),
        *("ask_the_table", "wrong_code", "no_provider", "invalid_people", "too_many_guests"),
    }
)


@diner.get("/r/<slug>/tab")
@open_to_all
def join_page(slug: str) -> Response:
    """For phones without JavaScript. With JavaScript the menu page joins the tab."""
    facts = menu_cache.of("slug", slug)
    if facts is None or _seated_table(facts, request.args) is None:
        return not_found_page()
    language = chosen_language(facts)
    return _page(
        "diner/tab_join.html",
        language,
        site=facts.site,
        table=request.args.get("table", ""),
        key=request.args.get("k", ""),
        action=url_for("diner.join_tab", slug=slug),
    )


@diner.post("/r/<slug>/tab")
@open_to_all
def join_tab(slug: str) -> Response:
    """The guest proves the table with its code, and joins or asks to join."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    if access.is_too_fast("join"):
        return error_reply(429, "failed", language)
    form = _body()
    try:
        table = _seated_table(facts, form)
        if table is None:
            return error_reply(422, "no_table", language)
        with tenant_scope(facts.tenant_id):
            site = sites.get(facts.site.id)
            line = sites.line_of(site)
            guest = tab_guests.seat(
                site,
                table,
                test=line is not None and line.test,
                name=str(form.get("name", "")),
                unnamed=diner_text(language, "guest_number", number="{number}"),
            )
            found = access.visit(access.Address(facts.tenant_id, guest.tab_id, guest.id))
            token = access.sign(found.tab, guest)
            body = tab_state.tab_json(found, language) if _wants_json() else {}
    except (DomainError, BadText) as error:
        return _refused(error, language)
    if _wants_json():
        return json_response({"token": token, **body})
    return _see(token)


@diner.get("/tab/<token>")
@open_to_all
def tab_page(token: str) -> Response:
    if access.is_too_fast("page"):
        return not_found_page("failed", "failed", status=429)
    return _tab_page(token)


@diner.get("/tab/<token>/state")
@open_to_all
def tab_status(token: str) -> Response:
    """The tab as JSON, for the menu and for the scripts of the bill."""
    if access.is_too_fast("state"):
        return error_reply(429, "failed", "en")
    try:
        address = access.read(token)
        with tenant_scope(address.tenant_id):
            found = access.visit(address)
            return json_response(tab_state.tab_json(found, _language(found)))
    except (NotFound, BadId):
        return error_reply(404, "failed", "en")


@diner.post("/tab/<token>/pay")
@open_to_all
def pay_share(token: str) -> Response:
    """Reserve a part of the bill. With JavaScript the answer has the address of the card page."""

    def act(found: access.Visit, form: Any, language: str) -> str:
        share = tab_shares.claim(found.site, found.tab, found.guest, _share_request(form, language))
        chaos.fault_point("share_reserved")
        return share.link.id

    done = _act(token, act)
    if isinstance(done, Response):
        return done
    chaos.fault_point("share_stored")
    address, link_id = done
    url = _wait_for_url(address.tenant_id, link_id)
    if _wants_json():
        return json_response({"url": url})
    return _see(token)


@diner.post("/tab/<token>/release")
@open_to_all
def release_share(token: str) -> Response:
    def act(found: access.Visit, _form: Any, language: str) -> None:
        own = tab_state.bill_page(found, language).own_share
        if own is not None:
            tab_shares.release(found.site, found.tab, own.row.id)

    return _then_see(token, _act(token, act))


@diner.post("/tab/<token>/guests")
@open_to_all
def answer_guest(token: str) -> Response:
    """Let another guest in, or refuse."""

    def act(found: access.Visit, form: Any, _language: str) -> None:
        if found.guest is None:
            raise NotFound()
        let_in = form.get("act") == "let_in"
        tab_guests.answer_request(found.guest, str(form.get("guest", ""))[:40], let_in=let_in)

    return _then_see(token, _act(token, act))


@diner.post("/tab/<token>/join")
@open_to_all
def enter_join_code(token: str) -> Response:
    """The four digits that the other phones of the table show."""

    def act(found: access.Visit, form: Any, _language: str) -> str:
        if found.guest is not None:
            try:
                tab_guests.enter_code(found.guest, str(form.get("code", ""))[:10])
            except tab_guests.WrongCode:
                return "wrong_code"  # the wrong try is counted
        return ""

    done = _act(token, act, waiting=True)
    if not isinstance(done, Response) and done[1]:
        return _refused(Invalid(done[1], done[1]), "", token)
    return _then_see(token, done)


@diner.post("/tab/<token>/name")
@open_to_all
def rename_guest(token: str) -> Response:
    def act(found: access.Visit, form: Any, _language: str) -> None:
        if found.guest is not None:
            tab_guests.rename(found.guest, str(form.get("name", "")))

    return _then_see(token, _act(token, act, waiting=True))


def _act(token: str, act: Any, *, waiting: bool = False) -> Any:
    """Run an action in one transaction. Returns the address and its result, or an error page."""
    if access.is_too_fast("act"):
        return error_reply(429, "failed", "en")
    language = "en"
    try:
        address, form = access.read(token), _body()
        with tenant_scope(address.tenant_id):
            found = access.visit(address)
            language = _language(found)
            if not waiting and not found.may_see:
                raise Invalid("ask_the_table", "Ask someone at your table to let you in.")
            return address, act(found, form, language)
    except (NotFound, BadId):
        return not_found_page()
    except (DomainError, BadText) as error:
        return _refused(error, language, token)


def _share_request(form: Any, language: str) -> ShareRequest:
    return ShareRequest(
        kind=str(form.get("kind", "")),
        people=_number(form.get("people", "")),
        items=_items(form),
        amount=str(form.get("amount", ""))[:20],
        tip=str(form.get("tip", ""))[:20],
        language=language,
    )


def _items(form: Any) -> dict[tuple[str, int], int]:
    """Fields such as `item:ord_…:2`, with the number of pieces as value."""
    found = {}
    for name in form:
        prefix, _, rest = str(name).partition(":")
        order_id, _, position = rest.partition(":")
        if prefix == "item" and (many := _number(form[name])):
            found[order_id, _number(position)] = many
    return found


def _number(given: object) -> int:
    text = str(given)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 5 else 0


def _wait_for_url(tenant_id: int, link_id: str) -> str:
    """The payments job makes the card page, usually within a second. Empty if it takes longer."""
    until = time.monotonic() + LINK_WAIT_SECONDS
    while True:
        with tenant_scope(tenant_id):
            link = link_queries.get(link_id)
            db.session.refresh(link)
            if link.state != "making" or time.monotonic() >= until:
                return link.url if link.state == "open" else ""
        time.sleep(LINK_POLL_SECONDS)


def _tab_page(token: str, fault: str = "", status: int = 200) -> Response:
    try:
        address = access.read(token)
        with tenant_scope(address.tenant_id):
            found = access.visit(address)
            language = _language(found)
            live = tab_state.live_connection(found)
            page = tab_state.bill_page(found, language)
            menu = _menu_url(found, language)
    except (NotFound, BadId):
        return not_found_page("no_such_tab", "no_such_place_text")
    answer = _page(
        "diner/tab.html",
        language,
        status,
        site=found.site,
        page=page,
        bill=page.bill,
        token=token,
        live=live,
        fault=fault and diner_text(language, fault if fault in MESSAGES else "failed"),
        menu=menu,
    )
    answer.headers["Content-Security-Policy"] = live_policy()
    return answer


def _menu_url(found: access.Visit, language: str) -> str:
    try:
        query = tables.table_query(tables.get(found.tab.table_id)) if found.guest else ""
    except NotFound:
        query = ""
    return f"{url_for('diner.menu', slug=found.site.slug, lang=language)}&{query}".rstrip("&")


def _page(template: str, language: str, status: int = 200, **values: Any) -> Response:
    page = render_template(
        template,
        **page_functions(language),
        language=language,
        direction=menu_content.direction(language),
        **values,
    )
    answer = make_response(page, status)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-store"
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["X-Robots-Tag"] = "noindex"
    return answer


def _refused(error: Exception, language: str, token: str = "") -> Response:
    code = getattr(error, "code", "failed")
    status = getattr(error, "status", 422)
    if _wants_json() or not token:
        key = code if code in MESSAGES else "failed"
        return json_response({"message": diner_text(language or "en", key), "code": code}, status)
    return _tab_page(token, code, status)


def _then_see(token: str, done: Any) -> Response:
    if isinstance(done, Response):
        return done
    return json_response({"ok": True}) if _wants_json() else _see(token)


def _see(token: str) -> Response:
    answer: Response = redirect(url_for("diner.tab_page", token=token), 303)  # type: ignore[assignment]
    return answer


def _seated_table(facts: MenuFacts, form: Any) -> Table | None:
    """The table whose code the guest has scanned; None if the code is not right."""
    number, key = str(form.get("table", ""))[:40], str(form.get("k", ""))[:100]
    with tenant_scope(facts.tenant_id):
        table = tables.find_by_code(facts.site.id, number.replace("\0", ""), key)
        return table if table is not None and tables.token_matches(table, key) else None


def _body() -> Any:
    if _wants_json():
        read_body()
        given = request.get_json(silent=True)
        return given if isinstance(given, dict) else {}
    request.max_content_length = 64 * 1024
    return MultiDict(request.form)


def _wants_json() -> bool:
    return request.is_json


def _language(found: access.Visit) -> str:
    known = [one for one in found.site.languages if one in diner_languages()] or ["en"]
    wanted = request.args.get("lang", "")
    return wanted if wanted in known else request.accept_languages.best_match(known) or known[0]


def guest_of(found: access.Visit) -> TabGuest:
    if found.guest is None:
        raise NotFound()
    return found.guest
