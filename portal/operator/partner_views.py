"""The operator's pages of partners: who may create tenants by API, and their keys."""

from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import global_scope
from core.errors import NotFound
from portal.operator.forms import PartnerForm, PartnerKeyForm
from portal.operator.views import acting_operator, operator
from portal.web.auth import operator_only
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, field_text
from portal.web.paging import PAGE, page_of
from tenants.audit import acting_as
from tenants.partners import keys, partners
from tenants.partners.models import MOST_TENANTS, Partner
from tenants.plans.catalog import every_plan

PARTNER = "/partners/<partner_id>"


@operator.get("/partners")
@operator_only
def partner_list() -> Any:
    with global_scope():
        listed, counts = partners.list_partners(), partners.tenant_counts()
    return render_template("operator/partners.html", partners=listed, counts=counts)


@operator.route("/partners/new", methods=["GET", "POST"])
@operator_only
def new_partner() -> Any:
    form = PartnerForm()
    if request.method == "GET":
        form.most_tenants.data = MOST_TENANTS
    _offer_plans(form, None)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with global_scope():
                partner = partners.add(
                    field_text(form.name), form.plans.data or [], form.most_tenants.data or 1
                )
            flash(gettext("“%(name)s” was added. Create its first key.", name=partner.name))
            return redirect(url_for("operator.partner", partner_id=partner.id))
    return render_template("operator/partner_new.html", form=form)


@operator.get(PARTNER)
@operator_only
def partner(partner_id: str) -> Any:
    return _page(partner_id)


@operator.post(PARTNER)
@operator_only
def change_partner(partner_id: str) -> Any:
    form = PartnerForm()
    with global_scope():
        known = partners.get(partner_id)
    _offer_plans(form, known)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with global_scope():
                partners.change(
                    partner_id,
                    field_text(form.name),
                    form.plans.data or [],
                    form.most_tenants.data or 1,
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("operator.partner", partner_id=partner_id))
    return _page(partner_id, form)


@operator.post(f"{PARTNER}/keys")
@operator_only
def create_partner_key(partner_id: str) -> Any:
    form = PartnerKeyForm()
    with global_scope():
        partners.get(partner_id)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with acting_as(acting_operator()), global_scope():
                known = partners.get(partner_id)
                _, secret = keys.create(known, field_text(form.key_name))
            return render_template(
                "operator/partner_key_created.html", partner=known, secret=secret
            )
    return _page(partner_id, key_form=form)


@operator.route(f"{PARTNER}/keys/<key_id>/revoke", methods=["GET", "POST"])
@operator_only
def revoke_partner_key(partner_id: str, key_id: str) -> Any:
    with global_scope():
        known = partners.get(partner_id)
        key = next((one for one in keys.list_keys(known) if one.id == key_id), None)
    if key is None:
        raise NotFound()

    def act() -> None:
        with global_scope():
            keys.revoke(partners.get(partner_id), key_id)

    return confirm_then(
        act,
        title=gettext("Revoke the key “%(name)s”?", name=key.name),
        text=gettext("Requests with this key are refused immediately."),
        yes=gettext("Revoke key"),
        back_url=url_for("operator.partner", partner_id=partner_id),
        done=gettext("The key was revoked."),
    )


@operator.route(f"{PARTNER}/suspend", methods=["GET", "POST"])
@operator_only
def suspend_partner(partner_id: str) -> Any:
    with global_scope():
        known = partners.get(partner_id)

    def act() -> None:
        with global_scope():
            partners.suspend(partner_id)

    return confirm_then(
        act,
        title=gettext("Suspend %(name)s?", name=known.name),
        text=gettext("All keys of this partner are refused immediately. Its tenants keep working."),
        yes=gettext("Suspend partner"),
        back_url=url_for("operator.partner", partner_id=partner_id),
        done=gettext("%(name)s has been suspended.", name=known.name),
    )


@operator.post(f"{PARTNER}/resume")
@operator_only
def resume_partner(partner_id: str) -> Any:
    with global_scope():
        known = partners.resume(partner_id)
    flash(gettext("%(name)s is active again.", name=known.name), "success")
    return redirect(url_for("operator.partner", partner_id=partner_id))


def _page(
    partner_id: str, form: PartnerForm | None = None, key_form: PartnerKeyForm | None = None
) -> str:
    after = request.args.get("after", type=int)
    with global_scope():
        known = partners.get(partner_id)
        key_rows = keys.list_keys(known)
        tenants = partners.tenants_of(known.id, after, PAGE + 1)
        count = partners.tenant_counts().get(known.id, 0)
    if form is None:
        form = PartnerForm(formdata=None, obj=known)
        _offer_plans(form, known)
    page = page_of(tenants, "operator.partner", {"partner_id": known.id}, PAGE)
    return render_template(
        "operator/partner.html",
        partner=known,
        keys=key_rows,
        tenants=page.rows,
        count=count,
        form=form,
        key_form=key_form or PartnerKeyForm(formdata=None),
        **page.urls,
    )


def _offer_plans(form: PartnerForm, known: Partner | None) -> None:
    with global_scope():
        plans = every_plan()
    had = known.plans if known is not None else []
    form.plans.choices = [
        (plan.code, gettext(plan.name))
        for plan in plans
        if plan.retired_at is None or plan.code in had
    ]
