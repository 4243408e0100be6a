"""Rate limits of cloud lines. Kept in memory of the one worker that holds the tenant's lane."""

import time
from collections import OrderedDict
from dataclasses import dataclass

PAIR_BURST, PAIR_SECONDS = 45, 6.0
MOST_PAIRS = 100_000
TIGHT_TOKENS = 8  # lines with fewer tokens are tracked in `_tight`


@dataclass
class TokenBucket:
    per_second: float
    most: float
    left: float
    at: float

    @classmethod
    def full(cls, per_second: float, most: float) -> "TokenBucket":
        return cls(per_second, most, most, time.monotonic())

    def wait(self) -> float:
        """Return the seconds until there is a token; 0 if there is one now."""
        moment = time.monotonic()
        self.left = min(self.most, self.left + (moment - self.at) * self.per_second)
        self.at = moment
        return 0.0 if self.left >= 1 else (1 - self.left) / self.per_second

    def take(self) -> None:
        self.left -= 1


class LinePacing:
    def __init__(self) -> None:
        self._lines: dict[int, dict[int, TokenBucket]] = {}
        self._pairs: OrderedDict[tuple[int, int, str], TokenBucket] = OrderedDict()
        self._paused: dict[tuple[int, int], float] = {}
        self._tight: set[tuple[int, int]] = set()

    def allowed(self, tenant_id: int) -> dict[int, int]:
        """Return how many messages each known line of a tenant may send now."""
        return {
            line_id: int(line.left) if self._wait(tenant_id, line_id, line) == 0 else 0
            for line_id, line in self._lines.get(tenant_id, {}).items()
        }

    def nearly_exhausted(self, enough: int) -> dict[int, int]:
        """Return the lines that may send less than `enough` now, and how many each may send."""
        found = {}
        for tenant_id, line_id in list(self._tight):
            line = self._lines[tenant_id][line_id]
            may = int(line.left) if self._wait(tenant_id, line_id, line) == 0 else 0
            if may >= int(line.most):
                self._tight.discard((tenant_id, line_id))
            elif may < enough:
                found[line_id] = may
        return found

    def next_allowed(self, tenant_id: int) -> float:
        """Return the seconds until the first waiting line may send; 0 if none is waiting."""
        waits = (
            self._wait(tenant_id, line_id, line)
            for line_id, line in self._lines.get(tenant_id, {}).items()
        )
        return min((wait for wait in waits if wait > 0), default=0.0)

    def wait(self, tenant_id: int, line_id: int, phone: str, per_second: float) -> float:
        """Take a token for one message and return 0, or return the seconds it has to wait."""
        lines = self._lines.setdefault(tenant_id, {})
        line = lines.get(line_id)
        if line is None or line.per_second != per_second:
            line = lines[line_id] = TokenBucket.full(per_second, max(per_second, 1.0))
        pair = self._pair((tenant_id, line_id, phone))
        wait = max(self._wait(tenant_id, line_id, line), pair.wait())
        if wait == 0:
            line.take()
            pair.take()
        if line.left < TIGHT_TOKENS:
            self._tight.add((tenant_id, line_id))
        return wait

    def pause(self, tenant_id: int, line_id: int, seconds: float) -> None:
        self._paused[tenant_id, line_id] = time.monotonic() + seconds
        if line_id in self._lines.get(tenant_id, {}):
            self._tight.add((tenant_id, line_id))

    def _wait(self, tenant_id: int, line_id: int, line: TokenBucket) -> float:
        paused = self._paused.get((tenant_id, line_id), 0.0) - time.monotonic()
        return paused if paused > 0 else line.wait()

    def _pair(self, key: tuple[int, int, str]) -> TokenBucket:
        pair = self._pairs.pop(key, None) or TokenBucket.full(1 / PAIR_SECONDS, PAIR_BURST)
        self._pairs[key] = pair
        if len(self._pairs) > MOST_PAIRS:
            self._pairs.popitem(last=False)
        return pair
