"""Import many contacts: all rows are checked, then written by a job with visible progress."""

import csv
import io
from typing import Any

from flask import current_app, g
from flask_openapi3.types import ResponseDict

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import PageQuery
from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.messaging.contacts import TAG
from api.v1.schemas.messaging.contacts import (
    ImportPath,
    ImportRequest,
    ImportRow,
    ImportShape,
    RejectPage,
    import_json,
)
from core.db import tenant_scope
from core.errors import invalid
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.importing.imports import ImportOptions
from messaging.models import ContactImport, ContactImportReject

STARTED_RESPONSES: ResponseDict = {202: ImportShape, 409: ErrorBody}
COLUMNS = (
    *("phone", "name", "language", "tags", "birthday", "note", "consent", "consent_source"),
    *("network_id", "username"),
)


@v1.post("/contacts/import", tags=[TAG], summary="Import contacts", responses=STARTED_RESPONSES)
@key_may("contacts")
@idempotent
def import_contacts(body: ImportRequest) -> JsonAnswer:
    """Invalid rows are left out and listed; the others are written."""
    if (body.contacts is None) == (body.csv is None):
        raise invalid("contacts", "invalid_parameter", "Send `contacts` or `csv`, one of the two.")
    one = contact_importing.start_check(*_store_file(body))
    where = {"Location": f"/api/v1/contacts/import/{one.id}"}
    return import_json(one), 202, where


@v1.get(
    "/contacts/import/<import_id>",
    tags=[TAG],
    summary="Get the status of an import",
    responses={200: ImportShape},
)
@key_may("contacts")
def contact_import(path: ImportPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return import_json(contact_importing.get(path.import_id))


@v1.post(
    "/contacts/import/<import_id>/start",
    tags=[TAG],
    summary="Start an import after a dry run",
    responses=STARTED_RESPONSES,
)
@key_may("contacts")
@idempotent
def start_contact_import(path: ImportPath) -> JsonAnswer:
    return import_json(contact_importing.start(path.import_id)), 202


@v1.get(
    "/contacts/import/<import_id>/rejects",
    tags=[TAG],
    summary="List the rejected rows of an import",
    responses={200: RejectPage},
)
@key_may("contacts")
def contact_import_rejects(path: ImportPath, query: PageQuery) -> dict[str, Any]:
    """In the order of the file."""
    after = query.after or "0"
    if not (after.isascii() and after.isdigit()) or int(after) >= 2**31:
        raise invalid(
            "after", "invalid_cursor", "Use the `next` value of the previous page for `after`."
        )
    with tenant_scope(g.tenant_id):
        one = contact_importing.get(path.import_id)
        found = contact_importing.list_rejects(one.id, int(after), query.limit + 1)
    shown = found[: query.limit]
    more = len(found) > query.limit
    return {
        "data": [reject_json(each) for each in shown],
        "next": str(shown[-1].line) if more else None,
    }


def reject_json(one: ContactImportReject) -> dict[str, Any]:
    sentence = one.cause.format(**one.values) if one.values else one.cause
    return {"line": one.line, "field": one.field, "message": sentence, "cells": one.cells}


def _store_file(body: ImportRequest) -> tuple[str, list[str], ImportOptions]:
    """Store the rows as a CSV file, so that all imports use the same code."""
    if body.contacts is not None:
        text, meanings = _as_csv(body.contacts), list(COLUMNS)
        if all(row.consent is None for row in body.contacts):
            meanings[COLUMNS.index("consent")] = ""
            if not any(row.consent_source for row in body.contacts):
                meanings[COLUMNS.index("consent_source")] = ""
    else:
        text, meanings = body.csv or "", []
    file = io.BytesIO(text.encode())
    one: ContactImport = contact_importing.upload_file(
        file, "api.csv", current_app.extensions["blobs"]
    )
    options = ImportOptions(
        country=body.country or str(one.options["country"]),
        tags=body.tags or (),
        consent_source=body.consent_source or "",
        update=body.update,
        alone=not body.dry_run,
    )
    return one.id, meanings or one.columns["meanings"], options


def _as_csv(rows: list[ImportRow]) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for row in rows:
        tags = ",".join(row.tags or ())
        consent = None if row.consent is None else "yes" if row.consent else "no"
        cells = (
            *(row.phone, row.name, row.language, tags, row.birthday, row.note),
            *(consent, row.consent_source, row.network_id, row.username),
        )
        writer.writerow(["" if cell is None else cell for cell in cells])
    return out.getvalue()
