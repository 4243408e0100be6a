"""Date ranges of reports, and the range before to compare with."""

from dataclasses import dataclass
from datetime import date, timedelta

MAX_DAYS = 366
PRESETS = {"today": 1, "7": 7, "30": 30, "90": 90}


class BadDateRange(ValueError):
    """The dates are not a valid range; the message says why."""


@dataclass(frozen=True)
class DateRange:
    """Both days included."""

    since: date
    until: date

    def __post_init__(self) -> None:
        if self.since > self.until:
            raise BadDateRange("the first day must not be after the last one")
        if self.length > MAX_DAYS:
            raise BadDateRange(f"a period has at most {MAX_DAYS} days")

    @property
    def length(self) -> int:
        return (self.until - self.since).days + 1

    @property
    def before(self) -> "DateRange":
        """The same number of days, ending the day before this range."""
        last = self.since - timedelta(days=1)
        return DateRange(last - timedelta(days=self.length - 1), last)

    def days(self) -> list[date]:
        return [self.since + timedelta(days=number) for number in range(self.length)]


def preset_range(name: str, today: date) -> DateRange:
    return DateRange(today - timedelta(days=PRESETS[name] - 1), today)
