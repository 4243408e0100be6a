"""Accepting an invitation, as a new person or with an existing account."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, request, url_for
from flask_babel import get_locale, gettext
from flask_login import current_user

from core.db import global_scope, tenant_scope
from core.errors import Invalid
from portal.auth.forms import JoinForm
from portal.web.auth import client_ip, open_to_all, start_session
from portal.web.forms import domain_errors_on, field_text
from tenants import accounts, people, signin, team
from tenants.audit import Actor, acting_as
from tenants.models import Invitation, Person
from tenants.passwords import hash_password

invitations = Blueprint("invitations", __name__)


@invitations.route("/invitations/<token>", methods=["GET", "POST"])
@open_to_all
def accept(token: str) -> Any:
    found = _find(token)
    if found is None:
        return _page(None, "", token, "over")
    tenant_id, invitation, business, person = found
    mode = _mode(invitation, person)
    form = JoinForm()
    if mode == "join" and request.method == "POST":
        return _join(tenant_id, invitation, current_user.person)
    if mode == "new" and form.validate_on_submit():
        with domain_errors_on(form):
            password = hash_password(field_text(form.password), invitation.email)
            with tenant_scope(tenant_id):
                newcomer = people.register(
                    invitation.email,
                    field_text(form.name),
                    password,
                    locale=str(get_locale()),
                    time_zone=accounts.account().time_zone,
                    verified=True,  # the invitation was sent to that address
                )
                with acting_as(Actor("person", newcomer.id, newcomer.name, client_ip())):
                    team.accept_invitation(invitation.id, newcomer)
            start_session(newcomer, tenant_id)
            flash(gettext("Welcome to %(name)s.", name=business), "success")
            return redirect(url_for("home.index"))
    return _page(invitation, business, token, mode, form)


def _find(token: str) -> tuple[int, Invitation, str, Person | None] | None:
    with global_scope():
        found = team.find_invitation(token)
    if found is None:
        return None
    tenant_id, invitation_id = found
    try:
        with tenant_scope(tenant_id):
            invitation = team.open_invitation(invitation_id)
            person = people.find(invitation.email)
            return tenant_id, invitation, accounts.get(tenant_id).name, person
    except Invalid:
        return None


def _mode(invitation: Invitation, person: Person | None) -> str:
    if current_user.is_authenticated:
        return "join" if current_user.person.email_key == invitation.email_key else "other"
    return "new" if person is None else "signin"


def _join(tenant_id: int, invitation: Invitation, person: Person) -> Any:
    with tenant_scope(tenant_id):
        team.accept_invitation(invitation.id, person)
        signin.switch_tenant(current_user.sign_in.id, tenant_id)
    return redirect(url_for("home.index"))


def _page(
    invitation: Invitation | None, business: str, token: str, mode: str, form: Any = None
) -> str:
    return render_template(
        "auth/invitation.html",
        invitation=invitation,
        tenant_name=business,
        token=token,
        mode=mode,
        form=form,
    )
