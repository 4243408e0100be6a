"""Drain lanes concurrently: lease them, work each in a task, wait for wake-ups.

A job works for half a minute at most, then ends. When its lanes are empty it waits for a moment,
because the next wake-up usually comes soon. A subclass defines how lanes are leased and what is
done with one. Jobs that work one lane after another use `jobs/engine/round_robin.py`.
"""

import asyncio
import contextlib
import time
from collections.abc import Coroutine, Sequence
from typing import Any, ClassVar, Protocol

from flask import Flask
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError

from core.asyncio_tools import AppThreads, cancel_and_wait
from core.db import global_scope, notify_workers
from core.logs import logger
from core.queue import lanes
from core.queue.presence import WorkerPresence
from core.queue.wakeups import (
    PRESENCE_SECONDS,
    TENANT_SETS,
    WAKEUP_LISTS,
    request_another_worker,
)
from core.settings import Settings

log = logger(__name__)

WORK_SECONDS = 30.0
EXTRA_WORKER_SECONDS = 1.0
RECONNECT_SECONDS = 0.5


class LaneRun(Protocol):
    tenant_id: int

    async def run(self) -> int:
        """Work the leased lane and release it. Returns how much was done."""


class DrainWorker(AppThreads):
    job: ClassVar[str]
    lane: ClassVar[str]
    most_lanes: ClassVar[int]
    leased_at_once: ClassVar[int]
    hands_over: ClassVar[bool]
    """Whether the worker stays until another one takes over."""
    redis: "AsyncRedis"

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self.settings: Settings = app.extensions["comanda"]
        self.presence = WorkerPresence(self.job, WORK_SECONDS, waits=self.hands_over)
        self.done = 0
        self.working: set[asyncio.Task[int]] = set()
        self.woken = asyncio.Event()
        self.background: set[asyncio.Task[None]] = set()
        self.next_extra_worker_at = 0.0

    async def lease(self, most: int) -> tuple[int, Sequence[LaneRun]]:
        """Lease up to `most` lanes; `most` may be 0. Returns how many were requested, and those
        that waited.
        """
        raise NotImplementedError

    async def run(self) -> int:
        """Returns how much was done."""
        self.redis = AsyncRedis.from_url(self.settings.redis_url, socket_connect_timeout=2)
        helpers = [asyncio.create_task(self.send_heartbeats()), asyncio.create_task(self.listen())]
        try:
            await self.work()
        finally:
            if self.working:
                await asyncio.wait(self.working)
            await cancel_and_wait(*helpers)
            await asyncio.gather(*self.background)
            await self.end_presence()
        return self.done

    async def work(self) -> None:
        while not self.presence.over:
            self.woken.clear()
            free = self.most_lanes - len(self.working)
            requested, leased = await self.lease(min(self.leased_at_once, free))
            for lane in leased:
                self.start(lane)
            if len(leased) == requested > 0:
                if len(self.working) >= self.most_lanes:
                    self.request_extra_worker()
                continue
            if not await self.wait() and not self.working:
                return

    def start(self, lane: LaneRun) -> None:
        task = asyncio.create_task(lane.run())
        self.working.add(task)
        task.add_done_callback(lambda task: self.collect(lane, task))

    def collect(self, lane: LaneRun, task: "asyncio.Task[int]") -> None:
        if len(self.working) >= self.most_lanes:
            self.woken.set()  # until now there was no free slot for another lane
        self.working.discard(task)
        if task.exception() is not None:
            facts = {"lane": self.lane, "tenant": lane.tenant_id}
            log.error("lane failed", exc_info=task.exception(), **facts)
        else:
            self.done += task.result()

    def request_extra_worker(self) -> None:
        """Ask for another worker: during a burst this process alone is too busy for new
        wake-ups.
        """
        if time.monotonic() > self.next_extra_worker_at:
            self.next_extra_worker_at = time.monotonic() + EXTRA_WORKER_SECONDS
            self.run_in_background(asyncio.to_thread(request_another_worker, self.job))

    def run_in_background(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """The worker does not end before the work does."""
        task = asyncio.create_task(work)
        self.background.add(task)
        task.add_done_callback(self.background.discard)
        return task

    async def wait(self) -> bool:
        """Wait for a wake-up. False: none came within the linger time."""
        try:
            async with asyncio.timeout(self.settings.linger_seconds):
                await self.woken.wait()
        except TimeoutError:
            return False
        return True

    async def listen(self) -> None:
        wakeups, most = WAKEUP_LISTS[self.job], self.leased_at_once
        while True:
            try:
                received: Any = await self.redis.blmpop(
                    PRESENCE_SECONDS, 1, wakeups, direction="LEFT", count=most
                )
            except RedisError as error:
                log.warning(
                    "redis unavailable, polling without wake-ups", error=type(error).__name__
                )
                await asyncio.sleep(RECONNECT_SECONDS)
                continue
            if received:
                self.woken.set()

    async def send_heartbeats(self) -> None:
        while True:
            with contextlib.suppress(RedisError):
                if await self.presence.heartbeat(self.redis):
                    self.request_extra_worker()
            await asyncio.sleep(PRESENCE_SECONDS / 3)

    async def end_presence(self) -> None:
        """End the presence, then check once more, so that a wake-up in between is not lost."""
        has_woken_tenants = False
        try:
            await self.presence.leave(self.redis)
            if self.job in TENANT_SETS:
                has_woken_tenants = bool(await self.redis.exists(TENANT_SETS[self.job]))
        except RedisError as error:
            log.warning("worker departure not published", error=type(error).__name__)
        await self.redis.aclose()

        def wake_if_due() -> None:
            with global_scope():
                if has_woken_tenants or lanes.any_due(self.lane):
                    notify_workers(self.job)

        await self.in_thread(wake_if_due)
