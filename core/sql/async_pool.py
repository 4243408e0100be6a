"""Connections for asyncio processes: no threads, calls wait in the event loop.

Each call is one statement and therefore one transaction. A string of several statements would block
the loop, because the driver waits for the last result once the first has arrived. The SQL functions
that are called here set their tenant themselves.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, Self

import psycopg2
import psycopg2.extensions

from core.sql.pool import connect, is_closed_by_server

CONNECT_SECONDS = 5.0
RUN_SECONDS = 35.0  # the server's own limit is 30

# How long a transaction of several tenants waits for a lock. The branch that sets the timeout
# returns no rows: its condition is evaluated once, before the rest of the branch, which then does
# not run.
SHARED_LOCK_MS = 500
SET_LOCK_TIMEOUT = f"WHERE (SELECT set_config('lock_timeout', '{SHARED_LOCK_MS}ms', true)) IS NULL"

Rows = list[tuple[Any, ...]]
Params = Mapping[str, object] | Sequence[Mapping[str, object]]

_idle_connections: dict[str, list[psycopg2.extensions.connection]] = {}


class AsyncPool:
    """``async with AsyncPool(url, 4) as pool: rows = await pool.run(sql, …)``"""

    def __init__(self, url: str, size: int) -> None:
        self._url = url
        self._room = size
        self._free: list[_Connection] = []
        self._queue: deque[asyncio.Future[None]] = deque()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        """Keep open connections for the next event loop of this process: they have cached plans."""
        idle = _idle_connections.setdefault(self._url, [])
        idle += [raw for raw in (one.detach() for one in self._free) if raw is not None]
        self._free.clear()

    async def run(self, sql: str, params: Params) -> Rows:
        """Run one statement and commit it. Raises OperationalError after RUN_SECONDS."""
        while self._room == 0:
            waiter = asyncio.get_running_loop().create_future()
            self._queue.append(waiter)
            await waiter
        self._room -= 1
        connection: _Connection | None = None
        try:
            connection = await self._get()
            async with asyncio.timeout(RUN_SECONDS):
                return await connection.run(sql, params)
        except TimeoutError as error:
            raise psycopg2.OperationalError("the database did not answer in time") from error
        finally:
            if connection is not None and connection.usable:
                self._free.append(connection)
            elif connection is not None:
                connection.close()
            self._room += 1
            self._call_next()

    async def run_many(self, sql: str, each: Sequence[Mapping[str, object]]) -> list[Rows]:
        """Run the same statement for several parameters in one transaction: one round trip, one
        commit.
        """
        if len(each) == 1:
            return [await self.run(sql, each[0])]
        rows = await self.run(sql, each)
        found: list[Rows] = [[] for _ in each]
        for row in rows:
            found[row[0]].append(row[1:])
        return found

    def _call_next(self) -> None:
        while self._queue:
            waiter = self._queue.popleft()
            if not waiter.done():
                waiter.set_result(None)
                return

    async def _get(self) -> "_Connection":
        while self._free:
            connection = self._free.pop()
            if connection.usable:
                return connection
            connection.close()
        idle = _idle_connections.get(self._url, [])
        while idle:
            raw = idle.pop()
            if not is_closed_by_server(raw):
                return _Connection(raw)
            raw.close()
        connection = _Connection(connect(self._url, async_=True))
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await connection.settled()
        except BaseException:
            connection.close()
            raise
        return connection


class _Connection:
    def __init__(self, raw: psycopg2.extensions.connection) -> None:
        self._raw = raw
        self._loop = asyncio.get_running_loop()
        self._waiter: asyncio.Future[None] | None = None
        self._fd = raw.fileno()
        self._writes = False
        self._open, self._busy = True, False
        self._watched = True
        self._loop.add_reader(self._fd, self._ready)

    @property
    def usable(self) -> bool:
        return self._open and not self._busy

    async def run(self, sql: str, params: Params) -> Rows:
        # a call that is cancelled meanwhile leaves a connection that cannot be reused
        self._busy = True
        cursor = self._raw.cursor()
        if isinstance(params, Mapping):
            cursor.execute(sql, params)
        else:
            one = f"one.* FROM ({sql}) AS one"
            branches = [cursor.mogrify(f"(SELECT -1, {one} {SET_LOCK_TIMEOUT})", params[0])]
            branches += [cursor.mogrify(f"(SELECT {at}, {one})", p) for at, p in enumerate(params)]
            cursor.execute(b" UNION ALL ".join(branches))
        try:
            await self.settled()
        except psycopg2.Error:
            self._busy = bool(self._raw.closed)
            raise
        rows = cursor.fetchall() if cursor.description else []
        self._busy = False
        return rows

    async def settled(self) -> None:
        """Wait until the server has answered completely."""
        self._waiter = self._loop.create_future()
        self._ready()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _ready(self) -> None:
        waiter = self._waiter
        if waiter is None:
            # Data without a query: the server has closed the connection.
            self._open = False
            self._unwatch()
            return
        if waiter.done():
            return
        try:
            state = self._raw.poll()
        except psycopg2.Error as error:
            if self._raw.closed:
                # At once: the system may give the same file descriptor to the next connection.
                self._open = False
                self._unwatch()
            waiter.set_exception(error)
            return
        if state == psycopg2.extensions.POLL_OK:
            waiter.set_result(None)
        elif self._raw.fileno() != self._fd:
            self._watch_new_socket()  # the driver tries the next address of the server
        wants = state == psycopg2.extensions.POLL_WRITE
        if wants != self._writes:
            self._writes = wants
            if wants:
                self._loop.add_writer(self._fd, self._ready)
            else:
                self._loop.remove_writer(self._fd)

    def _unwatch(self) -> None:
        if self._watched:
            self._watched = False
            self._loop.remove_reader(self._fd)
        if self._writes:
            self._writes = False
            self._loop.remove_writer(self._fd)

    def _watch_new_socket(self) -> None:
        self._unwatch()
        self._fd = self._raw.fileno()
        self._watched = True
        self._loop.add_reader(self._fd, self._ready)

    def detach(self) -> psycopg2.extensions.connection | None:
        """Detach from this loop and return the open connection. None if it cannot be reused."""
        if not self.usable:
            self.close()
            return None
        self._unwatch()
        return self._raw

    def close(self) -> None:
        self._open = False
        self._unwatch()
        with suppress(psycopg2.Error):
            self._raw.close()
