"""Send what is due: lanes side by side, batches inside a lane, many messages at once.

One job works for half a minute at most, then makes room. When its lanes are empty it stays
awake for a moment, because the next ring usually comes soon.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from flask import Flask, current_app
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError

from core import lanes
from core.db import global_scope, ring, tenant_scope
from core.logs import logger
from core.outbound import Policy
from core.outbound.aio import Client
from core.rings import AWAKE_SECONDS, BELLS, awake_key, hear, redis_client
from core.settings import Settings
from jobs.lane import LaneWork
from messaging.pacing import Pacing
from messaging.sending import JOB, LANE

log = logger(__name__)

WORK_SECONDS = 30.0
MOST_LANES = 32

T = TypeVar("T")

_pacing = Pacing()


def drain() -> int:
    hear("jobs.sends.drain")
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return asyncio.run(Drain(app).run())


class Drain:
    def __init__(self, app: Flask) -> None:
        self.app = app
        self.settings: Settings = app.extensions["comanda"]
        self.linger = self.settings.linger_seconds
        self.until = time.monotonic() + WORK_SECONDS
        self.sent = 0

    async def run(self) -> int:
        bell = AsyncRedis.from_url(self.settings.redis_url, socket_connect_timeout=2)
        working: set[asyncio.Task[int]] = set()
        # The network's address is the operator's own setting, and may be on this machine.
        async with Client(Policy(allow_loopback=True)) as client:
            try:
                while time.monotonic() < self.until:
                    await self.stay_awake(bell)
                    leased = await self.lease(MOST_LANES - len(working))
                    for tenant_id, lease in leased:
                        working.add(asyncio.create_task(self.work(client, tenant_id, lease)))
                    if not leased and not await self.wait(bell, working):
                        break
                    working = self.collect(working)
            finally:
                if working:
                    done, _ = await asyncio.wait(working)
                    self.collect(done)
                await self.fall_asleep(bell)
        return self.sent

    async def work(self, client: Client, tenant_id: int, lease: UUID) -> int:
        return await LaneWork(self, client, _pacing, tenant_id, lease).run()

    async def lease(self, most: int) -> list[tuple[int, UUID]]:
        if most <= 0:
            return []

        def take() -> list[tuple[int, UUID]]:
            with global_scope():
                return lanes.lease_many(LANE, self.settings.lane_lease_seconds, most)

        return await self.in_thread(take)

    async def wait(self, bell: AsyncRedis, working: set[asyncio.Task[int]]) -> bool:
        """Until a bell rings or a lane is done. False: nobody rang and nothing is at work."""
        heard = asyncio.create_task(self.listen(bell))
        await asyncio.wait({heard, *working}, return_when=asyncio.FIRST_COMPLETED)
        if heard.done():
            return heard.result() or bool(working)
        heard.cancel()
        return True

    async def listen(self, bell: AsyncRedis) -> bool:
        try:
            return await bell.blpop([BELLS[JOB]], timeout=self.linger) is not None
        except RedisError:
            await asyncio.sleep(self.linger)
            return False

    def collect(self, working: set[asyncio.Task[int]]) -> set[asyncio.Task[int]]:
        for task in working:
            if task.done():
                if task.exception() is not None:
                    log.error("a lane failed", exc_info=task.exception())
                else:
                    self.sent += task.result()
        return {task for task in working if not task.done()}

    async def stay_awake(self, bell: AsyncRedis) -> None:
        try:
            await bell.set(awake_key(JOB), 1, ex=AWAKE_SECONDS)
        except RedisError as error:
            log.warning("awake in silence", error=type(error).__name__)

    async def fall_asleep(self, bell: AsyncRedis) -> None:
        """First say so, then look once more: a ring in between must not be lost."""
        try:
            await bell.delete(awake_key(JOB))
        except RedisError as error:
            log.warning("asleep in silence", error=type(error).__name__)
        await bell.aclose()

        def look() -> None:
            with global_scope():
                if lanes.any_due(LANE):
                    ring("jobs.sends.drain")

        await self.in_thread(look)

    def tenant(self, tenant_id: int, work: Callable[[], T]) -> Any:
        """One transaction of this tenant, in a thread."""

        def inside() -> T:
            with tenant_scope(tenant_id):
                return work()

        return self.in_thread(inside)

    async def in_thread(self, work: Callable[[], T]) -> T:
        def inside() -> T:
            with self.app.app_context():
                return work()

        return await asyncio.to_thread(inside)

    @property
    def redis(self) -> Any:
        return redis_client()
