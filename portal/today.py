"""Today in figures, for Home: messages, orders, revenue, tickets, and how the days before were."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from core.clock import now
from core.spans import Span
from messaging import lines_book, usage
from messaging.usage import Period, Total
from portal.visitors import may
from printing import figures as paper
from printing import printers
from restaurant import days, figures, sites
from restaurant.figures import Sum
from restaurant.models import Site

DAYS = 14


@dataclass
class Takings:
    """Of one currency."""

    currency: str
    today: Sum = field(default_factory=Sum)
    last_week: Sum = field(default_factory=Sum)
    """The same weekday, a week ago."""
    trend: list[Decimal] = field(default_factory=list)


@dataclass
class Today:
    messages: list[Total] = field(default_factory=list)
    """Of live lines, by day, oldest first; empty while there are none at all."""
    tests: Total = field(default_factory=lambda: Total(""))
    """Today's test messages: like on the page of usage, no other figure counts them."""
    takings: list[Takings] = field(default_factory=list)
    orders: int = 0
    orders_last_week: int = 0
    order_trend: list[int] = field(default_factory=list)
    tickets: int | None = None
    """None: there is no printer."""
    not_printed: int = 0
    seconds: float = 0

    @property
    def sent_today(self) -> Total:
        return self.messages[-1] if self.messages else Total(now().date())


def look() -> Today:
    """In the tenant's transaction; only what the person may see."""
    found = Today()
    if may("messages.view"):
        found.messages, found.tests = _messages()
    if may("orders.view"):
        known = sites.listed()
        if known:
            _orders(found, known)
    if may("printing.view"):
        _paper(found)
    return found


def _messages() -> tuple[list[Total], Total]:
    """Of live lines by day, and today's of test lines."""
    until = now().date()
    span = Period(until - timedelta(days=DAYS - 1), until)
    lines = lines_book.names()
    live = frozenset(line.id for line in lines if not line.test)
    tests = frozenset(line.id for line in lines if line.test)
    known = {total.key: total for total in usage.totals(span, "day", live)}
    tried = {total.key: total for total in usage.totals(span, "day", tests)}
    days = [known.get(day) or Total(day) for day in span.days()] if known or tried else []
    return days, tried.get(until) or Total(until)


def _orders(found: Today, known: list[Site]) -> None:
    todays = {site.id: days.today(site) for site in known}
    last = max(todays.values())
    span = Span(last - timedelta(days=DAYS), last)
    by_currency = {
        site.currency: Takings(site.currency, trend=[Decimal(0)] * DAYS) for site in known
    }
    found.order_trend = [0] * DAYS
    for row in figures.sold(list(todays), span):
        ago = (todays[row.site_id] - row.day).days
        mine = by_currency.setdefault(
            row.currency, Takings(row.currency, trend=[Decimal(0)] * DAYS)
        )
        if ago in (0, 7):
            one = mine.today if ago == 0 else mine.last_week
            one.orders += row.orders
            one.revenue += row.revenue
            one.lost += row.lost
        if 0 <= ago < DAYS:
            mine.trend[DAYS - 1 - ago] += row.revenue
            found.order_trend[DAYS - 1 - ago] += row.orders
    found.takings = list(by_currency.values())
    found.orders = sum(one.today.orders for one in found.takings)
    found.orders_last_week = sum(one.last_week.orders for one in found.takings)


def _paper(found: Today) -> None:
    known = [one.id for one in printers.listed()]
    if not known:
        return
    rows = _tickets(known, now().date())
    found.tickets = sum(row.tickets for row in rows)
    found.not_printed = sum(row.failed + row.unconfirmed for row in rows)
    printed = sum(row.printed for row in rows)
    found.seconds = sum(row.seconds for row in rows) / printed if printed else 0


def _tickets(known: list[str], today: date) -> list[paper.Printed]:
    return paper.printed(known, Span(today, today))
