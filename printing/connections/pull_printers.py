"""Printers that poll the server themselves: Star CloudPRNT and Epson Server Direct Print.

They have no journal. A job that was fetched but never confirmed may be printed: it becomes
`unconfirmed`, which frees the printer for the next job.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import undefer

from core import lookups
from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Forbidden, NotFound
from core.ids import BadId, canonical_id
from core.queue import lanes
from core.security.signing import constant_time_equal
from printing import choices as printing_choices
from printing import fallback_copies, printers, reasons, spool
from printing.job_evidence import add_evidence, publish_live_update
from printing.models import PRINTING_LANE, Printer, PrintJob


@dataclass(frozen=True)
class ReportedState:
    """A printer's own status in our terms."""

    state: str
    reason: str = ""


def find_by_secret(secret: str) -> tuple[int, str] | None:
    """Return tenant and printer of a secret. Runs in a global transaction."""
    return lookups.find_lookup(printers.LOOKUP, lookups.secret_digest(secret))


def get_enabled(printer_id: str, way: str) -> Printer:
    printer = printers.get(printer_id)
    if printer.way != way or not printer.enabled:
        raise NotFound()
    return printer


def check_device(printer: Printer, device: str) -> None:
    """Bind the address to the first device that polls. Raises Forbidden for another one."""
    device = printers.normalize_device(device)
    if not device:
        return
    if not printer.mac:
        printer.mac = device
    elif not constant_time_equal(printers.normalize_device(printer.mac), device):
        raise Forbidden("another_printer", "Another printer uses this address.")


def record_poll(printer: Printer, reported: ReportedState | None) -> None:
    """Record the poll, and the state if the printer reported one."""
    first = printer.seen_at is None or printer.state == "offline"
    printer.seen_at = now()
    if reported is not None:
        changed = printers.record_state(printer, reported.state, reported.reason)
    else:
        changed = first and printers.record_state(printer, "ready")
    if first or changed:
        lanes.mark_later(PRINTING_LANE, current_tenant_id(), now() + spool.CHECK_AFTER)


def offer_job(printer: Printer, by: str) -> PrintJob | None:
    """Return the next job, or the one that was offered but not fetched; None if there is none."""
    if printing_choices.is_error_state(printer.state):
        return None
    job = spool.claimed_job(printer.id)
    if job is not None and job.leased_until is not None and job.leased_until < now():
        expire_lease(job)
        db.session.flush()
        job = None
    if job is not None:
        return job if job.fetched_at is None else None
    return spool.claim_one(printer, by)


def expire_lease(job: PrintJob) -> None:
    """Handle a lease without a result. A job that was never fetched was certainly not printed."""
    if job.fetched_at is None and not job.claimed_by.startswith("agt_"):
        add_evidence(job, "not_fetched", who="Comanda", fence=job.fence)
        if fallback_copies.printed_elsewhere([job.id]):
            fallback_copies.cancel_copy(job)
            return
        job.state, job.leased_until = "queued", None
        publish_live_update(job)
    else:
        add_evidence(job, "no_proof", who="Comanda", fence=job.fence)
        spool.finish_job(job, "unconfirmed", reasons.NO_RESULT)


def fetch_job(printer: Printer, token: str, by: str) -> PrintJob:
    """Return the claimed job with its bytes; the same again if it is fetched twice."""
    query = (
        select(PrintJob)
        .options(undefer(PrintJob.data))
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.printer_id == printer.id,
            PrintJob.state == "claimed",
        )
        .with_for_update()
    )
    job = db.session.scalars(query).first()
    if job is None or (token and token != job_token(job)):
        raise NotFound()
    if job.fetched_at is None:
        job.fetched_at = now()
    add_evidence(job, "fetched", who=by, fence=job.fence)
    return job


def record_result(
    printer: Printer, token: str, outcome: str, *, detail: str, evidence: dict[str, Any], by: str
) -> PrintJob | None:
    """Record the printer's result; without a token it is for the claimed job.

    Returns None if this printer has no such job or it was deleted. That is not an error, because a
    printer repeats its result until it is accepted.
    """
    if token:
        job_id, _, fence = token.rpartition(".")
        number = int(fence) if fence.isascii() and fence.isdigit() and len(fence) < 9 else -1
        job = _own_job(printer, job_id)
    else:
        job = spool.claimed_job(printer.id)
        number = job.fence if job else -1
    if job is None:
        return None
    if outcome == "refused":
        if number == job.fence and job.state in ("claimed", "unconfirmed"):
            add_evidence(job, "refused", who=by, detail=detail, **evidence)
            spool.finish_job(job, "failed", reasons.device_text(detail))
        return job
    locked = spool.lock_job(job.id)
    spool.settle(locked, number, outcome, who=by, detail=detail, evidence=evidence)
    return job


def _own_job(printer: Printer, job_id: str) -> PrintJob | None:
    try:
        job = spool.lock_job(canonical_id("pj", job_id))
    except (BadId, NotFound):
        return None
    return job if job.printer_id == printer.id else None


def job_token(job: PrintJob) -> str:
    return f"{job.id}.{job.fence}"
