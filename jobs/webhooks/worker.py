"""Deliver events to endpoints: number them, fan them out, post what is due.

A job leases lanes, passes their batches to the process's webhook poster, and waits for a moment,
because the next wake-up usually comes soon. It does not wait for posts that hang.
"""

import asyncio
import contextlib
import time
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from flask import Flask, current_app
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core import chaos
from core.asyncio_tools import cancel_and_wait
from core.clock import now
from core.db import db, global_scope, notify_workers, tenant_scope
from core.logs import logger
from core.lookups import Lookup
from core.queue import lanes
from core.queue.lanes import Lane
from core.queue.presence import WorkerPresence
from core.queue.wakeups import (
    TENANT_SETS,
    WAKEUP_LISTS,
    acknowledge_wakeup,
    request_another_worker,
    set_listening_tenants,
)
from core.redis.client import redis_client
from core.settings import Settings
from core.sql import partitions
from jobs.engine import all_tenants
from jobs.webhooks.poster import LANE, WebhookPoster, webhook_poster_of
from webhooks import endpoints
from webhooks.delivery import claim as webhook_claim
from webhooks.delivery import fanout
from webhooks.delivery import retention as webhook_retention
from webhooks.delivery import settle as webhook_settle
from webhooks.delivery.claim import EndpointBatch

log = logger(__name__)

JOB = "jobs.webhooks.worker.drain"
# refreshed every minute, and whenever an endpoint is added or removed
SUBSCRIBERS_TTL_SECONDS = 300
WORK_SECONDS = 30.0
TURN_SECONDS = 5.0  # then another tenant's lane comes first
MOST_LANES = 32
MOST_POSTS = 2000  # batches in flight in a process; beyond that, the lanes wait
BATCH = 100
# later than this, the process is too busy for more
LOOP_CHECK_SECONDS, LOOP_LATE_SECONDS = 0.02, 0.03
MAX_LOOP_WAIT_SECONDS = 0.5
LANE_HOLD_SECONDS = 0.5  # a lane is held this long for its batches; slower ones finish without it


def drain() -> int:
    acknowledge_wakeup("jobs.webhooks.worker.drain")
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    room = webhook_poster_of(app)
    return room.run(WebhookWorker(room).run())


def sweep() -> None:
    """In the sweep's global transaction: deliveries that are due again, lanes without a wake-up."""
    if lanes.promote_later_due(LANE) or redis_client().exists(TENANT_SETS[JOB]):
        notify_workers("jobs.webhooks.worker.drain")


def find_lost_work() -> int:
    """For tenants with endpoints: find events without a wake-up and deliveries without a lane, and
    check the health of endpoints. Also refreshes the set of listening tenants.
    """
    acknowledge_wakeup("jobs.webhooks.worker.find_lost_work")
    found = 0
    with global_scope():
        listening = list(
            db.session.scalars(select(Lookup.tenant_id).where(Lookup.kind == endpoints.LOOKUP))
        )
    set_listening_tenants("jobs.webhooks.worker.drain", listening, SUBSCRIBERS_TTL_SECONDS)
    for tenant_id in listening:
        with tenant_scope(tenant_id):
            due = webhook_claim.next_due()
            if webhook_claim.has_unnumbered_events() or (due is not None and due <= now()):
                lanes.mark_due(LANE, tenant_id)
                notify_workers("jobs.webhooks.worker.drain")
                found += 1
            webhook_settle.check_all_endpoints()
    return found


