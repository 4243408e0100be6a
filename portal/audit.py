"""Who did what, when; also as a file."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from flask import Blueprint, Response, g, render_template, request, stream_with_context, url_for

from core.clock import rfc3339
from core.db import tenant_scope
from core.texts import csv_cell
from portal.visitors import member_may
from tenants import audit
from tenants.models import AuditEntry

audit_pages = Blueprint("audit", __name__)

PAGE = 50
BATCH = 500
AREAS = ("account", "automations", "keys", "lines", "settings", "stores", "team")
COLUMNS = ("time", "who", "kind", "act", "subject", "detail", "address", "request_id")


def _filters() -> dict[str, str]:
    area = request.args.get("area", "")
    return {
        "act": area if area in AREAS else "",
        "actor": request.args.get("who", "")[:120].strip(),
    }


@audit_pages.get("/audit")
@member_may("audit.view")
def index() -> Any:
    filters, after = _filters(), request.args.get("after")
    with tenant_scope(g.tenant_id):
        entries = audit.entries(**filters, after=after, limit=PAGE + 1)
    shown = entries[:PAGE]
    chosen: dict[str, Any] = {"area": filters["act"] or None, "who": filters["actor"] or None}
    next_url = previous_url = None
    if len(entries) > PAGE:
        next_url = url_for("audit.index", **chosen, after=shown[-1].id)
    if after:
        previous_url = url_for("audit.index", **chosen)
    return render_template(
        "audit/index.html",
        entries=shown,
        areas=AREAS,
        area=filters["act"],
        who=filters["actor"],
        next_url=next_url,
        previous_url=previous_url,
        csv_url=url_for("audit.export", **chosen),
    )


@audit_pages.get("/audit.csv")
@member_may("audit.view")
def export() -> Any:
    """Streamed in batches, each in a transaction of its own."""
    tenant_id, filters = g.tenant_id, _filters()

    def rows() -> Iterator[str]:
        yield _line(COLUMNS)
        after = None
        while True:
            with tenant_scope(tenant_id):
                batch = audit.entries(**filters, after=after, limit=BATCH)
            yield from (_line(_cells(entry)) for entry in batch)
            if len(batch) < BATCH:
                return
            after = batch[-1].id

    answer = Response(stream_with_context(rows()), mimetype="text/csv; charset=utf-8")
    answer.headers["Content-Disposition"] = 'attachment; filename="audit.csv"'
    return answer


def _cells(entry: AuditEntry) -> tuple[str, ...]:
    detail = json.dumps(entry.detail, ensure_ascii=False)
    cells = (entry.actor_name, entry.actor_kind, entry.act, entry.subject, detail)
    return (rfc3339(entry.at), *cells, entry.address, entry.request_id)


def _line(cells: tuple[str, ...]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow([csv_cell(cell) for cell in cells])
    return out.getvalue()
