"""The business's own fields of a contact."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import NotFound
from core.ids import BadId
from messaging.contacts import custom_fields
from messaging.models import ContactField
from portal.contacts.forms import FieldForm
from portal.web.auth import member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text

contact_fields = Blueprint("contact_fields", __name__)

FIELD = "/contacts/fields/<field_id>"


@contact_fields.route("/contacts/fields", methods=["GET", "POST"])
@member_may("contacts.manage")
def index() -> Any:
    form = FieldForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                custom_fields.add(
                    field_text(form.name), form.kind.data, field_text(form.choices).splitlines()
                )
            flash(gettext("The field is there for every contact now."), "success")
            return redirect(url_for("contact_fields.index"))
    with tenant_scope(g.tenant_id):
        listed = custom_fields.list_fields()
    return render_template("contacts/fields.html", fields=listed, form=form, editing=None)


@contact_fields.route(FIELD, methods=["GET", "POST"])
@member_may("contacts.manage")
def edit(field_id: str) -> Any:
    known = _field(field_id)
    form = FieldForm(name=known.name, kind=known.kind, choices="\n".join(known.choices))
    form.kind.data = known.kind
    if request.method == "POST" and form.validate():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                custom_fields.change(
                    known.id, field_text(form.name), field_text(form.choices).splitlines()
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("contact_fields.index"))
    with tenant_scope(g.tenant_id):
        listed = custom_fields.list_fields()
    return render_template("contacts/fields.html", fields=listed, form=form, editing=known)


@contact_fields.route(f"{FIELD}/remove", methods=["GET", "POST"])
@member_may("contacts.manage")
def remove(field_id: str) -> Any:
    known = _field(field_id)
    return confirm_then(
        in_tenant(custom_fields.remove, known.id),
        title=gettext("Remove the field “%(name)s”?", name=known.name),
        text=gettext("What contacts have in it is no longer shown, searched or exported."),
        yes=gettext("Remove the field"),
        back_url=url_for("contact_fields.index"),
        done=gettext("“%(name)s” is removed.", name=known.name),
    )


def _field(field_id: str) -> ContactField:
    try:
        with tenant_scope(g.tenant_id):
            return custom_fields.get(field_id)
    except BadId:
        raise NotFound() from None
