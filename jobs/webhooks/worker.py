"""Bring events to endpoints: number them, fan them out, post what is due.

A job leases lanes, hands their batches to the process's post room, and stays awake for a
moment, because the next ring usually comes soon. It does not wait for posts that hang.
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
SUBSCRIBERS_TTL_SECONDS = 300  # said anew every minute, and with every endpoint that comes or goes
WORK_SECONDS = 30.0
TURN_SECONDS = 5.0  # then another tenant's lane comes first
MOST_LANES = 32
MOST_POSTS = 2000  # batches under way in a process; beyond it the lanes wait
BATCH = 100
LOOP_CHECK_SECONDS, LOOP_LATE_SECONDS = 0.02, 0.03  # later than this, the process has enough to do
MAX_LOOP_WAIT_SECONDS = 0.5
LANE_HOLD_SECONDS = 0.5  # a lane is held for its batches this long; slower ones end without it


def drain() -> int:
    acknowledge_wakeup("jobs.webhooks.worker.drain")
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    room = webhook_poster_of(app)
    return room.run(WebhookWorker(room).run())


def sweep() -> None:
    """In the sweep's global transaction: what is due again, and lanes that nobody rang for."""
    if lanes.promote_later_due(LANE) or redis_client().exists(TENANT_SETS[JOB]):
        notify_workers("jobs.webhooks.worker.drain")


def find_lost_work() -> int:
    """Tenants that listen: events whose ring was lost, deliveries whose lane was, old failures."""
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
        """Unless the loop comes late: more posts would only wait for each other."""
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
        """With nothing under way it is others who make the machine late."""
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
        """Stay awake. The tenants that rang."""
        try:
            await self.shift.heartbeat(bell)
            return [int(one) for one in await bell.spop(TENANT_SETS[JOB], 1000) or []]
        except RedisError as error:
            log.warning("redis unavailable, polling without wake-ups", error=type(error).__name__)
            return []

    async def lease(self, rung: list[int], most: int) -> list[tuple[int, UUID]]:
        """Mark the lanes of those that rang, and take the ones that have waited longest."""
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
        """One tenant's lane, until nothing is due for an endpoint that is free."""
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
                    break  # that was all; what came meanwhile is seen on leaving
            await self.leave(tenant_id, lease)
        except Exception:
            log.exception("webhook lane failed")

    def take(self, tenant_id: int, lease: UUID, *, new: bool) -> list[EndpointBatch] | None:
        """None: the lane is no longer ours."""
        seconds = self.settings.lane_lease_seconds
        if not new and not lanes.extend(LANE, tenant_id, lease, seconds):
            return None
        fanout.number_events()
        return webhook_claim.claim_batches(BATCH, self.room.lease_seconds)

    async def leave(self, tenant_id: int, lease: UUID) -> None:
        """Give the lane back, then look once more, because marks made meanwhile did nothing."""
        due = await self.room.tenant(tenant_id, lambda: self.look(tenant_id, lease))
        if due is not None:
            self.room.wake_at(tenant_id, due)

    def look(self, tenant_id: int, lease: UUID) -> datetime | None:
        """A mark that comes between the two waits for this transaction, and stays."""
        if not lanes.release(LANE, tenant_id, lease):
            return None
        due = now() if webhook_claim.has_unnumbered_events() else webhook_claim.next_due()
        if due is not None:
            self.room.look_again(tenant_id, due)
        return due

    async def wait(self, bell: AsyncRedis, working: set[asyncio.Task[None]]) -> bool:
        """Until a bell rings or a lane is done. False: nobody rang and nothing is at work."""
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
        """First say so, then look once more: a ring in between must not be lost."""
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
    """Tenants without an endpoint are left out: their events are numbered when they are read."""
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
    """At night: events and deliveries older than EVENT_DAYS; old months go as a whole."""
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
