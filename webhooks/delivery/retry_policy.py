"""When a failed webhook delivery is retried, and when it is given up."""

import random
from datetime import datetime, timedelta

from webhooks.delivery.claim import ClaimedDelivery
from webhooks.delivery.post import AttemptResult

RETRY_SECONDS = (5, 30, 120, 600, 3600, 4 * 3600, 12 * 3600, 24 * 3600, 36 * 3600)


JITTER = 0.2


MAX_REQUESTED_PAUSE = 3600.0  # what an endpoint may request with Retry-After


MIN_ENDPOINT_PAUSE, MAX_ENDPOINT_PAUSE = 30.0, 600.0


def next_state(
    one: ClaimedDelivery, posted: AttemptResult, moment: datetime, listens: bool
) -> tuple[str, int, datetime | None]:
    """The new state, the next step of RETRY_SECONDS, and when it is due again (None: never)."""
    if posted.delivered:
        return "delivered", one.step, None
    if not listens or posted.gone:
        return "cancelled", one.step, None
    if one.body is None or one.step >= len(RETRY_SECONDS):
        return "failed", one.step, None
    wait = requested_pause(posted) or with_jitter(RETRY_SECONDS[one.step])
    return "waiting", one.step + 1, moment + timedelta(seconds=wait)


def requested_pause(posted: AttemptResult) -> float | None:
    """The pause that the endpoint itself requested, within limits; None if it requested none."""
    if posted.retry_after is None:
        return None
    return min(max(posted.retry_after, 1.0), MAX_REQUESTED_PAUSE)


def with_jitter(seconds: float) -> float:
    return seconds * random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - spreads load
