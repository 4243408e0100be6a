"""The clock: `python -m jobs.scheduler`. Any number may run; one of them leads."""

import os
import socket
from collections.abc import Callable

from redis import Redis
from rq.cron import CronJob, CronScheduler

from core.ground import bare_app
from core.ids import new_token
from jobs import (
    automations,
    closing,
    contacts,
    costs,
    deliveries,
    exports,
    hooks,
    housekeeping,
    keeping,
    media,
    payments,
    templates,
    warnings,
)
from jobs.connection import worker_redis

LEASE_SECONDS = 15
LOOK_EVERY_SECONDS = 2.0

EVERY: dict[Callable[[], object], int] = {housekeeping.sweep: 5}  # seconds
AT: dict[Callable[[], object], str] = {
    housekeeping.tidy: "17 3 * * *",
    keeping.forget: "27 3 * * *",
    closing.erase_due: "37 3 * * *",
    closing.ask_payments: "4-59/5 * * * *",
    exports.find_forgotten: "13 * * * *",
    contacts.tidy: "47 3 * * *",
    hooks.find_forgotten: "*/5 * * * *",
    deliveries.find_forgotten: "* * * * *",
    deliveries.forget: "52 2 * * *",
    payments.find_forgotten: "1-56/5 * * * *",
    media.remove_doomed: "*/5 * * * *",
    warnings.look: "53 * * * *",
    templates.mark_all: "37 * * * *",
    automations.find_forgotten: "2-57/5 * * * *",
    costs.close_day: "23 0 * * *",
    housekeeping.make_months: "41 1 * * *",
    housekeeping.turn_days: "51 */6 * * *",
}

RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0
"""


class LeadingScheduler(CronScheduler):
    """Enqueues only while it holds the lease, so that a second one is a spare."""

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

    def calculate_sleep_interval(self) -> float:
        """A spare's jobs are always overdue; it sleeps all the same."""
        wait = super().calculate_sleep_interval() if self._leads else LOOK_EVERY_SECONDS
        return min(wait, LOOK_EVERY_SECONDS)


def build(connection: Redis) -> LeadingScheduler:
    scheduler = LeadingScheduler(connection)
    for job, seconds in EVERY.items():
        scheduler.register(job, "default", interval=seconds, result_ttl=0, ttl=seconds * 4)
    for job, when in AT.items():
        scheduler.register(job, "default", cron=when, result_ttl=0)
    return scheduler


def main() -> None:
    app = bare_app()
    with app.app_context():
        build(worker_redis(app.extensions["comanda"].redis_url)).start()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
