"""API and integrations: keys, the quick start, the reference."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, url_for
from flask_babel import gettext

from core.clock import now
from core.db import tenant_scope
from messaging.lines import repository as line_repository
from portal.developers.code_samples import code_samples, first_message_samples
from portal.developers.forms import ApiKeyForm, NewApiKeyForm, RotateKeyForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, field_text
from tenants import accounts, api_keys
from tenants.models import ApiKey

integrations = Blueprint("integrations", __name__)


def api_url() -> str:
    return f"{current_app.extensions['comanda'].base_url}/api/v1"


def _shown(key: ApiKey) -> ApiKey:
    key.state = api_keys.state_of(key)  # type: ignore[attr-defined]
    return key


@integrations.get("/integrations")
@member_may("keys.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        listed = [_shown(key) for key in api_keys.list_keys()]
        line = line_repository.default_line(test=False)
    return render_template(
        "integrations/index.html",
        keys=listed,
        api_url=api_url(),
        line=line,
        samples=first_message_samples(api_url(), line_id=line.id if line else None),
    )


@integrations.route("/integrations/keys/new", methods=["GET", "POST"])
@member_may("keys.manage")
def new_key() -> Any:
    form = NewApiKeyForm(mode="test", scopes=["messages:send", "messages:read"])
    form.offer_lines(_lines())
    if form.validate_on_submit():
        days = form.expires.data
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                key, secret = api_keys.create(
                    field_text(form.name),
                    form.mode.data,
                    form.scopes.data or [],
                    expires_at=now() + timedelta(days=int(days)) if days else None,
                    rate_per_second=form.rate_per_second.data,
                    line_ids=form.line_ids.data or None,
                )
            return _created(key, secret, None)
    return render_template("integrations/new_key.html", form=form)


@integrations.get("/integrations/keys/<key_id>")
@member_may("keys.view")
def key(key_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = api_keys.get(key_id)
    changeable = may("keys.manage") and api_keys.state_of(known) == "active"
    if not changeable:
        return _key_page(known, None)
    form = ApiKeyForm(obj=known)
    form.offer_lines(_lines())
    return _key_page(known, form)


@integrations.post("/integrations/keys/<key_id>")
@member_may("keys.manage")
def change_key(key_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = api_keys.get(key_id)
    if api_keys.state_of(known) != "active":
        return _key_page(known, None)
    form = ApiKeyForm()
    form.offer_lines(_lines())
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                api_keys.change(
                    key_id,
                    field_text(form.name),
                    form.scopes.data or [],
                    form.rate_per_second.data,
                    form.line_ids.data or None,
                )
            accounts.drop_tenant_cache(g.tenant_id)
            flash(gettext("Saved."), "success")
            return redirect(url_for("integrations.key", key_id=key_id))
    return _key_page(known, form)


def _lines() -> list[tuple[int, str]]:
    """The lines that a live key can be restricted to; test keys use the test line."""
    with tenant_scope(g.tenant_id):
        return [(line.id, line.name) for line in line_repository.list_lines() if not line.test]


def _key_page(known: ApiKey, form: ApiKeyForm | None) -> str:
    rotate_form = RotateKeyForm(formdata=None) if form else None
    return render_template(
        "integrations/key.html", key=_shown(known), form=form, rotate_form=rotate_form
    )


@integrations.post("/integrations/keys/<key_id>/rotate")
@member_may("keys.manage")
def rotate(key_id: str) -> Any:
    form = RotateKeyForm()
    if not form.validate_on_submit():
        return redirect(url_for("integrations.key", key_id=key_id))
    with tenant_scope(g.tenant_id):
        fresh, secret = api_keys.rotate(key_id, api_keys.OVERLAPS[form.overlap.data])
        old = api_keys.get(key_id)
        works_until = old.expires_at if old.revoked_at is None else None
    accounts.drop_tenant_cache(g.tenant_id)
    return _created(fresh, secret, {"prefix": old.prefix, "expires_at": works_until})


@integrations.route("/integrations/keys/<key_id>/revoke", methods=["GET", "POST"])
@member_may("keys.manage")
def revoke(key_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = api_keys.get(key_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            api_keys.revoke(key_id)
        accounts.drop_tenant_cache(g.tenant_id)

    return confirm_then(
        act,
        title=gettext("Revoke “%(name)s”?", name=known.name),
        text=gettext("Apps that use this key lose access within 5 seconds. You cannot undo this."),
        yes=gettext("Revoke key"),
        back_url=url_for("integrations.index"),
        done=gettext("“%(name)s” no longer works.", name=known.name),
    )


def _created(key: ApiKey, secret: str, replaced: Any) -> str:
    """The only page that shows the new key; its samples include the key."""
    line = None
    if key.mode == "live":
        with tenant_scope(g.tenant_id):
            line = line_repository.default_line(test=False)
    sends = "messages:send" in key.scopes
    url = api_url()
    shown = first_message_samples(url, secret, line.id if line else None)
    return render_template(
        "integrations/key_created.html",
        key=key,
        secret=secret,
        api_url=url,
        replaced=replaced,
        line=line,
        sends=sends,
        samples=shown if sends else code_samples("GET", f"{url}/me", key=secret),
    )
