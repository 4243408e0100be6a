"""One poll of an agent: record what it reports, and answer with printers and jobs."""

from base64 import b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, text

from core.clock import now, rfc3339
from core.db import current_tenant_id, read_rows
from core.errors import NotFound
from core.ids import BadId, Id, canonical_id
from core.queue import lanes
from printing import agents, fallback_copies, printers, reasons, spool
from printing import choices as printing_choices
from printing.models import PRINTING_LANE, Printer, PrintJob

MAX_JOBS_IN_HAND = 200
NOTHING: dict[str, Any] = {"printers": [], "jobs": []}
"""The answer to a poll that nobody waits for any more."""
PRINTER_STATES = (
    text("""
SELECT id, state, detail FROM printers
 WHERE tenant_id = :tenant_id AND agent_id = :agent AND removed_at IS NULL AND enabled
""")
    .bindparams(bindparam("agent", type_=Id("agt")))
    .columns(Printer.id, Printer.state, Printer.detail)
)


@dataclass(frozen=True)
class AgentReport:
    """The agent's report; its values are not trusted."""

    have: Sequence[str] = ()
    states: Sequence[tuple[str, str, str]] = ()
    """(printer, state, detail)"""
    found: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True)
class PollAnswer:
    body: dict[str, Any] | None
    """None: there is nothing to report, and the poll goes on waiting."""
    recheck_after: float | None = None
    """Seconds until a job that only waits for time can be claimed."""


def begin_poll(agent_id: str, report: AgentReport) -> tuple[int, bool]:
    """Record the report. Returns the poll's number, and whether the agent needs its printers."""
    turn = agents.begin_poll(agent_id)
    spool.extend_leases([one for one in report.have if _is_job(one)][:MAX_JOBS_IN_HAND], agent_id)
    if report.found is not None:
        agents.record_discovered(agents.get(agent_id), list(report.found))
    reported = {printer_id: (state, detail) for printer_id, state, detail in report.states}
    rows = read_rows(PRINTER_STATES, {"tenant_id": current_tenant_id(), "agent": agent_id})
    own_printers = {row.id: (row.state, row.detail) for row in rows}
    changed = False
    for printer_id, known in own_printers.items():
        state, detail = reported.get(printer_id, ("", ""))
        if not state and known[0] == "offline":
            state = "ready"  # its agent is back and has not checked it yet
        reason = reasons.device_text(detail)
        if state and (state, reason) != known:
            printer = printers.get(printer_id)
            printer.seen_at = now() if printer.state != state else printer.seen_at
            changed |= printers.record_state(printer, state, reason)
    if changed:
        check_at = now() + spool.CHECK_AFTER
        lanes.mark_later(PRINTING_LANE, current_tenant_id(), check_at)
    return turn, set(own_printers) != set(reported)


def claim_jobs(
    agent_id: str, turn: int, *, reported: Collection[str] = (), answer: bool = True
) -> PollAnswer:
    """Claim the jobs that the agent's printers may have now.

    `answer`: return a body even if there is nothing new for an agent that has `reported` these
    printers.
    """
    printer_ids = agents.lock_for_claim(agent_id, turn)
    if printer_ids is None:
        return PollAnswer(NOTHING)  # a newer poll gets the jobs
    claims = spool.claim(printer_ids, agent_id)
    dropped = fallback_copies.jobs_to_drop(agent_id)
    newly_dropped = any([*map(fallback_copies.request_drop, dropped)])
    if not (answer or claims.jobs or newly_dropped or set(printer_ids) != set(reported)):
        return PollAnswer(None, claims.recheck_after)
    body: dict[str, Any] = {
        "printers": [printer_json(printer) for printer in printers.of_agent(agent_id)],
        "jobs": [job_json(job) for job in claims.jobs],
    }
    if dropped:
        body["drop"] = [job.id for job in dropped]
    return PollAnswer(body)


def printer_json(printer: Printer) -> dict[str, Any]:
    return {
        "id": printer.id,
        "name": printer.name,
        "output": printer.output,
        "language": printer.language,
        "checks": printer.checks,
    }


def job_json(job: PrintJob) -> dict[str, Any]:
    return {
        "id": job.id,
        "printer_id": job.printer_id,
        "fence": job.fence,
        "title": job.title,
        "media_type": job.media_type,
        "data": b64encode(job.data or b"").decode(),
        "again": b64encode(job.again or b"").decode(),
        "lease_seconds": spool.LEASE_SECONDS,
        "queued_at": rfc3339(job.queued_at),
    }


def record_result(
    agent_id: str, job_id: str, fence: int, outcome: str, detail: str, evidence: dict[str, Any]
) -> spool.SettleResult:
    """Record a result from an agent of the job's site. Raises NotFound for another site."""
    agent = agents.get(agent_id)
    job = spool.lock_job(job_id)
    if job.site_id != agent.site_id:
        raise NotFound()
    settled = spool.settle(job, fence, outcome, who=agent.name, detail=detail, evidence=evidence)
    if outcome == "failed":
        _record_printer_state(job, detail)
    return settled


def _record_printer_state(job: PrintJob, detail: str) -> None:
    """If the error names a printer state, record that state."""
    words = detail.lower().replace(" ", "_")
    state = next((one for one in printing_choices.ERROR_STATES if one in words), "")
    if state:
        printer = printers.by_id_including_removed()[job.printer_id]
        printers.record_state(printer, state, reasons.device_text(detail))


def _is_job(text: str) -> bool:
    try:
        return canonical_id("pj", text) == text
    except BadId:
        return False
