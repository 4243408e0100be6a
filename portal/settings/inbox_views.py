"""Settings of the shared inbox: assignment, satisfaction question, labels."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext

from core.db import tenant_scope
from messaging.inbox.team import assignment, ratings
from messaging.inbox.team import labels as conversation_labels
from messaging.inbox.team import settings as team_settings
from messaging.inbox.team.labels import COLOURS
from messaging.inbox.team.settings import TeamSettings
from messaging.lines import repository as line_repository
from portal.settings.forms import InboxForm, LabelForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from tenants import accounts

inbox_settings_pages = Blueprint("inbox_settings", __name__)


@inbox_settings_pages.get("/settings/inbox")
@member_may("settings.view")
def index() -> Any:
    return _page()


@inbox_settings_pages.post("/settings/inbox")
@member_may("settings.manage")
def save() -> Any:
    form = InboxForm()
    _offer_lines(form)
    if form.validate_on_submit():
        wanted = TeamSettings(
            assignment=form.assignment.data,
            return_minutes=form.return_minutes.data,
            rating=form.rating.data,
            rating_text=field_text(form.rating_text),
            rating_lines=tuple(form.rating_lines.data or ()),
        )
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                team_settings.save(wanted)
            flash(gettext("Saved."), "success")
            return redirect(url_for("inbox_settings.index"))
    return _page(form=form)


@inbox_settings_pages.post("/settings/inbox/labels")
@member_may("settings.manage")
def add_label() -> Any:
    form = _label_form()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                conversation_labels.save(field_text(form.name), form.colour.data)
            flash(gettext("Saved."), "success")
            return redirect(url_for("inbox_settings.index") + "#labels")
    return _page(label_form=form)


@inbox_settings_pages.route("/settings/inbox/labels/<label_id>", methods=["GET", "POST"])
@member_may("settings.manage")
def label(label_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = conversation_labels.get(label_id)
    form = _label_form(obj=known)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                conversation_labels.save(field_text(form.name), form.colour.data, label_id)
            flash(gettext("Saved."), "success")
            return redirect(url_for("inbox_settings.index") + "#labels")
    return render_template("settings/label.html", form=form, label=known)


@inbox_settings_pages.route("/settings/inbox/labels/<label_id>/remove", methods=["GET", "POST"])
@member_may("settings.manage")
def remove_label(label_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = conversation_labels.get(label_id)
    return confirm_then(
        in_tenant(conversation_labels.remove, label_id),
        title=gettext("Delete the label “%(name)s”?", name=known.name),
        text=gettext("It is removed from all conversations. The conversations stay."),
        yes=gettext("Delete label"),
        back_url=url_for("inbox_settings.index"),
        done=gettext("Label deleted."),
    )


def _page(form: InboxForm | None = None, label_form: LabelForm | None = None) -> str:
    with tenant_scope(g.tenant_id):
        stored = team_settings.get()
        members = assignment.members()
        labels = conversation_labels.list_labels()
        question = ratings.default_question(accounts.account().locale)
    if may("settings.manage"):
        if form is None:
            form = InboxForm(formdata=None, obj=stored)
            _offer_lines(form)
        label_form = label_form or _label_form(formdata=None)
    return render_template(
        "settings/inbox.html",
        form=form,
        label_form=label_form,
        stored=stored,
        members=members,
        labels=labels,
        question=question,
    )


def _offer_lines(form: InboxForm) -> None:
    with tenant_scope(g.tenant_id):
        form.rating_lines.choices = [
            (line.id, line.name) for line in line_repository.line_labels() if not line.removed
        ]


def _label_form(**given: Any) -> LabelForm:
    form = LabelForm(**given)
    names = {
        "grey": gettext("Grey"),
        "red": gettext("Red"),
        "orange": gettext("Orange"),
        "green": gettext("Green"),
        "teal": gettext("Teal"),
        "blue": gettext("Blue"),
        "purple": gettext("Purple"),
        "pink": gettext("Pink"),
    }
    form.colour.choices = [(one, names[one]) for one in COLOURS]
    return form
