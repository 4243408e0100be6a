"""The event loop of a process for posts to endpoints.

A post may hang for its full 15 seconds. It runs here and not in the job that began it, so that
neither a job nor another event waits for it. Deliveries that are lost with the process become due
again when their lease expires.
"""

import asyncio
import atexit
import time
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import wait
from dataclasses import dataclass, field
from datetime import datetime
from threading import Thread
from typing import Any, TypeVar

from flask import Flask

from core import chaos
from core.asyncio_tools import AppThreads
from core.clock import now
from core.db import global_scope, notify_workers
from core.http import Policy
from core.http.async_client import Client
from core.ids import id_time, to_uuid
from core.logs import logger
from core.monitoring import metrics
from core.queue import lanes
from core.settings import Settings
from webhooks.delivery import claim as webhook_claim
from webhooks.delivery import post as webhook_post
from webhooks.delivery import settle as webhook_settle
from webhooks.delivery.claim import ClaimedDelivery, EndpointBatch
from webhooks.delivery.post import TOTAL_SECONDS, AttemptResult
from webhooks.endpoints import FAILURES_BEFORE_PAUSE

log = logger(__name__)

LANE = "deliveries"
PER_ENDPOINT = 8
IN_ORDER_BELOW = 5  # fewer than this are sent one after another; in a backlog the order is not kept
# Limits the memory that endpoints can make this process use: each attempt holds its event and 2 KB
# of the response.
ATTEMPTS_AT_ONCE = 1000
SETTLE_EVERY_SECONDS = 1.0  # results within this time are settled together
# this process wakes itself for a retry this near; the sweep handles later ones
NEAR_RETRY_SECONDS = 60.0
EXTENSION = "comanda.posts"

T = TypeVar("T")


def webhook_poster_of(app: Flask) -> "WebhookPoster":
    if EXTENSION not in app.extensions:
        app.extensions[EXTENSION] = WebhookPoster(app)
    poster: WebhookPoster = app.extensions[EXTENSION]
    return poster


@dataclass
class BatchInFlight:
    """One claimed batch while it is being posted."""

    tenant_id: int
    batch: EndpointBatch
    last_start: float
    waiting: deque[ClaimedDelivery]
    failures: int
    """In a row, as far as this process has seen."""
    ended: list[tuple[ClaimedDelivery, AttemptResult]] = field(default_factory=list)

    @property
    def has_more(self) -> bool:
        return bool(self.waiting) and time.monotonic() < self.last_start

    def note(self, one: ClaimedDelivery, posted: AttemptResult) -> None:
        self.ended.append((one, posted))
        self.failures = 0 if posted.delivered else self.failures + 1
        if self.failures >= FAILURES_BEFORE_PAUSE or posted.gone or posted.retry_after is not None:
            self.last_start = 0.0  # the rest is put back


