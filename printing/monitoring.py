"""Timed checks: expired leases, copies for backup printers, printers that do not respond."""

from datetime import datetime, timedelta

from sqlalchemy import func, or_, select

from core.clock import now
from core.db import current_tenant_id, db
from core.queue import lanes
from printing import agents, job_evidence, printers, reasons, spool, utility_tickets
from printing import choices as printing_choices
from printing.connections import pull_printers
from printing.connections.registry import CONNECTIONS, polling_codes
from printing.models import PRINTING_LANE, PrintAgent, Printer, PrintJob
from printing.reasons import PRINTING_REASONS
from tenants.push import notifications as push_notifications
from webhooks.events import publish_webhook_event

REPORT_AFTER = timedelta(seconds=30)  # changing paper takes less and needs no e-mail
BATCH = 100


def check_due() -> None:
    """Run all due checks and schedule the next ones."""
    moment = now()
    _expire_leases(moment)
    _give_up(moment)
    _print_fallback_copies(moment)
    _mark_silent_offline(moment)
    db.session.flush()
    if (following := _next_check_at(moment)) is not None:
        lanes.mark_later(PRINTING_LANE, current_tenant_id(), following)


def _expire_leases(moment: datetime) -> None:
    """Expire leases without a result.

    A job that its printer never fetched was certainly not printed.
    """
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.state == "claimed",
            PrintJob.leased_until < moment,
        )
        .limit(BATCH)
        .with_for_update()
    )
    for job in db.session.scalars(query):
        pull_printers.expire_lease(job)
        spool.notify_agent(job)


def _give_up(moment: datetime) -> None:
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.state == "queued",
            PrintJob.queued_at < moment - spool.GIVE_UP_AFTER,
        )
        .limit(BATCH)
        .with_for_update()
    )
    for job in db.session.scalars(query):
        job_evidence.add_evidence(job, "given_up", who="Comanda")
        spool.finish_job(job, "failed", job.detail or reasons.NOT_TAKEN)


def _print_fallback_copies(moment: datetime) -> None:
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.fallback_due_at <= moment,
        )
        .order_by(PrintJob.id)
        .limit(BATCH)
        .with_for_update()
    )
    for job in db.session.scalars(query):
        job.fallback_due_at = None
        if job.state == "printed":
            continue
        printer = db.session.get_one(Printer, (job.tenant_id, job.printer_id))
        other = db.session.get(Printer, (job.tenant_id, printer.fallback_id or ""))
        if printer.fallback_id is None or other is None or other.removed_at is not None:
            continue
        for made in utility_tickets.fallback_copy(job, other, printer.name):
            job_evidence.add_evidence(
                job, "fallback", who="Comanda", printer=other.name, as_job=made
            )
            job_evidence.publish_live_update(job)


def _mark_silent_offline(moment: datetime) -> None:
    """Mark printers as offline whose agent, or which themselves, have not polled for a while."""
    silent = moment - printers.SILENT_AFTER
    for agent in agents.listed():
        if agent.seen_at is not None and agent.seen_at < silent:
            for printer in printers.of_agent(agent.id):
                if printer.state != "offline":
                    printers.record_state(printer, "offline", reasons.AGENT_SILENT)
    for printer in printers.listed():
        alone = CONNECTIONS[printer.way].polls and printer.seen_at is not None
        if alone and printer.seen_at < silent and printer.state != "offline":  # type: ignore[operator]
            printers.record_state(printer, "offline", reasons.PRINTER_SILENT)


