"""Usage and costs: messages sent and received and their cost, from daily totals."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import format_date, get_locale, gettext
from flask_login import current_user

from core.clock import now
from core.db import tenant_scope
from messaging.costs import usage as message_usage
from messaging.costs.free_messages import free_messages
from messaging.costs.rates import tenant_rates
from messaging.costs.usage import DIMENSIONS, InvalidPeriod, Period, UsageTotal
from messaging.lines import repository as line_repository
from messaging.lines.repository import LineLabel
from portal.usage.forms import SpendCapForm
from portal.web.auth import may, member_may
from portal.web.csv_files import csv_response
from portal.web.forms import domain_errors_on
from portal.web.i18n import cached_format
from tenants import accounts
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts

usage_pages = Blueprint("usage", __name__)

PERIODS = ("month", "last-month", "30-days", "range")
SORTS = ("sent", "received", "failed", "cost_usd")
COLUMNS = ("sent", "delivered", "read", "failed", "received", "cost_usd")


@dataclass(frozen=True)
class UsageFilters:
    """The filters from the URL; invalid values are ignored."""

    name: str
    span: Period
    by: str
    line: str
    sort: str

    @property
    def address(self) -> dict[str, Any]:
        found = {"period": self.name, "by": self.by, "line": self.line, "sort": self.sort}
        if self.name == "range":
            found |= {"since": self.span.since.isoformat(), "until": self.span.until.isoformat()}
        return {name: value for name, value in found.items() if value}


@dataclass(frozen=True)
class AllowanceUse:
    """How many of a number's free service messages of this month are used."""

    line: str
    used: int
    allowance: int


@usage_pages.get("/usage")
@member_may("usage.view")
def index() -> Any:
    return _page(None)


@usage_pages.get("/usage.csv")
@member_may("usage.view")
def export() -> Any:
    """One row for each day, line, country and category, as in `/api/v1/usage/costs`."""
    filters = _filters_in_url()
    with tenant_scope(g.tenant_id):
        lines = {line.id: line for line in line_repository.line_labels()}
        rows = message_usage.usage_details(filters.span, _line_ids(filters, lines))
    cells = (
        (
            row.day.isoformat(),
            _line_name(lines, row.line_id),
            row.country,
            row.category,
            *(str(getattr(row, name)) for name in COLUMNS),
        )
        for row in rows
    )
    return csv_response("usage", ("day", "line", "country", "category", *COLUMNS), cells)


@usage_pages.route("/usage/spend-cap", methods=["GET", "POST"])
@member_may("settings.manage")
def spend_cap() -> Any:
    """A GET shows the page too, because a rejected form is displayed at this URL."""
    form = SpendCapForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                accounts.choose_spend_cap(form.cap_usd.data)
            accounts.drop_tenant_cache(g.tenant_id)
            flash(gettext("Saved."), "success")
            return redirect(url_for("usage.index", _anchor="plan"))
    return _page(form)


def _page(form: SpendCapForm | None) -> str:
    filters = _filters_in_url()
    with tenant_scope(g.tenant_id):
        facts = current_tenant_facts()
        used = quota.usage(facts)
        lines = {line.id: line for line in line_repository.line_labels()}
        shown = _line_ids(filters, lines)
        days = message_usage.usage_totals(filters.span, "day", shown)
        rows = (
            days
            if filters.by == "day"
            else message_usage.usage_totals(filters.span, filters.by, shown)
        )
        tests = frozenset(line.id for line in lines.values() if line.test)
        tried = message_usage.usage_totals(filters.span, "line", tests) if tests else []
        free = free_messages(filters.span, shown)
        allowances = _allowances([line for line in lines.values() if line.id in shown])
    if form is None and may("settings.manage"):
        form = SpendCapForm(formdata=None, cap_usd=current_user.account.chosen_cap_usd)
    return render_template(
        "usage/index.html",
        filters=filters,
        days=_by_day(filters.span, days),
        rows=_sorted(rows, filters),
        name_of=lambda key: _name(filters.by, key, lines),
        total=_sum(days),
        tried=_sum(tried),
        free=[
            (_line_name(lines, one.line_id), _name("category", one.category, lines), one)
            for one in free
        ],
        allowances=allowances,
        lines=[line for line in lines.values() if not line.test],
        facts=facts,
        usage=used,
        form=form,
        next_month=(now().date().replace(day=1) + timedelta(days=32)).replace(day=1),
    )


