"""The current time: always timezone-aware, always UTC, and frozen when a test freezes it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]{1,9}))?(?:([Zz])|([+-])([0-9]{2}):([0-9]{2}))"
)

# One value for the whole process, so that a frozen clock also holds for threads that a test starts.
_frozen_at: datetime | None = None
# Added to the host's clock to get the database's time; see core/sql/database_clock.py.
_correction = timedelta(0)


class BadTime(ValueError):
    """A time that is not RFC 3339, or that has no offset."""

    code = "invalid_time"


def now() -> datetime:
    return _frozen_at if _frozen_at is not None else running_now()


def running_now() -> datetime:
    """The current time even while a test has frozen the clock. Ids are made from it."""
    return host_now() + _correction


def host_now() -> datetime:
    """The host's own clock, without the correction."""
    return datetime.now(UTC)


def set_correction(by: timedelta) -> None:
    """Add this to the host's clock from now on."""
    global _correction
    _correction = by


def correction() -> timedelta:
    return _correction


def reported_time(seconds: int) -> datetime:
    """The time that another system reports, in seconds since 1970; now for 0, never in the future.

    Reply windows are computed from it.
    """
    return min(datetime.fromtimestamp(seconds, UTC), now()) if seconds > 0 else now()


def today(tz: str | tzinfo = UTC) -> date:
    """The local date in a time zone: ``today("Europe/Istanbul")``."""
    return now().astimezone(zone(tz)).date()


@cache
def time_zones() -> frozenset[str]:
    """The names of all time zones. Python reads hundreds of files for them, so it is asked once."""
    return frozenset(available_timezones())


def zone(tz: str | tzinfo) -> tzinfo:
    if not isinstance(tz, str):
        return tz
    try:
        return ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadTime(f"{tz!r} is not the name of a time zone, such as Europe/Istanbul") from None


@contextmanager
def frozen(at: datetime | str | None = None) -> Iterator[datetime]:
    """Stop the clock at a moment (by default the current one) until the block ends."""
    global _frozen_at
    moment = parse_rfc3339(at) if isinstance(at, str) else _utc(at or now())
    before, _frozen_at = _frozen_at, moment
    try:
        yield moment
    finally:
        _frozen_at = before


def advance(by: timedelta | float) -> datetime:
    """Move a frozen clock forward by a timedelta or by seconds. Raises RuntimeError if it is
    running.
    """
    global _frozen_at
    if _frozen_at is None:
        raise RuntimeError("advance() moves a frozen clock: use it inside `with frozen():`")
    _frozen_at += by if isinstance(by, timedelta) else timedelta(seconds=by)
    return _frozen_at


def rfc3339(moment: datetime) -> str:
    """``2026-03-01T10:00:00Z``. Fractions of a second are included only if there are any."""
    return _utc(moment).isoformat().replace("+00:00", "Z")


def parse_rfc3339(text: str) -> datetime:
    """Parse into UTC. The offset is required; digits beyond microseconds are dropped. Raises
    BadTime.
    """
    found = _RFC3339.fullmatch(text)
    if found is None:
        raise BadTime("a time must be RFC 3339 with its offset, such as 2026-03-01T10:00:00Z")
    year, month, day, hour, minute, second, fraction, zulu, sign, off_hours, off_minutes = (
        found.groups()
    )
    offset = timedelta(0)
    if not zulu:
        if int(off_hours) > 23 or int(off_minutes) > 59:
            raise BadTime(f"{text} has an offset that does not exist")
        offset = timedelta(hours=int(off_hours), minutes=int(off_minutes))
        offset = -offset if sign == "-" else offset
    try:
        local = datetime(
            int(year),
            int(month),
            int(day),
            int(hour),
            int(minute),
            int(second),
            int((fraction or "").ljust(6, "0")[:6]),
            tzinfo=UTC,
        )
        return local - offset
    except (ValueError, OverflowError):
        raise BadTime(f"{text} is not a moment that exists") from None


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise BadTime("a time without a time zone is not a moment")
    return moment.astimezone(UTC)
