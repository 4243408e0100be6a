"""Messages of a stretch of days, from the totals that are kept of each day (UTC)."""

from collections.abc import Sequence
from typing import Any

from flask import g, redirect, render_template, url_for
from flask_babel import format_decimal, gettext

from core.clock import now
from core.db import tenant_scope
from core.spans import Span
from messaging import lines_book, usage
from messaging.usage import Period, Total
from portal import plots
from portal.csv_files import csv_answer
from portal.reports import reports
from portal.reports.asked import asked, day_label
from portal.visitors import may, member_may
from restaurant import sites

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
    wanted = asked(now().date())
    with tenant_scope(g.tenant_id):
        lines = {line.id: line for line in lines_book.names() if not line.test}
        shown = frozenset(lines)
        days = by_day(wanted.span, shown)
        before = by_day(wanted.span.before, shown)
        by_line = usage.totals(_period(wanted.span), "line", shown)
        unconfirmed = usage.unconfirmed(_period(wanted.span))
    label = day_label(wanted.span)
    chart = plots.columns(
        [(label(day.key), (day.sent, day.received, day.failed)) for day in days],
        (gettext("Sent"), gettext("Received"), gettext("Failed")),
        lambda value: str(format_decimal(value)),
        [day.sent + day.received + day.failed for day in before],
    )
    return render_template(
        "reports/messages.html",
        asked=wanted,
        total=summed(days),
        before=summed(before),
        unconfirmed=unconfirmed,
        chart=chart,
        by_line=[(lines[one.key].name, one) for one in by_line],
        change=plots.change,
    )


@reports.get("/reports/messages.csv")
@member_may("reports.view")
def messages_csv() -> Any:
    wanted = asked(now().date())
    with tenant_scope(g.tenant_id):
        shown = frozenset(line.id for line in lines_book.names() if not line.test)
        days = by_day(wanted.span, shown)
    rows = ((day.key.isoformat(), *(str(getattr(day, name)) for name in COUNTED)) for day in days)
    return csv_answer("messages-by-day", ("day", *COUNTED), rows)


def by_day(span: Span, line_ids: frozenset[int] | None) -> list[Total]:
    """Every day of it, the oldest first, also those on which nothing happened."""
    known = {total.key: total for total in usage.totals(_period(span), "day", line_ids)}
    return [known.get(day) or Total(day) for day in span.days()]


def summed(days: Sequence[Total]) -> Total:
    return Total("", **{name: sum(getattr(day, name) for day in days) for name in COUNTED})


def _period(span: Span) -> Period:
    return Period(span.since, span.until)
