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

from core import faultpoints, lanes, partitions
from core.clock import now
from core.db import db, global_scope, ring, tenant_scope
from core.lanes import Lane
from core.logs import logger
from core.lookups import Lookup
from core.rings import BELLS, GATHERED, call_help, hear, redis_client, tell_who_listens
from core.settings import Settings
from core.shifts import Shift
from core.tasks import end
from jobs import rounds
from jobs.post_room import LANE, PostRoom, room_of
from webhooks import claiming, endpoints, fanout, forgetting, settling
from webhooks.claiming import Batch

log = logger(__name__)

JOB = "jobs.deliveries.drain"
LISTENING_SECONDS = 300  # said anew every minute, and with every endpoint that comes or goes
WORK_SECONDS = 30.0
TURN_SECONDS = 5.0  # then another tenant's lane comes first
MOST_LANES = 32
MOST_POSTS = 2000  # batches under way in a process; beyond it the lanes wait
BATCH = 100
BEAT_SECONDS, LATE_SECONDS = 0.02, 0.03  # later than this, the process has enough to do
BREATH_SECONDS = 0.5
HOLD_SECONDS = 0.5  # a lane is held for its batches this long; slower ones end without it


def drain() -> int:
    hear("jobs.deliveries.drain")
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    room = room_of(app)
    return room.run(Drain(room).run())


def sweep() -> None:
    """In the sweep's global transaction: what is due again, and lanes that nobody rang for."""
    if lanes.wake_due(LANE) or redis_client().exists(GATHERED[JOB]):
        ring("jobs.deliveries.drain")


def find_forgotten() -> int:
    """Tenants that listen: events whose ring was lost, deliveries whose lane was, old failures."""
    hear("jobs.deliveries.find_forgotten")
    found = 0
    with global_scope():
        listening = list(
            db.session.scalars(select(Lookup.tenant_id).where(Lookup.kind == endpoints.LOOKUP))
        )
    tell_who_listens("jobs.deliveries.drain", listening, LISTENING_SECONDS)
    for tenant_id in listening:
        with tenant_scope(tenant_id):
            due = claiming.next_due()
            if claiming.events_wait() or (due is not None and due <= now()):
                lanes.mark_due(LANE, tenant_id)
                ring("jobs.deliveries.drain")
                found += 1
            settling.look_after_all()
    return found


