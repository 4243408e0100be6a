"""Stretches of days that reports are about, and the stretch before, to compare with."""

from dataclasses import dataclass
from datetime import date, timedelta

MOST_DAYS = 366
NAMED = {"today": 1, "7": 7, "30": 30, "90": 90}


class BadSpan(ValueError):
    """Days that are no period; the words say why."""


@dataclass(frozen=True)
class Span:
    """Both days included."""

    since: date
    until: date

    def __post_init__(self) -> None:
        if self.since > self.until:
            raise BadSpan("the first day must not be after the last one")
        if self.length > MOST_DAYS:
            raise BadSpan(f"a period has at most {MOST_DAYS} days")

    @property
    def length(self) -> int:
        return (self.until - self.since).days + 1

    @property
    def before(self) -> "Span":
        """As many days, ending the day before."""
        last = self.since - timedelta(days=1)
        return Span(last - timedelta(days=self.length - 1), last)

    def days(self) -> list[date]:
        return [self.since + timedelta(days=number) for number in range(self.length)]


def named(name: str, today: date) -> Span:
    return Span(today - timedelta(days=NAMED[name] - 1), today)
