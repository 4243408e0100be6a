"""Programs that ask for access: registered by themselves, or described by a document of theirs.

A client id that is an https address is the address of such a document (Client ID Metadata
Documents). It is read through the guarded HTTP client and kept for a day.
"""

import json
import secrets
from datetime import timedelta
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import delete, update

from core.clock import now
from core.db import db
from core.errors import Invalid, invalid
from core.http import OutboundError, Policy
from core.http.sync_client import request
from core.lookups import secret_digest
from core.values.text import BadText, one_line
from tenants.apps.models import OAuthClient

AUTH_METHODS = ("none", "client_secret_basic", "client_secret_post")
MOST_REDIRECTS, LONGEST_URI, LARGEST_DOCUMENT = 10, 2000, 16 * 1024
DOCUMENT_LIFETIME = timedelta(days=1)
UNUSED_LIFETIME = timedelta(days=7)
# Schemes that a browser would run or read instead of opening a program.
FORBIDDEN_SCHEMES = frozenset(
    {"javascript", "data", "file", "blob", "about", "vbscript", "ftp", "ws", "wss", "view-source"}
)


def register(metadata: dict[str, Any]) -> tuple[OAuthClient, str]:
    """Store a client that registers. Returns it with its secret; "" if it has none."""
    method = str(metadata.get("token_endpoint_auth_method") or "client_secret_basic")
    if method not in AUTH_METHODS:
        raise invalid(
            "token_endpoint_auth_method", "invalid_client_metadata", "This method is not supported."
        )
    secret = "" if method == "none" else secrets.token_urlsafe(32)
    client = OAuthClient(
        id=f"app_{secrets.token_urlsafe(18)}",
        auth_method=method,
        secret_hash=secret_digest(secret) if secret else None,
        from_document=False,
        **_checked(metadata),
    )
    db.session.add(client)
    db.session.flush()
    return client, secret


def find(client_id: str) -> OAuthClient | None:
    if "\0" in client_id or len(client_id) > LONGEST_URI:
        return None
    return db.session.get(OAuthClient, client_id)


def is_document_address(client_id: str) -> bool:
    return client_id.startswith("https://") and len(client_id) <= LONGEST_URI


def needs_reading(client: OAuthClient | None) -> bool:
    return client is None or client.read_at < now() - DOCUMENT_LIFETIME


def read_document(client_id: str, policy: Policy) -> dict[str, Any]:
    """Fetch a client's document, outside any transaction. Raises Invalid."""
    try:
        reply = request(
            "GET",
            client_id,
            policy=policy,
            headers={"Accept": "application/json"},
            timeout=5.0,
            max_body=LARGEST_DOCUMENT,
        )
        found = json.loads(reply.body) if reply.status == 200 else None
    except (OutboundError, ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("client_id") != client_id:
        raise Invalid("invalid_client", "The description of this app could not be read.")
    if found.get("token_endpoint_auth_method", "none") != "none":
        raise Invalid("invalid_client", "This app identifies itself in a way we do not support.")
    return {**_checked(found), "auth_method": "none", "secret_hash": None, "from_document": True}


def store_document(client_id: str, values: dict[str, Any]) -> OAuthClient:
    client = db.session.merge(OAuthClient(id=client_id, read_at=now(), **values))
    db.session.flush()
    return client


def record_use(client_id: str) -> None:
    db.session.execute(update(OAuthClient).where(OAuthClient.id == client_id).values(used_at=now()))


def delete_unused() -> None:
    """Nightly: registrations that nobody ever connected."""
    db.session.execute(
        delete(OAuthClient).where(
            OAuthClient.used_at.is_(None), OAuthClient.created_at < now() - UNUSED_LIFETIME
        )
    )


def check_redirect_uri(uri: object) -> str:
    """https, http on this computer, or a scheme of a program such as `cursor`. Raises Invalid."""
    if isinstance(uri, str) and len(uri) <= LONGEST_URI and uri.isascii() and uri.isprintable():
        try:
            parts = urlsplit(uri)
            host = parts.hostname or ""
        except ValueError:
            parts, host = urlsplit(""), ""
        safe = "\\" not in uri and " " not in uri and not parts.fragment and "@" not in parts.netloc
        if safe and _is_allowed(parts.scheme, host):
            return uri
    raise invalid(
        "redirect_uris",
        "invalid_redirect_uri",
        "A redirect_uri must use https, http on 127.0.0.1 or localhost, or a private scheme.",
    )


def _is_allowed(scheme: str, host: str) -> bool:
    if scheme == "https":
        return bool(host)
    if scheme == "http":
        return host == "localhost" or _is_loopback(host)
    return bool(scheme) and scheme not in FORBIDDEN_SCHEMES


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _checked(metadata: dict[str, Any]) -> dict[str, Any]:
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not 1 <= len(uris) <= MOST_REDIRECTS:
        raise invalid("redirect_uris", "invalid_redirect_uri", "Give one to ten redirect_uris.")
    checked = [check_redirect_uri(uri) for uri in uris]
    uri = metadata.get("client_uri")
    shown = uri if isinstance(uri, str) and uri.startswith("https://") else ""
    try:
        name = one_line(str(metadata.get("client_name") or ""), 60)
    except BadText:
        name = ""
    fallback = urlsplit(checked[0]).hostname or urlsplit(checked[0]).scheme
    return {"name": name or fallback, "uri": shown[:LONGEST_URI], "redirect_uris": checked}