class Drain:
    def __init__(self, room: PostRoom) -> None:
        self.room = room
        self.settings = room.settings
        self.shift = Shift(JOB, WORK_SECONDS, waits=False)
        self.begun = 0
        self.in_time = asyncio.Event()
        """Unless the loop comes late: more posts would only wait for each other."""
        self.in_time.set()

    async def run(self) -> int:
        bell = AsyncRedis.from_url(self.settings.redis_url, socket_connect_timeout=2)
        working: set[asyncio.Task[None]] = set()
        pulse = asyncio.create_task(self.feel_pulse())
        try:
            while not self.shift.over:
                await self.catch_breath()
                most = MOST_LANES - len(working)
                leased = await self.lease(await self.rung(bell), most)
                if len(leased) == most > 0:
                    await asyncio.to_thread(call_help, JOB)
                for tenant_id, lease in leased:
                    working.add(asyncio.create_task(self.work(tenant_id, lease)))
                if not leased and not await self.wait(bell, working):
                    break
                working = {task for task in working if not task.done()}
        finally:
            if working:
                await asyncio.wait(working)
            await end(pulse)
            await self.fall_asleep(bell)
        return self.begun

    async def catch_breath(self) -> None:
        """With nothing under way it is others who make the machine late."""
        if self.room.posts:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(BREATH_SECONDS):
                    await self.in_time.wait()

    async def feel_pulse(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(BEAT_SECONDS)
            if time.monotonic() - before > BEAT_SECONDS + LATE_SECONDS:
                self.in_time.clear()
            else:
                self.in_time.set()

    async def rung(self, bell: AsyncRedis) -> list[int]:
        """Stay awake. The tenants that rang."""
        try:
            await self.shift.stay(bell)
            return [int(one) for one in await bell.spop(GATHERED[JOB], 1000) or []]
        except RedisError as error:
            log.warning("awake in silence", error=type(error).__name__)
            return []

    async def lease(self, rung: list[int], most: int) -> list[tuple[int, UUID]]:
        """Mark the lanes of those that rang, and take the ones that have waited longest."""
        if len(self.room.posts) >= MOST_POSTS:
            most = 0

        def take() -> list[tuple[int, UUID]]:
            with global_scope():
                if rung:
                    _mark(rung)
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
                faultpoints.at("claim")
                posts = [self.room.send(tenant_id, batch) for batch in batches]
                self.begun += sum(len(batch.claimed) for batch in batches)
                _, slow = await asyncio.wait(posts, timeout=HOLD_SECONDS)
                if not slow and all(len(batch.claimed) < BATCH for batch in batches):
                    break  # that was all; what came meanwhile is seen on leaving
            await self.leave(tenant_id, lease)
        except Exception:
            log.exception("a lane of deliveries failed")

    def take(self, tenant_id: int, lease: UUID, *, new: bool) -> list[Batch] | None:
        """None: the lane is no longer ours."""
        seconds = self.settings.lane_lease_seconds
        if not new and not lanes.extend(LANE, tenant_id, lease, seconds):
            return None
        fanout.number()
        return claiming.claim(BATCH, self.room.lease_seconds)

    async def leave(self, tenant_id: int, lease: UUID) -> None:
        """Give the lane back, then look once more, because marks made meanwhile did nothing."""
        due = await self.room.tenant(tenant_id, lambda: self.look(tenant_id, lease))
        if due is not None:
            self.room.wake_at(tenant_id, due)

    def look(self, tenant_id: int, lease: UUID) -> datetime | None:
        """A mark that comes between the two waits for this transaction, and stays."""
        if not lanes.release(LANE, tenant_id, lease):
            return None
        due = now() if claiming.events_wait() else claiming.next_due()
        if due is not None:
            self.room.look_again(tenant_id, due)
        return due

    async def wait(self, bell: AsyncRedis, working: set[asyncio.Task[None]]) -> bool:
        """Until a bell rings or a lane is done. False: nobody rang and nothing is at work."""
        heard = asyncio.create_task(self.listen(bell))
        await asyncio.wait({heard, *working}, return_when=asyncio.FIRST_COMPLETED)
        if heard.done():
            return heard.result() or bool(working)
        await end(heard)
        return True

    async def listen(self, bell: AsyncRedis) -> bool:
        linger = self.settings.linger_seconds
        try:
            return await bell.blpop([BELLS[JOB]], timeout=linger) is not None
        except RedisError:
            await asyncio.sleep(linger)
            return False

    async def fall_asleep(self, bell: AsyncRedis) -> None:
        """First say so, then look once more: a ring in between must not be lost."""
        try:
            await self.shift.leave(bell)
            rung = bool(await bell.exists(GATHERED[JOB]))
        except RedisError as error:
            rung = False
            log.warning("asleep in silence", error=type(error).__name__)
        await bell.aclose()

        def look() -> None:
            with global_scope():
                if rung or lanes.any_due(LANE):
                    ring("jobs.deliveries.drain")

        await self.room.in_thread(look)


def _mark(rung: list[int]) -> None:
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


def forget() -> int:
    """At night: events and deliveries older than EVENT_DAYS; old months go as a whole."""
    hear("jobs.deliveries.forget")
    settings: Settings = current_app.extensions["comanda"]
    before, gone = now() - timedelta(days=settings.event_days), 0

    def forget_some(tenant_id: int) -> bool:
        nonlocal gone
        with tenant_scope(tenant_id):
            fanout.number()
            forgotten = forgetting.forget(before)
        gone += forgotten
        return forgotten >= forgetting.AT_ONCE

    rounds.go("jobs.deliveries.forget", forget_some)
    partitions.drop_all(forgetting.TABLES, before)
    log.info("events forgotten", rows=gone)
    return gone
