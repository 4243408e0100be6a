"""The request log: API calls, searchable by request id."""

import json
from datetime import timedelta
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import NotFound
from portal.web.auth import member_may
from portal.web.forms import text_in_url
from portal.web.paging import PAGE, cursor_in_url, page_of
from tenants import api_keys
from tenants import request_log as tenant_request_log
from tenants.request_log import RequestFilters, operation_name

request_log_pages = Blueprint("requests", __name__)

OUTCOMES = ("ok", "refused", "broken")


@request_log_pages.get("/integrations/requests")
@member_may("keys.view")
def index() -> Any:
    """A whole request id in the search box leads straight to its call."""
    id_filter = text_in_url("id", 64)
    if id_filter:
        request_id = tenant_request_log.parse_request_id(id_filter)
        if request_id is not None and _is_logged(request_id):
            return redirect(url_for("requests.call", call_id=request_id))
        flash(gettext("No stored request has this ID. Request IDs start with req_."), "warning")
    with tenant_scope(g.tenant_id):
        known = api_keys.list_keys()
        given = _filters_in_url({key.id for key in known})
        filters = RequestFilters(
            given.get("outcome", ""), given.get("key", ""), given.get("call", "")
        )
        found = tenant_request_log.list_requests(
            filters, cursor_in_url(), PAGE + 1, _retention_days()
        )
    page = page_of(found, "requests.index", given, PAGE)
    return render_template(
        "integrations/requests.html",
        calls=page.rows,
        keys=known,
        every_call=_every_call(),
        filters=given,
        id_filter=id_filter,
        days=_retention_days().days,
        **page.urls,
    )


@request_log_pages.get("/integrations/requests/<call_id>")
@member_may("keys.view")
def call(call_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = tenant_request_log.get(call_id)
    return render_template(
        "integrations/request.html",
        call=known,
        request_body=_pretty_body(known.asked),
        answered=_pretty_body(known.answered),
        days=_retention_days().days,
    )


def _is_logged(request_id: str) -> bool:
    try:
        with tenant_scope(g.tenant_id):
            tenant_request_log.get(request_id)
    except NotFound:
        return False
    return True


def _retention_days() -> timedelta:
    return timedelta(days=current_app.extensions["comanda"].request_log_days)


def _filters_in_url(key_ids: set[str]) -> dict[str, Any]:
    """The filters from the URL; unknown values are left out."""
    known = {"outcome": set(OUTCOMES), "key": key_ids, "call": set(_every_call())}
    given = {name: request.args.get(name, "") for name in known}
    return {name: value for name, value in given.items() if value in known[name]}


def _every_call() -> list[str]:
    """All calls, named as in the API reference."""
    return sorted(
        (
            operation_name(method, rule.rule)
            for rule in current_app.url_map.iter_rules()
            if rule.endpoint.startswith("v1.")
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        ),
        key=lambda name: tuple(reversed(name.split(" "))),
    )


def _pretty_body(stored: str) -> str:
    """The body as indented JSON; a truncated body is shown unchanged."""
    try:
        return json.dumps(json.loads(stored), ensure_ascii=False, indent=2)
    except ValueError:
        return stored
