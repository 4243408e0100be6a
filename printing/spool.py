"""The life of a print job: queued, claimed for its printer, settled by a result.

`queued → claimed → printed | failed | unconfirmed`. A printer has one job at a time, the oldest
first. A claim is a lease with a fence: a result with an older fence is too late.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import bindparam, select, text
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.orm import undefer

from core import live_updates
from core.clock import now
from core.db import current_tenant_id, db, notify_workers, read_rows
from core.errors import Conflict, NotFound
from core.ids import Id, new_id
from core.queue import lanes
from core.values.text import one_line
from printing import fallback_copies, reasons, render_jobs
from printing.job_evidence import add_evidence, publish_live_update
from printing.models import PRINTING_LANE, Printer, PrintJob
from printing.rendering.document import Document
from tenants import audit

LEASE_SECONDS = 60
RETRY_AFTER = timedelta(seconds=5)
GIVE_UP_AFTER = timedelta(hours=2)
CHECK_AFTER = timedelta(seconds=5)  # for a lost wake-up
RENDER_GRACE = timedelta(seconds=1)  # after it, the process that fetches a job renders it
OUTCOMES = ("printed", "failed", "unsure")

QUEUE_HEADS = text("""
SELECT p.id AS printer_id, head.id, head.bare, head.due_at, head.queued_at
FROM printers p CROSS JOIN LATERAL (
  SELECT j.id, j.data IS NULL AS bare, j.due_at, j.queued_at FROM print_jobs j
  WHERE j.tenant_id = :tenant_id AND j.printer_id = p.id AND j.state = 'queued'
  ORDER BY j.id LIMIT 1
) head
WHERE p.tenant_id = :tenant_id AND p.id = ANY(:printers) AND NOT EXISTS (
  SELECT 1 FROM print_jobs c
  WHERE c.tenant_id = :tenant_id AND c.printer_id = p.id AND c.state = 'claimed'
)
""").bindparams(bindparam("printers", type_=ARRAY(Id("prn"))))
EXTEND_LEASES = text("""
UPDATE print_jobs SET leased_until = :until
 WHERE tenant_id = :tenant_id AND state = 'claimed' AND claimed_by = :by AND id = ANY(:jobs)
""").bindparams(bindparam("jobs", type_=ARRAY(Id("pj"))))
LOST_JOBS = (
    text("""
SELECT id FROM print_jobs
 WHERE tenant_id = :tenant_id AND state = 'claimed' AND claimed_by = :by AND id <> ALL(:jobs)
   FOR UPDATE
