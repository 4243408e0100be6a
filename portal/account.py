"""A person's own page: profile, password, second step, where they are signed in."""

from typing import Any

from flask import Blueprint, flash, redirect, render_template, session, url_for
from flask_babel import gettext
from flask_login import current_user
from markupsafe import Markup

from core import qr_codes
from core.db import global_scope
from core.errors import invalid
from core.keyring import the_keyring
from portal import letters
from portal.asking import ask_then
from portal.forms import CodeForm, PasswordForm, ProfileForm, ProveForm, refusals_on, said
from portal.visitors import address, signed_in
from tenants import people, signin, two_step
from tenants.models import Person
from tenants.passwords import hash_password, password_fits

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
        with refusals_on(form):
            with global_scope():
                person = _me()
                person.name = people.clean_name(said(form.name))
                person.locale, person.time_zone = form.locale.data, form.time_zone.data
                person.theme = form.theme.data
            session.pop("locale", None)
            flash(gettext("Saved."), "success")
            return redirect(url_for("account.index"))
    return _page(form, PasswordForm(formdata=None))


@account.post("/account/password")
@signed_in
def password() -> Any:
    """Everybody else who is signed in as this person is signed out."""
    form = PasswordForm()
    if form.validate_on_submit():
        with refusals_on(form):
            signin.throttle("password", f"account {current_user.person.id}")
            if not password_fits(said(form.current), current_user.person.password_hash):
                raise invalid("current", "wrong_password", "That is not your password.")
            new = hash_password(said(form.password), current_user.person.email)
            with global_scope():
                person = _me()
                people.set_password(person, new, address())
                signin.end_all_sessions(person.id, but=current_user.sign_in.id)
                letters.security_notice(person, "password_changed")
            flash(gettext("The password is changed. Other browsers are signed out."), "success")
            return redirect(url_for("account.index"))
    return _page(ProfileForm(formdata=None, obj=current_user.person), form)


def _page(profile: ProfileForm, change: PasswordForm) -> str:
    with global_scope():
        events = people.recent_events(current_user.person.id)
        left = two_step.codes_left(current_user.person.id)
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
        return _two_step_on(ProveForm())
    secret = _waiting_secret()
    form = CodeForm()
    if form.validate_on_submit():
        with refusals_on(form):
            signin.throttle("two_step_setup", f"account {person.id}")
            with global_scope():
                me = _me()
                codes = two_step.turn_on(me, secret, said(form.code))
                letters.security_notice(me, "two_step_on")
            session.pop("two_step_secret", None)
            return render_template("account/recovery_codes.html", codes=codes)
    drawing = qr_codes.svg(two_step.address_for_app(person, secret), border=2)
    picture = Markup(drawing)  # noqa: S704 - holds numbers alone
    return render_template(
        "account/two_step.html", on=False, form=form, qr_svg=picture, secret=secret
    )


def _two_step_on(form: ProveForm) -> str:
    with global_scope():
        left = two_step.codes_left(current_user.person.id)
    return render_template(
        "account/two_step.html",
        on=True,
        since=current_user.person.two_step_since,
        codes_left=left,
        form=form,
    )


def _waiting_secret() -> str:
    """Kept sealed in the session until the first good code proves that the app has it."""
    kept = session.get("two_step_secret")
    if kept:
        return the_keyring().decrypt(kept, SECRET_CONTEXT)
    secret = two_step.new_secret()
    session["two_step_secret"] = the_keyring().encrypt(secret, SECRET_CONTEXT)
    return secret


@account.post("/account/two-step/off")
@signed_in
def two_step_off() -> Any:
    form = ProveForm()
    if form.validate_on_submit():
        with refusals_on(form):
            _prove(form)
            with global_scope():
                person = _me()
                two_step.turn_off(person)
                letters.security_notice(person, "two_step_off")
            flash(gettext("2-step sign-in is off."), "success")
            return redirect(url_for("account.two_step"))
    return _two_step_on(form)


@account.post("/account/recovery-codes")
@signed_in
def recovery_codes() -> Any:
    form = ProveForm()
    if form.validate_on_submit():
        with refusals_on(form):
            _prove(form)
            with global_scope():
                codes = two_step.new_recovery_codes(_me())
            return render_template("account/recovery_codes.html", codes=codes)
    return _two_step_on(form)


def _prove(form: ProveForm) -> None:
    """An open browser alone is not enough to turn the second step off."""
    signin.throttle("password", f"account {current_user.person.id}")
    if not password_fits(said(form.password), current_user.person.password_hash):
        raise invalid("password", "wrong_password", "That is not your password.")


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

    return ask_then(
        act,
        title=gettext("Sign this browser out?"),
        text=gettext("Whoever uses it has to sign in again."),
        yes=gettext("Sign out"),
        back_url=url_for("account.sessions"),
        done=gettext("That browser is signed out."),
    )


@account.route("/account/sessions/end-all", methods=["GET", "POST"])
@signed_in
def end_all_sessions() -> Any:
    def act() -> None:
        with global_scope():
            signin.end_all_sessions(current_user.person.id, but=current_user.sign_in.id)
            people.note(current_user.person.id, "signed_out_everywhere", address())

    return ask_then(
        act,
        title=gettext("Sign out everywhere else?"),
        text=gettext("Every other browser has to sign in again."),
        yes=gettext("Sign out everywhere else"),
        back_url=url_for("account.sessions"),
        done=gettext("Every other browser is signed out."),
    )
