"""A worker process: `python -m jobs.worker [queue …]`. Jobs run in this process, not in forks."""

import sys
from types import TracebackType

from rq import Queue, SimpleWorker
from rq.exceptions import DeserializationError
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.worker import DequeueStrategy

from core.app_setup import create_worker_app
from core.logs import bind_request, logger, new_request_id
from core.queue.presence import PRIORITY_QUEUE, begin_shutdown, set_served_queues
from core.queue.registry import ALL_QUEUES, current_job_name
from core.queue.wakeups import SERIALIZER, queue_named
from core.settings import SettingsError
from core.sql.db_errors import traceback_without_message
from jobs.engine.redis_connection import stop_retrying, worker_redis
from messaging.lines.simulated_line import refuse_live_simulated_lines
from restaurant.wiring import wire_domains

log = logger(__name__)


class JobWorker(SimpleWorker):
    """Gives each job the request id of the request that woke it."""

    # The longest wait between two tries while Redis is down: a try costs one connection.
    max_connection_wait_time = 2.0

    def execute_job(self, job: Job, queue: Queue) -> None:
        try:
            job.func_name = current_job_name(str(job.func_name))
        except DeserializationError:
            # The job was written by a release with another format. Its work is in a row, and the
            # sweep wakes a worker for it again.
            log.warning("unreadable job dropped", queue=queue.name)
            job.delete()
            return
        super().execute_job(job, queue)

    def perform_job(self, job: Job, queue: Queue) -> bool:
        bind_request((job.meta or {}).get("request_id") or new_request_id(), job=job.func_name)
        return super().perform_job(job, queue)

    def handle_exception(
        self,
        job: Job,
        *exc_info: type[BaseException] | BaseException | TracebackType | None,
    ) -> None:
        """Log without the error's text, which may contain what customers wrote."""
        self._failure = (
            traceback_without_message(exc_info[1]) if isinstance(exc_info[1], Exception) else ""
        )
        log.error("job failed", job=job.func_name, failure=self._failure)

    def handle_job_failure(
        self,
        job: Job,
        queue: Queue,
        started_job_registry: StartedJobRegistry | None = None,
        exc_string: str = "",  # noqa: ARG002 - RQ's own, with the error's text
    ) -> None:
        """Keep in Redis only where the job failed and the type of the error."""
        failure = getattr(self, "_failure", "")
        super().handle_job_failure(job, queue, started_job_registry, failure)

    def handle_warm_shutdown_request(self) -> None:
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        begin_shutdown()
        stop_retrying()

    def reorder_queues(self, reference_queue: Queue) -> None:
        """Round robin, so that a job that queues itself again does not block other queues. After a
        job of another queue, the send queue comes first.
        """
        super().reorder_queues(reference_queue)
        if reference_queue.name != PRIORITY_QUEUE:
            self._ordered_queues.sort(key=lambda one: one.name != PRIORITY_QUEUE)


def main(names: list[str]) -> None:
    app = create_worker_app()
    wire_domains()
    with app.app_context():
        try:
            refuse_live_simulated_lines(app.extensions["comanda"])
        except SettingsError as error:
            raise SystemExit(str(error)) from None
        connection = worker_redis(app.extensions["comanda"].redis_url)
        set_served_queues(names or ALL_QUEUES)
        queues = [queue_named(name, connection) for name in names or ALL_QUEUES]
        JobWorker(queues, connection=connection, serializer=SERIALIZER).work(
            logging_level="WARNING", dequeue_strategy=DequeueStrategy.ROUND_ROBIN
        )


if __name__ == "__main__":
    main(sys.argv[1:])
