"""Report purchases from ads to Meta: the dataset, its state and the last error."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext

from core.db import tenant_scope
from portal.settings.forms import AdConversionForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from restaurant.ads import conversions
from restaurant.ads import settings as ad_settings

ad_conversion_pages = Blueprint("ad_conversions", __name__)


@ad_conversion_pages.get("/settings/ad-conversions")
@member_may("settings.view")
def index() -> Any:
    return _page(None)


@ad_conversion_pages.post("/settings/ad-conversions")
@member_may("settings.manage")
def save() -> Any:
    form = AdConversionForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                ad_settings.save(
                    field_text(form.dataset_id),
                    field_text(form.token),
                    enabled=bool(form.enabled.data),
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("ad_conversions.index"))
    return _page(form)


@ad_conversion_pages.route("/settings/ad-conversions/remove", methods=["GET", "POST"])
@member_may("settings.manage")
def remove() -> Any:
    return confirm_then(
        in_tenant(ad_settings.remove),
        title=gettext("Stop reporting purchases to Meta?"),
        text=gettext("The access token is deleted. Purchases already reported stay at Meta."),
        yes=gettext("Stop reporting"),
        back_url=url_for("ad_conversions.index"),
        done=gettext("Purchases are no longer reported."),
        done_url=url_for("ad_conversions.index"),
    )


def _page(form: AdConversionForm | None) -> str:
    with tenant_scope(g.tenant_id):
        stored = ad_settings.get()
        counts = conversions.count_states() if stored is not None else {}
    if form is None and may("settings.manage"):
        form = AdConversionForm(formdata=None, obj=stored)
        form.token.data = ""
    return render_template("settings/ad_conversions.html", form=form, stored=stored, counts=counts)
