"""When a place is open, and which business day a moment belongs to, by its own clock."""

import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from core.clock import zone
from core.errors import invalid

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
DAYS = 7

Hours = Mapping[str, Sequence[Sequence[str]]]


def is_open(hours: Hours, tz: str, moment: datetime) -> bool:
    """No hours at all means always. A span that ends before it begins goes past midnight."""
    if not any(hours.values()):
        return True
    local = moment.astimezone(zone(tz))
    return _inside(hours, local.weekday(), local.time(), False) or _inside(
        hours, (local.weekday() - 1) % DAYS, local.time(), True
    )


def next_opening(hours: Hours, tz: str, moment: datetime) -> datetime | None:
    """The next time the doors open after a moment at which they are closed."""
    local = moment.astimezone(zone(tz))
    for ahead in range(DAYS + 1):
        day = local.date() + timedelta(days=ahead)
        for opens in sorted(span[0] for span in hours.get(str(day.weekday()), ())):
            at = datetime.combine(day, _time(opens), tzinfo=zone(tz))
            if at > local:
                return at
    return None


def business_day(day_starts: str, tz: str, moment: datetime) -> date:
    """Past midnight a dinner still belongs to the evening before."""
    local = moment.astimezone(zone(tz))
    return local.date() - timedelta(days=1) if local.time() < _time(day_starts) else local.date()


def checked(hours: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """As people and programs give it; raises Invalid with the day's name in the sentence."""
    clean: dict[str, list[list[str]]] = {}
    for day, spans in hours.items():
        if day not in {str(number) for number in range(DAYS)} or not isinstance(spans, list):
            raise invalid("hours", "invalid_hours", "Hours are given by weekday, 0 (Monday) to 6.")
        for span in spans:
            pair = list(span) if isinstance(span, list | tuple) else []
            if len(pair) != 2 or not all(_CLOCK.fullmatch(str(clock)) for clock in pair):
                raise invalid(
                    "hours", "invalid_hours", "A span of hours is two times, such as 11:00 23:30."
                )
            if pair[0] == pair[1]:
                raise invalid("hours", "invalid_hours", "A span of hours must end after it begins.")
        clean[day] = sorted([str(begins), str(ends)] for begins, ends in spans)
    return clean


def checked_clock(field: str, clock: str) -> str:
    if not _CLOCK.fullmatch(clock):
        raise invalid(field, "invalid_time", "A time of day is written like 04:00.")
    return clock


def _inside(hours: Hours, weekday: int, clock: time, past_midnight: bool) -> bool:
    for begins, ends in hours.get(str(weekday), ()):
        opens, closes = _time(begins), _time(ends)
        if past_midnight:
            if closes < opens and clock < closes:
                return True
        elif opens <= clock and (clock < closes or closes < opens):
            return True
    return False


def _time(clock: str) -> time:
    return time(int(clock[:2]), int(clock[3:5]))
