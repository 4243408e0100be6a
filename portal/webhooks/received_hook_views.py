"""Received hooks: posts from networks, stores and forms, and those that failed to parse."""

import contextlib
import json
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import notify_workers, tenant_scope
from core.queue import lanes
from messaging.automations import connections as store_connections
from messaging.lines import repository as line_repository
from portal.web.auth import member_may
from portal.web.forms import text_in_url
from tenants import audit
from webhooks.inbound import hook_log, hook_queue
from webhooks.inbound.hook_log import HOOK_STATES, HookFilters

hooks_pages = Blueprint("received", __name__)

PAGE = 50
SHOWN_BYTES = 20_000
LARGEST_READ = 200_000


@hooks_pages.get("/received")
@member_may("lines.view")
def index() -> Any:
    filters = _filters_in_url()
    after = request.args.get("after")
    hook_filters = HookFilters(filters.get("kind"), filters.get("target"), filters.get("state"))
    with tenant_scope(g.tenant_id):
        found = hook_log.list_hooks(hook_filters, after, PAGE + 1)
        lines = _targets()
    shown = found[:PAGE]
    more: dict[str, Any] = dict(filters)
    return render_template(
        "webhooks/received_hooks.html",
        hooks=shown,
        lines=lines,
        filters=filters,
        states=HOOK_STATES,
        next_url=url_for("received.index", **more, after=shown[-1].id)
        if len(found) > PAGE
        else None,
        previous_url=url_for("received.index", **more) if after else None,
    )


@hooks_pages.get("/received/<hook_id>")
@member_may("lines.manage")
def hook(hook_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = hook_log.get(hook_id)
        raw = hook_log.body_start(hook_id, LARGEST_READ)
        lines = _targets()
    return render_template(
        "webhooks/received_hook.html", hook=known, body=_readable(raw), lines=lines
    )


def _targets() -> dict[str, str]:
    """Names of the hooks' targets: lines, stores and forms."""
    lines = {str(line.id): line.name for line in line_repository.line_labels()}
    return lines | {one.id: one.name for one in store_connections.list_connections()}


@hooks_pages.post("/received/<hook_id>/run")
@member_may("lines.manage")
def run(hook_id: str) -> Any:
    """Process a parked hook again, for use after its cause was fixed."""
    with tenant_scope(g.tenant_id):
        known = hook_log.get(hook_id)
        freed = bool(known.size) and hook_queue.requeue_parked(known.id)
        if freed:
            lanes.mark_due(hook_queue.LANE, g.tenant_id)
            notify_workers("jobs.inbound.hooks.drain")
            audit.record("hooks.run_again", known.kind, id=known.id)
    if freed:
        flash(gettext("Trying again. Reload the page in a moment."), "success")
    else:
        flash(gettext("This cannot be run again."), "error")
    return redirect(url_for("received.hook", hook_id=known.id))


def _readable(raw: bytes) -> str:
    """Indented JSON, or any other body unchanged; truncated to a readable length."""
    text = raw.decode("utf-8", "replace")
    with contextlib.suppress(ValueError, RecursionError):
        spread = json.dumps(json.loads(text), indent=2, ensure_ascii=False)
        text = spread.encode("utf-8", "replace").decode()  # a lone surrogate cannot be encoded
    cut = text[:SHOWN_BYTES]
    return f"{cut}\n…" if len(text) > SHOWN_BYTES else cut


def _filters_in_url() -> dict[str, str]:
    """The filters in the URL."""
    given = {name: text_in_url(name, 64) for name in ("kind", "target", "state")}
    if given["state"] not in HOOK_STATES:
        given["state"] = ""
    return {name: value for name, value in given.items() if value}
