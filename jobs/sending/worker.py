"""Send due messages: lanes concurrently, small batches within a lane, many messages at once.

A job works for half a minute at most, then ends. When its lanes are empty it waits for a moment,
because the next wake-up usually comes soon. Except for rare cases, everything runs in one event
loop, in SQL calls of one transaction each.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

from flask import Flask, current_app
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError

from core import chaos
from core.asyncio_tools import cancel_and_wait
from core.clock import now
from core.db import global_scope, notify_workers, tenant_scope
from core.http import Policy
from core.http.async_client import Client
from core.logs import logger
from core.queue import lanes
from core.queue.presence import WorkerPresence
from core.queue.wakeups import (
    PRESENCE_SECONDS,
    WAKEUP_LISTS,
    acknowledge_wakeup,
    request_another_worker,
)
from core.settings import Settings
from core.sql.async_pool import AsyncPool, Rows
from core.sql.batching import Batcher
from jobs.engine.slots import Slots
from jobs.sending.lane import FIRST_BATCH, SendLane
from messaging.lines.pacing import LinePacing
from messaging.messages import claim as message_claim
from messaging.messages import settle as message_settle
from messaging.messages.accept import JOB, LANE
from messaging.messages.sending.after_commit import AfterCommitOutbox

log = logger(__name__)

WORK_SECONDS = 30.0
MOST_LANES = 64
LEASED_AT_ONCE = 16  # so that two workers share what arrived at the same time
SENDING_AT_ONCE = 64  # in one process: a crash leaves at most this many unknown
CONNECTIONS = 6
EXTRA_WORKER_SECONDS = 1.0

LEASE = "SELECT app.lease_lanes(%(lane)s, %(lease)s, %(now)s, %(until)s, %(most)s)"

T = TypeVar("T")

_line_pacing = LinePacing()


def drain() -> int:
    acknowledge_wakeup("jobs.sending.worker.drain")
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return asyncio.run(SendWorker(app).run())


class SendWorker:
    hot: AsyncPool
    takes: Batcher
    settles: Batcher
    last: Batcher
    """Settles a lane's last messages and releases it in the same call."""
    client: Client
    redis: "AsyncRedis"

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.settings: Settings = app.extensions["comanda"]
        self.pacing = _line_pacing
        self.shift = WorkerPresence(JOB, WORK_SECONDS)
        self.sent = 0
        self.working: set[asyncio.Task[int]] = set()
        self.rung = asyncio.Event()
        self.room = Slots(SENDING_AT_ONCE)
        self.outbox = AfterCommitOutbox()
        self.extra_worker_task: asyncio.Task[None] | None = None
        self.next_extra_worker_at = 0.0

    async def run(self) -> int:
        url = self.settings.database_url
        # The network's address is the operator's own setting, and may be on this machine.
        async with (
            AsyncPool(url, CONNECTIONS) as hot,
            Client(Policy(allow_loopback=True)) as client,
        ):
            self.use(hot)
            self.client = client
            self.redis = AsyncRedis.from_url(self.settings.redis_url, socket_connect_timeout=2)
            beside = [
                asyncio.create_task(self.send_heartbeats()),
                asyncio.create_task(self.listen()),
            ]
            try:
                await self.work()
            finally:
                if self.working:
                    await asyncio.wait(self.working)
                await cancel_and_wait(*beside)
                await self.outbox.flushed()
                if self.extra_worker_task is not None:
                    await self.extra_worker_task
                await self.end_presence()
        return self.sent

    def use(self, hot: AsyncPool) -> None:
        self.hot = hot
        self.takes = Batcher(hot, message_claim.CLAIM_MESSAGES, 2)
        self.settles = Batcher(hot, message_settle.SETTLE_SENT, 2)
        self.last = Batcher(hot, message_settle.SETTLE_SENT_AND_LEAVE, 2)

    async def work(self) -> None:
        while not self.shift.over:
            self.rung.clear()
            asked, leased = await self.lease(min(LEASED_AT_ONCE, MOST_LANES - len(self.working)))
            for lane in leased:
                task = asyncio.create_task(lane.run())
                self.working.add(task)
                task.add_done_callback(self.collect)
            if len(leased) == asked > 0:
                if len(self.working) >= MOST_LANES:
                    self.call_help()
                continue
            if not await self.wait() and not self.working:
                return

    def call_help(self) -> None:
        """Ask for another worker: during a burst this process alone is too busy for new
        wake-ups.
        """
        if time.monotonic() > self.next_extra_worker_at:
            self.next_extra_worker_at = time.monotonic() + EXTRA_WORKER_SECONDS
            self.extra_worker_task = asyncio.create_task(
                asyncio.to_thread(request_another_worker, JOB)
            )

    def collect(self, task: "asyncio.Task[int]") -> None:
        if len(self.working) >= MOST_LANES:
            self.rung.set()  # until now there was no room to look for more
        self.working.discard(task)
        if task.exception() is not None:
            log.error("send lane failed", exc_info=task.exception())
        else:
            self.sent += task.result()

    async def lease(self, most: int) -> tuple[int, list[SendLane]]:
        """How many lanes were requested, and those that waited; with their first messages, if there
        are slots for them.
        """
        if most <= 0:
            return 0, []
        room = self.room.take_now(most * FIRST_BATCH)
        ready = room // FIRST_BATCH
        self.room.give(room - ready * FIRST_BATCH)
        if ready:
            return ready, await self.lease_and_take(ready)
        moment, lease = now(), uuid4()
        until = moment + timedelta(seconds=self.settings.lane_lease_seconds)
        rows = await self.hot.run(
            LEASE,
            {"lane": LANE, "lease": str(lease), "now": moment, "until": until, "most": most},
        )
        return most, [SendLane(self, row[0], lease) for row in rows]

    async def lease_and_take(self, most: int) -> list[SendLane]:
        chaos.fault_point("claim")
        lease, found = uuid4(), dict[int, Rows]()
        allowed = self.pacing.nearly_exhausted(FIRST_BATCH)
        params = message_claim.claim_params(FIRST_BATCH, self.settings.lease_seconds, allowed)
        until = now() + timedelta(seconds=self.settings.lane_lease_seconds)
        params |= {"lane": LANE, "lease": str(lease), "lane_until": until, "lanes": most}
        try:
            for tenant_id, *row in await self.hot.run(message_claim.LEASE_AND_CLAIM, params):
                found.setdefault(tenant_id, []).append(tuple(row))
        finally:
            self.room.give((most - len(found)) * FIRST_BATCH)
        return [SendLane(self, tenant_id, lease, rows) for tenant_id, rows in found.items()]

    async def wait(self) -> bool:
        """Wait for a wake-up. False: none came within the linger time."""
        try:
            async with asyncio.timeout(self.settings.linger_seconds):
                await self.rung.wait()
        except TimeoutError:
            return False
        return True

    async def listen(self) -> None:
        while True:
            try:
                heard: Any = await self.redis.blmpop(
                    PRESENCE_SECONDS, 1, WAKEUP_LISTS[JOB], direction="LEFT", count=LEASED_AT_ONCE
                )
            except RedisError as error:
                log.warning(
                    "redis unavailable, polling without wake-ups", error=type(error).__name__
                )
                await asyncio.sleep(0.5)
                continue
            if heard:
                self.rung.set()

    async def send_heartbeats(self) -> None:
        while True:
            with contextlib.suppress(RedisError):
                if await self.shift.heartbeat(self.redis):
                    self.call_help()
            await asyncio.sleep(PRESENCE_SECONDS / 3)

    async def end_presence(self) -> None:
        """End the presence first, then look once more, so that a wake-up in between is not lost."""
        try:
            await self.shift.leave(self.redis)
        except RedisError as error:
            log.warning("worker departure not published", error=type(error).__name__)
        await self.redis.aclose()

        def look() -> None:
            with global_scope():
                if lanes.any_due(LANE):
                    notify_workers("jobs.sending.worker.drain")

        await self.in_thread(look)

    def tell(self) -> None:
        self.outbox.flush_soon()

    async def tenant(self, tenant_id: int, work: Callable[[], T]) -> T:
        """Run one transaction of this tenant in a thread, for rare cases."""

        def inside() -> T:
            with tenant_scope(tenant_id):
                return work()

        return await self.in_thread(inside)

    async def in_thread(self, work: Callable[[], T]) -> T:
        def inside() -> T:
            with self.app.app_context():
                return work()

        return await asyncio.to_thread(inside)
