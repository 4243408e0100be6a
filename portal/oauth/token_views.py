"""OAuth for programs: metadata, registration, tokens and revocation. No cookie is read."""

from contextlib import AbstractContextManager
from typing import Any

from flask import Blueprint, Response, jsonify, request

from core.db import global_scope, tenant_scope
from core.errors import DomainError, RateLimited
from core.lookups import find_lookup, secret_digest
from core.rate_limits import Bucket, take_tokens
from portal.oauth.server import issuer, resources, server
from portal.web.auth import client_ip, open_to_all
from tenants.apps import clients, grants
from tenants.rights import SCOPES

oauth_endpoints = Blueprint("oauth_endpoints", __name__)

LARGEST_BODY = 16 * 1024
# What the tools of the MCP server need; agents ask for all of these.
MCP_SCOPES = (
    *("messages:send", "messages:read", "contacts", "menus", "orders", "printers", "campaigns"),
)


@oauth_endpoints.before_request
def limit_body() -> None:
    request.max_content_length = LARGEST_BODY


@oauth_endpoints.get("/.well-known/oauth-authorization-server")
@open_to_all
def server_metadata() -> Response:
    """RFC 8414."""
    base = issuer()
    return jsonify(
        issuer=base,
        authorization_endpoint=f"{base}/oauth/authorize",
        token_endpoint=f"{base}/oauth/token",
        registration_endpoint=f"{base}/oauth/register",
        revocation_endpoint=f"{base}/oauth/revoke",
        scopes_supported=list(SCOPES),
        response_types_supported=["code"],
        response_modes_supported=["query"],
        grant_types_supported=["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported=list(clients.AUTH_METHODS),
        revocation_endpoint_auth_methods_supported=["none"],
        code_challenge_methods_supported=["S256"],
        authorization_response_iss_parameter_supported=True,
        client_id_metadata_document_supported=True,
        service_documentation=f"{base}/docs/agents",
    )


@oauth_endpoints.get("/.well-known/oauth-protected-resource")
@oauth_endpoints.get("/.well-known/oauth-protected-resource/<path:resource>")
@open_to_all
def resource_metadata(resource: str = "mcp") -> Any:
    """RFC 9728."""
    address = f"{issuer()}/{resource}"
    if address not in resources():
        return jsonify(error="not_found"), 404
    return jsonify(
        resource=address,
        resource_name="Comanda",
        authorization_servers=[issuer()],
        scopes_supported=list(MCP_SCOPES if resource == "mcp" else SCOPES),
        bearer_methods_supported=["header"],
        resource_documentation=f"{issuer()}/docs/agents",
    )


@oauth_endpoints.post("/oauth/register")
@open_to_all
def register() -> Any:
    """RFC 7591. Registration is open to everybody, and limited for each address."""
    _limit("oauth_register", rate=0.05, burst=20)
    metadata = request.get_json(silent=True)
    if not isinstance(metadata, dict):
        return _error("invalid_client_metadata", "Send the metadata as a JSON object.")
    try:
        with global_scope():
            client, secret = clients.register(metadata)
    except DomainError as error:
        known = error.code in ("invalid_redirect_uri", "invalid_client_metadata")
        return _error(error.code if known else "invalid_client_metadata", error.message)
    body = {
        "client_id": client.id,
        "client_id_issued_at": int(client.created_at.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "token_endpoint_auth_method": client.auth_method,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
    }
    if secret:
        body |= {"client_secret": secret, "client_secret_expires_at": 0}
    return _no_store(jsonify(body), 201)


@oauth_endpoints.post("/oauth/token")
@open_to_all
def token() -> Any:
    """Exchange a code or a refresh token, in the transaction of its business."""
    _limit("oauth_token", rate=5, burst=100)
    with _scope_of_token():
        return server.create_token_response()


@oauth_endpoints.post("/oauth/revoke")
@open_to_all
def revoke() -> Response:
    """RFC 7009: any token of an app ends its access. The answer does not tell whether it was one.

    Anyone who has the token may use it, so no further proof is asked for.
    """
    _limit("oauth_token", rate=5, burst=100)
    given = request.form.get("token", "")
    hashed = secret_digest(given)
    with global_scope():
        found = grants.find_owner(grants.REFRESH, given)
        owner = found or (find_lookup("api_key", hashed) if grants.token_facts(given) else None)
    if owner is not None:
        with tenant_scope(owner[0]):
            grant_id = grants.grant_of_token(hashed)
            if grant_id is not None:
                grants.revoke(grant_id)
    return _no_store(Response(status=200), 200)


def _scope_of_token() -> AbstractContextManager[Any]:
    kind, name = (
        (grants.REFRESH, "refresh_token")
        if request.form.get("grant_type") == "refresh_token"
        else (grants.CODE, "code")
    )
    with global_scope():
        owner = grants.find_owner(kind, request.form.get(name, ""))
    return tenant_scope(owner[0]) if owner is not None else global_scope()


def _limit(name: str, *, rate: float, burst: int) -> None:
    address = secret_digest(client_ip())[:32]
    result = take_tokens([Bucket(f"{name}:{address}", rate=rate, burst=burst)])
    if not result.allowed:
        raise RateLimited(
            "Too many requests. Wait {seconds} s and try again.",
            retry_after=result.retry_after,
            seconds=result.retry_after,
        )


def _error(code: str, message: str) -> Response:
    return _no_store(jsonify(error=code, error_description=message), 400)


def _no_store(answer: Response, status: int) -> Response:
    answer.status_code = status
    answer.headers["Cache-Control"] = "no-store"
    return answer
