"""Ending tasks for good."""

import asyncio
from typing import Any

RETRY_SECONDS = 0.1


async def cancel_and_wait(*tasks: "asyncio.Task[Any]") -> None:
    """Cancel until they have ended.

    Once is not enough: `asyncio.wait_for` of Python 3.11 forgets a cancellation that comes in
    the moment of its answer, and whoever calls it in a loop then goes on for ever.
    """
    while pending := [task for task in tasks if not task.done()]:
        for task in pending:
            task.cancel()
        await asyncio.wait(pending, timeout=RETRY_SECONDS)
    await asyncio.gather(*tasks, return_exceptions=True)