class WebhookWorker:
    def __init__(self, room: WebhookPoster) -> None:
        self.room = room
        self.settings = room.settings
        self.shift = WorkerPresence(JOB, WORK_SECONDS, waits=False)
        self.begun = 0
        self.loop_on_time = asyncio.Event()
        """Cleared while the loop is late: more posts would only delay each other."""
        self.loop_on_time.set()

    async def run(self) -> int:
        bell = AsyncRedis.from_url(self.settings.redis_url, socket_connect_timeout=2)
        working: set[asyncio.Task[None]] = set()
        pulse = asyncio.create_task(self.watch_loop_lag())
        try:
            while not self.shift.over:
                await self.wait_for_loop()
                most = MOST_LANES - len(working)
                leased = await self.lease(await self.rung(bell), most)
                if len(leased) == most > 0:
                    await asyncio.to_thread(request_another_worker, JOB)
                for tenant_id, lease in leased:
                    working.add(asyncio.create_task(self.work(tenant_id, lease)))
                if not leased and not await self.wait(bell, working):
                    break
                working = {task for task in working if not task.done()}
        finally:
            if working:
                await asyncio.wait(working)
            await cancel_and_wait(pulse)
            await self.end_presence(bell)
        return self.begun

    async def wait_for_loop(self) -> None:
        """With no posts in flight, other processes cause the delay, so waiting would not help."""
        if self.room.posts:
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

    async def rung(self, bell: AsyncRedis) -> list[int]:
        """Record the presence. Returns the tenants with wake-ups."""
        try:
            await self.shift.heartbeat(bell)
            return [int(one) for one in await bell.spop(TENANT_SETS[JOB], 1000) or []]
        except RedisError as error:
            log.warning("redis unavailable, polling without wake-ups", error=type(error).__name__)
            return []

    async def lease(self, rung: list[int], most: int) -> list[tuple[int, UUID]]:
        """Mark the lanes of the woken tenants, and lease those that have waited longest."""
        if len(self.room.posts) >= MOST_POSTS:
            most = 0

        def take() -> list[tuple[int, UUID]]:
            with global_scope():
                if rung:
                    _mark_lanes(rung)
                if most <= 0:
                    return []
                return lanes.lease_many(LANE, self.settings.lane_lease_seconds, most)

        return await self.room.in_thread(take) if rung or most > 0 else []

    async def work(self, tenant_id: int, lease: UUID) -> None:
        """Work one tenant's lane until nothing is due for a free endpoint."""
        try:
            turn, new = min(self.shift.until, time.monotonic() + TURN_SECONDS), True
            while time.monotonic() < turn and not self.shift.over:
                batches = await self.room.tenant(
                    tenant_id, partial(self.take, tenant_id, lease, new=new)
                )
                new = False
                if batches is None:
                    return
                if not batches:
                    break
                chaos.fault_point("claim")
                posts = [self.room.send(tenant_id, batch) for batch in batches]
                self.begun += sum(len(batch.claimed) for batch in batches)
                _, slow = await asyncio.wait(posts, timeout=LANE_HOLD_SECONDS)
                if not slow and all(len(batch.claimed) < BATCH for batch in batches):
                    break  # that was all; `leave` finds what was added meanwhile
            await self.leave(tenant_id, lease)
        except Exception:
            log.exception("webhook lane failed")

    def take(self, tenant_id: int, lease: UUID, *, new: bool) -> list[EndpointBatch] | None:
        """None: the lease was lost."""
        seconds = self.settings.lane_lease_seconds
        if not new and not lanes.extend(LANE, tenant_id, lease, seconds):
            return None
        fanout.number_events()
        return webhook_claim.claim_batches(BATCH, self.room.lease_seconds)

    async def leave(self, tenant_id: int, lease: UUID) -> None:
        """Release the lane, then look once more, because marks made meanwhile had no effect."""
        due = await self.room.tenant(tenant_id, lambda: self.look(tenant_id, lease))
        if due is not None:
            self.room.wake_at(tenant_id, due)

    def look(self, tenant_id: int, lease: UUID) -> datetime | None:
        """A mark made between the two statements waits for this transaction and is kept."""
        if not lanes.release(LANE, tenant_id, lease):
            return None
        due = now() if webhook_claim.has_unnumbered_events() else webhook_claim.next_due()
        if due is not None:
            self.room.look_again(tenant_id, due)
        return due

    async def wait(self, bell: AsyncRedis, working: set[asyncio.Task[None]]) -> bool:
        """Wait for a wake-up or the end of a lane. False: no wake-up came and no lane is being
        worked.
        """
        heard = asyncio.create_task(self.listen(bell))
        await asyncio.wait({heard, *working}, return_when=asyncio.FIRST_COMPLETED)
        if heard.done():
            return heard.result() or bool(working)
        await cancel_and_wait(heard)
        return True

    async def listen(self, bell: AsyncRedis) -> bool:
        linger = self.settings.linger_seconds
        try:
            return await bell.blpop([WAKEUP_LISTS[JOB]], timeout=linger) is not None
        except RedisError:
            await asyncio.sleep(linger)
            return False

    async def end_presence(self, bell: AsyncRedis) -> None:
        """End the presence first, then look once more, so that a wake-up in between is not lost."""
        try:
            await self.shift.leave(bell)
            rung = bool(await bell.exists(TENANT_SETS[JOB]))
        except RedisError as error:
            rung = False
            log.warning("worker departure not published", error=type(error).__name__)
        await bell.aclose()

        def look() -> None:
            with global_scope():
                if rung or lanes.any_due(LANE):
                    notify_workers("jobs.webhooks.worker.drain")

        await self.room.in_thread(look)


def _mark_lanes(rung: list[int]) -> None:
    """Skips tenants without an endpoint: their events are numbered when they are read."""
    listening = list(
        db.session.scalars(
            select(Lookup.tenant_id).where(
                Lookup.kind == endpoints.LOOKUP, Lookup.key.in_([str(one) for one in rung])
            )
        )
    )
    if listening:
        marks = [{"kind": LANE, "tenant_id": one, "due_at": now()} for one in listening]
        db.session.execute(insert(Lane).values(marks).on_conflict_do_nothing())


def delete_old_events() -> int:
    """Nightly: delete events and deliveries older than EVENT_DAYS; drop whole old months."""
    acknowledge_wakeup("jobs.webhooks.worker.delete_old_events")
    settings: Settings = current_app.extensions["comanda"]
    before, gone = now() - timedelta(days=settings.event_days), 0

    def forget_some(tenant_id: int) -> bool:
        nonlocal gone
        with tenant_scope(tenant_id):
            fanout.number_events()
            forgotten = webhook_retention.delete_before(before)
        gone += forgotten
        return forgotten >= webhook_retention.BATCH_SIZE

    all_tenants.run_step("jobs.webhooks.worker.delete_old_events", forget_some)
    partitions.drop_all(webhook_retention.TABLES, before)
    log.info("old events deleted", rows=gone)
    return gone
