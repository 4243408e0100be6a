"""The operator corrects an invoice: a new one is issued that names the one it replaces."""

from typing import Any

from flask import current_app, flash, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import global_scope, tenant_scope
from core.errors import invalid
from portal.account_forms import CorrectionForm
from portal.forms import refusals_on, said
from portal.operator.pages import acting_operator, operator
from portal.visitors import operator_only
from restaurant import plan_desk
from tenants import accounts, billing
from tenants.audit import acting
from tenants.billing import Details
from tenants.plan_models import Invoice


@operator.route("/invoices/<invoice>/correct", methods=["GET", "POST"])
@operator_only
def correct_invoice(invoice: str) -> Any:
    with global_scope():
        known = billing.any_invoice(invoice)
    form = CorrectionForm()
    if form.validate_on_submit():
        with refusals_on(form):
            made = _corrected(known, form)
            flash(gettext("Invoice %(number)s is issued.", number=made.code), "success")
            return redirect(url_for("operator.invoices"))
    elif request.method == "GET":
        with tenant_scope(known.tenant_id):
            own = accounts.account()
            form = CorrectionForm(formdata=None, obj=own)
        form.billing_name.data = form.billing_name.data or known.name
        form.begins.data, form.ends.data = billing.period_of(known)
    return render_template("operator/invoice_edit.html", invoice=known, form=form)


def _corrected(known: Invoice, form: CorrectionForm) -> Invoice:
    terms = plan_desk.terms(current_app.extensions["comanda"])
    details = Details(
        said(form.billing_name), said(form.billing_address), said(form.billing_tax_number)
    )
    begins, ends = form.begins.data, form.ends.data
    if begins is None or ends is None:
        raise invalid("ends", "invalid_period", "The last day is before the first.")
    with acting(acting_operator()), tenant_scope(known.tenant_id):
        return billing.correct(known.code, details, (begins, ends), terms)
