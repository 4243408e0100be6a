"""A worker process: `python -m jobs.worker [queue …]`. Jobs run in this process, not in forks."""

import sys

from rq import Queue, SimpleWorker
from rq.job import Job
from rq.worker import DequeueStrategy

from core.ground import bare_app
from core.logs import bind_request, new_request_id
from core.rings import ALL_QUEUES
from core.shifts import FIRST, close, serve
from jobs.connection import worker_redis


class QuietWorker(SimpleWorker):
    """Gives each job the request id of the ring that caused it."""

    # Asked for again this soon, at the latest, after Redis was away: it costs one connection.
    max_connection_wait_time = 2.0

    def perform_job(self, job: Job, queue: Queue) -> bool:
        bind_request((job.meta or {}).get("request_id") or new_request_id(), job=job.func_name)
        return super().perform_job(job, queue)

    def handle_warm_shutdown_request(self) -> None:
        super().handle_warm_shutdown_request()  # type: ignore[no-untyped-call]
        close()

    def reorder_queues(self, reference_queue: Queue) -> None:
        """In turn, so that a job that rings for itself again keeps no other queue waiting; but
        whoever was not at the messages just now looks there first."""
        super().reorder_queues(reference_queue)
        if reference_queue.name != FIRST:
            self._ordered_queues.sort(key=lambda one: one.name != FIRST)


def main(names: list[str]) -> None:
    app = bare_app()
    with app.app_context():
        connection = worker_redis(app.extensions["comanda"].redis_url)
        serve(names or ALL_QUEUES)
        queues = [Queue(name, connection=connection) for name in names or ALL_QUEUES]
        QuietWorker(queues, connection=connection).work(
            logging_level="WARNING", dequeue_strategy=DequeueStrategy.ROUND_ROBIN
        )


if __name__ == "__main__":
    main(sys.argv[1:])
