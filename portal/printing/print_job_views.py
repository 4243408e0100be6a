"""Print jobs: what was printed where, with a preview, its evidence, and reprinting."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from core.ids import BadId, canonical_id
from portal.web.auth import member_may, next_path
from portal.web.i18n import error_message
from portal.web.paging import PAGE, cursor_in_url, page_of
from printing import choices as printing_choices
from printing import printers
from printing import queries as print_job_queries
from printing.models import PrintJob
from printing.queries import PrintJobFilters
from printing.rendering.document import Document
from printing.rendering.render import preview_png
from restaurant.sites import sites

jobs_pages = Blueprint("print_jobs", __name__, url_prefix="/print-jobs")

JOB = "/<print_job_id>"


@jobs_pages.get("")
@member_may("printing.view")
def index() -> Any:
    given: dict[str, Any] = _filters_in_url()
    filters = PrintJobFilters(printer_id=given.get("printer"), state=given.get("state"))
    with tenant_scope(g.tenant_id):
        known = printers.summaries()
        found = print_job_queries.list_rows(filters, cursor_in_url(), PAGE + 1)
    page = page_of(found, "print_jobs.index", given, PAGE)
    return render_template(
        "printing/jobs.html",
        jobs=page.rows,
        printers=known,
        states=printing_choices.JOB_STATES,
        filters=given,
        **page.urls,
    )


@jobs_pages.get(JOB)
@member_may("printing.view")
def job(print_job_id: str) -> Any:
    """js/refresh-parts.js reloads its parts until the job is final."""
    with tenant_scope(g.tenant_id):
        known = print_job_queries.get(print_job_id)
        printer = printers.by_id_including_removed()[known.printer_id]
        site = next((one for one in sites.list_including_closed() if one.id == known.site_id), None)
    return render_template(
        "printing/job.html",
        job=known,
        printer=printer,
        site=site,
        final=known.state not in printing_choices.PENDING_STATES,
        waiting=known.state in printing_choices.PENDING_STATES,
    )


@jobs_pages.get(f"{JOB}/picture.png")
@member_may("printing.view")
def job_picture(print_job_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = print_job_queries.get(print_job_id)
        width = printers.by_id_including_removed()[known.printer_id].width_mm
        document = Document.from_json(known.document)
    answer = Response(preview_png(document, width), mimetype="image/png")
    answer.headers["Cache-Control"] = "private, max-age=3600"
    return answer


@jobs_pages.post(f"{JOB}/reprint")
@member_may("printing.reprint")
def reprint(print_job_id: str) -> Any:
    return _act(print_job_id, print_job_queries.reprint, gettext("Printing again as a reprint."))


@jobs_pages.post(f"{JOB}/resend")
@member_may("printing.reprint")
def resend(print_job_id: str) -> Any:
    return _act(print_job_id, print_job_queries.resend, gettext("Sent again as a reprint."))


@jobs_pages.post(f"{JOB}/printed")
@member_may("printing.reprint")
def it_printed(print_job_id: str) -> Any:
    return _act(print_job_id, print_job_queries.confirm_printed, gettext("Marked as printed."))


def _act(print_job_id: str, act: Callable[[str], str | PrintJob], done: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = print_job_queries.get(print_job_id)
    shown = known.id
    try:
        with tenant_scope(g.tenant_id):
            made = act(known.id)
            shown = made if isinstance(made, str) else made.id
        flash(done, "success")
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(next_path(url_for("print_jobs.job", print_job_id=shown)))


def _filters_in_url() -> dict[str, str]:
    state = request.args.get("state", "")
    given = {"state": state if state in printing_choices.JOB_STATES else ""}
    try:
        given["printer"] = canonical_id("prn", request.args.get("printer", "")[:40])
    except BadId:
        given["printer"] = ""
    return {name: value for name, value in given.items() if value}
