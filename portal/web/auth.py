"""Authentication: the signed-in person, their current tenant, and their rights."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from flask import Flask, Response, abort, current_app, g, redirect, request, session, url_for
from flask_babel import format_datetime, gettext, ngettext
from flask_login import LoginManager, UserMixin, current_user, login_required, login_user
from flask_wtf.csrf import CSRFError
from werkzeug.exceptions import Forbidden, HTTPException

from core import live_updates
from core.clock import now
from core.db import end_kept_transaction, global_scope, tenant_scope
from portal.auth.known_devices import remember_device
from portal.plan import plan_names
from portal.web.layout_data import read_account_and_layout
from tenants import signin, team
from tenants.audit import Actor, set_actor
from tenants.models import Account, Person, Tenant
from tenants.plans import quota, renewals
from tenants.plans.catalog import current_tenant_facts
from tenants.plans.quota import Usage
from tenants.plans.renewals import PlanStatus
from tenants.rights import RIGHTS, role_may
from tenants.signin import UserSession

View = TypeVar("View", bound=Callable[..., Any])

login = LoginManager()
login.login_view = "start.signin"
login.login_message = "Sign in to continue"
login.localize_callback = gettext
login.session_protection = None  # our own sessions are listed, dated and revocable


class PortalUser(UserMixin):  # type: ignore[misc]
    """The object that templates use as `current_user`."""

    def __init__(self, token: str, visitor: UserSession) -> None:
        self._token = token
        self.person: Person = visitor.person
        self.sign_in = visitor.sign_in
        self.tenants = visitor.tenants
        self.tenant: Tenant | None = visitor.tenant
        self.role: str | None = None
        self.account: Account | None = None
        self.trial: Usage | None = None
        self.plan_status: PlanStatus | None = None

    def get_id(self) -> str:
        """The session token, which Flask-Login keeps in the browser's signed cookie."""
        return self._token

    @property
    def id(self) -> str:
        return self.person.id

    @property
    def name(self) -> str:
        return self.person.name

    @property
    def email(self) -> str:
        return self.person.email

    @property
    def is_operator(self) -> bool:
        return self.person.operator


@login.user_loader  # type: ignore[untyped-decorator]
def load_user(token: str) -> PortalUser | None:
    """Load the person and their role in the current tenant.

    One transaction if the tenant is the one of the last request, otherwise a second one. The
    transaction is continued by the page that is read.
    """
    if g.get("nobody_is_asked"):
        return None
    last = session.get("tenant")
    keep_open = request.method == "GET"
    with tenant_scope(last, keep_open) if last else global_scope():
        visitor = signin.load_session(token)
        plan_names.refresh_cache()
        if visitor is None:
            return None
        user = PortalUser(token, visitor)
        if user.tenant is not None and user.tenant.id == last:
            _load_role(user, user.tenant)
    if user.tenant is not None:
        if user.tenant.id != last:
            with tenant_scope(user.tenant.id):
                _load_role(user, user.tenant)
        g.tenant_id = user.tenant.id
        if "X-Part" not in request.headers:  # such a request renders no layout
            # Read before the page's data: what changes while it renders is then delivered to it.
            g.live_cursor = live_updates.history_cursor(user.tenant.id)
    set_actor(Actor("person", user.person.id, user.person.name, client_ip()))
    return user


def _load_role(user: PortalUser, tenant: Tenant) -> None:
    """The person's role, and what the layout shows about the tenant's plan."""
    account, member = read_account_and_layout(user.person.id)
    user.account = account
    if member is not None:
        team.record_seen(member)
        user.role = member.role
    if tenant.plan == "trial":
        user.trial = quota.usage(current_tenant_facts())
    else:
        grace = current_app.extensions["comanda"].plan_grace_days
        user.plan_status = renewals.plan_status(account, tenant.plan, grace)


def start_session(person: Person, tenant_id: int | None = None) -> None:
    """Open a session in the browser and clear the old cookie's contents."""
    with global_scope():
        token = signin.open_session(
            person, client_ip(), request.user_agent.string, tenant_id=tenant_id
        )
        visitor = signin.load_session(token)
    session.clear()
    session.permanent = True
    if visitor is not None:
        login_user(PortalUser(token, visitor))
        remember_device(person)


def client_ip() -> str:
    return request.remote_addr or ""


