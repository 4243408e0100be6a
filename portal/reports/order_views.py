"""Orders and revenue by day, hour, dish, restaurant and payment method, in one currency."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from flask import g, render_template
from flask_babel import format_decimal, get_locale

from core.clock import now
from core.db import tenant_scope
from core.values.date_ranges import DateRange
from core.values.money import quantize
from portal.reports import reports
from portal.reports.filters import ReportFilters, day_label, filters_in_url, latest_business_day
from portal.web import charts
from portal.web.auth import member_may
from portal.web.charts import Number
from portal.web.csv_files import csv_response
from portal.web.i18n import cached_format, format_amount
from restaurant.models import Site
from restaurant.orders.reports import sales as sales_reports
from restaurant.orders.reports.sales import DailySales, ItemSales, SalesTotal
from restaurant.sites import sites
from tenants import accounts

MOST_SHOWN = 12


@dataclass(frozen=True)
class ReportScope:
    """The sites and the one currency that the report covers."""

    filters: ReportFilters
    known: list[Site]
    chosen: list[Site]
    currency: str
    currencies: list[str]

    @property
    def ids(self) -> list[str]:
        return [site.id for site in self.chosen]


@reports.get("/reports/orders")
@member_may("reports.view")
def orders() -> Any:
    with tenant_scope(g.tenant_id):
        scope = report_scope()
        span = scope.filters.span
        rows = in_currency(sales_reports.daily_sales(scope.ids, span), scope.currency)
        before = in_currency(sales_reports.daily_sales(scope.ids, span.before), scope.currency)
        dishes = sales_reports.item_sales(scope.ids, scope.filters.span)
        hours = sales_reports.orders_by_hour(scope.ids, scope.filters.span)
    named = {site.id: site.name for site in scope.known}
    return render_template(
        "reports/orders.html",
        filters=scope.filters,
        scope=scope,
        total=total_of(rows),
        before=total_of(before),
        revenue=revenue_chart(rows, before, scope.filters.span, scope.currency),
        counts=_count_chart(rows, before, scope.filters.span),
        heat=charts.heat_map(hours, weekdays()),
        ways=_slices(rows, "payment_method", scope.currency),
        types=_slices(rows, "order_type", scope.currency),
        by_site=_top_rows(rows, "site_id", named),
        dishes=[one for one in dishes if one.currency == scope.currency][:MOST_SHOWN],
        change=charts.percent_change,
    )


@reports.get("/reports/orders.csv")
@member_may("reports.view")
def orders_csv() -> Any:
    """One row for each day, restaurant, payment method and order type, in every currency."""
    with tenant_scope(g.tenant_id):
        scope = report_scope(any_currency=True)
        rows = sales_reports.daily_sales(scope.ids, scope.filters.span)
    named = {site.id: site.name for site in scope.known}
    columns = ("day", "restaurant", "currency", "payment", "kind", "orders", "revenue", "cancelled")
    cells = (
        (
            row.day.isoformat(), named.get(row.site_id, row.site_id), row.currency,
            row.payment_method, row.order_type, str(row.orders), _sum(row), str(row.lost),
        )
        for row in sorted(rows, key=lambda one: (one.day, one.site_id), reverse=True)
    )  # fmt: skip
    return csv_response("orders-by-day", columns, cells)


@reports.get("/reports/items.csv")
@member_may("reports.view")
def items_csv() -> Any:
    with tenant_scope(g.tenant_id):
        scope = report_scope(any_currency=True)
        rows = sales_reports.item_sales(scope.ids, scope.filters.span, 5000)
    cells = ((row.name, row.currency, str(row.sold), _sum(row)) for row in rows)
    return csv_response("items", ("item", "currency", "sold", "revenue"), cells)


def _sum(row: DailySales | ItemSales) -> str:
    return str(quantize(row.revenue, row.currency))


def report_scope(*, any_currency: bool = False) -> ReportScope:
    """Runs in the tenant's transaction. Never adds up different currencies."""
    known = sites.list_including_closed()
    filters = filters_in_url(latest_business_day(known, now().date()))
    chosen = [site for site in known if site.id == filters.site] or known
    counted = Counter(site.currency for site in chosen)
    currencies = [name for name, _ in counted.most_common()]
    currency = filters.currency
    if currency not in currencies:
        currency = currencies[0] if currencies else accounts.account().currency
    if not any_currency:
        chosen = [site for site in chosen if site.currency == currency]
    return ReportScope(filters, known, chosen, currency, currencies)


def in_currency(rows: Sequence[DailySales], currency: str) -> list[DailySales]:
    return [row for row in rows if row.currency == currency]


def total_of(rows: Sequence[DailySales]) -> SalesTotal:
    return SalesTotal(
        sum(row.orders for row in rows),
        sum((row.revenue for row in rows), Decimal(0)),
        sum(row.lost for row in rows),
    )


def revenue_chart(
    rows: Sequence[DailySales], before: Sequence[DailySales], span: DateRange, currency: str
) -> charts.ColumnChart:
    label = day_label(span)
    by_day, by_day_before = _revenue(rows), _revenue(before)

    def show(value: Number) -> str:
        return format_amount(Decimal(value), currency)

    return charts.column_chart(
        [(label(day), (by_day.get(day, Decimal(0)),)) for day in span.days()],
        (),
        show,
        [by_day_before.get(day, Decimal(0)) for day in span.before.days()],
    )


_shown_number = cached_format(format_decimal)


def weekdays() -> list[str]:
    names = get_locale().days["stand-alone"]["abbreviated"]
    return [str(names[number]) for number in range(7)]


def _count_chart(
    rows: Sequence[DailySales], before: Sequence[DailySales], span: DateRange
) -> charts.ColumnChart:
    label = day_label(span)
    made, lost, made_before = Counter[date](), Counter[date](), Counter[date]()
    for row in rows:
        made[row.day] += row.orders
        lost[row.day] += row.lost
    for row in before:
        made_before[row.day] += row.orders + row.lost
    return charts.column_chart(
        [(label(day), (made[day], 0, lost[day])) for day in span.days()],
        (),
        _shown_number,
        [made_before[day] for day in span.before.days()],
    )


def _revenue(rows: Sequence[DailySales]) -> dict[date, Decimal]:
    found: dict[date, Decimal] = {}
    for row in rows:
        found[row.day] = found.get(row.day, Decimal(0)) + row.revenue
    return found


def _slices(rows: Sequence[DailySales], by: str, currency: str) -> list[charts.Slice]:
    sums = sales_reports.totals_by(rows, by)
    return charts.ring_slices(
        [(key, one.revenue, format_amount(one.revenue, currency)) for (key, _), one in sums.items()]
    )


def _top_rows(
    rows: Sequence[DailySales], by: str, named: dict[str, str]
) -> list[tuple[str, SalesTotal]]:
    sums = sales_reports.totals_by(rows, by)
    found = [(named.get(key, key), one) for (key, _), one in sums.items()]
    return sorted(found, key=lambda row: row[1].revenue, reverse=True)
