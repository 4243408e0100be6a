"""How fast a line may speak. Kept in the worker that holds the tenant's lane: one at a time."""

import time
from collections import OrderedDict
from dataclasses import dataclass

PAIR_BURST, PAIR_SECONDS = 45, 6.0
MOST_PAIRS = 100_000


@dataclass
class Tokens:
    per_second: float
    most: float
    left: float
    at: float

    @classmethod
    def full(cls, per_second: float, most: float) -> "Tokens":
        return cls(per_second, most, most, time.monotonic())

    def wait(self) -> float:
        """Seconds until there is a token; 0 when there is one now."""
        moment = time.monotonic()
        self.left = min(self.most, self.left + (moment - self.at) * self.per_second)
        self.at = moment
        return 0.0 if self.left >= 1 else (1 - self.left) / self.per_second

    def take(self) -> None:
        self.left -= 1


class Pacing:
    def __init__(self) -> None:
        self._lines: dict[tuple[int, int], Tokens] = {}
        self._pairs: OrderedDict[tuple[int, int, str], Tokens] = OrderedDict()
        self._paused: dict[tuple[int, int], float] = {}

    def wait(self, tenant_id: int, line_id: int, phone: str, per_second: float) -> float:
        """Take a token for one message, or say how long it has to wait."""
        key = (tenant_id, line_id)
        paused = self._paused.get(key, 0.0) - time.monotonic()
        if paused > 0:
            return paused
        line = self._lines.get(key)
        if line is None or line.per_second != per_second:
            line = self._lines[key] = Tokens.full(per_second, max(per_second, 1.0))
        pair = self._pair((*key, phone))
        wait = max(line.wait(), pair.wait())
        if wait == 0:
            line.take()
            pair.take()
        return wait

    def pause(self, tenant_id: int, line_id: int, seconds: float) -> None:
        self._paused[tenant_id, line_id] = time.monotonic() + seconds

    def _pair(self, key: tuple[int, int, str]) -> Tokens:
        pair = self._pairs.pop(key, None) or Tokens.full(1 / PAIR_SECONDS, PAIR_BURST)
        self._pairs[key] = pair
        if len(self._pairs) > MOST_PAIRS:
            self._pairs.popitem(last=False)
        return pair
