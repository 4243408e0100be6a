"""Settings of the business: its name, language, time zone, country and currency."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext

from core.db import tenant_scope
from portal.forms import SettingsForm, refusals_on, said
from portal.visitors import may, member_may
from tenants import accounts
from tenants.plans import tenant_facts

settings_pages = Blueprint("settings", __name__)


@settings_pages.get("/settings")
@member_may("settings.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        own, tenant, facts = accounts.account(), accounts.get(g.tenant_id), tenant_facts()
    form = SettingsForm(obj=own, name=tenant.name) if may("settings.manage") else None
    return render_template(
        "settings/index.html", form=form, account=own, tenant=tenant, facts=facts
    )


@settings_pages.post("/settings")
@member_may("settings.manage")
def save() -> Any:
    form = SettingsForm()
    with tenant_scope(g.tenant_id):
        own, tenant, facts = accounts.account(), accounts.get(g.tenant_id), tenant_facts()
    if form.validate_on_submit():
        with refusals_on(form):
            with tenant_scope(g.tenant_id):
                accounts.change_settings(
                    name=said(form.name),
                    locale=form.locale.data,
                    time_zone=form.time_zone.data,
                    country=form.country.data,
                    currency=form.currency.data,
                )
            accounts.forget_facts(g.tenant_id)
            flash(gettext("Saved."), "success")
            return redirect(url_for("settings.index"))
    return render_template(
        "settings/index.html", form=form, account=own, tenant=tenant, facts=facts
    )
