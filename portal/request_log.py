"""The request log: what programs asked of the API, found by its request id."""

import json
from datetime import timedelta
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import NotFound
from portal.paging import PAGE, asked_after, page_of
from portal.visitors import member_may
from tenants import calls, keys
from tenants.calls import Filters, call_name

request_log_pages = Blueprint("requests", __name__)

OUTCOMES = ("ok", "refused", "broken")


@request_log_pages.get("/integrations/requests")
@member_may("keys.view")
def index() -> Any:
    """A whole request id in the search box leads straight to its call."""
    wanted = request.args.get("id", "")[:64].replace("\0", "").strip()
    if wanted:
        request_id = calls.as_request_id(wanted)
        if request_id is not None and _is_kept(request_id):
            return redirect(url_for("requests.call", call_id=request_id))
        flash(gettext("No call with that id is kept. Ids begin with req_."), "warning")
    with tenant_scope(g.tenant_id):
        known = keys.listed()
        asked = _asked({key.id for key in known})
        filters = Filters(asked.get("outcome", ""), asked.get("key", ""), asked.get("call", ""))
        found = calls.listed(filters, asked_after(), PAGE + 1, _kept_for())
    page = page_of(found, "requests.index", asked, PAGE)
    return render_template(
        "integrations/requests.html",
        calls=page.rows,
        keys=known,
        every_call=_every_call(),
        asked=asked,
        wanted=wanted,
        days=_kept_for().days,
        **page.urls,
    )


@request_log_pages.get("/integrations/requests/<call_id>")
@member_may("keys.view")
def call(call_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = calls.get(call_id)
    return render_template(
        "integrations/request.html",
        call=known,
        asked=_laid_out(known.asked),
        answered=_laid_out(known.answered),
        days=_kept_for().days,
    )


def _is_kept(request_id: str) -> bool:
    try:
        with tenant_scope(g.tenant_id):
            calls.get(request_id)
    except NotFound:
        return False
    return True


def _kept_for() -> timedelta:
    return timedelta(days=current_app.extensions["comanda"].request_log_days)


def _asked(key_ids: set[str]) -> dict[str, Any]:
    """The filters as they stand in the address; what names nothing we know is left out."""
    known = {"outcome": set(OUTCOMES), "key": key_ids, "call": set(_every_call())}
    given = {name: request.args.get(name, "") for name in known}
    return {name: value for name, value in given.items() if value in known[name]}


def _every_call() -> list[str]:
    """As the API's reference names them."""
    return sorted(
        (
            call_name(method, rule.rule)
            for rule in current_app.url_map.iter_rules()
            if rule.endpoint.startswith("v1.")
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        ),
        key=lambda name: tuple(reversed(name.split(" "))),
    )


def _laid_out(kept: str) -> str:
    """On many lines, for people; what was cut off stays as it is."""
    try:
        return json.dumps(json.loads(kept), ensure_ascii=False, indent=2)
    except ValueError:
        return kept
