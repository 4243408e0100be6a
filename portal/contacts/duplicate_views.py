"""Contacts that may be the same person: merge them, or keep them as two."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from messaging.contacts import duplicates
from portal.web.auth import member_may

contact_duplicates = Blueprint("contact_duplicates", __name__)


@contact_duplicates.get("/contacts/duplicates")
@member_may("contacts.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        cases = duplicates.list_cases()
    return render_template("contacts/duplicates.html", cases=cases)


@contact_duplicates.post("/contacts/<contact_id>/duplicates/dismiss")
@member_may("contacts.manage")
def dismiss(contact_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        duplicates.dismiss(contact_id, request.form.get("other", "")[:64])
        more = duplicates.open_cases()
    flash(gettext("The contacts stay separate."), "success")
    if more:
        return redirect(url_for("contact_duplicates.index"))
    return redirect(url_for("contact.page", contact_id=contact_id))
