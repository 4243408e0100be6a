"""API keys: shown once, stored as a hash, identified by their first 12 characters."""

import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import or_, select, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound, invalid
from core.lookups import add_lookup, remove_lookup, secret_digest
from tenants import audit
from tenants.models import ApiKey
from tenants.people import clean_name
from tenants.rights import SCOPES

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
MODES = ("live", "test")
OVERLAPS = {
    "now": timedelta(0),
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
}
RECORD_USE_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class KeyFacts:
    """What entry points cache about a key for a few seconds."""

    id: str
    tenant_id: int
    name: str
    mode: str
    scopes: frozenset[str]
    line_ids: frozenset[int] | None
    rate_per_second: int | None
    expires_at: datetime | None
    revoked_at: datetime | None


def new_secret(mode: str) -> str:
    body = "".join(secrets.choice(ALPHABET) for _ in range(30))
    return f"ck_{mode}_{body}{checksum(body)}"


def checksum(body: str) -> str:
    """CRC32 in base62, six characters: a mistyped key is rejected without a database query."""
    number, digits = zlib.crc32(body.encode()), ""
    for _ in range(6):
        number, rest = divmod(number, 62)
        digits = ALPHABET[rest] + digits
    return digits


def is_well_formed(secret: str, modes: tuple[str, ...] = MODES) -> bool:
    for mode in modes:
        body = secret.removeprefix(f"ck_{mode}_")
        if body != secret:
            has_valid_body = len(body) == 36 and all(sign in ALPHABET for sign in body)
            return has_valid_body and checksum(body[:30]) == body[30:]
    return False


def create(
    name: str,
    mode: str,
    scopes: list[str],
    *,
    expires_at: datetime | None = None,
    line_ids: list[int] | None = None,
    rate_per_second: int | None = None,
    replaces: str | None = None,
) -> tuple[ApiKey, str]:
    """Returns the key and its secret, which cannot be read again."""
    if mode not in MODES:
        raise invalid("mode", "invalid_mode", "A key must be either live or test.")
    _check_rights(scopes, rate_per_second)
    if expires_at is not None and expires_at <= now():
        raise invalid("expires_at", "expires_in_past", "The expiry date must be in the future.")
    secret = new_secret(mode)
    key = ApiKey(
        tenant_id=current_tenant_id(),
        name=clean_name(name),
        mode=mode,
        prefix=secret[:12],
        key_hash=secret_digest(secret),
        scopes=[scope for scope in SCOPES if scope in scopes],
        line_ids=line_ids,
        rate_per_second=rate_per_second,
        expires_at=expires_at,
        created_by=audit.current_actor().name,
        replaces=replaces,
    )
    db.session.add(key)
    db.session.flush()
    add_lookup("api_key", key.key_hash, key.id)
    audit.record("keys.created", key.name, prefix=key.prefix, mode=mode, scopes=key.scopes)
    return key, secret


def _check_rights(scopes: list[str], rate_per_second: int | None) -> None:
    if not scopes or any(scope not in SCOPES for scope in scopes):
        raise invalid("scopes", "invalid_scopes", "Choose at least one permission for the key.")
    if rate_per_second is not None and rate_per_second < 1:
        raise invalid("rate_per_second", "invalid_rate", "Enter at least one request per second.")


def get(key_id: str) -> ApiKey:
    key = db.session.get(ApiKey, (current_tenant_id(), key_id))
    if key is None:
        raise NotFound()
    return key


def list_keys() -> list[ApiKey]:
    """Active keys first, then the others, newest first; without those of connected apps."""
    rows = db.session.scalars(
        select(ApiKey)
        .where(ApiKey.tenant_id == current_tenant_id(), ApiKey.app.is_(False))
        .order_by(ApiKey.revoked_at.is_not(None), ApiKey.id.desc())
        .limit(500)
    )
    return list(rows)


def change(
    key_id: str,
    name: str,
    scopes: list[str],
    rate_per_second: int | None,
    line_ids: list[int] | None = None,
) -> ApiKey:
    """`line_ids` None: every line."""
    key = get(key_id)
    _check_rights(scopes, rate_per_second)
    chosen = [scope for scope in SCOPES if scope in scopes]
    before = audit.snapshot(key)
    key.name, key.scopes, key.rate_per_second = clean_name(name), chosen, rate_per_second
    key.line_ids = line_ids
    audit.record_change(
        "keys.changed",
        key.name,
        before,
        key,
        prefix=key.prefix,
        scopes=chosen,
        lines=line_ids,
    )
    return key


def rotate(key_id: str, overlap: timedelta) -> tuple[ApiKey, str]:
    """Create a new key with the same rights; the old one works until the overlap ends."""
    old = get(key_id)
    if state_of(old) != "active" or old.app:
        raise Conflict("key_not_active", "Only an active key can be rotated.")
    key, secret = create(
        old.name,
        old.mode,
        old.scopes,
        line_ids=old.line_ids,
        rate_per_second=old.rate_per_second,
        expires_at=old.expires_at,
        replaces=old.id,
    )
    if overlap <= timedelta(0):
        revoke(old.id)
    else:
        end = now() + overlap
        old.expires_at = min(old.expires_at or end, end)
        audit.record("keys.rotated", old.name, prefix=old.prefix, works_until=end.isoformat())
    return key, secret


def revoke(key_id: str) -> ApiKey:
    key = get(key_id)
    if key.revoked_at is None:
        key.revoked_at = now()
        remove_lookup("api_key", key.key_hash)
        audit.record("keys.revoked", key.name, prefix=key.prefix)
    return key


def state_of(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now():
        return "expired"
    return "active"


def record_use(key_id: str) -> None:
    moment = now()
    db.session.execute(
        update(ApiKey)
        .where(
            ApiKey.tenant_id == current_tenant_id(),
            ApiKey.id == key_id,
            or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at < moment - RECORD_USE_EVERY),
        )
        .values(last_used_at=moment)
    )
