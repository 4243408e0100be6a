"""Payments to review, refunds, and the list of provider events with their outcomes."""

from typing import Any

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.values.money import quantize
from portal.payments import payments_pages
from portal.payments.forms import KeepPaymentForm, RefundForm
from portal.payments.link_views import order_numbers
from portal.web.auth import member_may
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import amount_for_input
from portal.web.paging import PAGE, cursor_in_url, page_of
from restaurant.models import Payment
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import payments, provider_events, refunds

PAYMENT = "/money/<payment_id>"
PROVIDER_EVENT = "/signals/<signal_id>"


@payments_pages.get("/review")
@member_may("payments.view")
def review() -> Any:
    """Payments that need a decision; other states are one click away."""
    state = request.args.get("state", "review")
    state = state if state in payments.STATES else "review"
    with tenant_scope(g.tenant_id):
        found = payments.listed(state, cursor_in_url(), PAGE + 1)
        page = page_of(found, "payments.review", {"state": state}, PAGE)
        facts = {
            "numbers": order_numbers([one.order_id for one in page.rows]),
            "refunds": refunds.of_payments([one.id for one in page.rows]),
            "left": {one.id: refunds.refundable_amount(one) for one in page.rows},
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
        left = refunds.refundable_amount(known)
        numbers = order_numbers([known.order_id])
    usual = refunds.usual_refund(known, left)
    form = RefundForm(amount=amount_for_input(quantize(usual, known.currency)))
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                amount = field_text(form.amount).replace(",", ".")
                refunds.request_refund(payments.get(payment_id), amount, field_text(form.reason))
            flash(gettext("Refund requested from the provider."), "success")
            return redirect(_back_url(known, numbers))
    return render_template(
        "payments/refund.html",
        form=form,
        payment=known,
        left=left,
        number=numbers.get(known.order_id or "", ""),
        back_url=_back_url(known, numbers),
    )


@payments_pages.route(f"{PAYMENT}/keep", methods=["GET", "POST"])
@member_may("payments.manage")
def keep(payment_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = payments.get(payment_id)
    form = KeepPaymentForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                payments.keep_without_refund(payments.get(payment_id), field_text(form.reason))
            flash(gettext("Saved. The payment will not be refunded."), "success")
            return redirect(url_for("payments.review"))
    return render_template("payments/keep_payment.html", form=form, payment=known)


@payments_pages.get("/signals")
@member_may("payments.view")
def provider_event_list() -> Any:
    params: dict[str, Any] = {}
    outcome, state = request.args.get("outcome", ""), request.args.get("state", "")
    if outcome in provider_events.OUTCOMES:
        params["outcome"] = outcome
    if state in ("waiting", "done", "parked"):
        params["state"] = state
    with tenant_scope(g.tenant_id):
        found = provider_events.listed(cursor_in_url(), PAGE + 1, **params)
        page = page_of(found, "payments.provider_event_list", params, PAGE)
        facts = {
            "numbers": order_numbers([one.order_id for one in page.rows]),
            "accounts": {one.id: one for one in payment_accounts.listed(removed=True)},
            "reviews": payments.in_review(),
        }
    return render_template(
        "payments/provider_events.html",
        signals=page.rows,
        filters=params,
        outcomes=provider_events.OUTCOMES,
        **facts,
        **page.urls,
    )


@payments_pages.post(f"{PROVIDER_EVENT}/again")
@member_may("payments.manage")
def again(signal_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = provider_events.get(signal_id)
        freed = provider_events.retry_event(known.id)
    if freed:
        flash(gettext("Trying again. Reload the page in a moment."), "success")
    else:
        flash(gettext("This cannot be run again."), "error")
    return redirect(url_for("payments.provider_event_list"))


def _back_url(payment: Payment, numbers: dict[str, str]) -> str:
    if payment.order_id in numbers:
        return url_for("orders.order", order_id=numbers[payment.order_id])
    if payment.link_id:
        return url_for("payments.link", link_id=payment.link_id)
    return url_for("payments.review")
