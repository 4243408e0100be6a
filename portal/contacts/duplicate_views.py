"""Contacts that may be the same person: merge them, or keep them as two."""

from contextlib import suppress
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import NotFound
from messaging.contacts import cards as contact_cards
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
        contact_cards.get_contact(contact_id)
        with suppress(NotFound):  # another member has decided it already
            duplicates.dismiss(contact_id, request.form.get("other", "")[:64])
        more = duplicates.open_cases()
    flash(gettext("The contacts stay separate."), "success")
    if more:
        return redirect(url_for("contact_duplicates.index"))
    return redirect(url_for("contact.page", contact_id=contact_id))
