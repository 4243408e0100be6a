"""The team page: members, roles, invitations."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext
from flask_login import current_user

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from portal.auth import emails
from portal.team.forms import InviteForm, RoleForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message
from tenants import accounts, team
from tenants.models import Invitation
from tenants.rights import may_assign_role
from tenants.team import TeamMember

team_pages = Blueprint("team", __name__)


@team_pages.get("/team")
@member_may("team.view")
def index() -> Any:
    return _page(_invite_form() if may("team.manage") else None)


@team_pages.route("/team/invite", methods=["GET", "POST"])
@member_may("team.manage")
def invite() -> Any:
    """A GET shows the page too, because a rejected form is displayed at this URL."""
    form = _invite_form()
    if form.validate_on_submit():
        with domain_errors_on(form):
            _send_invitation(field_text(form.email), form.role.data)
            flash(gettext("Invitation sent to %(email)s.", email=field_text(form.email)), "success")
            return redirect(url_for("team.index"))
    return _page(form)


@team_pages.post("/team/invitations/<invitation_id>/resend")
@member_may("team.manage")
def resend(invitation_id: str) -> Any:
    """Send a new link; the old one stops working."""
    with tenant_scope(g.tenant_id):
        known = team.open_invitation(invitation_id)
    _send_invitation(known.email, known.role)
    flash(gettext("Invitation sent again to %(email)s.", email=known.email), "success")
    return redirect(url_for("team.index"))


@team_pages.route("/team/invitations/<invitation_id>/withdraw", methods=["GET", "POST"])
@member_may("team.manage")
def withdraw(invitation_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = team.open_invitation(invitation_id)
    return confirm_then(
        in_tenant(team.revoke_invitation, invitation_id),
        title=gettext("Withdraw this invitation?"),
        text=gettext("The link sent to %(email)s will stop working.", email=known.email),
        yes=gettext("Withdraw"),
        back_url=url_for("team.index"),
        done=gettext("Invitation withdrawn."),
    )


@team_pages.get("/team/<member_id>")
@member_may("team.manage")
def member(member_id: str) -> Any:
    known = _member(member_id)
    form = RoleForm(role=known.role)
    form.offer(current_user.role)
    return render_template(
        "team/member.html",
        member=known,
        form=form,
        may_change=may_assign_role(current_user.role, known.role),
    )


@team_pages.post("/team/<member_id>/role")
@member_may("team.manage")
def change_role(member_id: str) -> Any:
    form = RoleForm()
    form.offer(current_user.role)
    if form.validate_on_submit():
        try:
            with tenant_scope(g.tenant_id):
                team.change_role(member_id, form.role.data, current_user.role)
            flash(gettext("Saved."), "success")
        except DomainError as error:
            if isinstance(error, NotFound):
                raise
            flash(error_message(error), "error")
    return redirect(url_for("team.member", member_id=member_id))


@team_pages.route("/team/<member_id>/remove", methods=["GET", "POST"])
@member_may("team.manage")
def remove(member_id: str) -> Any:
    known = _member(member_id)
    return confirm_then(
        in_tenant(team.remove_member, member_id, current_user.role),
        title=gettext("Remove %(name)s from the team?", name=known.name),
        text=gettext(
            "They lose access to this account immediately. Their past actions stay "
            "in the audit log. You can invite them again."
        ),
        yes=gettext("Delete"),
        back_url=url_for("team.index"),
        done=gettext("%(name)s is no longer on the team.", name=known.name),
    )


def _page(form: InviteForm | None) -> str:
    with tenant_scope(g.tenant_id):
        members, invitations = team.members(), team.invitations()
    return render_template("team/index.html", members=members, invitations=invitations, form=form)


def _invite_form() -> InviteForm:
    form = InviteForm()
    form.offer(current_user.role)
    return form


def _member(member_id: str) -> TeamMember:
    with tenant_scope(g.tenant_id):
        for known in team.members():
            if known.id == member_id:
                return known
    raise NotFound()


def _send_invitation(email: str, role: str) -> Invitation:
    with tenant_scope(g.tenant_id):
        invitation, token = team.invite(email, role, current_user.role, current_user.name)
        settings = accounts.account()
        emails.send_invitation(invitation, accounts.get(g.tenant_id).name, token, settings.locale)
    return invitation
