"""Cancel tasks reliably."""

import asyncio
from typing import Any

RETRY_SECONDS = 0.1


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
