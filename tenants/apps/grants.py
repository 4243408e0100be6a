"""What a person allowed an app to do: granted, renewed with tokens, and revoked.

An app acts with an API key that has no secret of its own. Access tokens lead to that key, so that
scopes, rate limits, request log and revocation are those of every key.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, select, text

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, invalidate_tenant_cache
from core.errors import NotFound
from core.ids import BadId, new_id, to_uuid
from core.lookups import add_lookup, find_lookup, remove_lookup, secret_digest
from tenants import audit
from tenants.apps.models import AppGrant, AppToken
from tenants.models import ApiKey
from tenants.people import clean_name
from tenants.rights import SCOPES

CODE, ACCESS, REFRESH = "code", "access", "refresh"
CODE_LIFETIME = timedelta(minutes=5)
ACCESS_SECONDS = 3600
REFRESH_LIFETIME = timedelta(days=60)
KEPT_AFTER_EXPIRY = timedelta(days=1)
ACCESS_PREFIX = "cat_"
RESOURCES = ("mcp", "api")
_MARKS = {"mcp": "m", "api": "a", "": "b"}

# Only one request gets a code or a refresh token; whoever comes second gets none.
USE_TOKEN = text("""
UPDATE app_tokens SET used_at = :now
 WHERE tenant_id = :tenant_id AND token_hash = :hash AND kind = :kind AND used_at IS NULL
   AND expires_at > :now
RETURNING token_hash
""")


@dataclass(frozen=True)
class TokenFacts:
    """What an access token states about itself. Its hash leads to a key, so it cannot be forged."""

    resource: str
    expires_at: int

    @property
    def expired(self) -> bool:
        return time.time() >= self.expires_at

    def is_for(self, resource: str) -> bool:
        return self.resource in ("", resource)


def new_access_token(resource: str) -> str:
    ends = int(time.time()) + ACCESS_SECONDS
    return f"{ACCESS_PREFIX}{_MARKS[resource]}{ends:x}_{secrets.token_urlsafe(32)}"


def new_refresh_token() -> str:
    return f"crt_{secrets.token_urlsafe(40)}"


def token_facts(token: str) -> TokenFacts | None:
    """None if this is not an access token."""
    if not token.startswith(ACCESS_PREFIX) or len(token) > 100:
        return None
    head, _, body = token.removeprefix(ACCESS_PREFIX).partition("_")
    resource = next((name for name, mark in _MARKS.items() if head.startswith(mark)), None)
    try:
        ends = int(head[1:], 16)
    except ValueError:
        return None
    return None if resource is None or len(body) != 43 else TokenFacts(resource, ends)


def grant(
    client_id: str, app_name: str, person_id: str, scopes: Sequence[str], mode: str, resource: str
) -> AppGrant:
    """Record a person's consent. The app is connected when it exchanges its first code."""
    person = audit.current_actor().name
    key = ApiKey(
        tenant_id=current_tenant_id(),
        id=new_id("key"),
        name=clean_name(f"{app_name}, for {person}"),
        mode=mode,
        prefix="",
        key_hash=secret_digest(secrets.token_urlsafe(32)),
        scopes=[scope for scope in SCOPES if scope in scopes],
        created_by=person,
        app=True,
    )
    made = AppGrant(
        tenant_id=current_tenant_id(),
        client_id=client_id,
        app_name=app_name,
        person_id=person_id,
        key_id=key.id,
        resource=resource,
    )
    db.session.add_all([key, made])
    db.session.flush()
    audit.record("apps.allowed", app_name, scopes=key.scopes, mode=mode)
    return made


def add_token(
    grant_id: str, kind: str, token: str, lifetime: timedelta, key_id: str = "", **more: str
) -> None:
    """Store the hash of a new token and make it findable."""
    hashed = secret_digest(token)
    db.session.add(
        AppToken(
            tenant_id=current_tenant_id(),
            token_hash=hashed,
            grant_id=grant_id,
            kind=kind,
            expires_at=now() + lifetime,
            **more,
        )
    )
    if kind == ACCESS:
        add_lookup("api_key", hashed, key_id)
    else:
        add_lookup(f"app_{kind}", hashed, grant_id)


