"""Tickets without an order event: backup copies, reprints, tests and code-page samples."""

from core.clock import now
from core.db import db
from core.ids import new_token
from printing import job_evidence, spool
from printing.models import Printer, PrintJob
from printing.rendering.banners import (
    sample_ticket_document,
    with_fallback_banner,
    with_reprint_banner,
)
from printing.rendering.document import Cut, Document, Heading
from printing.spool import NewPrintJob
from tenants import audit


def reprint(job: PrintJob, *, because: str = "reprinted") -> str:
    """Queue the ticket again, with a REPRINT banner so that nothing is cooked twice."""
    document = Document.from_json(job.document)
    if job.kind not in ("test", "strip"):
        document = with_reprint_banner(document, job.queued_at, time_zone=job.time_zone)
    printer = db.session.get_one(Printer, (job.tenant_id, job.printer_id))
    if printer.removed_at is not None and printer.fallback_id:
        printer = db.session.get_one(Printer, (job.tenant_id, printer.fallback_id))
    sheet = NewPrintJob(
        printer=printer,
        kind=job.kind,
        document=document,
        dedupe=f"{job.id}:again:{new_token(64)}",
        order_id=job.order_id,
        order_number=job.order_number,
        station=job.station,
        copy=job.copy + 1,
        time_zone=job.time_zone,
        reprint_of=job.id,
    )
    (made,) = spool.queue_jobs([sheet])
    job_evidence.add_evidence(job, because, who=spool.actor(), as_job=made)
    audit.record(f"print_jobs.{because}", job.title, job_id=job.id, as_job=made)
    return made


def fallback_copy(job: PrintJob, printer: Printer, for_printer: str) -> list[str]:
    """Queue a copy on the backup printer; its banner warns that the first one may have it too."""
    document = Document.from_json(job.document)
    sheet = NewPrintJob(
        printer=printer,
        kind=job.kind,
        document=with_fallback_banner(document, for_printer),
        dedupe=f"{job.id}:fallback",
        order_id=job.order_id,
        order_number=job.order_number,
        station=job.station,
        time_zone=job.time_zone,
        fallback_of=job.id,
    )
    return spool.queue_jobs([sheet])


def test_ticket(printer: Printer, *, language: str, time_zone: str, site: str) -> str:
    (made,) = spool.queue_jobs(
        [
            NewPrintJob(
                printer=printer,
                kind="test",
                document=sample_ticket_document(
                    printer.name, now(), site_name=site, language=language, time_zone=time_zone
                ),
                dedupe=f"test:{new_token(64)}",
                time_zone=time_zone,
            )
        ]
    )
    audit.record("printers.tested", printer.name, printer_id=printer.id, job_id=made)
    return made


def code_page_samples(printer: Printer, *, language: str, time_zone: str) -> str:
    """Queue samples of every code page the printer may have; staff choose the readable one."""
    title = f"{printer.name} · {printer.profile}"
    (made,) = spool.queue_jobs(
        [
            NewPrintJob(
                printer=printer,
                kind="strip",
                document=Document(title, (Heading(printer.name), Cut()), language),
                dedupe=f"strip:{new_token(64)}",
                time_zone=time_zone,
            )
        ]
    )
    audit.record("printers.strip_printed", printer.name, printer_id=printer.id, job_id=made)
    return made
