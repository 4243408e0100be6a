"""Limits how many messages a process sends at once; its lanes share the slots in turn.

A lane with many messages waits for a batch of a useful size: a transaction for each message would
cost more than the wait. Lanes with few messages do not queue behind all of these batches: the two
kinds are served alternately.
"""

import asyncio
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class _SlotRequest:
    most: int
    least: int
    granted: "asyncio.Future[int]"


class Slots:
    def __init__(self, size: int) -> None:
        self._left = size
        self._few: deque[_SlotRequest] = deque()
        self._many: deque[_SlotRequest] = deque()
        self._next, self._other = self._few, self._many

    async def acquire(self, most: int, least: int = 1) -> int:
        """Take up to `most` slots; waits in turn until at least `least` of them are free."""
        request = _SlotRequest(most, least, asyncio.get_running_loop().create_future())
        (self._few if least == 1 else self._many).append(request)
        self._serve()
        try:
            return await request.granted
        except asyncio.CancelledError:
            if request.granted.done() and not request.granted.cancelled():
                self.release(request.granted.result())
            raise

    def acquire_now(self, most: int) -> int:
        """Take what is free without waiting; nothing while others wait."""
        count = 0 if self._few or self._many else min(most, self._left)
        self._left -= count
        return count

    def release(self, count: int) -> None:
        self._left += count
        self._serve()

    def _serve(self) -> None:
        while queue := self._next or self._other:
            if queue[0].granted.done():  # cancelled
                queue.popleft()
                continue
            if self._left < queue[0].least:
                return
            request = queue.popleft()
            if queue is self._next:
                self._next, self._other = self._other, self._next
            count = min(request.most, self._left)
            self._left -= count
            request.granted.set_result(count)
