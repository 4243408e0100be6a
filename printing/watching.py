"""What the clock sees: leases that ran out, tickets for the stand-in, printers that fell silent."""

from datetime import datetime, timedelta

from sqlalchemy import func, or_, select

from core import lanes
from core.clock import now
from core.db import current_tenant_id, db
from printing import agents, asking, evidence, kinds, printers, sheets, spool
from printing.lane import LANE
from printing.models import PrintAgent, Printer, PrintJob
from webhooks.publishing import publish

TELL_AFTER = timedelta(seconds=30)  # paper is changed in less, and nobody needs a letter for it
STEP = 100


def watch() -> None:
    """Everything that is due; the next look is noted again."""
    moment = now()
    _leases_that_ran_out(moment)
    _give_up(moment)
    _fall_back(moment)
    _fell_silent(moment)
    db.session.flush()
    if (following := _next_look(moment)) is not None:
        lanes.mark_later(LANE, current_tenant_id(), following)


def _leases_that_ran_out(moment: datetime) -> None:
    """No proof in time. What a printer never fetched was surely not printed."""
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.state == "claimed",
            PrintJob.leased_until < moment,
        )
        .limit(STEP)
        .with_for_update()
    )
    for job in db.session.scalars(query):
        asking.run_out(job)
        spool.wake(job)


def _give_up(moment: datetime) -> None:
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.state == "queued",
            PrintJob.queued_at < moment - spool.GIVE_UP_AFTER,
        )
        .limit(STEP)
        .with_for_update()
    )
    for job in db.session.scalars(query):
        evidence.note(job, "given_up", who="Comanda")
        spool.finish(job, "failed", job.detail or "The printer did not take it in time.")


def _fall_back(moment: datetime) -> None:
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.fallback_due_at <= moment,
        )
        .order_by(PrintJob.id)
        .limit(STEP)
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
        for made in sheets.stand_in(job, other, printer.name):
            evidence.note(job, "fallback", who="Comanda", printer=other.name, as_job=made)
            evidence.tell(job)


def _fell_silent(moment: datetime) -> None:
    """An agent, or a printer that asks by itself, that has not been heard of for a while."""
    silent = moment - printers.SILENT_AFTER
    for agent in agents.listed():
        if agent.seen_at is not None and agent.seen_at < silent:
            for printer in printers.of_agent(agent.id):
                if printer.state != "offline":
                    printers.note_state(printer, "offline", "Its print agent does not answer.")
    for printer in printers.listed():
        alone = printer.way != "agent" and printer.seen_at is not None
        if alone and printer.seen_at < silent and printer.state != "offline":  # type: ignore[operator]
            printers.note_state(printer, "offline", "It does not ask for its tickets.")


def take_untold() -> tuple[list[Printer], list[Printer], list[PrintJob]]:
    """In trouble, well again, and tickets to ask about: each of them once. Events leave here."""
    moment = now()
    broken: list[Printer] = []
    well: list[Printer] = []
    for printer in printers.listed():
        trouble = printer.state if kinds.is_trouble(printer.state) else ""
        if trouble == printer.told_state or not printer.enabled:
            continue
        if trouble and moment - printer.state_since < TELL_AFTER:
            continue
        (broken if trouble else well).append(printer)
        printer.told_state = trouble
        kind = "printing.printer_offline" if trouble else "printing.printer_online"
        publish(kind, {"printer": printer_facts(printer)})
    query = (
        select(PrintJob)
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            PrintJob.state.in_(("unconfirmed", "failed")),
            PrintJob.told.is_(False),
        )
        .order_by(PrintJob.id)
        .limit(STEP)
        .with_for_update()
    )
    jobs = list(db.session.scalars(query))
    for job in jobs:
        job.told = True
        job.letter_due = job.kind not in ("test", "strip")
        publish("printing.job_failed", {"job": job_facts(job)})
    return broken, well, jobs


def letters_due() -> dict[str, list[PrintJob]]:
    """By restaurant: tickets that no letter has named yet, and that still need somebody."""
    query = select(PrintJob).where(PrintJob.tenant_id == current_tenant_id(), PrintJob.letter_due)
    found: dict[str, list[PrintJob]] = {}
    for job in db.session.scalars(query.order_by(PrintJob.id).limit(STEP).with_for_update()):
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
        "detail": printer.detail,
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
        "detail": job.detail,
    }


def _next_look(moment: datetime) -> datetime | None:
    """The soonest moment at which something here may be due."""
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
    seen = db.session.scalar(
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
            or_(Printer.way != "agent", Printer.seen_at.is_not(None)),
            Printer.seen_at > moment - printers.SILENT_AFTER,
        )
    )
    untold = [
        printer.state_since + TELL_AFTER
        for printer in printers.listed()
        if printer.enabled
        and kinds.is_trouble(printer.state)
        and printer.told_state != printer.state
    ]
    looks = [
        found.lease,
        found.queued + spool.GIVE_UP_AFTER if found.queued else None,
        fallback,
        *(one + printers.SILENT_AFTER for one in (seen, alone) if one),
        *untold,
    ]
    known = [one for one in looks if one is not None]
    return max(min(known), moment + timedelta(seconds=1)) if known else None
