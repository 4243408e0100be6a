"""Settings of the business: its name, language, time zone, country and currency."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext

from core.db import tenant_scope
from portal.settings.forms import SettingsForm
from portal.web.auth import may, member_may
from portal.web.forms import domain_errors_on, field_text
from tenants import accounts
from tenants.partners import partners
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts

settings_pages = Blueprint("settings", __name__)


@settings_pages.get("/settings")
@member_may("settings.view")
def index() -> Any:
    return _page(None)


@settings_pages.post("/settings")
@member_may("settings.manage")
def save() -> Any:
    form = SettingsForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                accounts.change_settings(
                    name=field_text(form.name),
                    locale=form.locale.data,
                    time_zone=form.time_zone.data,
                    country=form.country.data,
                    currency=form.currency.data,
                )
            accounts.drop_tenant_cache(g.tenant_id)
            flash(gettext("Saved."), "success")
            return redirect(url_for("settings.index"))
    return _page(form)


def _page(form: SettingsForm | None) -> str:
    with tenant_scope(g.tenant_id):
        account, tenant, facts = (
            accounts.account(),
            accounts.get(g.tenant_id),
            current_tenant_facts(),
        )
        usage, partner = quota.usage(facts), partners.partner_of(tenant)
    if form is None and may("settings.manage"):
        form = SettingsForm(formdata=None, obj=account, name=tenant.name)
    return render_template(
        "settings/index.html",
        form=form,
        account=account,
        tenant=tenant,
        facts=facts,
        usage=usage,
        partner=partner,
    )
