"""Today's figures for Home: messages, orders, revenue and tickets, with past days to compare."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from core.clock import now
from core.values.date_ranges import DateRange
from messaging.costs import usage as message_usage
from messaging.costs.usage import Period, UsageTotal
from portal.web.auth import may
from printing import reports as paper
from printing.printers import PrinterSummary
from restaurant.models import Site
from restaurant.orders.reports import day_summary
from restaurant.orders.reports import sales as sales_reports
from restaurant.orders.reports.sales import SalesTotal

DAYS = 14


@dataclass
class Revenue:
    """Revenue in one currency."""

    currency: str
    today: SalesTotal = field(default_factory=SalesTotal)
    last_week: SalesTotal = field(default_factory=SalesTotal)
    """The same weekday a week ago."""
    trend: list[Decimal] = field(default_factory=list)


@dataclass
class Today:
    messages: list[UsageTotal] = field(default_factory=list)
    """Messages of live lines by day, oldest first; empty if there are no messages."""
    tests: UsageTotal = field(default_factory=lambda: UsageTotal(""))
    """Today's test messages, counted separately as on the usage page."""
    takings: list[Revenue] = field(default_factory=list)
    orders: int = 0
    orders_last_week: int = 0
    order_trend: list[int] = field(default_factory=list)
    tickets: int | None = None
    """None without a printer."""
    not_printed: int = 0
    seconds: float = 0

    @property
    def sent_today(self) -> UsageTotal:
        return self.messages[-1] if self.messages else UsageTotal(now().date())


def read_today(sites: list[Site], printers: list[PrinterSummary]) -> Today:
    """Runs in the tenant's transaction; reads only what the person may see."""
    found = Today()
    if may("messages.view"):
        found.messages, found.tests = _messages()
    if may("orders.view") and sites:
        _orders(found, sites)
    if may("printing.view") and printers:
        _print_jobs(found, printers)
    return found


def _messages() -> tuple[list[UsageTotal], UsageTotal]:
    """Messages of live lines by day, and today's messages of test lines."""
    until = now().date()
    span = Period(until - timedelta(days=DAYS - 1), until)
    live, tests = message_usage.live_and_test_usage(span)
    days = [live.get(day) or UsageTotal(day) for day in span.days()]
    return days if live or tests else [], tests.get(until) or UsageTotal(until)


def _orders(found: Today, known: list[Site]) -> None:
    todays = {site.id: day_summary.business_day_today(site) for site in known}
    last = max(todays.values())
    span = DateRange(last - timedelta(days=DAYS), last)
    by_currency = {
        site.currency: Revenue(site.currency, trend=[Decimal(0)] * DAYS) for site in known
    }
    found.order_trend = [0] * DAYS
    for row in sales_reports.day_totals(list(todays), span):
        ago = (todays[row.site_id] - row.day).days
        totals = by_currency.setdefault(
            row.currency, Revenue(row.currency, trend=[Decimal(0)] * DAYS)
        )
        if ago in (0, 7):
            one = totals.today if ago == 0 else totals.last_week
            one.orders += row.orders
            one.revenue += row.revenue
            one.lost += row.lost
        if 0 <= ago < DAYS:
            totals.trend[DAYS - 1 - ago] += row.revenue
            found.order_trend[DAYS - 1 - ago] += row.orders
    found.takings = list(by_currency.values())
    found.orders = sum(one.today.orders for one in found.takings)
    found.orders_last_week = sum(one.last_week.orders for one in found.takings)


def _print_jobs(found: Today, printers: list[PrinterSummary]) -> None:
    rows = _tickets([one.id for one in printers], now().date())
    found.tickets = sum(row.tickets for row in rows)
    found.not_printed = sum(row.failed + row.unconfirmed for row in rows)
    printed = sum(row.printed for row in rows)
    found.seconds = sum(row.seconds for row in rows) / printed if printed else 0


def _tickets(known: list[str], today: date) -> list[paper.DailyTickets]:
    return paper.tickets_by_day(known, DateRange(today, today))
