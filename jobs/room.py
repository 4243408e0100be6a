"""How many messages a process may have on their way at once, shared by its lanes in turn."""

import asyncio
from collections import deque


class Room:
    def __init__(self, size: int) -> None:
        self._left = size
        self._queue: deque[asyncio.Future[None]] = deque()

    async def take(self, most: int) -> int:
        """How many of `most` may be begun now; waits until it is one at least."""
        while self._left <= 0:
            turn = asyncio.get_running_loop().create_future()
            self._queue.append(turn)
            await turn
        granted = min(most, self._left)
        self._left -= granted
        self._call_next()
        return granted

    def give(self, count: int) -> None:
        self._left += count
        self._call_next()

    def _call_next(self) -> None:
        while self._queue and self._left > 0:
            turn = self._queue.popleft()
            if not turn.done():
                turn.set_result(None)
                return
