"""How fast a linked line may send, and to whom.

The network publishes no limits for a phone's own app. It looks for behaviour that is not human: a
new number that writes without a pause and to many people who never wrote to it. So a line keeps a
human pace, a new number is warmed up over a week, and the number of recipients per day who never
wrote first is small. The values are cautious; they do not guarantee that a line is not banned.
"""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.values.network_address import address_variants
from messaging.lines import repository as line_repository
from messaging.models import LinkedDay, LinkedLine

PER_SECOND = Decimal("0.5")
"""One message every two seconds on average, with gaps of 1 to 3 seconds: about as fast as a person
who replies with prepared texts. The pace can be set slower, never faster.
"""
GAP_JITTER = (0.5, 1.5)

# Messages, and recipients who never wrote first, per day since the number was linked. After a week
# a number writes like a busy person; most bans happen in the first days.
WARM_UP_LIMITS = ((40, 10), (80, 20), (150, 30), (250, 50), (400, 75), (600, 100), (800, 150))
FULL_DAILY_LIMITS = (5000, 200)
"""After the warm-up. 5000 messages take about three hours of continuous sending."""
AFTER_MIDNIGHT = timedelta(minutes=10)  # spreads the start of messages that waited for the next day

TAKE_DAILY_MESSAGE = text("""
INSERT INTO linked_days (tenant_id, line_id, day, sent, strangers)
VALUES (:tenant_id, :line_id, :day, 1, :stranger)
ON CONFLICT (tenant_id, line_id, day) DO UPDATE
   SET sent = linked_days.sent + 1, strangers = linked_days.strangers + excluded.strangers
 WHERE linked_days.sent < :most
   AND (excluded.strangers = 0 OR linked_days.strangers < :most_strangers)
RETURNING sent
""")
WROTE_FIRST = text("""
SELECT 1 FROM messages
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND direction = 'in'
   AND line_id = :line_id LIMIT 1
""")
WRITTEN_TO = text("""
SELECT 1 FROM messages
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND direction = 'out'
   AND line_id = :line_id AND changed_at >= :since
   AND state IN ('sending', 'sent', 'delivered', 'read', 'unknown') LIMIT 1
""")


@dataclass(frozen=True)
class DailyAllowance:
    """A line's limits for one day and how much of them is used."""

    number: int
    """Day of the warm-up, from 1; 0 after it."""
    most: int
    most_strangers: int
    sent: int = 0
    strangers: int = 0


def seconds_to_next(per_second: Decimal) -> float:
    """Return a random gap until the next message."""
    return random.uniform(*GAP_JITTER) / float(min(per_second, PER_SECOND))  # noqa: S311 - no secret


def set_pace(line_id: int, per_second: Decimal) -> None:
    if per_second > PER_SECOND:
        raise invalid(
            "per_second",
            "too_fast",
            "A linked phone can send at most one message every two seconds: {most} per second.",
            most=PER_SECOND,
        )
    line_repository.set_pace(line_id, per_second)


def allowance_on(linked: LinkedLine, moment: datetime | None = None) -> DailyAllowance:
    moment = moment or now()
    number = (moment.date() - (linked.paired_at or moment).date()).days + 1
    most, strangers = (
        WARM_UP_LIMITS[number - 1] if 1 <= number <= len(WARM_UP_LIMITS) else FULL_DAILY_LIMITS
    )
    return DailyAllowance(number if number <= len(WARM_UP_LIMITS) else 0, most, strangers)


def allowance_today(linked: LinkedLine) -> DailyAllowance:
    """Today's limits and use, for the line's page."""
    moment = now()
    may = allowance_on(linked, moment)
    used = db.session.get(LinkedDay, (linked.tenant_id, linked.line_id, moment.date()))
    return DailyAllowance(
        may.number,
        may.most,
        may.most_strangers,
        used.sent if used else 0,
        used.strangers if used else 0,
    )


def take_daily_message(linked: LinkedLine, phone: str) -> float:
    """Take one message from the daily limit. Returns 0, or the seconds until it may be sent."""
    moment = now()
    may = allowance_on(linked, moment)
    updated = db.session.execute(
        TAKE_DAILY_MESSAGE,
        {
            "tenant_id": current_tenant_id(),
            "line_id": linked.line_id,
            "day": moment.date(),
            "stranger": int(_is_new_stranger(linked.line_id, phone, moment)),
            "most": may.most,
            "most_strangers": may.most_strangers,
        },
    )
    return 0.0 if updated.first() is not None else _until_tomorrow(moment)


def _is_new_stranger(line_id: int, phone: str, moment: datetime) -> bool:
    """Return whether the recipient never wrote to this line and has not been written to today."""
    params = {
        "tenant_id": current_tenant_id(),
        "line_id": line_id,
        "phones": sorted(address_variants(phone)),
        "since": datetime(moment.year, moment.month, moment.day, tzinfo=UTC),
    }
    if db.session.execute(WROTE_FIRST, params).first() is not None:
        return False
    return db.session.execute(WRITTEN_TO, params).first() is None


def _until_tomorrow(moment: datetime) -> float:
    midnight = datetime(moment.year, moment.month, moment.day, tzinfo=UTC) + timedelta(days=1)
    late = random.uniform(0, AFTER_MIDNIGHT.total_seconds())  # noqa: S311 - no secret
    return (midnight - moment).total_seconds() + late
