"""The state of RQ: queues, workers, failed jobs. Empty, with a notice, without Redis."""

from dataclasses import dataclass
from datetime import UTC, datetime

from redis import RedisError
from rq import Worker
from rq.exceptions import DeserializationError, InvalidJobOperation, NoSuchJobError
from rq.job import Job

from core.monitoring.service_state import QueueState, queue_states
from core.queue.registry import ALL_QUEUES
from core.queue.wakeups import SERIALIZER, queue_named
from core.redis.client import redis_client

MOST_FAILED = 50


@dataclass(frozen=True)
class WorkerRow:
    name: str
    state: str
    queues: list[str]
    seen_at: datetime | None


@dataclass(frozen=True)
class FailedRow:
    id: str
    job: str
    queue: str
    at: datetime | None
    error: str


def queue_rows() -> list[QueueState]:
    try:
        return queue_states()
    except RedisError:
        return []


def workers() -> list[WorkerRow]:
    try:
        return [
            WorkerRow(w.name, str(w.get_state()), w.queue_names(), _aware(w.last_heartbeat))
            for w in Worker.all(connection=redis_client())
        ]
    except RedisError:
        return []


def failed_jobs() -> list[FailedRow]:
    rows: list[FailedRow] = []
    try:
        for name in ALL_QUEUES:
            queue = queue_named(name)
            ids = queue.failed_job_registry.get_job_ids(0, MOST_FAILED - 1)
            found = Job.fetch_many(ids, connection=redis_client(), serializer=SERIALIZER)
            rows += [_failed(job, name) for job in found if job is not None]
    except RedisError:
        return []
    rows.sort(key=lambda row: row.at or datetime.min.replace(tzinfo=UTC), reverse=True)
    return rows[:MOST_FAILED]


def retry_job(job_id: str) -> bool:
    try:
        Job.fetch(job_id, connection=redis_client(), serializer=SERIALIZER).requeue()
    except (NoSuchJobError, InvalidJobOperation):  # already gone, or another operator was faster
        return False
    return True


def _failed(job: Job, queue: str) -> FailedRow:
    result = job.latest_result()
    trace = (result.exc_string or "") if result else ""
    # Database errors end with the statement and a link; the lines above name the cause.
    named = [line for line in trace.splitlines() if line[:1].isalpha()]
    last_line = named[-1] if named else ""
    try:
        name = job.func_name or ""
    except DeserializationError:  # from a release that stored jobs in another format
        name = job.description or ""
    return FailedRow(job.id, name, queue, _aware(job.ended_at), last_line)


def _aware(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
