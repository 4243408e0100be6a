"""The report of response times: how fast the team answers and closes conversations."""

from typing import Any

from flask import g, render_template, request
from flask_babel import gettext

from core.clock import now
from core.db import tenant_scope
from messaging.inbox.team import response_times
from messaging.inbox.team.response_times import FIELDS, GROUPS
from portal.reports import reports
from portal.reports.filters import ReportFilters, day_label, filters_in_url
from portal.web import charts
from portal.web.auth import member_may
from portal.web.csv_files import csv_response


@reports.get("/reports/response-times")
@member_may("reports.view")
def responses() -> Any:
    with tenant_scope(g.tenant_id):
        filters = _filters()
        made = response_times.report(filters.span)
        before = response_times.report(filters.span.before)
    label = day_label(filters.span)
    days = list(zip(filters.span.days(), made.days, strict=True))
    reply_chart = charts.column_chart(
        [(label(day), (row.figures.reply_median or 0,)) for day, row in days],
        (gettext("Median first response"),),
        duration,
        [row.figures.reply_median for row in before.days],
    )
    close_chart = charts.column_chart(
        [(label(day), (row.figures.close_median or 0,)) for day, row in days],
        (gettext("Median resolution"),),
        duration,
        [row.figures.close_median for row in before.days],
    )
    return render_template(
        "reports/responses.html",
        filters=filters,
        report=made,
        before=before.total,
        days=[(day, row.figures) for day, row in reversed(days) if row.figures.cases],
        reply_chart=reply_chart,
        close_chart=close_chart,
        duration=duration,
        change=charts.percent_change,
    )


@reports.get("/reports/response-times.csv")
@member_may("reports.view")
def responses_csv() -> Any:
    """By day, or with `by` by member or label. Times are in seconds."""
    group = request.args.get("by", "")
    group = group if group in GROUPS else "day"
    with tenant_scope(g.tenant_id):
        made = response_times.report(_filters().span)
    rows = (
        (row.name, *(_cell(getattr(row.figures, name)) for name in FIELDS))
        for row in made.rows(group)
    )
    return csv_response(f"response-times-by-{group}", (group, *FIELDS), rows)


def _filters() -> ReportFilters:
    return filters_in_url(now().astimezone(response_times.tenant_zone()).date())


def _cell(value: int | None) -> str:
    return "" if value is None else str(value)


def duration(seconds: charts.Number | None) -> str:
    """As people say it: 45 s, 12 min, 3 h 20 min, 2 d 4 h."""
    if seconds is None:
        return "–"
    whole = round(float(seconds))
    if whole < 60:
        return str(gettext("%(count)s s", count=whole))
    minutes = round(whole / 60)
    if minutes < 60:
        return str(gettext("%(count)s min", count=minutes))
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return str(gettext("%(hours)s h %(minutes)s min", hours=hours, minutes=minutes))
    days, hours = divmod(hours, 24)
    return str(gettext("%(days)s d %(hours)s h", days=days, hours=hours))