def may(right: str) -> bool:
    role = getattr(current_user, "role", None)
    return role is not None and role_may(role, right)


def member_may(right: str) -> Callable[[View], View]:
    """Require this right in the person's current tenant."""
    if right not in RIGHTS:
        raise RuntimeError(f"{right} is not a right; tenants/rights.py names them all")

    def guard(view: View) -> View:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            if not current_user.is_authenticated:
                return login.unauthorized()
            if current_user.tenant is None or current_user.role is None:
                return redirect(url_for("tenancy.choose"))
            _check_same_tenant(current_user.tenant)
            if not may(right):
                raise Forbidden()
            return view(*args, **kwargs)

        guarded.guard = right  # type: ignore[attr-defined]
        return guarded  # type: ignore[return-value]

    return guard


def _check_same_tenant(tenant: Tenant) -> None:
    """Refuse a form that was opened in another tenant.

    The current tenant may have changed since: by switching in another tab, by joining a tenant, or
    by being removed from one.
    """
    was = session.get("tenant")
    if was == tenant.id:
        return
    session["tenant"] = tenant.id
    if was is not None:
        session.pop("csrf_token", None)
        if request.method == "POST":
            raise CSRFError("the form was opened in another tenant")


def signed_in(view: View) -> View:
    """Require a signed-in person, in any tenant or none."""
    guarded = login_required(view)
    guarded.guard = "signed in"
    return guarded  # type: ignore[no-any-return]


def operator_only(view: View) -> View:
    """Require an operator; other people get 404."""

    @wraps(view)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if not current_user.is_authenticated:
            return login.unauthorized()
        if not current_user.is_operator:
            abort(404)
        return view(*args, **kwargs)

    guarded.guard = "operator"  # type: ignore[attr-defined]
    return guarded  # type: ignore[return-value]


def open_to_all(view: View) -> View:
    """Mark a view as public, so that a missing guard is always an error."""
    view.guard = "open"  # type: ignore[attr-defined]
    return view


LEADS_ELSEWHERE = frozenset({"links.follow"})
"""Redirects to addresses that tenants choose; the sign-in must not end on one of them."""


def next_path(default: str) -> str:
    """The local page to go to next; `default` for anything else, such as another host."""
    path = request.form.get("next") or request.args.get("next") or ""
    return path if is_page(path) else default


def is_page(path: str) -> bool:
    """Whether a browser treats the path as a page of this service that can be opened with GET.

    Browsers drop tabs and line ends and turn backslashes into slashes: `/<tab>/host` is another
    host.
    """
    if not path.startswith("/") or "\\" in path or not path.isprintable():
        return False
    route = path.partition("#")[0].partition("?")[0]
    if "//" in route:  # the router would accept `//docs/quick-start` as `/docs/quick-start`
        return False
    try:
        endpoint, _ = current_app.url_map.bind("").match(route, "GET")
    except HTTPException:
        return False
    return str(endpoint) not in LEADS_ELSEWHERE


def trial_notice(trial: Usage | None) -> str:
    if trial is None:
        return ""
    if trial.trial_ends_at is None:
        return str(
            gettext("Your trial starts with your first live message. Test messages do not count.")
        )
    if not trial.trial_left or trial.trial_ends_at <= now():
        return str(gettext("Your trial has ended. Choose a plan to continue sending."))
    return str(
        ngettext(
            "Trial: %(left)s message left, ends %(end)s.",
            "Trial: %(left)s messages left, ends %(end)s.",
            trial.trial_left,
            left=trial.trial_left,
            end=format_datetime(trial.trial_ends_at, "d MMMM HH:mm"),
        )
    )


def _end_transaction(answer: Response) -> Response:
    """Commit what `load_user` left open, if the page did not read anything."""
    end_kept_transaction()
    return answer


def setup_auth(app: Flask) -> None:
    login.init_app(app)
    app.after_request(_end_transaction)
    app.context_processor(
        lambda: {
            "current_tenant": getattr(current_user, "tenant", None),
            "tenants_of_person": getattr(current_user, "tenants", []),
            "may": may,
            "trial_notice": trial_notice(getattr(current_user, "trial", None)),
            "current_plan_status": getattr(current_user, "plan_status", None),
            "support_email": current_app.extensions["comanda"].support_email,
            "mailbox_on": current_app.extensions["comanda"].mailbox,
        }
    )
