"""Payment providers: setup steps, and a check while the person waits."""

from typing import Any

from flask import current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.settings import Settings
from portal.payments import payments_pages
from portal.payments.forms import AccountForm, NewAccountForm
from portal.web.auth import member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import payment_reason
from restaurant.models import PaymentAccount
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import payments
from restaurant.payments.accounts import AccountSettings
from restaurant.payments.gateways.registry import GATEWAYS
from restaurant.sites import sites

ACCOUNT = "/providers/<account_id>"


@payments_pages.get("/providers")
@member_may("payments.view")
def providers() -> Any:
    with tenant_scope(g.tenant_id):
        facts = {
            "accounts": payment_accounts.listed(),
            "sites": {site.id: site for site in sites.list_including_closed()},
            "reviews": payments.in_review(),
        }
    return render_template(
        "payments/providers.html", offered=offered_providers(), ready=_ready, **facts
    )


@payments_pages.route("/providers/new", methods=["GET", "POST"])
@member_may("payments.set_up")
def new_provider() -> Any:
    requested = request.args.get("provider", "")
    known = offered_providers()
    form = NewAccountForm(
        provider=requested if requested in known else known[0],
        name=_suggested_name(requested),
        link_minutes=60,
    )
    form.offer_providers(known)
    with tenant_scope(g.tenant_id):
        form.offer(sites.listed())
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = payment_accounts.add(_account_settings(form, form.provider.data))
            _check_with_provider(made)
            return redirect(url_for("payments.provider", account_id=made.id))
    return render_template("payments/new_provider.html", form=form)


@payments_pages.get(ACCOUNT)
@member_may("payments.view")
def provider(account_id: str) -> Any:
    return _page(_account(account_id))


@payments_pages.post(ACCOUNT)
@member_may("payments.set_up")
def save_provider(account_id: str) -> Any:
    known, form = _account(account_id), AccountForm()
    with tenant_scope(g.tenant_id):
        form.offer(sites.listed())
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                changed = payment_accounts.change(
                    account_id, _account_settings(form, known.provider)
                )
            if changed.checked_at is None:
                _check_with_provider(changed)
            else:
                flash(gettext("Saved."), "success")
            return redirect(url_for("payments.provider", account_id=account_id))
    return _page(known, form)


@payments_pages.post(f"{ACCOUNT}/check")
@member_may("payments.set_up")
def check(account_id: str) -> Any:
    _check_with_provider(_account(account_id))
    return redirect(url_for("payments.provider", account_id=account_id))


@payments_pages.post(f"{ACCOUNT}/enabled")
@member_may("payments.set_up")
def enabled(account_id: str) -> Any:
    on = request.form.get("on") == "yes"
    with tenant_scope(g.tenant_id):
        payment_accounts.set_enabled(account_id, on)
    said_so = (
        gettext("The provider accepts payments again.")
        if on
        else gettext("The provider no longer accepts payments.")
    )
    flash(said_so, "success")
    return redirect(url_for("payments.provider", account_id=account_id))


@payments_pages.route(f"{ACCOUNT}/remove", methods=["GET", "POST"])
@member_may("payments.set_up")
def remove_provider(account_id: str) -> Any:
    known = _account(account_id)
    return confirm_then(
        in_tenant(payment_accounts.remove, account_id),
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext(
            "It stops accepting payments. Past payments stay listed, and you can still refund them."
        ),
        yes=gettext("Delete provider"),
        back_url=url_for("payments.provider", account_id=account_id),
        done=gettext("“%(name)s” was deleted.", name=known.name),
        done_url=url_for("payments.providers"),
    )


def offered_providers() -> list[str]:
    settings: Settings = current_app.extensions["comanda"]
    return [code for code, gateway in GATEWAYS.items() if gateway.is_offered(settings)]


def _check_with_provider(account: PaymentAccount) -> None:
    """Check the account with the provider outside any transaction, then store the result."""
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        credentials = payment_accounts.credentials(payment_accounts.get(account.id), settings)
    checked, error = payment_accounts.check_credentials(account.provider, credentials)
    with tenant_scope(g.tenant_id):
        payment_accounts.record_check(account.id, checked, error)
    if error:
        flash(payment_reason(error), "error")
    else:
        flash(gettext("The provider accepted the keys."), "success")


def _page(known: PaymentAccount, form: AccountForm | None = None) -> str:
    settings: Settings = current_app.extensions["comanda"]
    if form is None:
        form = AccountForm(
            formdata=None,
            name=known.name,
            site_id=known.site_id or "",
            link_minutes=known.link_minutes,
        )
    with tenant_scope(g.tenant_id):
        form.offer(sites.listed())
        url = payment_accounts.hook_url(known, settings)
    return render_template(
        "payments/provider.html", account=known, form=form, url=url, ready=_ready(known)
    )


def _account(account_id: str) -> PaymentAccount:
    with tenant_scope(g.tenant_id):
        return payment_accounts.get(account_id)


def _ready(account: PaymentAccount) -> bool:
    return payment_accounts.is_ready(account)


def _account_settings(form: Any, provider: str) -> AccountSettings:
    return AccountSettings(
        provider=provider,
        name=field_text(form.name),
        site_id=form.site_id.data or None,
        key=field_text(form.key),
        secret=field_text(form.secret),
        hook_secret=field_text(form.hook_secret),
        link_minutes=form.link_minutes.data or 0,
    )


def _suggested_name(provider: str) -> str:
    gateway = GATEWAYS.get(provider)
    return gateway.suggested_name if gateway else ""