def find_owner(kind: str, token: str) -> tuple[int, str] | None:
    """The tenant and the grant of a code or refresh token."""
    return find_lookup(f"app_{kind}", secret_digest(token))


def grant_of_token(token_hash: str) -> str | None:
    row = db.session.get(AppToken, (current_tenant_id(), token_hash))
    return row.grant_id if row is not None else None


def use_token(kind: str, token: str) -> tuple[AppToken, AppGrant] | None:
    """Take a code or refresh token, once.

    A token that comes a second time was stolen, or its thief was first: the whole grant ends.
    """
    hashed = secret_digest(token)
    row = db.session.get(AppToken, (current_tenant_id(), hashed))
    if row is None or row.kind != kind:
        return None
    found = get(row.grant_id)
    taken = db.session.execute(
        USE_TOKEN,
        {"tenant_id": current_tenant_id(), "hash": hashed, "kind": kind, "now": now()},
    ).first()
    db.session.refresh(row)
    if taken is None:
        if row.used_at is not None and row.expires_at > now():
            revoke(found.id, reused=True)
        return None
    key = key_of(found)
    return None if key.revoked_at is not None else (row, found)


def get(grant_id: str) -> AppGrant:
    try:
        to_uuid("grt", grant_id)
    except BadId:
        raise NotFound() from None
    found = db.session.get(AppGrant, (current_tenant_id(), grant_id))
    if found is None:
        raise NotFound()
    return found


def key_of(one: AppGrant) -> ApiKey:
    key = db.session.get(ApiKey, (current_tenant_id(), one.key_id))
    if key is None:
        raise NotFound()
    return key


CONNECTED = (
    select(AppGrant, ApiKey)
    .join(ApiKey, (ApiKey.tenant_id == THIS_TENANT) & (ApiKey.id == AppGrant.key_id))
    .where(
        AppGrant.tenant_id == THIS_TENANT,
        AppGrant.connected_at.is_not(None),
        ApiKey.revoked_at.is_(None),
    )
    .order_by(AppGrant.id.desc())
    .limit(200)
)


def list_connected() -> Sequence[Any]:
    """Grants with their keys, newest first."""
    return db.session.execute(CONNECTED).all()


def revoke(grant_id: str, *, reused: bool = False) -> AppGrant:
    """The app loses access at once: its key is revoked, and callers' caches with it."""
    found = get(grant_id)
    key = key_of(found)
    if key.revoked_at is None:
        key.revoked_at = now()
        _delete_tokens(found.id)
        act = "apps.token_reused" if reused else "apps.revoked"
        audit.record(act, found.app_name)
        invalidate_tenant_cache()
    return found


def revoke_all_of(person_id: str) -> None:
    """The person left, or may no longer give access."""
    query = select(AppGrant.id).where(
        AppGrant.tenant_id == current_tenant_id(), AppGrant.person_id == person_id
    )
    for grant_id in db.session.scalars(query).all():
        revoke(grant_id)


def mark_connected(one: AppGrant) -> None:
    if one.connected_at is None:
        one.connected_at = now()
        audit.record("apps.connected", one.app_name)


def delete_old() -> None:
    """Nightly: tokens that ended, and consents whose code was never used."""
    before = now() - KEPT_AFTER_EXPIRY
    _delete_where(AppToken.expires_at < before)
    db.session.execute(
        delete(AppGrant).where(
            AppGrant.tenant_id == current_tenant_id(),
            AppGrant.connected_at.is_(None),
            AppGrant.created_at < before,
        )
    )


def _delete_tokens(grant_id: str) -> None:
    _delete_where(AppToken.grant_id == grant_id, kinds=(ACCESS,))


def _delete_where(condition: Any, kinds: Sequence[str] = (CODE, ACCESS, REFRESH)) -> None:
    """Delete tokens and what finds them."""
    rows = db.session.execute(
        delete(AppToken)
        .where(AppToken.tenant_id == current_tenant_id(), condition, AppToken.kind.in_(kinds))
        .returning(AppToken.token_hash, AppToken.kind)
    ).all()
    for hashed, kind in rows:
        remove_lookup("api_key" if kind == ACCESS else f"app_{kind}", hashed)
