"""The tenant's own language model, which helps to read orders in guests' own words."""

from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.http import Policy
from core.settings import Settings
from portal.settings.forms import LanguageModelForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from restaurant.text_orders.model import settings as model_settings
from restaurant.text_orders.model.settings import ModelSettings

language_model_pages = Blueprint("language_model", __name__)


@language_model_pages.get("/settings/language-model")
@member_may("settings.view")
def index() -> Any:
    return _page(None)


@language_model_pages.post("/settings/language-model")
@member_may("settings.manage")
def save() -> Any:
    form = LanguageModelForm()
    if form.validate_on_submit():
        settings: Settings = current_app.extensions["comanda"]
        wanted = ModelSettings(
            url=field_text(form.url),
            key=field_text(form.key),
            model=field_text(form.model),
            transcription_model=field_text(form.transcription_model),
            enabled=bool(form.enabled.data),
            timeout_seconds=form.timeout_seconds.data or 0,
            daily_requests=form.daily_requests.data or 0,
        )
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                policy = Policy(settings.ports_allowed, settings.allow_loopback)
                model_settings.save(wanted, policy)
            flash(gettext("Saved."), "success")
            return redirect(url_for("language_model.index"))
    return _page(form)


@language_model_pages.route("/settings/language-model/remove", methods=["GET", "POST"])
@member_may("settings.manage")
def remove() -> Any:
    return confirm_then(
        in_tenant(model_settings.remove),
        title=gettext("Remove the language model?"),
        text=gettext("Its key is deleted. Orders in guests’ own words are read without it."),
        yes=gettext("Remove language model"),
        back_url=url_for("language_model.index"),
        done=gettext("The language model was removed."),
        done_url=url_for("language_model.index"),
    )


def _page(form: LanguageModelForm | None) -> str:
    with tenant_scope(g.tenant_id):
        stored = model_settings.get()
    if form is None and may("settings.manage"):
        form = LanguageModelForm(formdata=None, obj=stored)
        form.key.data = ""
    return render_template("settings/language_model.html", form=form, stored=stored)
