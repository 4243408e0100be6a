"""How fast a linked line may speak, and to whom.

The network publishes no numbers for a phone's own app. It watches for what people do not do: a
number that is new, writes without a pause, and writes to many who never wrote to it. So a line
keeps a human's pace, a new number is warmed up over a week, and the people who never wrote first
are few a day. These are cautious values, not a promise that a line is left alone.
"""

import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.values.phone import phone_variants
from messaging.lines import repository as line_repository
from messaging.models import LinkedDay, LinkedLine

PER_SECOND = Decimal("0.5")
"""One message in two seconds on average, between 1 and 3: about as fast as somebody who answers
with ready-made texts. It may be made slower, never faster."""
GAP_JITTER = (0.5, 1.5)

# Messages, and people who never wrote first, on each day since the number was linked. A number
# that people have known for a week writes like a busy person; most bans strike in the first days.
WARM_UP_LIMITS = ((40, 10), (80, 20), (150, 30), (250, 50), (400, 75), (600, 100), (800, 150))
FULL_DAILY_LIMITS = (5000, 200)
"""After the warm-up. 5000 are three hours of writing without a pause."""
AFTER_MIDNIGHT = timedelta(minutes=10)  # not everything that waited leaves at the same second

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
    """A line's day: what it may, and what it has used."""

    number: int
    """Of the warm-up, from 1; 0 when it is over."""
    most: int
    most_strangers: int
    sent: int = 0
    strangers: int = 0


def seconds_to_next(per_second: Decimal) -> float:
    """Seconds until the next message."""
    return random.uniform(*GAP_JITTER) / float(min(per_second, PER_SECOND))  # noqa: S311 - no secret


def set_pace(line_id: int, per_second: Decimal) -> None:
    if per_second > PER_SECOND:
        raise invalid(
            "per_second",
            "too_fast",
            "A linked phone sends one message in two seconds at most: {most} a second.",
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
    """For the line's page."""
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
    """Take one message of the day. 0: it may leave; else the seconds it has to wait."""
    moment = now()
    may = allowance_on(linked, moment)
    taken = db.session.execute(
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
    return 0.0 if taken.first() is not None else _until_tomorrow(moment)


def _is_new_stranger(line_id: int, phone: str, moment: datetime) -> bool:
    """They never wrote to this line, and have not been written to today."""
    mine = {
        "tenant_id": current_tenant_id(),
        "line_id": line_id,
        "phones": sorted(phone_variants(phone)) if phone.isdecimal() else [phone],
        "since": datetime(moment.year, moment.month, moment.day, tzinfo=UTC),
    }
    if db.session.execute(WROTE_FIRST, mine).first() is not None:
        return False
    return db.session.execute(WRITTEN_TO, mine).first() is None


def _until_tomorrow(moment: datetime) -> float:
    midnight = datetime(moment.year, moment.month, moment.day, tzinfo=UTC) + timedelta(days=1)
    late = random.uniform(0, AFTER_MIDNIGHT.total_seconds())  # noqa: S311 - no secret
    return (midnight - moment).total_seconds() + late
