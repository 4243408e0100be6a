"""The audit log: who did what and when, also as a file."""

import json
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, g, render_template, request, url_for

from core.clock import rfc3339
from core.db import tenant_scope
from portal.web.auth import member_may
from portal.web.csv_files import csv_response
from portal.web.forms import text_in_url
from portal.web.paging import PAGE, cursor_in_url, page_of
from tenants import audit
from tenants.models import AuditEntry

audit_pages = Blueprint("audit", __name__)

BATCH = 500
AREAS = (  # the prefixes of action names
    "account",
    "apps",
    "approvals",
    "automations",
    "campaigns",
    "contacts",
    "couriers",
    "inbox",
    "journeys",
    "keys",
    "lines",
    "loyalty",
    "menus",
    "orders",
    "payments",
    "print",
    "settings",
    "sites",
    "stores",
    "team",
    "webhooks",
    "zones",
)
COLUMNS = ("time", "who", "kind", "act", "subject", "detail", "address", "request_id")


def _filters() -> dict[str, str]:
    area = request.args.get("area", "")
    return {
        "act": area if area in AREAS else "",
        "actor": text_in_url("who", 120),
    }


@audit_pages.get("/audit")
@member_may("audit.view")
def index() -> Any:
    filters = _filters()
    with tenant_scope(g.tenant_id):
        entries = audit.entries(**filters, after=cursor_in_url(), limit=PAGE + 1)
    params: dict[str, Any] = {"area": filters["act"] or None, "who": filters["actor"] or None}
    page = page_of(entries, "audit.index", params, PAGE)
    return render_template(
        "audit/index.html",
        entries=page.rows,
        areas=AREAS,
        area=filters["act"],
        who=filters["actor"],
        **page.urls,
        csv_url=url_for("audit.export", **params),
    )


@audit_pages.get("/audit.csv")
@member_may("audit.view")
def export() -> Any:
    """Stream the log in batches, each in its own transaction."""
    tenant_id, filters = g.tenant_id, _filters()

    def rows() -> Iterator[tuple[str, ...]]:
        after = None
        while True:
            with tenant_scope(tenant_id):
                batch = audit.entries(**filters, after=after, limit=BATCH)
            yield from map(_cells, batch)
            if len(batch) < BATCH:
                return
            after = batch[-1].id

    return csv_response("audit", COLUMNS, rows())


def _cells(entry: AuditEntry) -> tuple[str, ...]:
    detail = json.dumps(entry.detail, ensure_ascii=False)
    cells = (entry.actor_name, entry.actor_kind, entry.act, entry.subject, detail)
    return (rfc3339(entry.at), *cells, entry.address, entry.request_id)
