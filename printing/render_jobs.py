"""Render documents of print jobs to bytes, once, and store the bytes with the job."""

from collections.abc import Mapping, Sequence

from sqlalchemy import select

from core import live_updates
from core.clock import now
from core.db import current_tenant_id, db
from core.logs import logger
from printing import printers, reasons
from printing.models import Printer, PrintJob
from printing.rendering.document import Document
from printing.rendering.encoders.registry import LANGUAGES
from printing.rendering.render import PrintFormat, code_page_samples, render, reprint_heading

log = logger(__name__)

BATCH = 50


def render_due() -> int:
    """Render all jobs without bytes, oldest first, and notify their agents. Returns how many."""
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.state == "queued",
            PrintJob.data.is_(None),
        )
        .order_by(PrintJob.id)
        .limit(BATCH)
        .with_for_update()
    )
    jobs = list(db.session.scalars(query))
    known = printers_of(jobs)
    agents = {known[job.printer_id].agent_id for job in jobs if render_job(job, known)}
    for agent_id in sorted(filter(None, agents)):
        live_updates.publish_update("prints.agent", agent=agent_id)
    return len(jobs)


def printers_of(jobs: Sequence[PrintJob]) -> dict[str, Printer]:
    """Return the printers of these jobs by their ids."""
    if not jobs:
        return {}
    query = select(Printer).where(
        Printer.tenant_id == current_tenant_id(), Printer.id.in_({job.printer_id for job in jobs})
    )
    return {printer.id: printer for printer in db.session.scalars(query)}


def render_job(job: PrintJob, known: Mapping[str, Printer]) -> bool:
    """Render one job. Returns False if that fails; the job is then failed with the reason."""
    paper = printers.print_format(known[job.printer_id])
    try:
        made = _bytes_of(job, paper)
    except Exception as error:  # a ticket that cannot be rendered must not block the next ones
        log.exception("ticket rendering failed", job=job.id)
        job.state, job.settled_at = "failed", now()
        job.detail = reasons.render_failed(error)
        live_updates.publish_update(
            "prints.changed", id=job.id, order=job.order_id, state=job.state
        )
        return False
    job.media_type, job.data, job.again = made
    return True


def _bytes_of(job: PrintJob, paper: PrintFormat) -> tuple[str, bytes, bytes | None]:
    if job.kind == "strip":
        rendered = code_page_samples(paper)
        return rendered.media_type, rendered.data, None
    document = Document.from_json(job.document)
    rendered = render(document, paper)
    again = None
    if LANGUAGES[paper.language].can_join:
        again = reprint_heading(
            paper, job.queued_at, language=document.language, time_zone=job.time_zone
        )
    return rendered.media_type, rendered.data, again
