"""A member decides what an app may do, sees the connected apps, and ends their access."""

from typing import Any
from urllib.parse import urlsplit

from authlib.oauth2 import OAuth2Error
from flask import (
    Blueprint,
    Response,
    current_app,
    flash,
    g,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext
from flask_login import current_user

from core.db import global_scope, tenant_scope
from core.errors import DomainError
from core.http import Policy
from portal.oauth.server import Client, issuer, resource_of, server
from portal.web.auth import member_may
from portal.web.confirm import confirm_then
from portal.web.headers import content_policy, csp_nonce
from portal.web.i18n import error_message
from tenants import accounts, people
from tenants.apps import clients, grants
from tenants.apps.models import OAuthClient

connected_apps = Blueprint("apps", __name__)


@connected_apps.route("/oauth/authorize", methods=["GET", "POST"])
@member_may("keys.manage")
def authorize() -> Any:
    """Show what an app asks for; a POST has the person's decision."""
    client_id = request.args.get("client_id", "")
    if not client_id:
        flash(gettext("This app is not known. Start again from the app."), "error")
        return redirect(url_for("apps.index"))
    try:
        client = _known_client(client_id)
        if client is None:
            return _refused(gettext("This app is not known. Start again from the app."))
        with global_scope():
            asked = server.get_consent_grant(end_user=current_user)
            resource_of(request.args.get("resource"))
    except OAuth2Error as error:
        return _refused(
            gettext("The app's request is not complete or not correct: %(why)s", why=error.error)
        )
    except DomainError as error:
        return _refused(error_message(error))
    scopes = Client(client).get_allowed_scope(asked.request.scope).split()
    redirect_uri = asked.request.payload.redirect_uri or client.redirect_uris[0]
    if request.method == "POST":
        return _decided(scopes)
    page = make_response(
        render_template(
            "oauth/consent.html",
            client=client,
            scopes=scopes,
            host=urlsplit(redirect_uri).hostname or urlsplit(redirect_uri).scheme,
            origin=_origin(client),
        )
    )
    # The answer to the form leads the browser back to the app.
    settings = current_app.extensions["comanda"]
    policy = content_policy(csp_nonce(), settings.live_url, settings.map_tile_origin)
    page.headers["Content-Security-Policy"] = policy.replace(
        "form-action 'self'", f"form-action 'self' {_form_target(redirect_uri)}"
    )
    return page


@connected_apps.get("/connected-apps")
@member_may("keys.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        found = grants.list_connected()
        known = people.get_many({grant.person_id for grant, _ in found})
    names = {person_id: person.name for person_id, person in known.items()}
    mcp_url = f"{issuer()}/mcp"
    return render_template("oauth/apps.html", apps=found, names=names, mcp_url=mcp_url)


@connected_apps.route("/connected-apps/<grant_id>/revoke", methods=["GET", "POST"])
@member_may("keys.manage")
def revoke(grant_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = grants.get(grant_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            grants.revoke(grant_id)
        accounts.drop_tenant_cache(g.tenant_id)

    return confirm_then(
        act,
        title=gettext("Disconnect “%(name)s”?", name=known.app_name),
        text=gettext("The app loses access within 5 seconds. It can ask for access again."),
        yes=gettext("Disconnect app"),
        back_url=url_for("apps.index"),
        done=gettext("“%(name)s” is disconnected.", name=known.app_name),
    )


def _decided(offered: list[str]) -> Any:
    chosen = [scope for scope in offered if scope in request.form.getlist("scopes")]
    allowed = request.form.get("decision") == "allow" and bool(chosen)
    mode = "live" if request.form.get("mode") == "live" else "test"
    g.consent = {"scopes": chosen, "mode": mode}
    with tenant_scope(g.tenant_id):
        answer: Response = server.create_authorization_response(
            grant_user=current_user if allowed else None,
            grant=server.get_consent_grant(end_user=current_user),
        )
    return answer


def _known_client(client_id: str) -> OAuthClient | None:
    with global_scope():
        client = clients.find(client_id)
    if clients.is_document_address(client_id) and clients.needs_reading(client):
        settings = current_app.extensions["comanda"]
        values = clients.read_document(client_id, Policy(allow_loopback=settings.allow_loopback))
        with global_scope():
            client = clients.store_document(client_id, values)
    return client


def _origin(client: OAuthClient) -> str:
    """Where the app comes from, if that is proved: its document is on this host."""
    return (urlsplit(client.id).hostname or "") if client.from_document else ""


def _form_target(redirect_uri: str) -> str:
    parts = urlsplit(redirect_uri)
    if parts.scheme in ("http", "https"):
        return f"{parts.scheme}://{parts.netloc}"
    return f"{parts.scheme}:"


def _refused(sentence: str) -> Any:
    """No redirect: the address to return to may be anybody's."""
    return render_template("oauth/refused.html", sentence=sentence), 422
