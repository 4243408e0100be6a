"""Money that came: the refund review, refunds, and the list of signals with what each did."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.money import quantize
from portal.forms import refusals_on, said
from portal.paging import PAGE, asked_after, page_of
from portal.payments import payments_pages
from portal.payments.forms import KeepForm, RefundForm
from portal.payments.links import numbers_of
from portal.visitors import member_may
from portal.words import typed_words
from restaurant import payment_accounts, payments, refunds, signals
from restaurant.models import Payment

PAYMENT = "/money/<payment_id>"
SIGNAL = "/signals/<signal_id>"


@payments_pages.get("/review")
@member_may("payments.view")
def review() -> Any:
    """What needs a person first; the other states are one click away."""
    state = request.args.get("state", "review")
    state = state if state in payments.STATES else "review"
    with tenant_scope(g.tenant_id):
        found = payments.listed(state, asked_after(), PAGE + 1)
        page = page_of(found, "payments.review", {"state": state}, PAGE)
        facts = {
            "numbers": numbers_of([one.order_id for one in page.rows]),
            "refunds": refunds.of_payments([one.id for one in page.rows]),
            "left": {one.id: refunds.left(one) for one in page.rows},
            "reviews": payments.in_review(),
        }
    return render_template(
        "payments/review.html",
        payments=page.rows,
        state=state,
        states=payments.STATES,
        **facts,
        **page.urls,
    )


@payments_pages.route(f"{PAYMENT}/refund", methods=["GET", "POST"])
@member_may("payments.manage")
def refund(payment_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = payments.get(payment_id)
        left = refunds.left(known)
        numbers = numbers_of([known.order_id])
    form = RefundForm(amount=typed_words(quantize(left, known.currency)))
    if form.validate_on_submit():
        with refusals_on(form):
            with tenant_scope(g.tenant_id):
                amount = said(form.amount).replace(",", ".")
                refunds.ask(payments.get(payment_id), amount, said(form.reason))
            flash(gettext("The provider is asked to give the money back."), "success")
            return redirect(_home(known, numbers))
    return render_template(
        "payments/refund.html",
        form=form,
        payment=known,
        left=left,
        number=numbers.get(known.order_id or "", ""),
        back_url=_home(known, numbers),
    )


@payments_pages.route(f"{PAYMENT}/keep", methods=["GET", "POST"])
@member_may("payments.manage")
def keep(payment_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = payments.get(payment_id)
    form = KeepForm()
    if form.validate_on_submit():
        with refusals_on(form):
            with tenant_scope(g.tenant_id):
                payments.keep(payments.get(payment_id), said(form.reason))
            flash(gettext("Noted: the money is kept."), "success")
            return redirect(url_for("payments.review"))
    return render_template("payments/keep.html", form=form, payment=known)


@payments_pages.get("/signals")
@member_may("payments.view")
def signal_list() -> Any:
    asked: dict[str, Any] = {}
    outcome, state = request.args.get("outcome", ""), request.args.get("state", "")
    if outcome in signals.OUTCOMES:
        asked["outcome"] = outcome
    if state in ("waiting", "done", "parked"):
        asked["state"] = state
    with tenant_scope(g.tenant_id):
        found = signals.listed(asked_after(), PAGE + 1, **asked)
        page = page_of(found, "payments.signal_list", asked, PAGE)
        facts = {
            "numbers": numbers_of([one.order_id for one in page.rows]),
            "accounts": {one.id: one for one in payment_accounts.listed(removed=True)},
            "reviews": payments.in_review(),
        }
    return render_template(
        "payments/signals.html",
        signals=page.rows,
        asked=asked,
        outcomes=signals.OUTCOMES,
        **facts,
        **page.urls,
    )


@payments_pages.post(f"{SIGNAL}/again")
@member_may("payments.manage")
def again(signal_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = signals.get(signal_id)
        freed = signals.run_again(known.id)
    if freed:
        flash(gettext("It is tried again now. Load the page again in a moment."), "success")
    else:
        flash(gettext("This one cannot be run again."), "error")
    return redirect(url_for("payments.signal_list"))


def _home(payment: Payment, numbers: dict[str, str]) -> str:
    if payment.order_id in numbers:
        return url_for("orders.order", order_id=numbers[payment.order_id])
    if payment.link_id:
        return url_for("payments.link", link_id=payment.link_id)
    return url_for("payments.review")
