"""Quiet hours in the recipient's time zone, which is estimated from the phone number, or from the
country of an id.
"""

from datetime import datetime, time, timedelta
from functools import lru_cache

import phonenumbers
from phonenumbers import NumberParseException
from phonenumbers.timezone import time_zones_for_number

from core.clock import BadTime, zone
from core.errors import invalid
from core.values.network_address import address_country, is_phone

DAY = 24 * 60
QuietHours = tuple[int, int]


def zone_of(phone: str, default_zone: str) -> str:
    """Return the time zone of a number or an id.

    Returns `ours` if it is among the possible zones or none is known, else the first of them.
    """
    zones = _zones(phone)
    return default_zone if default_zone in zones or not zones else zones[0]


def checked_quiet_hours(start: int | None, end: int | None) -> QuietHours | None:
    """Return minutes after midnight, or None for no quiet hours. Raises Invalid."""
    if start is None and end is None:
        return None
    if start is None or end is None:
        raise invalid("quiet_from", "half_quiet", "Quiet hours need a start and an end.")
    if not (0 <= start < DAY and 0 <= end < DAY):
        raise invalid("quiet_from", "invalid_time", "Enter the hours as times, such as 21:00.")
    return None if start == end else (start, end)


def next_allowed_at(moment: datetime, hours: QuietHours | None, tz: str) -> datetime:
    """Return the first time from `moment` on that is outside the quiet hours of that zone."""
    if hours is None:
        return moment
    try:
        place = zone(tz)
    except BadTime:
        return moment
    here = moment.astimezone(place)
    minute = here.hour * 60 + here.minute
    start, end = hours
    quiet = start <= minute < end if start < end else minute >= start or minute < end
    if not quiet:
        return moment
    day = here.date() if minute < end else here.date() + timedelta(days=1)
    morning = datetime.combine(day, time(end // 60, end % 60), tzinfo=place)
    return max(morning.astimezone(moment.tzinfo), moment)


@lru_cache(maxsize=4096)
def _zones(phone: str) -> tuple[str, ...]:
    try:
        number = (
            phonenumbers.parse(f"+{phone}", None)
            if is_phone(phone)
            else phonenumbers.example_number(address_country(phone) or "")
        )
    except NumberParseException:
        number = None
    if number is None:
        return ()
    return tuple(one for one in time_zones_for_number(number) if one != "Etc/Unknown")
