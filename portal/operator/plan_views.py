"""The operator's price list: view, add, edit and retire plans."""

from decimal import Decimal
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import DecimalField, IntegerField, RadioField, SelectField, StringField, TextAreaField
from wtforms.validators import Length, Optional

from core.db import global_scope
from core.errors import DomainError
from portal.operator import plan_actions
from portal.operator.views import acting_operator, operator
from portal.plan.plan_names import plan_title
from portal.web.auth import operator_only
from portal.web.choices import currencies
from portal.web.confirm import confirm_then
from portal.web.forms import Form, InRange, domain_errors_on, field_text, required
from portal.web.i18n import error_message
from portal.web.paging import PAGE, page_of
from tenants.audit import acting_as
from tenants.plans import price_list
from tenants.plans.catalog import every_plan, other_prices
from tenants.plans.price_list import PlanDraft

PLAN = "/plans/<plan>"
MANY = 2**31 - 1


def _limit(label: Any, least: int = 0, most: int = MANY) -> IntegerField:
    return IntegerField(label, [Optional(), InRange(least, most)])


class PlanForm(Form):
    name = StringField(_("Name"), [required(), Length(max=60)])
    price = DecimalField(_("Price per month"), [required(), InRange(0, 999_999)], places=None)
    currency = SelectField(_("Currency"), [required()])
    prices = TextAreaField(_("Prices in other currencies"), [Optional(), Length(max=1000)])
    position = IntegerField(_("Position in the list"), [required(), InRange(0, 1000)])
    rate_per_second = IntegerField(_("Requests per second"), [required(), InRange(1, 100_000)])
    burst = IntegerField(_("Burst limit"), [required(), InRange(1, 1_000_000)])
    monthly_messages = _limit(_("Messages per month"))
    spend_cap_usd = DecimalField(
        _("Spend cap (USD)"), [Optional(), InRange(0, 10_000_000)], places=2
    )
    trial_days = _limit(_("Trial length (days)"), 1, 365)
    trial_messages = _limit(_("Trial messages"), 1)
    most_lines = _limit(_("Lines"), 0, 10_000)
    most_members = _limit(_("Team members"), 1, 10_000)
    most_sites = _limit(_("Restaurants"), 0, 10_000)
    whom = RadioField(
        _("Who gets the new price"),
        choices=[
            ("renewal", _("All accounts, from their next payment")),
            ("keep", _("New accounts only. Accounts already on the plan keep their price.")),
            ("everybody", _("All accounts, including those that were promised an older price")),
        ],
        default="renewal",
    )

    def draft(self) -> PlanDraft:
        return PlanDraft(
            name=field_text(self.name),
            price=self.price.data or Decimal(0),
            currency=self.currency.data,
            prices=price_list.read_prices(field_text(self.prices)),
            **{field: self[field].data for field in NUMBERS},
        )


class NewPlanForm(PlanForm):
    code = StringField(_("Code"), [required(), Length(max=30)])


NUMBERS = (
    *("position", "rate_per_second", "burst", "monthly_messages", "spend_cap_usd"),
    *("trial_days", "trial_messages", "most_lines", "most_members", "most_sites"),
)


@operator.get("/plans")
@operator_only
def plans() -> Any:
    with global_scope():
        found, counts, others = every_plan(), price_list.count_by_plan(), other_prices()
    return render_template(
        "operator/plans.html",
        plans=found,
        counts=counts,
        others=others,
        first=price_list.SIGNUP_PLAN,
    )


@operator.route("/plans/new", methods=["GET", "POST"])
@operator_only
def new_plan() -> Any:
    form = NewPlanForm(rate_per_second=20, burst=40, currency="USD", position=10)
    form.currency.choices = currencies()
    if form.validate_on_submit():
        with domain_errors_on(form):
            code = field_text(form.code).strip()
            with acting_as(acting_operator()):
                plan_actions.add(code, form.draft())
            flash(gettext("Plan added. It now appears on every account's plan page."), "success")
            return redirect(url_for("operator.plan", plan=code))
    return render_template("operator/plan_edit.html", form=form, plan=None)


@operator.route(PLAN, methods=["GET", "POST"])
@operator_only
def plan(plan: str) -> Any:
    after = request.args.get("after", type=int)
    with global_scope():
        known = price_list.get_or_404(plan)
        draft = price_list.as_draft(known)
        accounts = price_list.tenants_on_plan(plan, after, PAGE + 1)
        count = price_list.count_by_plan().get(plan, 0)
        entries = price_list.plan_history(plan)
    form = PlanForm(
        **{field: getattr(draft, field) for field in (*NUMBERS, "name", "price", "currency")},
        prices=price_list.write_prices(draft.prices),
    )
    form.currency.choices = currencies()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with acting_as(acting_operator()):
                found = plan_actions.change(plan, form.draft(), form.whom.data)
            flash(gettext("Saved.") if found else gettext("No changes to save."), "success")
            return redirect(url_for("operator.plan", plan=plan))
    page = page_of(accounts, "operator.plan", {"plan": plan}, PAGE)
    return render_template(
        "operator/plan_edit.html",
        form=form,
        plan=known,
        tenants=page.rows,
        count=count,
        entries=entries,
        first=price_list.SIGNUP_PLAN,
        **page.urls,
    )


@operator.route(f"{PLAN}/retire", methods=["GET", "POST"])
@operator_only
def retire_plan(plan: str) -> Any:
    with global_scope():
        price_list.get_or_404(plan)
        count = price_list.count_by_plan().get(plan, 0)

    def act() -> None:
        with acting_as(acting_operator()):
            plan_actions.retire(plan)

    return confirm_then(
        act,
        title=gettext("Retire the %(plan)s plan?", plan=plan_title(plan)),
        text=gettext(
            "No other accounts can get this plan. Accounts already on it can keep "
            "it and pay for it: %(count)s. You can offer the plan again at any "
            "time.",
            count=count,
        ),
        yes=gettext("Retire plan"),
        back_url=url_for("operator.plan", plan=plan),
        done=gettext("Plan retired. No other accounts can get it."),
    )


@operator.post(f"{PLAN}/offer")
@operator_only
def offer_plan(plan: str) -> Any:
    return _apply(plan, plan_actions.offer, gettext("The plan is available again."))


@operator.post(f"{PLAN}/base")
@operator_only
def base_plan(plan: str) -> Any:
    return _apply(plan, plan_actions.make_base, gettext("This is now the fallback plan."))


def _apply(plan: str, act: Any, words: str) -> Any:
    with global_scope():
        price_list.get_or_404(plan)
    try:
        with acting_as(acting_operator()):
            act(plan)
        flash(words, "success")
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("operator.plan", plan=plan))
