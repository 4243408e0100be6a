"""The authorization server: Authlib's grants over our clients, consents and tokens.

Only the code grant with PKCE (S256) and refresh tokens that work once. Views open the tenant's
transaction before they call it.
"""

import os
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin
from authlib.oauth2.rfc6749.errors import InvalidRequestError
from authlib.oauth2.rfc6749.grants import AuthorizationCodeGrant, RefreshTokenGrant
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Flask, current_app, g

from core.lookups import secret_digest
from tenants.apps import clients, grants
from tenants.apps.models import AppGrant, AppToken, OAuthClient
from tenants.rights import SCOPES


class Client(ClientMixin):  # type: ignore[misc]
    def __init__(self, row: OAuthClient) -> None:
        self.row = row
        self.client_id = row.id

    def get_client_id(self) -> str:
        return self.row.id

    def get_default_redirect_uri(self) -> str:
        return self.row.redirect_uris[0] if len(self.row.redirect_uris) == 1 else ""

    def get_allowed_scope(self, scope: str) -> str:
        """Without a wish, everything is offered; the person chooses."""
        asked = [one for one in (scope or "").split() if one in SCOPES]
        return " ".join(one for one in SCOPES if not asked or one in asked)

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        return any(_same_uri(redirect_uri, known) for known in self.row.redirect_uris)

    def check_client_secret(self, client_secret: str) -> bool:
        return bool(self.row.secret_hash) and secret_digest(client_secret) == self.row.secret_hash

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == self.row.auth_method if endpoint == "token" else True

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


def _same_uri(given: str, known: str) -> bool:
    """Equal; a program on the person's computer may choose another port (RFC 8252)."""
    if given == known:
        return True
    try:
        one, other = urlsplit(given), urlsplit(known)
        local = one.scheme == other.scheme == "http" and one.hostname == other.hostname
        local = local and other.hostname in ("127.0.0.1", "::1", "localhost")
        return local and (one.path, one.query) == (other.path, other.query) and "@" not in given
    except ValueError:
        return False


class Credential(AuthorizationCodeMixin, TokenMixin):  # type: ignore[misc]
    """A code or refresh token that was taken from the database."""

    def __init__(self, row: AppToken, grant: AppGrant) -> None:
        self.row, self.grant = row, grant
        self.code_challenge, self.code_challenge_method = row.challenge, "S256"

    def get_redirect_uri(self) -> str:
        return self.row.redirect_uri

    def get_scope(self) -> str:
        return " ".join(grants.key_of(self.grant).scopes)

    def check_client(self, client: Client) -> bool:
        return self.grant.client_id == client.client_id


class CodeGrant(AuthorizationCodeGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = clients.AUTH_METHODS

    def save_authorization_code(self, code: str, request: Any) -> None:
        """`g.consent` has what the person chose on the page."""
        payload = request.payload.data
        chosen = g.consent
        made = grants.grant(
            request.client.client_id,
            request.client.row.name,
            request.user.id,
            chosen["scopes"],
            chosen["mode"],
            resource_of(payload.get("resource")),
        )
        grants.add_token(
            made.id,
            grants.CODE,
            code,
            grants.CODE_LIFETIME,
            redirect_uri=payload.get("redirect_uri") or "",
            challenge=payload["code_challenge"],
        )

    def query_authorization_code(self, code: str, client: Client) -> Credential | None:
        found = grants.use_token(grants.CODE, code)
        if found is None or found[1].client_id != client.client_id:
            return None
        _check_resource(self.request.payload.data.get("resource"), found[1])
        return Credential(*found)

    def delete_authorization_code(self, authorization_code: Credential) -> None:
        """Kept until it expires, so that a second use is noticed."""

    def authenticate_user(self, authorization_code: Credential) -> Credential:
        return authorization_code


class RotatingRefreshGrant(RefreshTokenGrant):  # type: ignore[misc]
    TOKEN_ENDPOINT_AUTH_METHODS = clients.AUTH_METHODS
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> Credential | None:
        found = grants.use_token(grants.REFRESH, refresh_token)
        if found is not None:
            _check_resource(self.request.payload.data.get("resource"), found[1])
        return Credential(*found) if found else None

    def authenticate_user(self, refresh_token: Credential) -> Credential:
        return refresh_token

    def revoke_old_credential(self, refresh_token: Credential) -> None:
        """It was used up when it was read."""


class S256Challenge(CodeChallenge):  # type: ignore[misc]
    """PKCE is required of every client, and `plain` is refused."""

    DEFAULT_CODE_CHALLENGE_METHOD = "S256"
    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        data = grant.request.payload.data
        if not data.get("code_challenge") or data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("code_challenge with the method S256 is required.")
        super().validate_code_challenge(grant, redirect_uri)


class Issuer(IssuerParameter):  # type: ignore[misc]
    def get_issuer(self) -> str:
        return issuer()


def issuer() -> str:
    return str(current_app.extensions["comanda"].base_url)


def resources() -> dict[str, str]:
    """The address of each protected resource (RFC 8707), and its name."""
    return {f"{issuer()}/mcp": "mcp", f"{issuer()}/api/v1": "api", issuer(): ""}


def resource_of(address: str | None) -> str:
    known = resources()
    if address is None:
        return ""
    if address.rstrip("/") not in known:
        raise InvalidRequestError("This resource does not exist here.")
    return known[address.rstrip("/")]


def _check_resource(address: str | None, grant: AppGrant) -> None:
    if address is not None and resource_of(address) != grant.resource:
        raise InvalidRequestError("The code was given for another resource.")


def _query_client(client_id: str) -> Client | None:
    row = clients.find(client_id)
    return Client(row) if row is not None else None


def _make_token(
    grant_type: str,  # noqa: ARG001 - Authlib passes it
    client: Client,
    user: Credential,
    scope: str | None = None,
    expires_in: int | None = None,  # noqa: ARG001
    include_refresh_token: bool = True,  # noqa: ARG001
) -> dict[str, Any]:
    """Make an access token for an hour, and the refresh token that replaces the used one."""
    grant = user.grant
    access, refresh = grants.new_access_token(grant.resource), grants.new_refresh_token()
    hour = timedelta(seconds=grants.ACCESS_SECONDS)
    grants.add_token(grant.id, grants.ACCESS, access, hour, grant.key_id)
    grants.add_token(grant.id, grants.REFRESH, refresh, grants.REFRESH_LIFETIME)
    grants.mark_connected(grant)
    clients.record_use(client.client_id)
    return {
        "token_type": "Bearer",
        "access_token": access,
        "expires_in": grants.ACCESS_SECONDS,
        "refresh_token": refresh,
        "scope": scope or user.get_scope(),
    }


def _saved(_token: dict[str, Any], _request: Any) -> None:
    """`_make_token` has stored it."""


server = AuthorizationServer(query_client=_query_client, save_token=_saved)


def setup_authorization_server(app: Flask) -> None:
    if not app.extensions["comanda"].https:
        os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # on a developer's computer
    server.init_app(app)
    server.register_token_generator("default", _make_token)


server.register_grant(CodeGrant, [S256Challenge(required=True)])
server.register_grant(RotatingRefreshGrant)
server.register_extension(Issuer())
