"""The reports on printing and on delivery times."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from flask import g, render_template
from flask_babel import format_decimal, gettext

from core.db import tenant_scope
from portal.reports import reports
from portal.reports.filters import day_label
from portal.reports.order_views import ReportScope, report_scope
from portal.web import charts
from portal.web.auth import member_may
from portal.web.charts import Number
from portal.web.csv_files import csv_response
from printing import printers
from printing import reports as paper
from printing.models import Printer
from printing.reports import DailyTickets, PrintTimes
from restaurant.couriers import couriers
from restaurant.orders.reports import sales as sales_reports
from restaurant.orders.reports.sales import DeliveryTimes


@dataclass
class PrintTotals:
    """Tickets of a day, of one printer, or of all printers."""

    tickets: int = 0
    printed: int = 0
    failed: int = 0
    unconfirmed: int = 0
    pace: PrintTimes = field(default_factory=PrintTimes)

    def add(self, row: DailyTickets) -> None:
        for name in ("tickets", "printed", "failed", "unconfirmed"):
            setattr(self, name, getattr(self, name) + getattr(row, name))


@reports.get("/reports/printing")
@member_may("reports.view")
def printing() -> Any:
    with tenant_scope(g.tenant_id):
        scope = report_scope(any_currency=True)
        known = _printers_in(scope)
        rows = paper.tickets_by_day(list(known), scope.filters.span)
        earlier = paper.tickets_by_day(list(known), scope.filters.span.before)
        paces = paper.print_times(list(known), scope.filters.span)
        paces_before = paper.print_times(list(known), scope.filters.span.before)
    by_day: dict[date, PrintTotals] = {}
    by_printer: dict[str, PrintTotals] = {}
    total, before = (
        PrintTotals(pace=paces.get("", PrintTimes())),
        PrintTotals(pace=paces_before.get("", PrintTimes())),
    )
    for row in rows:
        by_day.setdefault(row.day, PrintTotals()).add(row)
        pace = paces.get(row.printer_id, PrintTimes())
        by_printer.setdefault(row.printer_id, PrintTotals(pace=pace)).add(row)
        total.add(row)
    days_before: dict[date, int] = {}
    for row in earlier:
        before.add(row)
        days_before[row.day] = days_before.get(row.day, 0) + row.tickets
    label, span = day_label(scope.filters.span), scope.filters.span
    nothing = PrintTotals()
    chart = charts.column_chart(
        [
            (label(day), (one.printed, one.unconfirmed, one.failed))
            for day in span.days()
            for one in (by_day.get(day, nothing),)
        ],
        (gettext("Printed"), gettext("Not confirmed"), gettext("Not printed")),
        lambda value: str(format_decimal(value)),
        [days_before.get(day, 0) for day in span.before.days()],
    )
    return render_template(
        "reports/printing.html",
        filters=scope.filters,
        scope=scope,
        total=total,
        before=before,
        chart=chart,
        change=charts.percent_change,
        by_printer=sorted(
            ((_name(known[key], scope), one) for key, one in by_printer.items()),
            key=lambda row: (-row[1].failed - row[1].unconfirmed, -row[1].tickets),
        ),
        printers=known,
    )


@reports.get("/reports/printing.csv")
@member_may("reports.view")
def printing_csv() -> Any:
    with tenant_scope(g.tenant_id):
        scope = report_scope(any_currency=True)
        known = _printers_in(scope)
        rows = paper.tickets_by_day(list(known), scope.filters.span)
    columns = ("day", "printer", "tickets", "printed", "failed", "unconfirmed", "average_seconds")
    cells = (
        (
            row.day.isoformat(), _name(known[row.printer_id], scope), str(row.tickets),
            str(row.printed),
            str(row.failed), str(row.unconfirmed),
            f"{row.seconds / row.printed:.1f}" if row.printed else "",
        )
        for row in sorted(rows, key=lambda one: (one.day, one.printer_id), reverse=True)
    )  # fmt: skip
    return csv_response("printing-by-day", columns, cells)


@reports.get("/reports/delivery")
@member_may("reports.view")
def delivery() -> Any:
    with tenant_scope(g.tenant_id):
        scope = report_scope(any_currency=True)
        rows = sales_reports.delivery_times(scope.ids, scope.filters.span)
        earlier = sales_reports.delivery_times(scope.ids, scope.filters.span.before)
        riders = couriers.names_by_id()
    label, span = day_label(scope.filters.span), scope.filters.span
    by_day = {row.key: row for row in rows if row.by == "day"}
    nothing = DeliveryTimes("day", None, 0, 0, 0, 0)
    before = {row.key: row for row in earlier if row.by == "day"}
    chart = charts.column_chart(
        [
            (label(day), (one.kitchen, one.road))
            for day in span.days()
            for one in (by_day.get(day, nothing),)
        ],
        (gettext("Time to dispatch"), gettext("Time on the road")),
        minutes,
        [before[day].whole if day in before else None for day in span.before.days()],
    )
    return render_template(
        "reports/delivery.html",
        filters=scope.filters,
        scope=scope,
        total=next((row for row in rows if row.by == "all"), nothing),
        before=next((row for row in earlier if row.by == "all"), nothing),
        chart=chart,
        change=charts.percent_change,
        minutes=minutes,
        by_courier=[(riders.get(row.key, "–"), row) for row in rows if row.by == "courier"],
        by_zone=[(row.key, row) for row in rows if row.by == "zone"],
    )


@reports.get("/reports/delivery.csv")
@member_may("reports.view")
def delivery_csv() -> Any:
    with tenant_scope(g.tenant_id):
        scope = report_scope(any_currency=True)
        rows = sales_reports.delivery_times(scope.ids, scope.filters.span)
        riders = couriers.names_by_id()

    def name(row: DeliveryTimes) -> str:
        return riders.get(row.key, "") if row.by == "courier" else str(row.key)

    columns = ("by", "name", "deliveries", "minutes_until_out", "minutes_on_the_road", "p90")
    cells = (
        (
            row.by,
            name(row),
            str(row.trips),
            *(f"{n:.1f}" for n in (row.kitchen, row.road, row.slow)),
        )
        for row in rows
    )
    return csv_response("delivery-times", columns, cells)


def _printers_in(scope: ReportScope) -> dict[str, Printer]:
    """The printers of the chosen restaurants, with removed ones."""
    site_ids = set(scope.ids)
    known = printers.by_id_including_removed()
    return {key: one for key, one in known.items() if one.site_id in site_ids}


def _name(printer: Printer, scope: ReportScope) -> str:
    """The printer's name, with its restaurant if there are several: each may have a "Bar"."""
    if len(scope.known) < 2:
        return printer.name
    return f"{printer.name} · {next(one.name for one in scope.known if one.id == printer.site_id)}"


def minutes(value: Number) -> str:
    return str(gettext("%(count)s min", count=format_decimal(round(float(value)))))
