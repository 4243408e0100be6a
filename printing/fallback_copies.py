"""A ticket's original and its copy on the backup printer, of which only one should be printed.

When one of them is printed, the other is cancelled, so that no dish is made twice.
"""

from collections.abc import Sequence

from sqlalchemy import and_, bindparam, or_, select, text
from sqlalchemy.orm import aliased

from core import live_updates
from core.clock import now
from core.db import current_tenant_id, db
from printing.job_evidence import add_evidence, publish_live_update
from printing.models import PrintJob
from printing.reasons import PRINTED_ELSEWHERE

UNLOCKED_COPIES = text("""
SELECT id FROM print_jobs
 WHERE tenant_id = :tenant_id AND state IN ('queued', 'claimed')
   AND (id = :original OR fallback_of = :id)
   FOR UPDATE SKIP LOCKED
""").bindparams(
    bindparam("id", type_=PrintJob.id.type), bindparam("original", type_=PrintJob.id.type)
)


def cancel_other_copies(job: PrintJob) -> None:
    """Cancel the other copy of a printed job, if certainly no printer has it.

    A locked row is being settled in another transaction, and then it is too late.
    """
    free = db.session.scalars(
        UNLOCKED_COPIES.columns(PrintJob.id),
        {"tenant_id": current_tenant_id(), "id": job.id, "original": job.fallback_of},
    )
    for twin_id in list(free):
        other = db.session.get_one(PrintJob, (current_tenant_id(), twin_id), populate_existing=True)
        if certainly_unprinted(other):
            cancel_copy(other)
        elif other.claimed_by.startswith("agt_"):
            live_updates.publish_update(
                "prints.agent", agent=other.claimed_by
            )  # its next poll names the job


def certainly_unprinted(job: PrintJob) -> bool:
    """Return True if no agent has the job and no printer fetched it."""
    with_agent = job.claimed_by.startswith("agt_")
    return job.state == "queued" or (not with_agent and job.fetched_at is None)


def printed_elsewhere(job_ids: Sequence[str]) -> list[str]:
    """Return those jobs whose backup copy or original is printed."""
    if not job_ids:
        return []
    other = aliased(PrintJob)
    query = (
        select(PrintJob.id)
        .join(
            other,
            and_(
                other.tenant_id == PrintJob.tenant_id,
                or_(other.fallback_of == PrintJob.id, other.id == PrintJob.fallback_of),
            ),
        )
        .where(
            PrintJob.tenant_id == current_tenant_id(),
            other.tenant_id == current_tenant_id(),
            PrintJob.id.in_(job_ids),
            PrintJob.state.in_(("queued", "claimed")),
            other.state == "printed",
        )
    )
    return [str(one) for one in db.session.scalars(query)]


def jobs_to_drop(agent_id: str) -> list[PrintJob]:
    """Return the jobs of this agent that the other printer has printed."""
    query = select(PrintJob).where(
        PrintJob.tenant_id == current_tenant_id(),
        PrintJob.state == "claimed",
        PrintJob.claimed_by == agent_id,
    )
    own_jobs = {job.id: job for job in db.session.scalars(query)}
    return [own_jobs[one] for one in printed_elsewhere(list(own_jobs))]


def request_drop(job: PrintJob) -> bool:
    """Record the request to drop a job.

    Returns True the first time: the agent's poll is then answered at once.
    """
    already_asked = any(one["what"] == "asked_to_drop" for one in job.evidence or [])
    if not already_asked:
        add_evidence(job, "asked_to_drop", who="Comanda", fence=job.fence)
    return not already_asked


def cancel_copy(job: PrintJob) -> None:
    """Cancel a job whose other copy is printed, without asking: the dish would be made twice."""
    add_evidence(job, "called_off", who="Comanda")
    job.state, job.detail, job.leased_until = "failed", PRINTED_ELSEWHERE, None
    job.settled_at, job.fallback_due_at, job.told = now(), None, True
    publish_live_update(job)
