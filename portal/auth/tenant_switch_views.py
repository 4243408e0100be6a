"""Lets a person who belongs to several tenants choose the current one."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_login import current_user

from core.db import global_scope
from portal.web.auth import next_path, signed_in
from tenants import signin

tenancy = Blueprint("tenancy", __name__)


@tenancy.get("/choose")
@signed_in
def choose() -> Any:
    if current_user.is_operator and not current_user.tenants:
        return redirect(url_for("operator.index"))
    return render_template("auth/choose_tenant.html", tenants=current_user.tenants)


@tenancy.post("/switch")
@signed_in
def switch() -> Any:
    tenant_id = request.form.get("tenant_id", type=int)
    chosen = next((tenant for tenant in current_user.tenants if tenant.id == tenant_id), None)
    if chosen is None:
        flash(gettext("You are no longer a member of this business."), "error")
        return redirect(url_for("tenancy.choose"))
    with global_scope():
        signin.switch_tenant(current_user.sign_in.id, chosen.id)
    return redirect(next_path(url_for("home.index")))
