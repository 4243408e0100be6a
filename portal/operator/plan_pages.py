"""The operator's price list: plans seen, added, edited and retired."""

from decimal import Decimal
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import DecimalField, IntegerField, RadioField, SelectField, StringField, TextAreaField
from wtforms.validators import Length, Optional

from core.db import global_scope
from core.errors import DomainError
from portal.asking import ask_then
from portal.choices import currencies
from portal.forms import Between, Form, needed, refusals_on, said
from portal.operator import plan_acts
from portal.operator.pages import acting_operator, operator
from portal.paging import PAGE, page_of
from portal.plan_words import plan_title
from portal.visitors import operator_only
from portal.words import in_words
from tenants import price_list
from tenants.audit import acting
from tenants.plans import every_plan, other_prices
from tenants.price_list import Draft

PLAN = "/plans/<plan>"
MANY = 2**31 - 1


def _limit(label: Any, least: int = 0, most: int = MANY) -> IntegerField:
    return IntegerField(label, [Optional(), Between(least, most)])


class PlanForm(Form):
    name = StringField(_("Name"), [needed(), Length(max=60)])
    price = DecimalField(_("Price for a month"), [needed(), Between(0, 999_999)], places=None)
    currency = SelectField(_("Currency"), [needed()])
    prices = TextAreaField(_("In other currencies"), [Optional(), Length(max=1000)])
    position = IntegerField(_("Place in the list"), [needed(), Between(0, 1000)])
    rate_per_second = IntegerField(_("Requests per second"), [needed(), Between(1, 100_000)])
    burst = IntegerField(_("Burst"), [needed(), Between(1, 1_000_000)])
    monthly_messages = _limit(_("Messages a month"))
    spend_cap_usd = DecimalField(
        _("Spend cap in USD"), [Optional(), Between(0, 10_000_000)], places=2
    )
    trial_days = _limit(_("Days of trial"), 1, 365)
    trial_messages = _limit(_("Messages in the trial"), 1)
    most_lines = _limit(_("Lines"), 0, 10_000)
    most_members = _limit(_("People in the team"), 1, 10_000)
    most_sites = _limit(_("Sites"), 0, 10_000)
    whom = RadioField(
        _("Whom a new price is for"),
        choices=[
            ("renewal", _("Everybody, each with their next payment")),
            ("keep", _("New accounts only: who is on the plan keeps their price")),
            ("everybody", _("Everybody, also those who were promised an older price")),
        ],
        default="renewal",
    )

    def draft(self) -> Draft:
        return Draft(
            name=said(self.name),
            price=self.price.data or Decimal(0),
            currency=self.currency.data,
            prices=price_list.read_prices(said(self.prices)),
            **{field: self[field].data for field in NUMBERS},
        )


class NewPlanForm(PlanForm):
    code = StringField(_("Code"), [needed(), Length(max=30)])


NUMBERS = (
    *("position", "rate_per_second", "burst", "monthly_messages", "spend_cap_usd"),
    *("trial_days", "trial_messages", "most_lines", "most_members", "most_sites"),
)


@operator.get("/plans")
@operator_only
def plans() -> Any:
    with global_scope():
        found, counts, others = every_plan(), price_list.how_many(), other_prices()
    return render_template(
        "operator/plans.html", plans=found, counts=counts, others=others, first=price_list.FIRST
    )


@operator.route("/plans/new", methods=["GET", "POST"])
@operator_only
def new_plan() -> Any:
    form = NewPlanForm(rate_per_second=20, burst=40, currency="USD", position=10)
    form.currency.choices = currencies()
    if form.validate_on_submit():
        with refusals_on(form):
            code = said(form.code).strip()
            with acting(acting_operator()):
                plan_acts.add(code, form.draft())
            flash(gettext("Added. It is on everybody's page of plans now."), "success")
            return redirect(url_for("operator.plan", plan=code))
    return render_template("operator/plan_edit.html", form=form, plan=None)


@operator.route(PLAN, methods=["GET", "POST"])
@operator_only
def plan(plan: str) -> Any:
    after = request.args.get("after", type=int)
    with global_scope():
        known = price_list.known(plan)
        draft = price_list.as_draft(known)
        accounts = price_list.on_it(plan, after, PAGE + 1)
        count = price_list.how_many().get(plan, 0)
        entries = price_list.history(plan)
    form = PlanForm(
        **{field: getattr(draft, field) for field in (*NUMBERS, "name", "price", "currency")},
        prices=price_list.write_prices(draft.prices),
    )
    form.currency.choices = currencies()
    if form.validate_on_submit():
        with refusals_on(form):
            with acting(acting_operator()):
                found = plan_acts.change(plan, form.draft(), form.whom.data)
            flash(gettext("Saved.") if found else gettext("Nothing was different."), "success")
            return redirect(url_for("operator.plan", plan=plan))
    page = page_of(accounts, "operator.plan", {"plan": plan}, PAGE)
    return render_template(
        "operator/plan_edit.html",
        form=form,
        plan=known,
        tenants=page.rows,
        count=count,
        entries=entries,
        first=price_list.FIRST,
        **page.urls,
    )


@operator.route(f"{PLAN}/retire", methods=["GET", "POST"])
@operator_only
def retire_plan(plan: str) -> Any:
    with global_scope():
        price_list.known(plan)
        count = price_list.how_many().get(plan, 0)

    def act() -> None:
        with acting(acting_operator()):
            plan_acts.retire(plan)

    return ask_then(
        act,
        title=gettext("Retire %(plan)s?", plan=plan_title(plan)),
        text=gettext(
            "Nobody new can have it. Accounts that are on it keep it and can pay for it:"
            " %(count)s. You can give it again any time.",
            count=count,
        ),
        yes=gettext("Retire it"),
        back_url=url_for("operator.plan", plan=plan),
        done=gettext("Retired. Nobody new can have it."),
    )


@operator.post(f"{PLAN}/offer")
@operator_only
def offer_plan(plan: str) -> Any:
    return _done(plan, plan_acts.offer, gettext("It is given again."))


@operator.post(f"{PLAN}/base")
@operator_only
def base_plan(plan: str) -> Any:
    return _done(plan, plan_acts.make_base, gettext("Accounts fall back to this plan now."))


def _done(plan: str, act: Any, words: str) -> Any:
    with global_scope():
        price_list.known(plan)
    try:
        with acting(acting_operator()):
            act(plan)
        flash(words, "success")
    except DomainError as error:
        flash(in_words(error), "error")
    return redirect(url_for("operator.plan", plan=plan))
