"""The message report of a date range, from daily totals (UTC)."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from flask import g, redirect, render_template, url_for
from flask_babel import format_decimal, gettext

from core.clock import now
from core.db import tenant_scope
from core.values.date_ranges import DateRange
from messaging.costs import usage as message_usage
from messaging.costs.usage import Period, UsageTotal
from messaging.lines import repository as line_repository
from portal.reports import reports
from portal.reports.filters import day_label, filters_in_url
from portal.web import charts
from portal.web.auth import may, member_may
from portal.web.csv_files import csv_response
from restaurant.ads.revenue import AdReport, AdRevenue, ad_report
from restaurant.sites import sites

COUNTED = ("sent", "delivered", "read", "failed", "received", "cost_usd")


@reports.get("/reports")
@member_may("reports.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        has_sites = bool(sites.listed()) and may("orders.view")
    return redirect(url_for("reports.orders" if has_sites else "reports.messages"))


@reports.get("/reports/messages")
@member_may("reports.view")
def messages() -> Any:
    filters = filters_in_url(now().date())
    with tenant_scope(g.tenant_id):
        lines = {line.id: line for line in line_repository.line_labels() if not line.test}
        shown = frozenset(lines)
        days = by_day(filters.span, shown)
        before = by_day(filters.span.before, shown)
        by_line = message_usage.usage_totals(_period(filters.span), "line", shown)
        unconfirmed = message_usage.count_unconfirmed(_period(filters.span))
        ads = _ad_report(filters.span)
    label = day_label(filters.span)
    chart = charts.column_chart(
        [(label(day.key), (day.sent, day.received, day.failed)) for day in days],
        (gettext("Sent"), gettext("Received"), gettext("Failed")),
        lambda value: str(format_decimal(value)),
        [day.sent + day.received + day.failed for day in before],
    )
    return render_template(
        "reports/messages.html",
        filters=filters,
        total=total_of(days),
        before=total_of(before),
        unconfirmed=unconfirmed,
        chart=chart,
        by_line=[(lines[one.key].name, one) for one in by_line],
        ads=ads,
        change=charts.percent_change,
    )


@reports.get("/reports/ads.csv")
@member_may("reports.view")
def ads_csv() -> Any:
    """One row for each ad: conversations, orders and their value."""
    filters = filters_in_url(now().date())
    with tenant_scope(g.tenant_id):
        report = _ad_report(filters.span)
    names = [one.name for one in fields(AdRevenue)]
    rows = ((*(_cell(getattr(ad, name)) for name in names), report.currency) for ad in report.ads)
    return csv_response("ads", (*names, "currency"), rows)


def _cell(value: object) -> str:
    """Empty for figures that the member may not see."""
    return "" if value is None else str(value)


def _ad_report(span: DateRange) -> AdReport:
    return ad_report(span, with_orders=may("orders.view"))


@reports.get("/reports/messages.csv")
@member_may("reports.view")
def messages_csv() -> Any:
    filters = filters_in_url(now().date())
    with tenant_scope(g.tenant_id):
        shown = frozenset(line.id for line in line_repository.line_labels() if not line.test)
        days = by_day(filters.span, shown)
    rows = ((day.key.isoformat(), *(str(getattr(day, name)) for name in COUNTED)) for day in days)
    return csv_response("messages-by-day", ("day", *COUNTED), rows)


def by_day(span: DateRange, line_ids: frozenset[int] | None) -> list[UsageTotal]:
    """Every day of the range, oldest first, including days without messages."""
    known = {
        total.key: total for total in message_usage.usage_totals(_period(span), "day", line_ids)
    }
    return [known.get(day) or UsageTotal(day) for day in span.days()]


def total_of(days: Sequence[UsageTotal]) -> UsageTotal:
    return UsageTotal("", **{name: sum(getattr(day, name) for day in days) for name in COUNTED})


def _period(span: DateRange) -> Period:
    return Period(span.since, span.until)
