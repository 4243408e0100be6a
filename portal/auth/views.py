"""Pages before sign-in: sign up, confirm, sign in, second step, password reset."""

from collections.abc import Callable
from typing import Any

from flask import (
    Blueprint,
    current_app,
    flash,
    redirect,
    render_template,
    request,
    session,
    url_for,
)
from flask_babel import get_locale, gettext
from flask_login import current_user, logout_user
from wtforms import Field

from core.clock import now
from core.db import global_scope, tenant_scope
from core.errors import DomainError, Invalid, RateLimited
from portal.auth import emails
from portal.auth.forms import CodeForm, EmailForm, NewPasswordForm, SignInForm, SignUpForm
from portal.auth.known_devices import known_device, remember_device
from portal.diner.views import site_of_host
from portal.onboarding.new_tenant import add_simulated_lines
from portal.web.auth import client_ip, next_path, open_to_all, start_session
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message
from tenants import accounts, people, signin, two_factor
from tenants.models import Person
from tenants.passwords import check_password, hash_password
from tenants.people import LOCALES, THEMES
from tenants.signin import throttle

start = Blueprint("start", __name__)

TWO_FACTOR_SECONDS = 600


def mailbox_url() -> str | None:
    return url_for("mailbox.index") if current_app.extensions["comanda"].mailbox else None


def check_mail_page(email: str, purpose: str) -> str:
    return render_template(
        "auth/check_mail.html", email=email, purpose=purpose, mailbox_url=mailbox_url()
    )


@start.get("/")
@open_to_all
def front() -> Any:
    """Redirect to Home or sign-in; on a restaurant's own domain, to its menu."""
    if site_of_host() is not None:
        return redirect(url_for("diner.menu_here"))
    return redirect(url_for("home.index" if current_user.is_authenticated else "start.signin"))


@start.route("/signup", methods=["GET", "POST"])
@open_to_all
def signup() -> Any:
    """Sign up. A known address gets an e-mail instead of an error, so accounts stay private."""
    form = SignUpForm()
    if form.validate_on_submit() and _check_signup(form):
        with domain_errors_on(form):
            throttle("signup", signin.address_throttle_name(client_ip()))
            email = people.clean_email(field_text(form.email))
            business = people.clean_name(field_text(form.business), "business")
            name = people.clean_name(field_text(form.name))
            password = hash_password(field_text(form.password), email)
            signin.throttle_mailbox(email)
            with tenant_scope(accounts.reserve_id()):
                known = people.find(email)
                if known is not None:
                    emails.send_already_registered(known)
                else:
                    person = people.register(
                        email,
                        name,
                        password,
                        locale=str(get_locale()),
                        time_zone=form.zone(),
                    )
                    accounts.create(business, person)
                    add_simulated_lines(locale=person.locale)
                    emails.send_verification(person, people.issue_token(person.id, "verify"))
                    session["signed_up"] = person.id
            return check_mail_page(email, "verify")
    elif request.method == "POST":
        _check_signup(form)
    first_fault = next((field.name for field in form if field.errors), "business")
    return render_template("auth/signup.html", form=form, first_fault=first_fault)


def _check_signup(form: SignUpForm) -> bool:
    """Show all errors at once, and the same errors for a known address as for a new one."""
    checks: dict[Field, Callable[[], object]] = {
        form.business: lambda: people.clean_name(field_text(form.business), "business"),
        form.name: lambda: people.clean_name(field_text(form.name)),
        form.email: lambda: people.clean_email(field_text(form.email)),
        form.password: lambda: check_password(
            field_text(form.password), field_text(form.email).strip()
        ),
    }
    for field, check in checks.items():
        if not field.errors:
            with domain_errors_on(form):
                check()
    return not any(field.errors for field in checks) and not form.form_errors


@start.post("/verify/resend")
@open_to_all
def resend() -> Any:
    email = request.form.get("email", "")[:254]
    try:
        throttle(
            "resend", signin.account_throttle_name(email), signin.address_throttle_name(client_ip())
        )
        signin.throttle_mailbox(email)
    except DomainError as error:
        flash(error_message(error), "error")
        return check_mail_page(email, "verify")
    with global_scope():
        person = people.find(email)
        if person is not None and person.verified_at is None:
            emails.send_verification(person, people.issue_token(person.id, "verify"))
    flash(gettext("Sent again."), "success")
    return check_mail_page(email, "verify")


@start.route("/verify/<token>", methods=["GET", "POST"])
@open_to_all
def verify(token: str) -> Any:
    """Ask for a click to confirm, because mail scanners open links too."""
    state, email = "over", ""
    with global_scope():
        found = people.peek_token(token, "verify")
        person = people.get(found.person_id) if found else None
    if person is not None:
        state, email = "ready", person.email
    if state == "ready" and request.method == "POST":
        try:
            with global_scope():
                people.verify_email(token)
            state = "done"
            if person is not None and _signed_up_in_this_browser(person):
                flash(gettext("Your e-mail address is confirmed. Welcome!"), "success")
                return _finish_sign_in(person, "")
        except Invalid:
            state = "over"
    return render_template("auth/verify.html", state=state, token=token, email=email)


