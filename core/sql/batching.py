"""Batch calls of the same statement that arrive while one is in flight: one round trip and one
commit for all of them. A single call is sent at once.

A batch has at most one call for each tenant, sorted by tenant id, so that two processes cannot
deadlock. Each call sets its tenant itself before its first statement. A batch waits for a row lock
for half a second at most; then every call runs alone, so that one locked tenant does not delay the
others.
"""

import asyncio
import time
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any, Protocol

import psycopg2

from core.sql.async_pool import AsyncPool, Rows
from core.sql.pool import Pool

MAX_BATCH = 16
LOCKS = 512  # tenants share them, because a lock for each would never be freed
LOCK_NOT_AVAILABLE = "55P03"  # another transaction holds a row of one of the tenants


@dataclass(frozen=True)
class _Call:
    tenant_id: int
    params: Mapping[str, object]
    answer: "asyncio.Future[Rows]"


class TenantCalls(Protocol):
    """One statement that is called for tenants, each call in a transaction of its own."""

    async def run(self, tenant_id: int, params: Mapping[str, object]) -> Rows: ...

    async def pause(self, seconds: float) -> None:
        """Wait before the next try."""


class BlockingCalls:
    """For coroutines without an event loop: a call blocks its thread, and is not batched.

    Calls for one tenant run one after the other. They wait for the same rows anyway, and so they
    hold one connection of the pool and not all of them.
    """

    def __init__(self, pool: Pool, sql: str) -> None:
        self._pool = pool
        self._sql = sql
        self._locks = [Lock() for _ in range(LOCKS)]

    async def run(self, tenant_id: int, params: Mapping[str, object]) -> Rows:
        return self.run_now(tenant_id, params)

    async def pause(self, seconds: float) -> None:
        time.sleep(seconds)  # noqa: ASYNC251 - there is no event loop

    def run_now(self, tenant_id: int, params: Mapping[str, object]) -> Rows:
        with self._locks[tenant_id % LOCKS]:
            return self._pool.run(self._sql, {**params, "tenant_id": tenant_id})


class Batcher:
    def __init__(self, pool: AsyncPool, sql: str, concurrency: int = 1) -> None:
        self._pool = pool
        self._sql = sql
        self._free = concurrency
        self._queue: deque[_Call] = deque()
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, tenant_id: int, params: Mapping[str, object]) -> Rows:
        answer: asyncio.Future[Rows] = asyncio.get_running_loop().create_future()
        self._queue.append(_Call(tenant_id, {**params, "tenant_id": tenant_id}, answer))
        self._go()
        return await answer

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def _go(self) -> None:
        while self._free and self._queue:
            self._free -= 1
            self._start(self._run(self._gather())).add_done_callback(self._done)

    def _start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _done(self, _task: "asyncio.Task[None]") -> None:
        self._free += 1
        self._go()

    def _gather(self) -> list[_Call]:
        calls: dict[int, _Call] = {}
        later: list[_Call] = []
        while self._queue and len(calls) < MAX_BATCH:
            call = self._queue.popleft()
            if call.tenant_id in calls:
                later.append(call)
            else:
                calls[call.tenant_id] = call
        self._queue.extendleft(reversed(later))
        return [calls[tenant_id] for tenant_id in sorted(calls)]

    async def _run(self, calls: list[_Call]) -> None:
        try:
            found = await self._pool.run_many(self._sql, [call.params for call in calls])
        except Exception as error:  # noqa: BLE001 - every caller must get the error
            # The server rolled the batch back, so each call can run again and only the faulty one
            # fails. After a lost connection the outcome is unknown.
            lost = isinstance(error, psycopg2.Error) and error.pgcode is None
            if len(calls) == 1 or lost:
                _fail(calls, error)
            elif getattr(error, "pgcode", None) == LOCK_NOT_AVAILABLE:
                # Concurrently, because the others must not wait for the locked one.
                for call in calls:
                    self._start(self._run([call]))
            else:
                for call in calls:
                    await self._run([call])
            return
        for call, rows in zip(calls, found, strict=True):
            if not call.answer.done():
                call.answer.set_result(rows)


def _fail(calls: list[_Call], error: Exception) -> None:
    for call in calls:
        if not call.answer.done():
            call.answer.set_exception(error)
