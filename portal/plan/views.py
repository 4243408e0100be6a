"""The plan page: usage, the plans to choose from, and invoices."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, current_app, flash, g, redirect, render_template, request
from flask import url_for as to
from flask_babel import get_locale, gettext

from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError, TryAgain
from core.settings import Settings
from messaging.lines import repository as line_repository
from portal.plan.forms import InvoiceForm
from portal.plan.plan_names import plan_title
from portal.web.auth import may, member_may
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message
from restaurant.payments import plan_payments
from restaurant.payments.gateways.base import GatewayError
from restaurant.sites import sites
from tenants import accounts, team
from tenants.plans import billing, quota, renewals
from tenants.plans import limits as plan_limits
from tenants.plans.catalog import current_tenant_facts, every_plan, other_prices, price_for

plan_pages = Blueprint("plan", __name__)


@plan_pages.get("/plan")
@member_may("settings.view")
def index() -> Any:
    return _page(None)


@plan_pages.post("/plan/request")
@member_may("settings.manage")
def request_plan() -> Any:
    """Ask the operator for another plan; the request appears in the operator console."""
    return _act(
        lambda: billing.request_plan(request.form.get("plan", "")),
        gettext("Plan requested. We will activate it after we review your request."),
    )


@plan_pages.post("/plan/request/withdraw")
@member_may("settings.manage")
def withdraw() -> Any:
    return _act(billing.withdraw_plan_request, gettext("Plan request withdrawn."))


@plan_pages.post("/plan/pay")
@member_may("settings.manage")
def pay() -> Any:
    """Claim, call, settle: no transaction is open while the provider is called."""
    settings: Settings = current_app.extensions["comanda"]
    if not settings.billing_provider:
        return request_plan()
    code = request.form.get("plan", "")
    try:
        with tenant_scope(g.tenant_id):
            terms = plan_payments.billing_terms(settings)
            payment = billing.start_payment(code, terms, settings.billing_provider)
        words = gettext("Comanda, plan %(plan)s, one month", plan=plan_title(payment.plan))
        try:
            made = plan_payments.open_link(
                payment, settings, words=words, language=str(get_locale())
            )
        except GatewayError:
            with tenant_scope(g.tenant_id):
                billing.mark_failed(payment.id)
            raise TryAgain(
                "payment_page_closed",
                "The payment page cannot be opened right now. Try again later.",
            ) from None
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(to("plan.index"))
    with tenant_scope(g.tenant_id):
        billing.mark_open(payment.id, made.ref, made.url)
    return redirect(to("plan.leave"))


@plan_pages.get("/plan/pay")
@member_may("settings.manage")
def leave() -> Any:
    """A page that leads to the provider; the content policy stops forms that redirect there."""
    with tenant_scope(g.tenant_id):
        waiting = billing.open_payments()
    if not waiting or not (waiting[0].url or "").startswith(("https://", "http://")):
        return redirect(to("plan.index"))
    return render_template("plan/redirect_to_payment.html", payment=waiting[0])


@plan_pages.get("/plan/back")
@member_may("settings.view")
def back() -> Any:
    """The return from the provider's page: ask the provider for the payment's state."""
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        waiting = billing.open_payments()
    settled = False
    for payment in waiting[:3]:
        found = plan_payments.fetch_status(payment, settings)
        with tenant_scope(g.tenant_id):
            settled = plan_payments.settle_payment(payment, found, settings) or settled
    if settled:
        flash(
            gettext(
                "Payment received, thank you. Your plan is active. You can find the invoice below."
            ),
            "success",
        )
    elif waiting:
        flash(
            gettext("We have not received a payment yet. The page below updates when we do."),
            "warning",
        )
    return redirect(to("plan.index"))


@plan_pages.post("/plan/address")
@member_may("settings.manage")
def address() -> Any:
    form = InvoiceForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                billing.change_billing_address(
                    field_text(form.billing_name),
                    field_text(form.billing_address),
                    field_text(form.billing_tax_number),
                )
            flash(gettext("Saved. The next invoice will use these details."), "success")
            return redirect(to("plan.index", _anchor="invoices"))
    return _page(form)


@plan_pages.get("/plan/invoices/<invoice>")
@member_may("settings.manage")
def invoice(invoice: str) -> Any:
    with tenant_scope(g.tenant_id):
        found = billing.get_invoice(invoice)
        return pdf_response(found.code, found.pdf)


def pdf_response(code: str, data: bytes) -> Response:
    answer = Response(bytes(data), mimetype="application/pdf")
    answer.headers["Content-Disposition"] = f'attachment; filename="invoice-{code}.pdf"'
    return answer


def _act(act: Any, done: str) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            act()
        flash(done, "success")
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(to("plan.index"))


def _page(form: InvoiceForm | None) -> str:
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        facts, own = current_tenant_facts(), accounts.account()
        tenant, used = accounts.get(g.tenant_id), quota.usage(facts)
        status = renewals.plan_status(own, tenant.plan, settings.plan_grace_days)
        plans = [
            plan
            for plan in every_plan()
            if plan.retired_at is None or plan.code in (tenant.plan, status.plan)
        ]
        others, waiting = other_prices(), billing.open_payments()
        prices = {plan.code: price_for(plan, own, others) for plan in plans}
        terms = plan_payments.billing_terms(settings)
        net, tax, currency = billing.with_tax(prices[status.plan], terms)
        have = plan_limits.list_limits(
            {
                "lines": sum(not line.test for line in line_repository.list_lines()),
                "members": len(team.members()),
                "sites": len(sites.listed()),
            }
        )
        invoices = billing.list_invoices() if may("settings.manage") else []
        replaced = billing.replaced_by(invoices)
    if form is None and may("settings.manage"):
        form = InvoiceForm(formdata=None, obj=own)
    return render_template(
        "plan/index.html",
        facts=facts,
        usage=used,
        own=own,
        tenant=tenant,
        plans=plans,
        prices=prices,
        plan_status=status,
        renewal=(net + tax, currency),
        rooms=have,
        waiting=waiting,
        invoices=invoices,
        replaced=replaced,
        form=form,
        by_card=bool(settings.billing_provider),
        tax_percent=settings.invoice_tax_percent,
        tax_name=settings.invoice_tax_name,
        next_month=(now().date().replace(day=1) + timedelta(days=32)).replace(day=1),
        today=now().date(),
    )