@start.route("/signin", endpoint="signin", methods=["GET", "POST"])
@open_to_all
def signin_page() -> Any:
    form = SignInForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            person = _check_credentials(field_text(form.email), field_text(form.password))
            if person.verified_at is None:
                return _ask_to_verify(person.id)
            if person.two_step_since is not None:
                session["half_way"] = {"person": person.id, "at": now().timestamp()}
                session["after"] = next_path("")
                return redirect(url_for("start.two_step"))
            return _finish_sign_in(person, next_path(""))
    elif current_user.is_authenticated and request.method == "GET":
        return redirect(next_path(url_for("home.index")))
    return render_template("auth/signin.html", form=form)


def _check_credentials(email: str, password: str) -> Person:
    """The password is checked between two transactions, because the check may have to wait."""
    signin.throttle_sign_in(email, client_ip(), known_device(email))
    with global_scope():
        known = signin.stored_hash(email)
    proven = signin.verify_password(known, password)
    with global_scope():
        return signin.complete_sign_in(proven)


def _ask_to_verify(person_id: str) -> Any:
    with global_scope():
        person = people.get(person_id)
        if person is None:
            return redirect(url_for("start.signin"))
    try:
        signin.throttle_mailbox(person.email)
    except RateLimited as error:
        flash(error_message(error), "error")
        return check_mail_page(person.email, "verify")
    with global_scope():
        emails.send_verification(person, people.issue_token(person.id, "verify"))
    return check_mail_page(person.email, "verify")


def _signed_up_in_this_browser(person: Person) -> bool:
    """Only the browser that set the password is signed in without entering it."""
    return session.pop("signed_up", None) == person.id and person.two_step_since is None


def _finish_sign_in(person: Any, after: str) -> Any:
    start_session(person)
    if len(current_user.tenants) > 1 and not after:
        return redirect(url_for("tenancy.choose"))
    return redirect(after or url_for("home.index"))


@start.route("/signin/two-step", endpoint="two_step", methods=["GET", "POST"])
@open_to_all
def two_step_page() -> Any:
    half_way = session.get("half_way") or {}
    if now().timestamp() - half_way.get("at", 0) > TWO_FACTOR_SECONDS:
        return redirect(url_for("start.signin"))
    with global_scope():
        person = people.get(half_way["person"])
    if person is None:
        return redirect(url_for("start.signin"))
    form = CodeForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            throttle("two_step", f"account {person.id}", signin.address_throttle_name(client_ip()))
            with global_scope():
                known = people.get(person.id)
                if known is None or not two_factor.check_code(known, field_text(form.code)):
                    raise Invalid("wrong_code", "The code is incorrect or was already used.")
                if not field_text(form.code).replace(" ", "").isdigit():
                    emails.send_security_notice(known, "recovery_code_used")
            return _finish_sign_in(person, session.get("after", ""))
    recovery = bool(request.args.get("recovery"))
    return render_template("auth/two_factor.html", form=form, recovery=recovery, email=person.email)


@start.post("/signout")
@open_to_all
def signout() -> Any:
    if current_user.is_authenticated:
        with global_scope():
            signin.end_session(current_user.person.id, current_user.sign_in.id)
        logout_user()
    session.clear()
    return redirect(next_path(url_for("start.signin")))


@start.route("/reset", methods=["GET", "POST"])
@open_to_all
def reset_request() -> Any:
    """Give the same answer whether or not the address is known."""
    form = EmailForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            email = people.clean_email(field_text(form.email))
            throttle(
                "reset",
                signin.account_throttle_name(email),
                signin.address_throttle_name(client_ip()),
            )
            signin.throttle_mailbox(email)
            with global_scope():
                person = people.find(email)
                if person is not None:
                    emails.send_password_reset(person, people.issue_token(person.id, "reset"))
            return check_mail_page(email, "reset")
    return render_template("auth/reset_request.html", form=form)


@start.route("/reset/<token>", methods=["GET", "POST"])
@open_to_all
def reset(token: str) -> Any:
    form = NewPasswordForm()
    with global_scope():
        found = people.peek_token(token, "reset")
        person = people.get(found.person_id) if found else None
    if person is None:
        return render_template("auth/reset.html", form=form, token=token, email="", over=True)
    if form.validate_on_submit():
        with domain_errors_on(form):
            password = hash_password(field_text(form.password), person.email)
            with global_scope():
                person = people.reset_password(token, password, client_ip())
                signin.end_all_sessions(person.id)
                emails.send_security_notice(person, "password_changed")
            remember_device(person)
            flash(gettext("Password changed. Sign in with your new password."), "success")
            return redirect(url_for("start.signin"))
    return render_template(
        "auth/reset.html", form=form, token=token, email=person.email, over=False
    )


@start.post("/language")
@open_to_all
def language() -> Any:
    locale = request.form.get("locale", "")
    if locale in LOCALES:
        session["locale"] = locale
        _remember_choice(locale=locale)
    return redirect(next_path(url_for("start.signin")))


@start.post("/theme")
@open_to_all
def theme() -> Any:
    theme = request.form.get("theme", "")
    if theme in THEMES:
        session["theme"] = theme
        _remember_choice(theme=theme)
    return redirect(next_path(url_for("start.signin")))


def _remember_choice(**choices: str) -> None:
    if current_user.is_authenticated:
        with global_scope():
            person = people.get(current_user.person.id)
            for name, value in choices.items():
                setattr(person, name, value)
