"""Correct an invoice: issue a new one that refers to the one it replaces."""

from typing import Any

from flask import current_app, flash, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import global_scope, tenant_scope
from core.errors import invalid
from portal.operator.views import acting_operator, operator
from portal.plan.forms import InvoiceCorrectionForm
from portal.web.auth import operator_only
from portal.web.forms import domain_errors_on, field_text
from restaurant.payments import plan_payments
from tenants import accounts
from tenants.audit import acting_as
from tenants.plans import billing
from tenants.plans.billing import InvoiceDetails
from tenants.plans.models import Invoice


@operator.route("/invoices/<invoice>/correct", methods=["GET", "POST"])
@operator_only
def correct_invoice(invoice: str) -> Any:
    with global_scope():
        known = billing.get_any_invoice(invoice)
    form = InvoiceCorrectionForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            made = _corrected(known, form)
            flash(gettext("Invoice %(number)s was issued.", number=made.code), "success")
            return redirect(url_for("operator.invoices"))
    elif request.method == "GET":
        with tenant_scope(known.tenant_id):
            own = accounts.account()
            form = InvoiceCorrectionForm(formdata=None, obj=own)
        form.billing_name.data = form.billing_name.data or known.name
        form.begins.data, form.ends.data = billing.period_of(known)
    return render_template("operator/invoice_edit.html", invoice=known, form=form)


def _corrected(known: Invoice, form: InvoiceCorrectionForm) -> Invoice:
    terms = plan_payments.billing_terms(current_app.extensions["comanda"])
    details = InvoiceDetails(
        field_text(form.billing_name),
        field_text(form.billing_address),
        field_text(form.billing_tax_number),
    )
    begins, ends = form.begins.data, form.ends.data
    if begins is None or ends is None:
        raise invalid("ends", "invalid_period", "The last day cannot be before the first day.")
    with acting_as(acting_operator()), tenant_scope(known.tenant_id):
        return billing.correct_invoice(known.code, details, (begins, ends), terms)
