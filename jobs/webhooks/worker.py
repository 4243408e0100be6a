"""Deliver events to endpoints: number them, fan them out, post what is due.

A job leases lanes and passes their batches to the process's webhook poster. It does not wait for
posts that hang.
"""

import asyncio
import contextlib
import time
from datetime import timedelta
from uuid import UUID

from flask import Flask, current_app
from redis.exceptions import RedisError
from sqlalchemy.dialects.postgresql import insert

from core.asyncio_tools import cancel_and_wait
from core.clock import now
from core.db import db, global_scope, notify_workers, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.lanes import Lane
from core.queue.listeners import COMPLETE, LISTENER_HASHES
from core.queue.wakeups import (
    TENANT_SETS,
    acknowledge_wakeup,
)
from core.redis.client import redis_client
from core.settings import Settings
from core.sql import partitions
from jobs.engine import all_tenants
from jobs.engine.drain import DrainWorker
from jobs.webhooks.lane import WebhookLane
from jobs.webhooks.poster import LANE, WebhookPoster, webhook_poster_of
from webhooks import listeners
from webhooks.delivery import claim as webhook_claim
from webhooks.delivery import fanout
from webhooks.delivery import retention as webhook_retention
from webhooks.delivery import settle as webhook_settle

log = logger(__name__)

JOB = "jobs.webhooks.worker.drain"
MOST_POSTS = 2000  # batches in flight in a process; beyond that, the lanes wait
# later than this, the process is too busy for more
LOOP_CHECK_SECONDS, LOOP_LATE_SECONDS = 0.02, 0.03
MAX_LOOP_WAIT_SECONDS = 0.5


def drain() -> int:
    acknowledge_wakeup("jobs.webhooks.worker.drain")
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    poster = webhook_poster_of(app)
    return poster.run(WebhookWorker(poster).run())


def sweep() -> None:
    """In the sweep's global transaction: deliveries that are due again, lanes without a wake-up."""
    if lanes.promote_later_due(LANE) or redis_client().exists(TENANT_SETS[JOB]):
        notify_workers("jobs.webhooks.worker.drain")


def find_lost_work() -> int:
    """For tenants with endpoints: find events without a number and deliveries without a lane, and
    check the health of endpoints. Also renews the cached subscriptions that limit wake-ups.
    """
    acknowledge_wakeup("jobs.webhooks.worker.find_lost_work")
    found = 0
    for tenant_id, types in listeners.refresh_listeners().items():
        with tenant_scope(tenant_id):
            due = webhook_claim.next_due()
            if fanout.has_unnumbered_events() or (due is not None and due <= now()):
                lanes.mark_due(LANE, tenant_id)
                notify_workers("jobs.webhooks.worker.drain")
                found += 1
            webhook_settle.check_all_endpoints()
            if types != " ".join(listeners.subscribed_types()):
                listeners.update_listeners()
    return found


class WebhookWorker(DrainWorker):
    job, lane = JOB, LANE
    most_lanes = leased_at_once = 32
    hands_over = False

    def __init__(self, poster: WebhookPoster) -> None:
        super().__init__(poster.app)
        self.poster = poster
        self.loop_on_time = asyncio.Event()
        """Cleared while the loop is late: more posts would only delay each other."""
        self.loop_on_time.set()

    async def run(self) -> int:
        watch = asyncio.create_task(self.watch_loop_lag())
        try:
            return await super().run()
        finally:
            await cancel_and_wait(watch)

    async def lease(self, most: int) -> tuple[int, list[WebhookLane]]:
        """Mark the lanes of the woken tenants, and lease those that have waited longest."""
        await self.wait_for_loop()
        woken, listeners_known = await self.read_wakeups()
        if len(self.poster.posts) >= MOST_POSTS:
            most = 0

        def mark_and_lease() -> list[tuple[int, UUID]]:
            if not listeners_known:
                listeners.refresh_listeners()
            with global_scope():
                if woken:
                    _mark_lanes(woken)
                if most <= 0:
                    return []
                return lanes.lease_many(LANE, self.settings.lane_lease_seconds, most)

        needed = woken or most > 0 or not listeners_known
        leased = await self.in_thread(mark_and_lease) if needed else []
        return most, [WebhookLane(self, *one) for one in leased]

    async def read_wakeups(self) -> tuple[list[int], bool]:
        """The woken tenants, and whether wake-ups are limited to subscribed events. If Redis is
        unavailable, `listen` logs it.
        """
        try:
            async with self.redis.pipeline(transaction=False) as pipe:
                pipe.spop(TENANT_SETS[JOB], 1000)
                pipe.hexists(LISTENER_HASHES[JOB], COMPLETE)
                woken, known = await pipe.execute()
        except RedisError:
            return [], True
        return [int(one) for one in woken or []], bool(known)

    async def wait_for_loop(self) -> None:
        """With no posts in flight, other processes cause the delay, so waiting would not help."""
        if self.poster.posts:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(MAX_LOOP_WAIT_SECONDS):
                    await self.loop_on_time.wait()

    async def watch_loop_lag(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(LOOP_CHECK_SECONDS)
            if time.monotonic() - before > LOOP_CHECK_SECONDS + LOOP_LATE_SECONDS:
                self.loop_on_time.clear()
            else:
                self.loop_on_time.set()


def _mark_lanes(woken: list[int]) -> None:
    """Skips tenants without an endpoint: their events are numbered when they are read."""
    if listening := listeners.listening_among(woken):
        marks = [{"kind": LANE, "tenant_id": one, "due_at": now()} for one in listening]
        db.session.execute(insert(Lane).values(marks).on_conflict_do_nothing())


def delete_old_events() -> int:
    """Nightly: delete events and deliveries older than EVENT_DAYS; drop whole old months."""
    acknowledge_wakeup("jobs.webhooks.worker.delete_old_events")
    settings: Settings = current_app.extensions["comanda"]
    before, deleted = now() - timedelta(days=settings.event_days), 0

    def delete_some(tenant_id: int) -> bool:
        nonlocal deleted
        with tenant_scope(tenant_id):
            fanout.number_events(webhook_retention.BATCH_SIZE)  # as many as are deleted at once
            count = webhook_retention.delete_before(before)
        deleted += count
        return count >= webhook_retention.BATCH_SIZE

    all_tenants.run_step("jobs.webhooks.worker.delete_old_events", delete_some)
    partitions.drop_all(webhook_retention.TABLES, before)
    log.info("old events deleted", rows=deleted)
    return deleted