def _allowances(lines: list[LineLabel]) -> list[AllowanceUse]:
    """Return the free service messages of this month, for each line that has an allowance."""
    rates, moment = tenant_rates(), now()
    found = []
    for line in lines:
        sent, allowance = rates.allowance_use(line, moment)
        if allowance and not line.removed:
            found.append(AllowanceUse(line.name, min(sent, allowance), allowance))
    return found


def _filters_in_url() -> UsageFilters:
    given = {name: request.args.get(name, "") for name in ("period", "by", "line", "sort")}
    name, span = _span(given["period"] if given["period"] in PERIODS else "")
    return UsageFilters(
        name=name,
        span=span,
        by=given["by"] if given["by"] in DIMENSIONS else "day",
        line=given["line"] if given["line"].isdecimal() and len(given["line"]) < 10 else "",
        sort=given["sort"] if given["sort"] in SORTS else "",
    )


def _span(name: str) -> tuple[str, Period]:
    today = now().date()
    first = today.replace(day=1)
    if name == "range" or (not name and request.args.get("since")):
        try:
            return "range", message_usage.usage_period(_day("since"), _day("until"))
        except InvalidPeriod:
            flash(
                gettext("Choose a first day before the last day, at most one year apart."),
                "warning",
            )
    if name == "last-month":
        last = first - timedelta(days=1)
        return name, Period(last.replace(day=1), last)
    if name == "30-days":
        return name, message_usage.usage_period()
    return "month", Period(first, today)


def _day(name: str) -> date | None:
    try:
        return date.fromisoformat(request.args.get(name, ""))
    except ValueError:
        return None


def _line_ids(filters: UsageFilters, lines: dict[int, LineLabel]) -> frozenset[int]:
    """Test lines are counted separately."""
    live = frozenset(line.id for line in lines.values() if not line.test)
    return frozenset({int(filters.line)}) & live if filters.line else live


def _by_day(span: Period, found: list[UsageTotal]) -> list[UsageTotal]:
    """Every day of the period, oldest first, including days without activity."""
    known = {total.key: total for total in found}
    return [known.get(day) or UsageTotal(day) for day in span.days()]


def _sum(totals: list[UsageTotal]) -> UsageTotal:
    sums = {name: sum(getattr(total, name) for total in totals) for name in COLUMNS}
    return UsageTotal("", **sums)


def _sorted(rows: list[UsageTotal], filters: UsageFilters) -> list[UsageTotal]:
    if not filters.sort:
        return rows
    return sorted(rows, key=lambda row: getattr(row, filters.sort), reverse=True)


_format_day = cached_format(format_date)


def _name(by: str, key: Any, lines: dict[int, LineLabel]) -> str:
    if by == "day":
        return _format_day(key, "d MMMM yyyy")
    if by == "line":
        return _line_name(lines, key)
    if by == "country":
        return str(get_locale().territories.get(key) or gettext("Other countries"))
    names = {
        "marketing": gettext("Marketing"),
        "utility": gettext("Utility"),
        "authentication": gettext("Authentication"),
        "service": gettext("Service"),
    }
    return str(names.get(key, key))


def _line_name(lines: dict[int, LineLabel], line_id: int) -> str:
    line = lines.get(line_id)
    if line is None:
        return str(line_id)
    return gettext("%(name)s (deleted)", name=line.name) if line.removed else line.name
