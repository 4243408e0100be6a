"""Print jobs: what was printed where, with its picture, its evidence, and once more, please."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from core.ids import BadId, canonical
from portal.paging import PAGE, asked_after, page_of
from portal.visitors import member_may, next_path
from portal.words import in_words
from printing import kinds, printers, reading
from printing.document import Document
from printing.models import PrintJob
from printing.reading import Filters
from printing.rendering import picture
from restaurant import sites

jobs_pages = Blueprint("print_jobs", __name__, url_prefix="/print-jobs")

JOB = "/<print_job_id>"


@jobs_pages.get("")
@member_may("printing.view")
def index() -> Any:
    asked: dict[str, Any] = _asked()
    filters = Filters(printer_id=asked.get("printer"), state=asked.get("state"))
    with tenant_scope(g.tenant_id):
        known = printers.every()
        found = reading.listed(filters, asked_after(), PAGE + 1)
    page = page_of(found, "print_jobs.index", asked, PAGE)
    return render_template(
        "printing/jobs.html",
        jobs=page.rows,
        printers=known,
        states=kinds.JOB_STATES,
        asked=asked,
        **page.urls,
    )


@jobs_pages.get(JOB)
@member_may("printing.view")
def job(print_job_id: str) -> Any:
    """js/live.js asks again while it is on its way."""
    with tenant_scope(g.tenant_id):
        known = reading.get(print_job_id)
        printer = printers.every()[known.printer_id]
        site = next((one for one in sites.every() if one.id == known.site_id), None)
    return render_template(
        "printing/job.html",
        job=known,
        printer=printer,
        site=site,
        final=known.state not in kinds.WAITING,
        waiting=known.state in kinds.WAITING,
    )


@jobs_pages.get(f"{JOB}/picture.png")
@member_may("printing.view")
def job_picture(print_job_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = reading.get(print_job_id)
        width = printers.every()[known.printer_id].width_mm
        document = Document.from_json(known.document)
    answer = Response(picture(document, width), mimetype="image/png")
    answer.headers["Cache-Control"] = "private, max-age=3600"
    return answer


@jobs_pages.post(f"{JOB}/reprint")
@member_may("printing.reprint")
def reprint(print_job_id: str) -> Any:
    return _act(print_job_id, reading.reprint, gettext("It is printed once more, as a reprint."))


@jobs_pages.post(f"{JOB}/resend")
@member_may("printing.reprint")
def resend(print_job_id: str) -> Any:
    return _act(print_job_id, reading.resend, gettext("It is sent again, as a reprint."))


@jobs_pages.post(f"{JOB}/printed")
@member_may("printing.reprint")
def it_printed(print_job_id: str) -> Any:
    return _act(print_job_id, reading.it_printed, gettext("Noted: it was printed."))


def _act(print_job_id: str, act: Callable[[str], str | PrintJob], done: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = reading.get(print_job_id)
    shown = known.id
    try:
        with tenant_scope(g.tenant_id):
            made = act(known.id)
            shown = made if isinstance(made, str) else made.id
        flash(done, "success")
    except NotFound:
        raise
    except DomainError as error:
        flash(in_words(error), "error")
    return redirect(next_path(url_for("print_jobs.job", print_job_id=shown)))


def _asked() -> dict[str, str]:
    state = request.args.get("state", "")
    asked = {"state": state if state in kinds.JOB_STATES else ""}
    try:
        asked["printer"] = canonical("prn", request.args.get("printer", "")[:40])
    except BadId:
        asked["printer"] = ""
    return {name: value for name, value in asked.items() if value}
