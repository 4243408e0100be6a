"""Cancel tasks reliably; run blocking work of the app in threads; run coroutines without an event
loop.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from flask import Flask

from core.db import tenant_scope

RETRY_SECONDS = 0.1

T = TypeVar("T")


async def cancel_and_wait(*tasks: "asyncio.Task[Any]") -> None:
    """Cancel the tasks and return when all of them have ended.

    A single cancellation is not enough: `asyncio.wait_for` in Python 3.11 drops a cancellation that
    arrives at the moment its result does, and a loop around it then never ends.
    """
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=RETRY_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)


class AppThreads:
    def __init__(self, app: Flask, threads: Executor | None = None) -> None:
        """`threads`: the event loop's own, unless others are given."""
        self.app = app
        self.threads = threads

    async def tenant(self, tenant_id: int, work: Callable[[], T]) -> T:
        """Run one transaction of this tenant in a thread."""

        def inside() -> T:
            with tenant_scope(tenant_id):
                return work()

        return await self.in_thread(inside)

    async def in_thread(self, work: Callable[[], T]) -> T:
        def inside() -> T:
            with self.app.app_context():
                return work()

        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.threads, partial(copy_context().run, inside))


class ContinueLater(Exception):
    """Raised when a coroutine was suspended: another thread has to continue it."""


class _Suspension:
    def __await__(self) -> Generator[None, None, None]:
        yield


async def continue_in_another_thread() -> None:
    """Suspend a coroutine that runs without an event loop, because its thread must go on."""
    await _Suspension()


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """Run or continue a coroutine that blocks its thread instead of waiting in an event loop.

    Code that is written for an event loop runs in a request's thread this way, if everything that
    it awaits blocks. Raises ContinueLater if it called `continue_in_another_thread`.
    """
    try:
        work.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    raise ContinueLater
