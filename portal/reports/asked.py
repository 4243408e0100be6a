"""What a report's address asks for; whatever it cannot mean is left out."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from flask import flash, request
from flask_babel import format_date, gettext

from core.spans import NAMED, BadSpan, Span, named
from restaurant import days
from restaurant.models import Site

DEFAULT = "7"


@dataclass(frozen=True)
class Asked:
    name: str
    span: Span
    site: str = ""
    currency: str = ""

    @property
    def address(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "period": self.name, "site": self.site, "currency": self.currency,
        }  # fmt: skip
        if self.name == "range":
            found |= {"since": self.span.since.isoformat(), "until": self.span.until.isoformat()}
        return {name: value for name, value in found.items() if value}


def asked(today: date) -> Asked:
    """`today` is the day it is where the report's things happen."""
    name = request.args.get("period", "")
    span = _range(today) if name == "range" else None
    if span is None:
        name = name if name in NAMED else DEFAULT
        span = named(name, today)
    currency = request.args.get("currency", "")
    return Asked(
        name,
        span,
        request.args.get("site", "")[:40],
        currency if currency.isascii() and currency.isalpha() and len(currency) == 3 else "",
    )


def _range(today: date) -> Span | None:
    until = _day("until") or today
    try:
        return Span(_day("since") or until - timedelta(days=29), until)
    except (BadSpan, OverflowError):
        flash(gettext("Choose a first day before the last one, and a year at most."), "warning")
        return None


def _day(name: str) -> date | None:
    try:
        found = date.fromisoformat(request.args.get(name, ""))
    except ValueError:
        return None
    return found if found.year > 1970 else None


def today_of(sites: list[Site], otherwise: date) -> date:
    """The newest business day of any of them."""
    return max((days.today(site) for site in sites), default=otherwise)


def day_label(span: Span) -> Callable[[date], str]:
    """Short under a chart: the weekday of a week, the day of anything longer."""
    pattern = "EEE d" if span.length <= 10 else "d MMM"
    return lambda day: str(format_date(day, pattern))
