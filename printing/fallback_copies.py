"""A ticket's original and its copy on the backup printer, of which only one should be printed.

When one of them is printed, the other is cancelled, so that no dish is made twice.
"""

from collections.abc import Sequence

from sqlalchemy import bindparam, text
from sqlalchemy.dialects.postgresql import ARRAY

from core import live_updates
from core.clock import now
from core.db import current_tenant_id, db, read_rows
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

COPIES_PRINTED_ELSEWHERE = (
    text("""
SELECT j.id FROM print_jobs AS j
 WHERE j.tenant_id = :tenant_id AND j.id = ANY(:jobs) AND j.state IN ('queued', 'claimed')
   AND (EXISTS (SELECT 1 FROM print_jobs AS copy
                 WHERE copy.tenant_id = :tenant_id AND copy.fallback_of = j.id
                   AND copy.state = 'printed')
     OR EXISTS (SELECT 1 FROM print_jobs AS original
                 WHERE original.tenant_id = :tenant_id AND original.id = j.fallback_of
                   AND original.state = 'printed'))
""")
    .bindparams(bindparam("jobs", type_=ARRAY(PrintJob.id.type)))
    .columns(PrintJob.id)
)
JOBS_OF_AGENT = text("""
SELECT id FROM print_jobs
 WHERE tenant_id = :tenant_id AND state = 'claimed' AND claimed_by = :agent
""").columns(PrintJob.id)


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
    rows = read_rows(
        COPIES_PRINTED_ELSEWHERE, {"tenant_id": current_tenant_id(), "jobs": list(job_ids)}
    )
    return [row.id for row in rows]


def jobs_to_drop(agent_id: str) -> list[PrintJob]:
    """Return the jobs of this agent that the other printer has printed."""
    rows = read_rows(JOBS_OF_AGENT, {"tenant_id": current_tenant_id(), "agent": agent_id})
    ids = printed_elsewhere([row.id for row in rows])
    return [db.session.get_one(PrintJob, (current_tenant_id(), one)) for one in ids]


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
