"""Cancel tasks reliably; run blocking work of the app in threads."""

import asyncio
from collections.abc import Callable
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
