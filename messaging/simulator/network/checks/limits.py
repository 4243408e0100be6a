"""The network's rate limits: for a line and one person (131056), and for a line (130429)."""

from messaging.simulator.network.behaviour import NetworkBehaviour
from messaging.simulator.network.checks.refusals import refuse
from messaging.simulator.network.magic_numbers import Refusal

PAIR_SECONDS = 6.0
"""After a burst, a person gets one message of a line in this time."""
MOST_PAIRS = 20_000


class SendLimits:
    def __init__(self) -> None:
        self._pairs: dict[tuple[str, str], tuple[float, float]] = {}
        """How many messages are left of the burst, and when that was counted."""
        self._lines: dict[str, tuple[int, int]] = {}
        """The second, and how many messages the line sent in it."""

    def fault(
        self, conditions: NetworkBehaviour, line: str, phone: str, at: float
    ) -> Refusal | None:
        """Count one message. Returns the refusal if it is one too many."""
        if conditions.line_per_second:
            second, sent = self._lines.get(line, (0, 0))
            sent = sent if second == int(at) else 0
            if sent >= conditions.line_per_second:
                return refuse(130429, "Too many messages from this number. Try again later.")
            self._lines[line] = int(at), sent + 1
        if conditions.pair_burst and not self._pair_allows(conditions.pair_burst, line, phone, at):
            return refuse(131056, "Too many messages to this recipient. Try again later.")
        return None

    def _pair_allows(self, burst: int, line: str, phone: str, at: float) -> bool:
        left, counted_at = self._pairs.pop((line, phone), (float(burst), at))
        left = min(left + (at - counted_at) / PAIR_SECONDS, burst)
        allowed = left >= 1
        if len(self._pairs) >= MOST_PAIRS:
            del self._pairs[next(iter(self._pairs))]
        self._pairs[line, phone] = left - 1 if allowed else left, at
        return allowed
