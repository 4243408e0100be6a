"""The operator's rate card: message prices by country and category, with start dates."""

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from flask import abort, flash, redirect, render_template, request, url_for
from flask_babel import get_locale, gettext
from flask_login import current_user

from core.clock import now
from core.db import global_scope
from core.values.text import fold_case
from messaging.costs import rate_card
from messaging.costs.markets import OTHER
from messaging.costs.rates import ALLOWANCES, CATEGORIES
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import RateAllowance
from portal.operator.forms import AllowanceForm, RateForm
from portal.operator.views import operator
from portal.web.auth import client_ip, operator_only
from portal.web.csv_files import csv_response
from portal.web.forms import domain_errors_on, text_in_url
from tenants import people

COUNTRY = "/rates/<country>"


@operator.get("/rates")
@operator_only
def rates() -> Any:
    kind, query = _kind(), text_in_url("q", 60)
    with global_scope():
        card = rate_card.rates_on(kind, now().date())
        allowances = _current(rate_card.allowance_history(kind))
    unsourced = sum(not price.source for prices in card.values() for price in prices.values())
    rows = [(country, name, card[country]) for country, name in _named(card)]
    if query:
        rows = [
            row
            for row in rows
            if fold_case(query) in fold_case(row[1]) or query.upper() == row[0].upper()
        ]
    return render_template(
        "operator/rates.html",
        rows=rows,
        others=card.get(OTHER, {}),
        kind=kind,
        categories=CATEGORIES,
        q=query,
        allowances=allowances,
        unsourced=unsourced,
    )


@operator.get("/rates.csv")
@operator_only
def rates_csv() -> Any:
    with global_scope():
        rows = [
            (kind, country, category, price.since, price.usd, price.source, price.checked_on)
            for kind in DRIVERS
            for country, prices in rate_card.rates_on(kind, now().date()).items()
            for category, price in prices.items()
        ]
    columns = ("line_kind", "country", "category", "since", "usd", "source", "checked_on")
    return csv_response("rates", columns, rows)


@operator.route("/rates/allowances", methods=["GET", "POST"])
@operator_only
def allowances() -> Any:
    """What the network does not bill, with start dates, and a form for the next change."""
    form = AllowanceForm(kind=_kind(), since=now().date())
    if form.validate_on_submit():
        with domain_errors_on(form):
            with global_scope():
                rate_card.set_allowance(
                    form.kind.data,
                    form.name.data,
                    form.since.data or now().date(),
                    form.amount.data or 0,
                    form.source.data or "",
                )
                people.record_event(current_user.person.id, "rates_changed", client_ip())
            flash(gettext("Saved. It takes effect within a minute."), "success")
            return redirect(url_for("operator.allowances"))
    with global_scope():
        rows = [row for kind in DRIVERS for row in rate_card.allowance_history(kind)]
    return render_template("operator/allowances.html", rows=rows, form=form, today=now().date())


@operator.post("/rates/allowances/withdraw")
@operator_only
def withdraw_allowance() -> Any:
    kind, name = request.form.get("kind", ""), request.form.get("name", "")
    with global_scope():
        withdrawn = rate_card.withdraw_allowance(
            kind.replace("\0", ""), name.replace("\0", ""), _posted_day()
        )
        if withdrawn:
            people.record_event(current_user.person.id, "rates_changed", client_ip())
    if not withdrawn:
        abort(404)
    flash(gettext("The scheduled change was withdrawn."), "success")
    return redirect(url_for("operator.allowances"))


@operator.route(COUNTRY, methods=["GET", "POST"])
@operator_only
def rate(country: str) -> Any:
    """All prices of a country with their start dates, and a form for the next price."""
    if country != OTHER and not re.fullmatch("[A-Z]{2}", country):
        abort(404)
    form = RateForm(kind=_kind(), since=now().date())
    if form.validate_on_submit():
        with domain_errors_on(form):
            with global_scope():
                rate_card.set_rate(
                    form.kind.data,
                    country,
                    form.category.data,
                    form.since.data or now().date(),
                    form.usd.data or Decimal(0),
                    form.source.data or "",
                    form.from_messages.data or 0,
                )
                people.record_event(current_user.person.id, "rates_changed", client_ip())
            flash(gettext("Saved. It takes effect within a minute."), "success")
            return redirect(url_for("operator.rate", country=country, kind=form.kind.data))
    with global_scope():
        rows = [row for kind in DRIVERS for row in rate_card.price_history(kind, country)]
    return render_template(
        "operator/rate.html",
        country=country,
        name=_name(country),
        rows=rows,
        form=form,
        today=now().date(),
        tiered=rate_card.has_tiers(rows, now().date()),
    )


@operator.post(f"{COUNTRY}/withdraw")
@operator_only
def withdraw_rate(country: str) -> Any:
    kind, category = request.form.get("kind", ""), request.form.get("category", "")
    bound = request.form.get("from_messages", "0")
    with global_scope():
        withdrawn = rate_card.withdraw_rate(
            kind.replace("\0", ""),
            country.replace("\0", ""),
            category.replace("\0", ""),
            _posted_day(),
            int(bound) if bound.isdecimal() and len(bound) < 15 else 0,
        )
        if withdrawn:
            people.record_event(current_user.person.id, "rates_changed", client_ip())
    if not withdrawn:
        abort(404)
    flash(gettext("The scheduled price was withdrawn."), "success")
    return redirect(url_for("operator.rate", country=country, kind=kind))


def _posted_day() -> date:
    try:
        return date.fromisoformat(request.form.get("since", ""))
    except ValueError:
        abort(404)


def _current(rows: Sequence[RateAllowance]) -> list[RateAllowance]:
    """Return the allowances that are valid today; `rows` are sorted, newest first."""
    found: dict[str, RateAllowance] = {}
    for row in rows:
        if row.since <= now().date():
            found.setdefault(row.name, row)
    return [found[name] for name in ALLOWANCES if name in found]


def _kind() -> str:
    kind = request.args.get("kind", "")
    return kind if kind in DRIVERS else next(iter(DRIVERS))


def _name(country: str) -> str:
    if country == OTHER:
        return str(gettext("All other countries"))
    locale = get_locale()
    return locale.territories.get(country, country) if locale else country


def _named(card: dict[str, Any]) -> list[tuple[str, str]]:
    """Sorted by country name, with the rest of the world last."""
    pairs = [(country, _name(country)) for country in card]
    return sorted(pairs, key=lambda pair: (pair[0] == OTHER, fold_case(pair[1])))
