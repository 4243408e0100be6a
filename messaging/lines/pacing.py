"""Rate limits of cloud lines: of a line, and of a recipient on a line (`pair`).

They are token buckets in Redis, so that they hold for all processes together and across restarts.
While Redis is down, half of each bucket belongs to the worker that holds the tenant's lane and
half to the web processes, in equal shares. A process grants its part from its own memory, so that
all of them together do not exceed the limit.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2s

from redis.asyncio import Redis as AsyncRedis

from core.rate_limits import (
    Bucket,
    LocalBuckets,
    block_bucket,
    return_tokens,
    take_tokens,
    take_tokens_each,
)

PAIR_BURST, PAIR_SECONDS = 45, 6.0
TIGHT_TOKENS = 8  # lines with fewer tokens are tracked in `_tight`
LOCAL_SHARE = 0.5


@dataclass(frozen=True)
class PacedMessage:
    """The fields of a message that its rate limits depend on."""

    line_id: int
    phone: str
    per_second: float


def pace_buckets(tenant_id: int, message: PacedMessage) -> list[Bucket]:
    """The bucket of the line and that of the recipient, whose phone number is not readable."""
    recipient = blake2s(message.phone.encode(), digest_size=12).hexdigest()
    return [
        _line_bucket(tenant_id, message.line_id, message.per_second),
        Bucket(f"pair:{tenant_id}:{message.line_id}:{recipient}", 1 / PAIR_SECONDS, PAIR_BURST),
    ]


def _line_bucket(tenant_id: int, line_id: int, per_second: float) -> Bucket:
    return Bucket(f"line:{tenant_id}:{line_id}", per_second, max(int(per_second), 1))


class MessagePacing:
    """Takes the pace for one message at a time, in a blocking call: in a web process and in the
    host of a phone.
    """

    def __init__(self, local_share: float = 1.0) -> None:
        self._local = LocalBuckets(local_share)

    def take(self, tenant_id: int, message: PacedMessage) -> float:
        """Take a token and return 0, or return the seconds that the message has to wait."""
        rate_limit = take_tokens(pace_buckets(tenant_id, message), local=self._local)
        return 0.0 if rate_limit.allowed else rate_limit.wait_ms / 1000

    def give_back(self, tenant_id: int, message: PacedMessage) -> None:
        """The message was not sent after all."""
        return_tokens(pace_buckets(tenant_id, message), self._local)

    def pause(self, tenant_id: int, line_id: int, per_second: float, seconds: float) -> None:
        block_bucket(_line_bucket(tenant_id, line_id, per_second), seconds, self._local)


@dataclass
class TokenBucket:
    """What is left in a bucket of Redis, as far as this process has seen."""

    per_second: float
    most: float
    left: float
    at: float

    def wait(self) -> float:
        """Return the seconds until there is a token; 0 if there is one now."""
        moment = time.monotonic()
        self.left = min(self.most, self.left + (moment - self.at) * self.per_second)
        self.at = moment
        return 0.0 if self.left >= 1 else (1 - self.left) / self.per_second


class LinePacing:
    """The pace as a worker takes it: for groups of messages. Remembers how much each line has left,
    so that it claims only messages that may be sent.
    """

    def __init__(self) -> None:
        self._lines: dict[int, dict[int, TokenBucket]] = {}
        self._tight: set[tuple[int, int]] = set()
        self._local = LocalBuckets(LOCAL_SHARE)

    def allowed(self, tenant_id: int) -> dict[int, int]:
        """Return how many messages each known line of a tenant may send now."""
        return {
            line_id: int(line.left) if line.wait() == 0 else 0
            for line_id, line in self._lines.get(tenant_id, {}).items()
        }

    def nearly_exhausted(self, enough: int) -> dict[int, int]:
        """Return the lines that may send less than `enough` now, and how many each may send."""
        found = {}
        for tenant_id, line_id in list(self._tight):
            line = self._lines[tenant_id][line_id]
            may = int(line.left) if line.wait() == 0 else 0
            if may >= int(line.most):
                self._tight.discard((tenant_id, line_id))
            elif may < enough:
                found[line_id] = may
        return found

    def next_allowed(self, tenant_id: int) -> float:
        """Return the seconds until the first waiting line may send; 0 if none is waiting."""
        waits = (line.wait() for line in self._lines.get(tenant_id, {}).values())
        return min((wait for wait in waits if wait > 0), default=0.0)

    async def take(
        self, redis: "AsyncRedis", tenant_id: int, messages: Sequence[PacedMessage]
    ) -> list[float]:
        """Take a token for each message: 0, or the seconds that it has to wait."""
        groups = [pace_buckets(tenant_id, message) for message in messages]
        found = await take_tokens_each(redis, groups, self._local) if groups else []
        for message, one in zip(messages, found, strict=True):
            self._remember(tenant_id, message.line_id, message.per_second, one.left)
        return [0.0 if one.allowed else one.wait_ms / 1000 for one in found]

    def pause(self, tenant_id: int, line_id: int, per_second: float, seconds: float) -> None:
        block_bucket(_line_bucket(tenant_id, line_id, per_second), seconds, self._local)
        self._remember(tenant_id, line_id, per_second, 1 - seconds * per_second)

    def _remember(self, tenant_id: int, line_id: int, per_second: float, left: float) -> None:
        most = max(per_second, 1.0)
        line = TokenBucket(per_second, most, left, time.monotonic())
        self._lines.setdefault(tenant_id, {})[line_id] = line
        if left < TIGHT_TOKENS:
            self._tight.add((tenant_id, line_id))
