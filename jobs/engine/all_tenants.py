"""Work over all tenants, in steps of 20 seconds that continue where the last one ended.

The cursor is in the database. A tenant with much to do yields to the others after a few seconds and
comes again after all of them, so tenants with large ids are reached however much the first ones
have to do. A tenant whose work fails does not stop the round.
"""

import time
from collections.abc import Callable, Iterator

from sqlalchemy import select

from core.db import db, global_scope, notify_workers, notify_workers_now
from core.logs import logger
from core.queue import rounds as tenant_rounds
from core.queue.presence import should_yield
from core.queue.rounds import Round
from core.sql.db_errors import is_outage, sqlstate
from tenants.models import Tenant

log = logger(__name__)

WORK_SECONDS = 20.0
TENANT_SECONDS = 4.0
SAVE_CURSOR_SECONDS = 2.0
LEASE_SECONDS = 90.0  # longer than the longest statement, with a margin for a busy machine
PAGE = 500

Work = Callable[[int], bool]


def run_step(job: str, work: Work) -> bool:
    """Run one step. True: the round is finished; otherwise the job is queued again.

    `work` does a small part for one tenant and returns whether there is more. It must commit what
    it does, and must be safe to repeat. The first error is raised at the end of the step.
    """
    with global_scope():
        one = tenant_rounds.claim(job, LEASE_SECONDS)
        if one is None:
            return False
        db.session.flush()
        db.session.expunge(one)
    step = RoundStep(one, work)
    finished = step.run()
    with global_scope():
        tenant_rounds.release(one, finished=finished)
    if not finished and not step.lost:
        notify_workers_now(job)
    if step.error is not None:
        raise step.error
    log.info("tenant round finished" if finished else "tenant round paused", job=job, **step.facts)
    return finished


def resume_interrupted() -> None:
    """In the sweep's global transaction: resume rounds whose worker died."""
    for job in tenant_rounds.interrupted():
        notify_workers(job)


class RoundStep:
    def __init__(self, one: Round, work: Work) -> None:
        self.one, self.work = one, work
        self.until = time.monotonic() + WORK_SECONDS
        self.save_at = time.monotonic() + SAVE_CURSOR_SECONDS
        self.turns, self.failed = 0, 0
        self.error: Exception | None = None
        self.lost = False

    @property
    def facts(self) -> dict[str, int]:
        return {"turns": self.turns, "failed": self.failed, "unfinished": len(self.one.unfinished)}

    def run(self) -> bool:
        """True: no tenant is left."""
        for tenant_id in self._next():
            if self._work_tenant(tenant_id):
                self.one.unfinished = [*self.one.unfinished, tenant_id]
            self.turns += 1
            if self._over():
                return False
        return True

    def _next(self) -> Iterator[int]:
        """Tenants that have had no turn yet; then, repeatedly, those that need more."""
        for tenant_id in _tenant_ids_after(self.one.after_tenant):
            self.one.after_tenant = tenant_id
            yield tenant_id
        while self.one.unfinished:
            tenant_id, *self.one.unfinished = self.one.unfinished
            yield tenant_id

    def _work_tenant(self, tenant_id: int) -> bool:
        """True: there is more to do for this tenant."""
        turn_ends = min(self.until, time.monotonic() + TENANT_SECONDS)
        try:
            while (more := self.work(tenant_id)) and time.monotonic() < turn_ends:
                pass
        except Exception as error:
            if is_outage(error) and not sqlstate(error):
                raise  # the database is down, so the other tenants would fail too
            self.failed += 1
            self.error = self.error or error
            facts = {"error": type(error).__name__, "sqlstate": sqlstate(error)}
            log.error("tenant round step failed", job=self.one.job, tenant_id=tenant_id, **facts)
            return False
        return more

    def _over(self) -> bool:
        moment = time.monotonic()
        if moment > self.save_at:
            self.save_at = moment + SAVE_CURSOR_SECONDS
            with global_scope():
                self.lost = not tenant_rounds.save_progress(self.one, LEASE_SECONDS)
        return self.lost or moment > self.until or should_yield()


def _tenant_ids_after(last: int) -> Iterator[int]:
    while True:
        with global_scope():
            query = select(Tenant.id).where(Tenant.id > last).order_by(Tenant.id).limit(PAGE)
            page = list(db.session.scalars(query))
        yield from page
        if len(page) < PAGE:
            return
        last = page[-1]