class WebhookPoster(AppThreads):
    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self.settings: Settings = app.extensions["comanda"]
        self.loop = asyncio.new_event_loop()
        self.posts: set[asyncio.Task[None]] = set()
        self.attempts = asyncio.Semaphore(ATTEMPTS_AT_ONCE)
        self.alarms: dict[int, tuple[datetime, asyncio.TimerHandle]] = {}
        Thread(target=self.loop.run_forever, name="posts", daemon=True).start()
        self.client: Client = self.run(self._open())
        atexit.register(self.close)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the loop from another thread, and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result()

    def close(self) -> None:
        """Wait for posts under way to finish, so that a restart repeats none of them."""

        async def end() -> None:
            for _, alarm in self.alarms.values():
                alarm.cancel()
            if self.posts:
                await asyncio.wait(self.posts, timeout=TOTAL_SECONDS)

        wait([asyncio.run_coroutine_threadsafe(end(), self.loop)], TOTAL_SECONDS + 1)

    async def _open(self) -> Client:
        policy = Policy(self.settings.ports_allowed, self.settings.allow_loopback)
        return await Client(policy).__aenter__()

    @property
    def lease_seconds(self) -> float:
        """Posts begin in the first part of the lease, so that the last one still ends within it."""
        return self.settings.lease_seconds + TOTAL_SECONDS

    def send(self, tenant_id: int, batch: EndpointBatch) -> asyncio.Task[None]:
        """Start posting a claimed batch. Call it in the loop's thread."""
        last_start = time.monotonic() + self.settings.lease_seconds / 2
        one = BatchInFlight(tenant_id, batch, last_start, deque(batch.claimed), batch.failures)
        task = self.loop.create_task(self._post_batch(one))
        self.posts.add(task)
        task.add_done_callback(self.posts.discard)
        return task

    async def _post_batch(self, this: BatchInFlight) -> None:
        try:
            tasks = [
                asyncio.create_task(self._post_next(this))
                for _ in range(min(PER_ENDPOINT, 1 + len(this.waiting) // IN_ORDER_BELOW))
            ]
            working = set(tasks)
            while working:
                _, working = await asyncio.wait(working, timeout=SETTLE_EVERY_SECONDS)
                if working and this.ended:
                    await self._settle(this, finished=False)
            await self._settle(this, finished=True)
            chaos.fault_point("after_settle_commit")
        except Exception:
            log.exception("webhook batch failed", endpoint=this.batch.endpoint_id)

    async def _post_next(self, this: BatchInFlight) -> None:
        while this.has_more:
            async with self.attempts:
                if this.has_more:  # another task may have taken the last one during the wait
                    await self._post(this, this.waiting.popleft())

    async def _post(self, this: BatchInFlight, one: ClaimedDelivery) -> None:
        posted = await webhook_post.post_delivery(self.client, this.batch, one)
        this.note(one, posted)
        metrics.WEBHOOK_ATTEMPTS.add("delivered" if posted.delivered else "failed")
        if posted.delivered and one.attempt == 1:
            published = id_time(to_uuid("evt", one.event_id))
            metrics.WEBHOOK_SECONDS.observe([(now() - published).total_seconds()])

    async def _settle(self, this: BatchInFlight, finished: bool) -> None:
        results, this.ended = this.ended, []
        rest = list(this.waiting) if finished else []

        chaos.fault_point("before_settle_commit")
        if results and not rest and all(posted.delivered for _, posted in results):
            due = await self.in_thread(
                lambda: webhook_settle.settle_delivered(
                    this.tenant_id, this.batch, results, finished
                )
            )
            if finished and (more := due) is not None:
                await self.tenant(this.tenant_id, lambda: self.mark_next_due(this.tenant_id, more))
        else:
            due = await self._settle_each(this, results, rest, finished)
        if finished and due is not None and due > now():
            self.wake_at(this.tenant_id, due)

    async def _settle_each(
        self,
        this: BatchInFlight,
        results: list[tuple[ClaimedDelivery, AttemptResult]],
        rest: list[ClaimedDelivery],
        finished: bool,
    ) -> datetime | None:
        def write() -> datetime | None:
            webhook_settle.settle_batch(this.batch, results, rest, finished)
            due = webhook_claim.next_due() if finished else None
            if due is not None:
                self.mark_next_due(this.tenant_id, due)
            return due

        return await self.tenant(this.tenant_id, write)

    def mark_next_due(self, tenant_id: int, due: datetime) -> None:
        """In the tenant's transaction: mark the lane, because there is more now or later."""
        if lanes.mark_next(LANE, tenant_id, due):
            notify_workers("jobs.webhooks.worker.drain")

    def wake_at(self, tenant_id: int, due: datetime) -> None:
        """Wake a worker for a near retry without waiting for the sweep. In the loop's thread."""
        delay = (due - now()).total_seconds()
        known = self.alarms.get(tenant_id)
        if delay > NEAR_RETRY_SECONDS or (known is not None and known[0] <= due):
            return
        if known is not None:
            known[1].cancel()
        handle = self.loop.call_later(max(delay, 0.0), self._wake, tenant_id)
        self.alarms[tenant_id] = (due, handle)

    def _wake(self, tenant_id: int) -> None:
        self.alarms.pop(tenant_id, None)

        def mark() -> None:
            with global_scope():
                lanes.mark_due(LANE, tenant_id)
                notify_workers("jobs.webhooks.worker.drain")

        task = self.loop.create_task(self._run_or_log(mark))
        self.posts.add(task)
        task.add_done_callback(self.posts.discard)

    async def _run_or_log(self, work: Callable[[], None]) -> None:
        try:
            await self.in_thread(work)
        except Exception as error:  # noqa: BLE001 - the sweep does it too, a little later
            log.info("webhook follow-up failed", error=type(error).__name__)
