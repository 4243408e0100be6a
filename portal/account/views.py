"""A person's own page: profile, password, second step, and sessions."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, session, url_for
from flask_babel import gettext
from flask_login import current_user
from markupsafe import Markup

from core.db import global_scope
from core.errors import invalid
from core.security.encryption import current_keyring
from core.values import qr_codes
from portal.account.forms import ConfirmPasswordForm, PasswordForm, ProfileForm
from portal.auth import emails
from portal.auth.forms import CodeForm
from portal.web.auth import client_ip, signed_in
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, field_text
from tenants import people, signin, two_factor
from tenants.models import Person
from tenants.passwords import hash_password, password_matches

account = Blueprint("account", __name__)

SECRET_CONTEXT = "session.two_step_secret"  # noqa: S105 - a name, not a secret


def _me() -> Person:
    person = people.get(current_user.person.id)
    if person is None:
        raise RuntimeError("a signed-in person is gone")
    return person


@account.get("/account")
@signed_in
def index() -> Any:
    return _page(ProfileForm(obj=current_user.person), PasswordForm())


@account.post("/account/profile")
@signed_in
def save() -> Any:
    form = ProfileForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with global_scope():
                person = _me()
                person.name = people.clean_name(field_text(form.name))
                person.locale, person.time_zone = form.locale.data, form.time_zone.data
                person.theme = form.theme.data
            session.pop("locale", None)
            flash(gettext("Saved."), "success")
            return redirect(url_for("account.index"))
    return _page(form, PasswordForm(formdata=None))


@account.post("/account/password")
@signed_in
def password() -> Any:
    """Change the password and sign out all other sessions of this person."""
    form = PasswordForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            signin.throttle("password", f"account {current_user.person.id}")
            if not password_matches(field_text(form.current), current_user.person.password_hash):
                raise invalid("current", "wrong_password", "The password is incorrect.")
            new = hash_password(field_text(form.password), current_user.person.email)
            with global_scope():
                person = _me()
                people.set_password(person, new, client_ip())
                signin.end_all_sessions(person.id, but=current_user.sign_in.id)
                emails.send_security_notice(person, "password_changed")
            flash(gettext("Password changed. All other browsers have been signed out."), "success")
            return redirect(url_for("account.index"))
    return _page(ProfileForm(formdata=None, obj=current_user.person), form)


def _page(profile: ProfileForm, change: PasswordForm) -> str:
    with global_scope():
        events = people.recent_events(current_user.person.id)
        left = two_factor.codes_left(current_user.person.id)
    return render_template(
        "account/index.html",
        form=profile,
        password_form=change,
        person=current_user.person,
        events=events,
        codes_left=left,
    )


@account.route("/account/two-step", endpoint="two_step", methods=["GET", "POST"])
@signed_in
def two_step_page() -> Any:
    person = current_user.person
    if person.two_step_since is not None:
        return _turn_on_two_factor(ConfirmPasswordForm())
    secret = _pending_secret()
    form = CodeForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            signin.throttle("two_step_setup", f"account {person.id}")
            with global_scope():
                me = _me()
                codes = two_factor.turn_on(me, secret, field_text(form.code))
                emails.send_security_notice(me, "two_step_on")
            session.pop("two_step_secret", None)
            return render_template("account/recovery_codes.html", codes=codes)
    drawing = qr_codes.svg(two_factor.provisioning_uri(person, secret), border=2)
    picture = Markup(drawing)  # noqa: S704 - holds numbers alone
    return render_template(
        "account/two_factor.html", on=False, form=form, qr_svg=picture, secret=secret
    )


def _turn_on_two_factor(form: ConfirmPasswordForm) -> str:
    with global_scope():
        left = two_factor.codes_left(current_user.person.id)
    return render_template(
        "account/two_factor.html",
        on=True,
        since=current_user.person.two_step_since,
        codes_left=left,
        form=form,
    )


def _pending_secret() -> str:
    """Kept encrypted in the session until a valid code proves that the app has the secret."""
    stored = session.get("two_step_secret")
    if stored:
        return current_keyring().decrypt(stored, SECRET_CONTEXT)
    secret = two_factor.new_secret()
    session["two_step_secret"] = current_keyring().encrypt(secret, SECRET_CONTEXT)
    return secret


@account.post("/account/two-step/off")
@signed_in
def two_step_off() -> Any:
    form = ConfirmPasswordForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            _check_password(form)
            with global_scope():
                person = _me()
                two_factor.turn_off(person)
                emails.send_security_notice(person, "two_step_off")
            flash(gettext("Two-step verification is off."), "success")
            return redirect(url_for("account.two_step"))
    return _turn_on_two_factor(form)


@account.post("/account/recovery-codes")
@signed_in
def recovery_codes() -> Any:
    form = ConfirmPasswordForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            _check_password(form)
            with global_scope():
                codes = two_factor.new_recovery_codes(_me())
            return render_template("account/recovery_codes.html", codes=codes)
    return _turn_on_two_factor(form)


def _check_password(form: ConfirmPasswordForm) -> None:
    """Ask for the password, so that an open browser is not enough to turn off the second step."""
    signin.throttle("password", f"account {current_user.person.id}")
    if not password_matches(field_text(form.password), current_user.person.password_hash):
        raise invalid("password", "wrong_password", "The password is incorrect.")


@account.get("/account/sessions")
@signed_in
def sessions() -> Any:
    with global_scope():
        listed = signin.sessions_of(current_user.person.id)
    return render_template(
        "account/sessions.html", sessions=listed, this_id=current_user.sign_in.id
    )


@account.route("/account/sessions/<session_id>/end", methods=["GET", "POST"])
@signed_in
def end_session(session_id: str) -> Any:
    def act() -> None:
        with global_scope():
            signin.end_session(current_user.person.id, session_id)

    return confirm_then(
        act,
        title=gettext("Sign out this browser?"),
        text=gettext("Anyone using it will need to sign in again."),
        yes=gettext("Sign out"),
        back_url=url_for("account.sessions"),
        done=gettext("The browser has been signed out."),
    )


@account.route("/account/sessions/end-all", methods=["GET", "POST"])
@signed_in
def end_all_sessions() -> Any:
    def act() -> None:
        with global_scope():
            signin.end_all_sessions(current_user.person.id, but=current_user.sign_in.id)
            people.record_event(current_user.person.id, "signed_out_everywhere", client_ip())

    return confirm_then(
        act,
        title=gettext("Sign out of all other sessions?"),
        text=gettext("You will need to sign in again in all other browsers."),
        yes=gettext("Sign out of all other sessions"),
        back_url=url_for("account.sessions"),
        done=gettext("All other browsers have been signed out."),
    )