def publish_problems() -> tuple[list[Printer], list[Printer], list[PrintJob]]:
    """Return printers with errors, recovered printers, and unprinted jobs, each of them once.

    Publishes their webhook events.
    """
    moment = now()
    broken: list[Printer] = []
    well: list[Printer] = []
    for printer in printers.listed():
        error = printer.state if printing_choices.is_error_state(printer.state) else ""
        if error == printer.told_state or not printer.enabled:
            continue
        if error and moment - printer.state_since < REPORT_AFTER:
            continue
        (broken if error else well).append(printer)
        printer.told_state = error
        kind = "printing.printer_offline" if error else "printing.printer_online"
        publish_webhook_event(kind, {"printer": printer_facts(printer)})
        if error:
            push_notifications.announce(
                "printers",
                f"printer:{printer.id}",
                f"/printers/{printer.id}",
                {"printer": printer.name},
            )
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.state.in_(("unconfirmed", "failed")),
            PrintJob.told.is_(False),
        )
        .order_by(PrintJob.id)
        .limit(BATCH)
        .with_for_update()
    )
    jobs = list(db.session.scalars(query))
    for job in jobs:
        job.told = True
        job.letter_due = job.kind not in ("test", "strip")
        publish_webhook_event("printing.job_failed", {"job": job_facts(job)})
    return broken, well, jobs


def emails_due() -> dict[str, list[PrintJob]]:
    """Return unprinted jobs by site that no e-mail has named yet and that still need attention."""
    query = select(PrintJob).where(PrintJob.tenant_id == current_tenant_id(), PrintJob.letter_due)
    found: dict[str, list[PrintJob]] = {}
    for job in db.session.scalars(query.order_by(PrintJob.id).limit(BATCH).with_for_update()):
        if job.state in ("unconfirmed", "failed"):
            found.setdefault(job.site_id, []).append(job)
        else:
            job.letter_due = False
    return found


def printer_facts(printer: Printer) -> dict[str, object]:
    return {
        "id": printer.id,
        "name": printer.name,
        "site_id": printer.site_id,
        "state": printer.state,
        "detail": PRINTING_REASONS.english(printer.detail),
    }


def job_facts(job: PrintJob) -> dict[str, object]:
    return {
        "id": job.id,
        "title": job.title,
        "printer_id": job.printer_id,
        "site_id": job.site_id,
        "order_id": job.order_number,
        "kind": job.kind,
        "state": job.state,
        "detail": PRINTING_REASONS.english(job.detail),
    }


def _next_check_at(moment: datetime) -> datetime | None:
    """Return the earliest time when a check may be due; None if there is none."""
    tenant_id = current_tenant_id()
    found = db.session.execute(
        select(
            func.min(PrintJob.leased_until).label("lease"),
            func.min(PrintJob.due_at).label("queued"),
        ).where(PrintJob.tenant_id == tenant_id, PrintJob.state.in_(("queued", "claimed")))
    ).one()
    fallback = db.session.scalar(
        select(func.min(PrintJob.fallback_due_at)).where(
            PrintJob.tenant_id == tenant_id, PrintJob.fallback_due_at.is_not(None)
        )
    )
    last_seen = db.session.scalar(
        select(func.min(PrintAgent.seen_at)).where(
            PrintAgent.tenant_id == tenant_id,
            PrintAgent.revoked_at.is_(None),
            PrintAgent.seen_at > moment - printers.SILENT_AFTER,
        )
    )
    alone = db.session.scalar(
        select(func.min(Printer.seen_at)).where(
            Printer.tenant_id == tenant_id,
            Printer.removed_at.is_(None),
            or_(Printer.way.in_(polling_codes()), Printer.seen_at.is_not(None)),
            Printer.seen_at > moment - printers.SILENT_AFTER,
        )
    )
    untold = [
        printer.state_since + REPORT_AFTER
        for printer in printers.listed()
        if printer.enabled
        and printing_choices.is_error_state(printer.state)
        and printer.told_state != printer.state
    ]
    looks = [
        found.lease,
        found.queued + spool.GIVE_UP_AFTER if found.queued else None,
        fallback,
        *(one + printers.SILENT_AFTER for one in (last_seen, alone) if one),
        *untold,
    ]
    known = [one for one in looks if one is not None]
    return max(min(known), moment + timedelta(seconds=1)) if known else None
