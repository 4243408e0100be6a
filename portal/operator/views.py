"""The operator console: tenants, their plans and limits, queues and workers."""

from typing import Any

from flask import Blueprint, current_app, flash, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_login import current_user

from core.db import global_scope, tenant_scope
from messaging.lines import send_lane
from portal.auth import emails
from portal.operator.forms import LimitsForm
from portal.operator.queues import failed_jobs, queue_rows, retry_job, workers
from portal.plan.views import pdf_response
from portal.web.auth import client_ip, operator_only
from portal.web.forms import domain_errors_on, submitted_text, text_in_url
from portal.web.paging import PAGE, page_of
from tenants import accounts, audit, team
from tenants.audit import Actor, acting_as
from tenants.partners import partners
from tenants.plans import billing, quota, renewals
from tenants.plans.catalog import current_tenant_facts, every_plan
from tenants.plans.models import Plan

operator = Blueprint("operator", __name__, url_prefix="/operator")


def acting_operator() -> Actor:
    return Actor("operator", current_user.person.id, current_user.name, client_ip())


@operator.get("/")
@operator_only
def index() -> Any:
    text = text_in_url("q", 120)
    after = request.args.get("after", type=int)
    wants = request.args.get("wants", "")
    wants = wants if wants in ("plan", "end") else ""
    with global_scope():
        tenants, counts = accounts.search(text, after, PAGE + 1, wants), accounts.count_by_state()
    page = page_of(tenants, "operator.index", {"q": text or None, "wants": wants or None}, PAGE)
    return render_template(
        "operator/index.html", tenants=page.rows, counts=counts, q=text, wants=wants, **page.urls
    )


@operator.get("/invoices")
@operator_only
def invoices() -> Any:
    """Every issued invoice, including those of erased accounts."""
    year, _, number = request.args.get("after", "").partition("-")
    plain = all(part.isascii() and part.isdigit() and len(part) < 9 for part in (year, number))
    with global_scope():
        found = billing.list_all_invoices((int(year), int(number)) if plain else None, PAGE + 1)
        replaced = billing.replaced_by(found)
    rows = found[:PAGE]
    following = url_for("operator.invoices", after=rows[-1].code) if len(found) > PAGE else None
    return render_template(
        "operator/invoices.html", invoices=rows, replaced=replaced, next_url=following
    )


@operator.get("/invoices/<invoice>")
@operator_only
def invoice(invoice: str) -> Any:
    with global_scope():
        found = billing.get_any_invoice(invoice)
        return pdf_response(found.code, found.pdf)


@operator.get("/tenants/<int:tenant_id>")
@operator_only
def tenant(tenant_id: int) -> Any:
    return _tenant_page(tenant_id, None)


def _tenant_page(tenant_id: int, form: LimitsForm | None) -> str:
    grace = current_app.extensions["comanda"].plan_grace_days
    with tenant_scope(tenant_id):
        known = accounts.get(tenant_id)
        facts, own = current_tenant_facts(), accounts.account()
        used, members, entries = quota.usage(facts), team.members(), audit.entries(limit=20)
        plans, partner = every_plan(), partners.partner_of(known)
    if form is None:
        form = LimitsForm(obj=own, plan=known.plan)
    form.plan.choices = _choices(plans, known.plan)
    return render_template(
        "operator/tenant.html",
        tenant=known,
        facts=facts,
        usage=used,
        members=members,
        entries=entries,
        form=form,
        partner=partner,
        plan_status=renewals.plan_status(own, known.plan, grace),
    )


def _choices(plans: list[Plan], has: str) -> list[tuple[str, str]]:
    """The plans on offer, and the tenant's own plan even if it is retired."""
    given = [plan for plan in plans if plan.retired_at is None or plan.code == has]
    return [(plan.code, gettext(plan.name)) for plan in given]


@operator.post("/tenants/<int:tenant_id>/limits")
@operator_only
def limits(tenant_id: int) -> Any:
    form = LimitsForm()
    with global_scope():
        form.plan.choices = _choices(every_plan(), accounts.get(tenant_id).plan)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with acting_as(acting_operator()), tenant_scope(tenant_id):
                accounts.get(tenant_id)
                renewals.set_plan_until(form.plan.data, form.paid_until.data)
                accounts.change_limits(
                    form.rate_per_second.data,
                    form.burst.data,
                    form.monthly_messages.data,
                    form.spend_cap_usd.data,
                )
            accounts.drop_tenant_cache(tenant_id)
            flash(gettext("Saved."), "success")
            return redirect(url_for("operator.tenant", tenant_id=tenant_id))
    return _tenant_page(tenant_id, form)


@operator.post("/tenants/<int:tenant_id>/suspend")
@operator_only
def suspend(tenant_id: int) -> Any:
    """Ask for the reason and a confirmation, then suspend the account and e-mail its owners."""
    because = submitted_text("because", 300)
    with tenant_scope(tenant_id):
        name = accounts.get(tenant_id).name
    if request.form.get("sure") != "yes":
        return render_template(
            "shared/confirm.html",
            title=gettext("Suspend %(name)s?", name=name),
            text=gettext(
                "API requests are rejected immediately and messages are held. The "
                "owners get an e-mail with this reason: %(reason)s",
                reason=because or gettext("not given"),
            ),
            yes=gettext("Suspend account"),
            back_url=url_for("operator.tenant", tenant_id=tenant_id),
            fields={"because": because, "sure": "yes"},
        )
    with acting_as(acting_operator()), tenant_scope(tenant_id):
        if accounts.get(tenant_id).state == "active":
            accounts.suspend(because or "by the operator")
            for person in team.admins():
                emails.send_account_suspended(person, name, because)
    accounts.drop_tenant_cache(tenant_id)
    flash(gettext("%(name)s has been suspended.", name=name), "success")
    return redirect(url_for("operator.tenant", tenant_id=tenant_id))


@operator.post("/tenants/<int:tenant_id>/resume")
@operator_only
def resume(tenant_id: int) -> Any:
    with acting_as(acting_operator()), tenant_scope(tenant_id):
        name = accounts.get(tenant_id).name
        accounts.resume()
        send_lane.wake_waiting_messages()
    accounts.drop_tenant_cache(tenant_id)
    flash(gettext("%(name)s is active again.", name=name), "success")
    return redirect(url_for("operator.tenant", tenant_id=tenant_id))


@operator.get("/queues")
@operator_only
def queues() -> Any:
    return render_template(
        "operator/queues.html", queues=queue_rows(), workers=workers(), failed=failed_jobs()
    )


@operator.post("/queues/failed/<job_id>/retry")
@operator_only
def retry(job_id: str) -> Any:
    if retry_job(job_id):
        flash(gettext("The job is running again."), "success")
    else:
        flash(gettext("This job no longer exists."), "error")
    return redirect(url_for("operator.queues"))
