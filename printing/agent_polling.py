"""One poll of an agent: record what it reports, and answer with printers and jobs."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from core.clock import now, rfc3339
from core.db import current_tenant_id
from core.errors import NotFound
from core.ids import BadId, canonical_id
from core.queue import lanes
from printing import agents, fallback_copies, printers, reasons, spool
from printing import choices as printing_choices
from printing.models import PRINTING_LANE, Printer, PrintJob

MAX_JOBS_IN_HAND = 200


@dataclass(frozen=True)
class AgentReport:
    """The agent's report; its values are not trusted."""

    have: Sequence[str] = ()
    states: Sequence[tuple[str, str, str]] = ()
    """(printer, state, detail)"""
    found: Sequence[dict[str, Any]] | None = None


@dataclass(frozen=True)
class PollAnswer:
    body: dict[str, Any]
    over: bool = False
    """A newer poll of the same agent exists."""
    recheck_after: float | None = None
    changed: bool = False
    """There is a job to drop that the agent has not been told about."""

    @property
    def any_jobs(self) -> bool:
        return bool(self.body["jobs"]) or self.changed


def begin_poll(agent_id: str, report: AgentReport) -> tuple[int, bool]:
    """Record the report. Returns the poll's number, and whether the agent needs its printers."""
    agent, turn = agents.begin_poll(agent_id)
    spool.extend_leases([one for one in report.have if _is_job(one)][:MAX_JOBS_IN_HAND], agent.id)
    own_printers = {printer.id: printer for printer in printers.of_agent(agent.id)}
    reported = {printer_id: (state, detail) for printer_id, state, detail in report.states}
    if report.found is not None:
        agents.record_discovered(agent, list(report.found))
    changed = False
    for printer_id, printer in own_printers.items():
        state, detail = reported.get(printer_id, ("", ""))
        if not state and printer.state == "offline":
            state = "ready"  # its agent is back and has not checked it yet
        if state:
            printer.seen_at = now() if printer.state != state else printer.seen_at
            changed |= printers.record_state(printer, state, reasons.device_text(detail))
    if changed:
        check_at = now() + spool.CHECK_AFTER
        lanes.mark_later(PRINTING_LANE, current_tenant_id(), check_at)
    return turn, set(own_printers) != set(reported)


def claim_jobs(agent_id: str, turn: int) -> PollAnswer:
    """Claim the jobs that the agent's printers may have now."""
    if not agents.is_latest_poll(agent_id, turn):
        return PollAnswer({"printers": [], "jobs": []}, over=True)
    own_printers = printers.of_agent(agent_id)
    claims = spool.claim([printer.id for printer in own_printers], agent_id)
    body: dict[str, Any] = {
        "printers": [printer_json(printer) for printer in own_printers],
        "jobs": [job_json(job) for job in claims.jobs],
    }
    dropped = fallback_copies.jobs_to_drop(agent_id)
    if dropped:
        body["drop"] = [job.id for job in dropped]
    return PollAnswer(
        body,
        recheck_after=claims.recheck_after,
        changed=any([*map(fallback_copies.request_drop, dropped)]),
    )


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
    settled = spool.settle(job_id, fence, outcome, who=agent.name, detail=detail, evidence=evidence)
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
