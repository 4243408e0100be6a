"""Run blocking work of the app in threads, from code in an event loop."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from contextvars import copy_context
from functools import partial
from typing import TypeVar

from flask import Flask

from core.db import tenant_scope

T = TypeVar("T")


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
