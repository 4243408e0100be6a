"""Calls of one kind that come while the last is under way go together: one round trip and one
commit for all of them. Whoever comes alone waits for nobody.

In one such transaction every tenant has one call at most, and they stand in one order: two
processes never wait for each other. Each call sets its tenant itself, before its first statement.
A lock that one of the tenants' rows is under is waited for half a second only; then each call goes
alone, so that the others are not held up.
"""

import asyncio
from collections import deque
from collections.abc import Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg2

from core.sql.async_pool import AsyncPool, Rows

MAX_BATCH = 16
LOCK_NOT_AVAILABLE = "55P03"  # lock_not_available: somebody holds a row of one of the tenants


@dataclass(frozen=True)
class _Call:
    tenant_id: int
    params: Mapping[str, object]
    answer: "asyncio.Future[Rows]"


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
        except Exception as error:  # noqa: BLE001 - each of them has to hear of it
            # What the server refused was not done, and who caused it shall fail alone. After a
            # lost connection nobody knows.
            lost = isinstance(error, psycopg2.Error) and error.pgcode is None
            if len(calls) == 1 or lost:
                _fail(calls, error)
            elif getattr(error, "pgcode", None) == LOCK_NOT_AVAILABLE:
                # Not one after the other: the others must not wait for the one that is locked.
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
