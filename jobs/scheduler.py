"""The scheduler: `python -m jobs.scheduler`. Any number may run; one of them leads."""

import os
import socket
from contextlib import suppress
from types import FrameType
from typing import Any

from redis import Redis, RedisError
from rq.cron import CronJob, CronScheduler
from rq.job import Job

from core.app_setup import create_worker_app
from core.ids import new_token
from core.queue.wakeups import FAILED_JOB_TTL_SECONDS, WakeUp, queue_named
from jobs.engine.redis_connection import stop_retrying, worker_redis

LEASE_SECONDS = 15
LOOK_EVERY_SECONDS = 2.0

# Jobs that fail every few seconds must not fill Redis.
REPEATED_FAILURE_TTL_SECONDS = 3600
EVERY_SECONDS: dict[str, int] = {"jobs.maintenance.sweep": 5}
CRON: dict[str, str] = {
    "jobs.health.measure": "* * * * *",
    "jobs.maintenance.delete_expired": "17 3 * * *",
    "jobs.tenants.retention.delete_expired_data": "27 3 * * *",
    "jobs.tenants.account_closure.erase_closed_accounts": "37 3 * * *",
    "jobs.tenants.account_closure.check_plan_payments": "4-59/5 * * * *",
    "jobs.tenants.exports.find_lost_work": "13 * * * *",
    "jobs.contacts.delete_old_imports": "47 3 * * *",
    "jobs.inbound.hooks.find_lost_work": "*/5 * * * *",
    "jobs.webhooks.worker.find_lost_work": "* * * * *",
    "jobs.webhooks.worker.delete_old_events": "52 2 * * *",
    "jobs.restaurant.payments.find_lost_work": "1-56/5 * * * *",
    "jobs.restaurant.ad_conversions.send_due": "* * * * *",
    "jobs.media.delete_pending_files": "*/5 * * * *",
    "jobs.tenants.usage_alerts.check_usage": "53 * * * *",
    "jobs.tenants.plan_renewals.check_renewals": "43 * * * *",
    "jobs.lines.template_sync.request_all": "37 * * * *",
    "jobs.automations.find_lost_work": "2-57/5 * * * *",
    "jobs.journeys.find_lost_work": "4-59/5 * * * *",
    "jobs.campaigns.find_lost_work": "3-58/5 * * * *",
    "jobs.costs.close_day": "23 0 * * *",
    "jobs.maintenance.create_month_partitions": "41 1-23/6 * * *",
    "jobs.maintenance.rotate_day_partitions": "51 */6 * * *",
}

RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0
"""


class NamedJob(CronJob):
    """Enqueued by name, so the scheduler does not import the jobs."""

    def enqueue(self, connection: Redis) -> Job:
        return queue_named(self.queue_name, connection).enqueue(self.func_name, **self.job_options)


class LeadingScheduler(CronScheduler):
    """Enqueues only while it holds the lease; other schedulers are spares."""

    def __init__(self, connection: Redis) -> None:
        super().__init__(connection=connection, logging_level="WARNING")
        self._me = f"{socket.gethostname()}:{os.getpid()}:{new_token()}"
        self._leads = False
        self._renew = connection.register_script(RENEW)

    def leads(self) -> bool:
        lease: list[str | int] = [self._me, LEASE_SECONDS * 1000]
        self._leads = bool(self._renew(keys=["scheduler:leader"], args=lease))
        return self._leads

    def enqueue_jobs(self) -> list[CronJob]:
        return super().enqueue_jobs() if self.leads() else []

    def _request_stop(self, signum: int, frame: FrameType | None) -> None:
        stop_retrying()
        super()._request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def register_death(self, pipeline: Any = None) -> None:
        """While Redis is down the entry cannot be removed; it expires there."""
        with suppress(RedisError):
            super().register_death(pipeline)

    def calculate_sleep_interval(self) -> float:
        """A spare's jobs are always overdue, so it must not use them to compute its sleep."""
        wait = super().calculate_sleep_interval() if self._leads else LOOK_EVERY_SECONDS
        return min(wait, LOOK_EVERY_SECONDS)


def build(connection: Redis) -> LeadingScheduler:
    scheduler = LeadingScheduler(connection)
    jobs = scheduler.get_jobs()
    for job, seconds in EVERY_SECONDS.items():
        jobs.append(_named_job(job, interval=seconds, ttl=seconds * 4))
    for job, when in CRON.items():
        jobs.append(_named_job(job, cron=when))
    return scheduler


def _named_job(job: str, **when: Any) -> NamedJob:
    one = WakeUp(job)
    options: dict[str, Any] = {"job_timeout": one.seconds, "result_ttl": 0}
    failure_ttl = REPEATED_FAILURE_TTL_SECONDS if job in EVERY_SECONDS else FAILED_JOB_TTL_SECONDS
    return NamedJob(one.queue, func_name=job, failure_ttl=failure_ttl, **options, **when)


def main() -> None:
    app = create_worker_app()
    with app.app_context():
        build(worker_redis(app.extensions["comanda"].redis_url)).start()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
