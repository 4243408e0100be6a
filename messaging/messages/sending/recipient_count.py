"""Count the recipients of templates and Direct Send outside the 24-hour window.

Only messages of these kinds are looked at, and only on lines whose limit is known. Replies inside
the window cost nothing here.
"""

import time
from collections import defaultdict
from collections.abc import Sequence

from redis.asyncio import Redis as AsyncRedis

from core.clock import now
from core.errors import invalid
from messaging.lines import direct_send, recipient_limits
from messaging.lines import repository as line_repository
from messaging.lines.recipient_limits import RecipientLimit
from messaging.messages import fallback
from messaging.messages.accept import MessageDraft
from messaging.messages.claim import ClaimedMessage
from messaging.models import Line

CACHE_SECONDS = 30.0
_limits: dict[int, tuple[float, dict[int, RecipientLimit]]] = {}
"""The limits of each tenant's lines, and until when they are used without reading them again."""


def has_candidates(group: Sequence[ClaimedMessage]) -> bool:
    return any(_may_count(one) for one in group)


def messages_to_count(
    tenant_id: int, group: Sequence[ClaimedMessage]
) -> list[tuple[RecipientLimit, ClaimedMessage]]:
    """In the tenant's transaction: the messages outside the window of a line with a limit."""
    limits = _known_limits(tenant_id)
    limited = [one for one in group if _may_count(one) and one.envelope.line_id in limits]
    if not limited:
        return []
    moment = now()
    windows = fallback.read_windows([(one.envelope.line_id, one.envelope.phone) for one in limited])
    return [
        (limits[one.envelope.line_id], one)
        for one in limited
        if windows.get((one.envelope.line_id, one.envelope.phone), moment) <= moment
    ]


def check_room(line: Line, draft: MessageDraft) -> None:
    """Raise Invalid if the network would not allow this recipient now."""
    limit = recipient_limits.limit_of(line)
    if limit is None or draft.kind != "template":
        return
    used = recipient_limits.used_recipients(limit, draft.phone)
    if used is None or used.is_known or used.used < limit.most:
        return
    if fallback.read_windows([(line.id, draft.phone)]).get((line.id, draft.phone), now()) > now():
        return
    raise invalid(
        "phone",
        "recipient_limit_reached",
        "The account has written to {most} new people in 24 hours, which is its limit at WhatsApp. "
        "Send it later, or with Prefer: respond-async to let it wait.",
        most=limit.most,
    )


async def count_recipients(
    redis: "AsyncRedis", counted: Sequence[tuple[RecipientLimit, ClaimedMessage]]
) -> dict[str, float]:
    """Count them. Returns the messages that have to wait, by their UUID, with the seconds."""
    by_limit: dict[RecipientLimit, list[ClaimedMessage]] = defaultdict(list)
    for limit, one in counted:
        by_limit[limit].append(one)
    waits: dict[str, float] = {}
    for limit, messages in by_limit.items():
        phones = [one.envelope.phone for one in messages]
        found = await recipient_limits.take_each(redis, limit, phones)
        waits |= {one.uuid: wait for one, wait in zip(messages, found, strict=True) if wait > 0}
    return waits


def forget_limits() -> None:
    """For tests: the next batch reads the limits again."""
    _limits.clear()


def _may_count(one: ClaimedMessage) -> bool:
    return one.envelope.kind == "template" or direct_send.CONTENT_KEY in one.envelope.content


def _known_limits(tenant_id: int) -> dict[int, RecipientLimit]:
    known = _limits.get(tenant_id)
    if known is None or known[0] < time.monotonic():
        limits = recipient_limits.limits_of_lines(line_repository.list_lines())
        known = _limits[tenant_id] = (time.monotonic() + CACHE_SECONDS, limits)
    return known[1]
