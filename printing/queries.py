"""Find and list print jobs, newest first; confirm, resend and reprint them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Select, any_, bindparam, delete, select
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import defer

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, NotFound
from core.ids import Id, from_uuid, to_uuid
from core.sql.partitions import id_at
from printing import choices as printing_choices
from printing import job_evidence, reasons, spool, utility_tickets
from printing.models import PrintJob
from tenants import audit

RETENTION = timedelta(days=90)


@dataclass(frozen=True)
class PrintJobFilters:
    printer_id: str | None = None
    state: str | None = None
    order_id: str | None = None
    order_number: str | None = None


@dataclass(frozen=True)
class TicketSummary:
    """A print job as the orders board shows it."""

    id: str
    order_id: str
    kind: str
    state: str
    printer_id: str
    station: str


JOBS = (
    select(PrintJob)
    .where(PrintJob.tenant_id == THIS_TENANT)
    .order_by(PrintJob.id.desc())
    .limit(bindparam("most"))
    .options(defer(PrintJob.document))
    .execution_options(plan_once=True)
)
JOB_ROWS = (
    select(
        PrintJob.id,
        PrintJob.title,
        PrintJob.kind,
        PrintJob.state,
        PrintJob.detail,
        PrintJob.printer_id,
        PrintJob.reprint_of,
        PrintJob.fallback_of,
        PrintJob.queued_at,
    )
    .where(PrintJob.tenant_id == THIS_TENANT)
    .order_by(PrintJob.id.desc())
    .limit(bindparam("most"))
)
JOBS_OF_ORDER = JOB_ROWS.where(PrintJob.order_id == bindparam("order_id"))


def listed(filters: PrintJobFilters, after: str | None, limit: int) -> list[PrintJob]:
    """Newest first, without the documents, which no list shows."""
    return list(db.session.scalars(_filtered(JOBS, filters, after), {"most": limit}))


def list_rows(filters: PrintJobFilters, after: str | None, limit: int) -> Sequence[Any]:
    """The same jobs, with the columns that a list of them shows."""
    return read_rows(_filtered(JOB_ROWS, filters, after), {"most": limit})


def _filtered(
    query: Select[*tuple[Any, ...]], filters: PrintJobFilters, after: str | None
) -> Select[*tuple[Any, ...]]:
    if filters.printer_id:
        query = query.where(PrintJob.printer_id == filters.printer_id)
    if filters.state:
        query = query.where(PrintJob.state == filters.state)
    if filters.order_id:
        query = query.where(PrintJob.order_id == filters.order_id)
    if after:
        query = query.where(PrintJob.id < from_uuid("pj", to_uuid("pj", after)))
    return query


def get(job_id: str) -> PrintJob:
    job = db.session.get(PrintJob, (current_tenant_id(), job_id))
    if job is None:
        raise NotFound()
    return job


def of_order(order_id: str) -> Sequence[Any]:
    """Return the jobs of an order, oldest first, with the columns that a list shows."""
    return read_rows(JOBS_OF_ORDER, {"order_id": order_id, "most": 100})[::-1]


TICKETS = (
    select(
        PrintJob.id,
        PrintJob.order_id,
        PrintJob.kind,
        PrintJob.state,
        PrintJob.printer_id,
        PrintJob.station,
    )
    .where(
        PrintJob.tenant_id == THIS_TENANT,
        PrintJob.order_id == any_(bindparam("order_ids", type_=ARRAY(Id("ord")))),
        PrintJob.detail != reasons.PRINTED_ELSEWHERE,
    )
    .order_by(PrintJob.id)
)


def tickets_of_orders(order_ids: Sequence[str]) -> dict[str, list[TicketSummary]]:
    found: dict[str, list[TicketSummary]] = {order_id: [] for order_id in order_ids}
    if order_ids:
        for row in read_rows(TICKETS, {"order_ids": list(order_ids)}):
            found[row.order_id].append(TicketSummary(*row))
    return found


def unconfirmed_jobs(limit: int = 20) -> list[PrintJob]:
    """Return jobs without a confirmed result, newest first."""
    query = select(PrintJob).where(
        PrintJob.tenant_id == current_tenant_id(), PrintJob.state == "unconfirmed"
    )
    return list(db.session.scalars(query.order_by(PrintJob.id.desc()).limit(limit)))


def queue_length(printer_id: str) -> int:
    """Return how many jobs are queued, counted up to 100."""
    query = (
        select(PrintJob.id)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.printer_id == printer_id,
            PrintJob.state == "queued",
        )
        .limit(100)
    )
    return len(db.session.execute(query).all())


def delete_old_jobs() -> int:
    """Delete jobs after 90 days; their orders are kept longer."""
    oldest = from_uuid("pj", UUID(id_at(now() - RETENTION)))
    deleted = db.session.execute(
        delete(PrintJob)
        .where(PrintJob.tenant_id == current_tenant_id(), PrintJob.id < oldest)
        .returning(PrintJob.id)
        .execution_options(synchronize_session=False)
    ).all()
    return len(deleted)


def confirm_printed(job_id: str) -> PrintJob:
    """Record that a person has found the printed ticket."""
    job = spool.lock_job(job_id)
    if job.state == "printed":
        return job
    if job.state in printing_choices.PENDING_STATES:
        raise Conflict("still_waiting", "This ticket is still being sent to the printer.")
    job_evidence.add_evidence(job, "said_printed", who=spool.actor())
    spool.finish_job(job, "printed", "")
    audit.record("print_jobs.said_printed", job.title, job_id=job.id)
    return job


def resend(job_id: str) -> str:
    """Send a job again as a reprint, because the first one may be printed.

    The first job is settled, so that nobody is asked about it again. Returns the id of the reprint.
    """
    job = spool.lock_job(job_id)
    if job.state not in ("unconfirmed", "failed"):
        raise Conflict("nothing_to_resend", "Only an unconfirmed ticket can be sent again.")
    made = utility_tickets.reprint(job, because="resent")
    job.state, job.told, job.fallback_due_at = "failed", True, None
    job.letter_due = False
    job.settled_at = job.settled_at or now()
    job_evidence.publish_live_update(job)
    return made


def reprint(job_id: str) -> str:
    job = spool.lock_job(job_id)
    if job.state in printing_choices.PENDING_STATES:
        raise Conflict("still_waiting", "This ticket is still being sent to the printer.")
    return utility_tickets.reprint(job)