""")
    .bindparams(bindparam("jobs", type_=ARRAY(Id("pj"))))
    .columns(PrintJob.id)
)

INSERT_JOBS = (
    insert(PrintJob)
    .on_conflict_do_nothing(index_elements=[PrintJob.tenant_id, PrintJob.dedupe])
    .returning(PrintJob.id)
)


@dataclass(frozen=True)
class NewPrintJob:
    """A job to queue. `dedupe` is unique forever and prevents a second one."""

    printer: Printer
    kind: str
    document: Document
    dedupe: str
    order_id: str | None = None
    order_number: str = ""
    station: str = ""
    copy: int = 1
    time_zone: str = "UTC"
    fallback_of: str | None = None
    reprint_of: str | None = None


@dataclass(frozen=True)
class ClaimedJobs:
    jobs: list[PrintJob]
    recheck_after: float | None = None
    """Seconds until a job that only waits for time can be claimed."""


@dataclass(frozen=True)
class SettleResult:
    job: PrintJob
    late: bool = False
    """The job has been claimed again; the result is kept as evidence only."""


def queue_jobs(sheets: Iterable[NewPrintJob]) -> list[str]:
    """Queue jobs in this transaction. Returns the ids of those that did not exist yet."""
    jobs = {str(row["id"]): (row, sheet) for sheet in sheets for row in [job_row(sheet)]}
    if not jobs:
        return []
    inserted = set(db.session.scalars(INSERT_JOBS, [row for row, _ in jobs.values()]))
    made, agents = [job_id for job_id in jobs if job_id in inserted], set()
    for job_id in made:
        _, sheet = jobs[job_id]
        agents.add(sheet.printer.agent_id)
        live_updates.publish_update(
            "prints.changed", id=job_id, order=sheet.order_id, state="queued"
        )
    if made:
        lanes.mark_later(PRINTING_LANE, current_tenant_id(), now() + CHECK_AFTER)
        notify_workers("jobs.printing.render", current_tenant_id())
    for agent_id in sorted(filter(None, agents)):
        live_updates.publish_update("prints.agent", agent=agent_id, soon=True)
    return made


def job_row(sheet: NewPrintJob) -> dict[str, Any]:
    """Return the row of a job that is queued now."""
    moment, printer = now(), sheet.printer
    falls_back = printer.fallback_id is not None and sheet.fallback_of is None
    return {
        "tenant_id": current_tenant_id(),
        "id": new_id("pj"),
        "site_id": printer.site_id,
        "printer_id": printer.id,
        "dedupe": sheet.dedupe,
        "kind": sheet.kind,
        "title": one_line(sheet.document.title, 120),
        "order_id": sheet.order_id,
        "order_number": sheet.order_number,
        "station": sheet.station,
        "copy": sheet.copy,
        "document": sheet.document.as_json(),
        "time_zone": sheet.time_zone,
        "due_at": moment,
        "queued_at": moment,
        "fallback_due_at": moment + timedelta(seconds=printer.fallback_seconds)
        if falls_back
        else None,
        "fallback_of": sheet.fallback_of,
        "reprint_of": sheet.reprint_of,
    }


def claim(printer_ids: Sequence[str], by: str) -> ClaimedJobs:
    """Claim the oldest job of each printer that has none. The caller has locked the agent."""
    if not printer_ids:
        return ClaimedJobs([])
    moment = now()
    heads = _queue_heads(printer_ids)
    waits = [
        (row.due_at - moment if row.due_at > moment else RENDER_GRACE).total_seconds()
        for row in heads
        if row.due_at > moment or (row.bare and moment - row.queued_at < RENDER_GRACE)
    ]
    ready = [
        row.id
        for row in heads
        if row.due_at <= moment and not (row.bare and moment - row.queued_at < RENDER_GRACE)
    ]
    jobs = _claim_rows(ready, by, moment) if ready else []
    return ClaimedJobs(jobs, min(waits) if waits else None)


def claim_one(printer: Printer, by: str) -> PrintJob | None:
    """Claim a job for a printer that polls itself; renders it if no worker has."""
    if not lock_printer(printer.id):
        return None
    moment = now()
    ready = [row.id for row in _queue_heads([printer.id]) if row.due_at <= moment]
    claimed = _claim_rows(ready, by, moment) if ready else []
    return claimed[0] if claimed else None


def _queue_heads(printer_ids: Sequence[str]) -> Sequence[Any]:
    """The oldest queued job of each printer that has none in hand."""
    params = {"tenant_id": current_tenant_id(), "printers": list(printer_ids)}
    return read_rows(QUEUE_HEADS, params)


def lock_printer(printer_id: str) -> bool:
    """Lock a printer for claiming, without blocking inserts of new jobs."""
    locked = db.session.execute(
        select(Printer.id)
        .where(Printer.tenant_id == current_tenant_id(), Printer.id == printer_id)
        .with_for_update(key_share=True)
    ).first()
    return locked is not None


def queued_jobs(site_id: str) -> list[PrintJob]:
    """Return all queued jobs of a site, oldest first."""
    query = select(PrintJob).where(
        PrintJob.tenant_id == current_tenant_id(),
        PrintJob.site_id == site_id,
        PrintJob.state == "queued",
    )
    return list(db.session.scalars(query.order_by(PrintJob.id)))


def claimed_job(printer_id: str) -> PrintJob | None:
    query = select(PrintJob).where(
        PrintJob.tenant_id == current_tenant_id(),
        PrintJob.printer_id == printer_id,
        PrintJob.state == "claimed",
    )
    return db.session.scalars(query).first()


def _claim_rows(ids: Sequence[Any], by: str, moment: datetime) -> list[PrintJob]:
    query = (
        select(PrintJob)
        .options(undefer(PrintJob.data), undefer(PrintJob.again))
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.id.in_(ids),
            PrintJob.state == "queued",
        )
        .order_by(PrintJob.id)
        .with_for_update()
    )
    claimed = []
    jobs = list(db.session.scalars(query))
    known = render_jobs.printers_of([job for job in jobs if job.data is None])
    for job in jobs:
        if job.data is None and not render_jobs.render_job(job, known):
            continue  # it has failed, with the reason
        job.state, job.fence, job.claimed_by = "claimed", job.fence + 1, by
        job.claimed_at, job.leased_until = moment, moment + timedelta(seconds=LEASE_SECONDS)
        job.fetched_at = None
        add_evidence(job, "claimed", who=by, fence=job.fence)
        publish_live_update(job)
        claimed.append(job)
    return claimed


def extend_leases(job_ids: Sequence[str], by: str) -> None:
    """Extend the leases of jobs that an agent still has; requeue the others.

    An agent records a job before it prints it, so a job that it does not list was lost on the way:
    nothing was printed, and it can be claimed again.
    """
    params = {"tenant_id": current_tenant_id(), "by": by, "jobs": list(job_ids)}
    if job_ids:
        until = now() + timedelta(seconds=LEASE_SECONDS)
        db.session.execute(EXTEND_LEASES, {**params, "until": until})
    for row in read_rows(LOST_JOBS, params):
        job = get_job(row.id)
        job.state, job.leased_until = "queued", None
        add_evidence(job, "not_received", who=by, fence=job.fence)


def settle(
    job: PrintJob,
    fence: int,
    outcome: str,
    *,
    who: str,
    detail: str = "",
    evidence: Mapping[str, Any] | None = None,
) -> SettleResult:
    """Record the result of a locked job. Idempotent; an old fence makes it evidence only."""
    detail = one_line(detail, 200)
    facts = {"who": who, "fence": fence, "detail": detail, **_shortened(evidence or {})}
    if fence != job.fence or (job.state == "queued" and outcome == "unsure"):
        add_evidence(job, "late", outcome=outcome, **facts)
        return SettleResult(job, late=fence != job.fence)
    if job.state == "printed" or (job.state == "queued" and outcome == "failed"):
        return SettleResult(job)
    add_evidence(job, outcome, **facts)
    reason = reasons.device_text(detail)
    if outcome == "printed":
        finish_job(job, "printed", reason)
    elif outcome == "failed":
        retry_job(job, reason)
    else:
        finish_job(job, "unconfirmed", reason)
    notify_agent(job)
    return SettleResult(job)


def retry_job(job: PrintJob, reason: str) -> None:
    """Queue a job again a little later, because it certainly was not printed."""
    job.tries += 1
    if fallback_copies.printed_elsewhere([job.id]):
        fallback_copies.cancel_copy(job)
        return
    if now() - job.queued_at > GIVE_UP_AFTER:
        finish_job(job, "failed", reason)
        return
    job.state, job.leased_until, job.detail = "queued", None, reason
    job.due_at = now() + RETRY_AFTER
    lanes.mark_later(PRINTING_LANE, current_tenant_id(), job.due_at + CHECK_AFTER)
    publish_live_update(job)


def finish_job(job: PrintJob, state: str, reason: str) -> None:
    job.state, job.detail, job.leased_until = state, reason, None
    job.settled_at = now()
    if state == "printed":
        job.fallback_due_at = None
        fallback_copies.cancel_other_copies(job)
    else:
        lanes.mark_later(PRINTING_LANE, current_tenant_id(), now())
    publish_live_update(job)


def lock_job(job_id: str) -> PrintJob:
    """Return the row, locked. Raises NotFound."""
    query = select(PrintJob).where(PrintJob.tenant_id == current_tenant_id(), PrintJob.id == job_id)
    job = db.session.scalars(query.with_for_update()).first()
    if job is None:
        raise NotFound()
    return job


def get_job(job_id: str) -> PrintJob:
    job = db.session.get(PrintJob, (current_tenant_id(), job_id))
    if job is None:
        raise NotFound()
    return job


def lease_lost() -> Conflict:
    return Conflict("lease_lost", "This ticket has been reassigned. The report was recorded.")


def notify_agent(job: PrintJob) -> None:
    """Have the agent's poll answered, because its printer may get the next job."""
    agent = job.claimed_by if job.claimed_by.startswith("agt_") else ""
    if agent:
        live_updates.publish_update("prints.agent", agent=agent)


def actor() -> str:
    return audit.current_actor().name


def _shortened(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Limit an agent's evidence to a few short values."""
    shortened: dict[str, Any] = {}
    for name, value in list(evidence.items())[:12]:
        if isinstance(value, bool | int | float) or value is None:
            shortened[f"saw_{str(name)[:20]}"] = value
        else:
            shortened[f"saw_{str(name)[:20]}"] = one_line(str(value).replace("\0", ""), 120)
    return shortened
