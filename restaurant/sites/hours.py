"""Opening hours, and the business day of a moment, in the site's time zone."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any

from core.clock import zone
from core.errors import invalid
from core.values.text import BadText, one_line

_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
DAYS = 7
MOST_SPECIAL_DAYS = 60
LONGEST_SPECIAL_DAY = timedelta(days=92)
LONGEST_NAME = 60
_LOOK_AHEAD_DAYS = 400  # longer than any period of special days that a restaurant plans

Spans = Sequence[Sequence[str]]
Hours = Mapping[str, Spans]
SpecialDays = Sequence[Mapping[str, Any]]
"""Each has starts_on, ends_on (both inclusive), hours (none: closed) and a name."""


def is_open(hours: Hours, tz: str, moment: datetime, special_days: SpecialDays = ()) -> bool:
    """No hours at all means always open. A span that ends before it begins goes past midnight.

    A special day has its own hours instead of the weekday's. A span that began the evening before
    still ends at its usual time.
    """
    local = moment.astimezone(zone(tz))
    today = _spans(hours, special_days, local.date())
    if today is None:
        return True
    yesterday = _spans(hours, special_days, local.date() - timedelta(days=1)) or ()
    return _inside(today, local.time(), False) or _inside(yesterday, local.time(), True)


def next_opening(
    hours: Hours, tz: str, moment: datetime, special_days: SpecialDays = ()
) -> datetime | None:
    """The next opening after a moment at which the site is closed. None if there is none."""
    if not any(hours.values()) and not special_days:
        return None
    local = moment.astimezone(zone(tz))
    for ahead in range(_LOOK_AHEAD_DAYS):
        day = local.date() + timedelta(days=ahead)
        spans = _spans(hours, special_days, day)
        for opens in ["00:00"] if spans is None else sorted(span[0] for span in spans):
            at = datetime.combine(day, _time(opens), tzinfo=zone(tz))
            if at > local:
                return at
    return None


def closing_time(
    hours: Hours, tz: str, moment: datetime, special_days: SpecialDays = ()
) -> time | None:
    """When the site closes, if it is open at this moment. None if it is closed or never closes."""
    local = moment.astimezone(zone(tz))
    for back in (0, 1):
        spans = _spans(hours, special_days, local.date() - timedelta(days=back)) or ()
        for span in spans:
            if _inside([span], local.time(), bool(back)):
                return _time(span[1])
    return None


def special_day(special_days: SpecialDays, day: date) -> Mapping[str, Any] | None:
    """The entry that replaces the weekday's hours on this date."""
    text = day.isoformat()
    return next((one for one in special_days if one["starts_on"] <= text <= one["ends_on"]), None)


def closed_all_day(
    special_days: SpecialDays, tz: str, moment: datetime
) -> Mapping[str, Any] | None:
    """The special day that closes the restaurant today, or None."""
    found = special_day(special_days, moment.astimezone(zone(tz)).date())
    return found if found is not None and not found["hours"] else None


def coming(special_days: SpecialDays, tz: str, moment: datetime) -> list[Mapping[str, Any]]:
    """The special days that are not over yet, in the restaurant's time zone."""
    today = moment.astimezone(zone(tz)).date().isoformat()
    return [one for one in special_days if one["ends_on"] >= today]


def business_day(day_starts: str, tz: str, moment: datetime) -> date:
    """Hours after midnight and before `day_starts` belong to the previous day."""
    local = moment.astimezone(zone(tz))
    return local.date() - timedelta(days=1) if local.time() < _time(day_starts) else local.date()


def check_hours(hours: Mapping[str, Any]) -> dict[str, list[list[str]]]:
    """Validates hours from people and programs. Raises Invalid naming the day."""
    clean: dict[str, list[list[str]]] = {}
    for day, spans in hours.items():
        if day not in {str(number) for number in range(DAYS)} or not isinstance(spans, list):
            raise invalid(
                "hours", "invalid_hours", "Enter hours by weekday, from 0 (Monday) to 6 (Sunday)."
            )
        clean[day] = _checked_spans("hours", spans)
    return clean


def checked_special_days(given: Iterable[Any]) -> list[dict[str, Any]]:
    """Sorted by date. Raises Invalid."""
    clean = sorted((_checked_special_day(one) for one in given), key=lambda one: one["starts_on"])
    if len(clean) > MOST_SPECIAL_DAYS:
        raise invalid(
            "special_days",
            "invalid_special_days",
            "Enter at most {most} special days. Consecutive days can be one entry.",
            most=MOST_SPECIAL_DAYS,
        )
    for one, following in pairwise(clean):
        if following["starts_on"] <= one["ends_on"]:
            raise invalid(
                "special_days",
                "invalid_special_days",
                "Two special days are on {date}.",
                date=following["starts_on"],
            )
    return clean


def _checked_special_day(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not isinstance(given.get("hours") or [], list):
        raise invalid(
            "special_days",
            "invalid_special_days",
            "A special day needs a date, and opening hours unless you are closed.",
        )
    starts = _checked_date(given.get("starts_on"))
    ends = _checked_date(given.get("ends_on") or given.get("starts_on"))
    if not timedelta(0) <= ends - starts <= LONGEST_SPECIAL_DAY:
        raise invalid(
            "special_days",
            "invalid_special_days",
            "The last day must be after the first, at most {days} days later.",
            days=LONGEST_SPECIAL_DAY.days,
        )
    try:
        name = one_line(str(given.get("name") or ""), LONGEST_NAME)
    except BadText as error:
        raise invalid(
            "special_days", "invalid_special_days", "The text contains an invalid character."
        ) from error
    return {
        "starts_on": starts.isoformat(),
        "ends_on": ends.isoformat(),
        "hours": _checked_spans("special_days", given.get("hours") or []),
        "name": name,
    }


def _checked_date(value: Any) -> date:
    text = str(value or "")
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise invalid(
        "special_days",
        "invalid_special_days",
        "Enter a date for the special day, such as 2026-12-31.",
    )


def _checked_spans(field: str, spans: Iterable[Any]) -> list[list[str]]:
    for span in spans:
        pair = list(span) if isinstance(span, list | tuple) else []
        if len(pair) != 2 or not all(_CLOCK.fullmatch(str(clock)) for clock in pair):
            raise invalid(field, "invalid_hours", "Enter hours as two times, such as 11:00 23:30.")
        if pair[0] == pair[1]:
            raise invalid(field, "invalid_hours", "The end time must be after the start time.")
    return sorted([str(begins), str(ends)] for begins, ends in spans)


def check_clock(field: str, clock: str) -> str:
    if not _CLOCK.fullmatch(clock):
        raise invalid(field, "invalid_time", "Enter a time, such as 04:00.")
    return clock


def _spans(hours: Hours, special_days: SpecialDays, day: date) -> Spans | None:
    """The spans that begin on a date; None means open all day."""
    special = special_day(special_days, day)
    if special is not None:
        spans: Spans = special["hours"]
        return spans
    return hours.get(str(day.weekday()), ()) if any(hours.values()) else None


def _inside(spans: Spans, clock: time, past_midnight: bool) -> bool:
    for begins, ends in spans:
        opens, closes = _time(begins), _time(ends)
        if past_midnight:
            if closes < opens and clock < closes:
                return True
        elif opens <= clock and (clock < closes or closes < opens):
            return True
    return False


def _time(clock: str) -> time:
    return time(int(clock[:2]), int(clock[3:5]))
