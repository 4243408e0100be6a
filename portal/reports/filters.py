"""Reads a report's filters from the URL; invalid values are ignored."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from flask import flash, request
from flask_babel import format_date, gettext

from core.values.date_ranges import PRESETS, BadDateRange, DateRange, preset_range
from portal.web.i18n import cached_format
from restaurant.models import Site
from restaurant.orders.reports import day_summary

DEFAULT = "7"


@dataclass(frozen=True)
class ReportFilters:
    name: str
    span: DateRange
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


def filters_in_url(today: date) -> ReportFilters:
    """`today` is the current date in the time zone of the report's data."""
    name = request.args.get("period", "")
    span = _range(today) if name == "range" else None
    if span is None:
        name = name if name in PRESETS else DEFAULT
        span = preset_range(name, today)
    currency = request.args.get("currency", "")
    return ReportFilters(
        name,
        span,
        request.args.get("site", "")[:40],
        currency if currency.isascii() and currency.isalpha() and len(currency) == 3 else "",
    )


def _range(today: date) -> DateRange | None:
    until = _day("until") or today
    try:
        return DateRange(_day("since") or until - timedelta(days=29), until)
    except (BadDateRange, OverflowError):
        flash(gettext("Choose a first day before the last day, at most one year apart."), "warning")
        return None


def _day(name: str) -> date | None:
    try:
        found = date.fromisoformat(request.args.get(name, ""))
    except ValueError:
        return None
    return found if found.year > 1970 else None


def latest_business_day(sites: list[Site], otherwise: date) -> date:
    """The latest business day of any of the sites."""
    return max((day_summary.business_day_today(site) for site in sites), default=otherwise)


_format_day = cached_format(format_date)


def day_label(span: DateRange) -> Callable[[date], str]:
    """A short chart label: the weekday within one week, otherwise the date."""
    pattern = "EEE d" if span.length <= 10 else "d MMM"
    return lambda day: _format_day(day, pattern)
