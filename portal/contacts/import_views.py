"""Importing a file of contacts: upload it, name its columns, check it, then import."""

from collections.abc import Iterator
from typing import Any

from flask import (
    Blueprint,
    current_app,
    flash,
    g,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError, NotFound, invalid
from messaging.contacts import custom_fields
from messaging.contacts import repository as contact_repository
from messaging.contacts.importing import csv_files
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.importing.imports import ImportOptions
from messaging.models import ContactImport, ContactImportReject
from portal.contacts.forms import ColumnsForm, UploadForm
from portal.web.auth import member_may
from portal.web.csv_files import csv_response
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message

contact_imports = Blueprint("contact_imports", __name__)

PAGE = 50
BATCH = 500
IMPORT = "/contacts/import/<import_id>"


@contact_imports.route("/contacts/import", methods=["GET", "POST"])
@member_may("contacts.manage")
def index() -> Any:
    form = UploadForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            file = request.files.get("file")
            if file is None or not file.filename:
                raise invalid("file", "no_file", "Choose a file.")
            table = contact_importing.as_table(file.stream)  # type: ignore[arg-type]
            with tenant_scope(g.tenant_id):
                one = contact_importing.upload_file(
                    table,
                    file.filename,
                    current_app.extensions["blobs"],
                )
            return redirect(url_for("contact_imports.show", import_id=one.id))
    with tenant_scope(g.tenant_id):
        listed = contact_importing.list_imports()
    return render_template(
        "contacts/import.html",
        form=form,
        imports=listed,
        most=contact_importing.LARGEST_FILE // 2**20,
        sheet_rows=contact_importing.MOST_SHEET_ROWS,
    )


@contact_imports.get(IMPORT)
@member_may("contacts.manage")
def show(import_id: str) -> Any:
    """Each state has its own page under one address; with `X-Part` only what moves."""
    with tenant_scope(g.tenant_id):
        one = contact_importing.get(import_id)
    if one.state == "uploaded" or (one.state == "ready" and "columns" in request.args):
        return _columns(one, _form_of(one))
    if "X-Part" in request.headers:
        return render_template("contacts/import_live.html", one=one)
    after = request.args.get("after", "")
    start = int(after) if after.isascii() and after.isdigit() and len(after) < 10 else 0
    with tenant_scope(g.tenant_id):
        found = contact_importing.list_rejects(one.id, start, PAGE + 1)
    next_url = None
    if len(found) > PAGE:
        next_url = url_for(
            "contact_imports.show", import_id=one.id, after=found[PAGE - 1].line, _anchor="rejects"
        )
    return render_template(
        "contacts/import_state.html",
        one=one,
        rejects=found[:PAGE],
        cause=reject_reason,
        fault=_import_error(one),
        next_url=next_url,
        first_url=url_for("contact_imports.show", import_id=one.id) if start else None,
    )


@contact_imports.post(IMPORT)
@member_may("contacts.manage")
def check(import_id: str) -> Any:
    """What the columns are is said; the file is looked through."""
    with tenant_scope(g.tenant_id):
        one = contact_importing.get(import_id)
    form = ColumnsForm()
    meanings = request.form.getlist("column")[: csv_files.MOST_COLUMNS]
    if form.validate_on_submit():
        with domain_errors_on(form):
            source = field_text(form.consent_source).strip()
            if form.agreed.data and not source:
                raise invalid(
                    "consent_source",
                    "missing_source",
                    "Say how they agreed, such as “form on the web site”: without it the consent"
                    " proves nothing.",
                )
            options = ImportOptions(
                country=form.country.data or "",
                tags=field_text(form.tags).split(","),
                consent_source=source if form.agreed.data else "",
                update=bool(form.update.data),
            )
            with tenant_scope(g.tenant_id):
                contact_importing.start_check(one.id, meanings, options)
            return redirect(url_for("contact_imports.show", import_id=one.id))
    return _columns(one, form, meanings)


@contact_imports.post(f"{IMPORT}/read")
@member_may("contacts.manage")
def read(import_id: str) -> Any:
    """With another encoding or delimiter than was guessed."""
    names = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
    delimiter = names.get(request.form.get("delimiter", ""), "")
    return _act(
        import_id,
        lambda one: contact_importing.reparse_file(
            one, current_app.extensions["blobs"], request.form.get("encoding", "")[:20], delimiter
        ),
    )


@contact_imports.post(f"{IMPORT}/start")
@member_may("contacts.manage")
def start(import_id: str) -> Any:
    return _act(import_id, contact_importing.start)


@contact_imports.route(f"{IMPORT}/cancel", methods=["GET", "POST"])
@member_may("contacts.manage")
def cancel(import_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        one = contact_importing.get(import_id)
    if request.method == "GET":
        return render_template(
            "shared/confirm.html",
            title=gettext("Cancel this import?"),
            text=gettext("Contacts that are already imported stay; the rest are left out."),
            yes=gettext("Cancel import"),
            back_url=url_for("contact_imports.show", import_id=one.id),
        )
    return _act(import_id, contact_importing.cancel)


@contact_imports.get(f"{IMPORT}/rejects.csv")
@member_may("contacts.manage")
def rejects(import_id: str) -> Any:
    """The rows that were left out, as they were, with the line and the cause in front."""
    tenant_id = g.tenant_id
    with tenant_scope(tenant_id):
        one = contact_importing.get(import_id)
    head = [gettext("line"), gettext("cause"), *one.columns["names"]]

    def rows() -> Iterator[list[Any]]:
        after = 0
        while True:
            with tenant_scope(tenant_id):
                batch = contact_importing.list_rejects(one.id, after, BATCH)
            yield from ([bad.line, reject_reason(bad), *bad.cells] for bad in batch)
            if len(batch) < BATCH:
                return
            after = batch[-1].line

    return csv_response("rejects", head, rows())


def reject_reason(bad: ContactImportReject) -> str:
    """In the reader's language."""
    sentence = str(gettext(bad.cause))
    return sentence.format(**bad.values) if bad.values else sentence


def _import_error(one: ContactImport) -> str:
    sentence, values = contact_importing.failure_of(one)
    return str(gettext(sentence)).format(**values) if sentence else ""


def _act(import_id: str, act: Any) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            one = act(import_id)
            import_id = one.id
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("contact_imports.show", import_id=import_id))


def _form_of(one: ContactImport) -> ColumnsForm:
    options = one.options
    return ColumnsForm(
        formdata=None,
        country=options.get("country", ""),
        tags=", ".join(options.get("tags", ())),
        agreed=bool(options.get("consent_source")),
        consent_source=options.get("consent_source", ""),
        update=options.get("update", True),
    )


def _columns(one: ContactImport, form: ColumnsForm, meanings: list[str] | None = None) -> Any:
    with tenant_scope(g.tenant_id):
        own, tags = custom_fields.list_fields(), contact_repository.list_tags()
    if one.state not in ("uploaded", "ready"):
        return redirect(url_for("contact_imports.show", import_id=one.id))
    return render_template(
        "contacts/import_columns.html",
        one=one,
        form=form,
        own=own,
        tags=tags,
        meanings=meanings or one.columns["meanings"],
        kinds=csv_files.COLUMN_MEANINGS,
        encodings=csv_files.ENCODINGS,
    )
