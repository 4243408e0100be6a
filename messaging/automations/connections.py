"""A tenant's connections to stores and forms, and the hooks they receive."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound, invalid
from core.ids import BadId, new_id, new_token, to_uuid
from core.lookups import add_lookup as make_findable
from core.lookups import remove_lookup, secret_digest
from core.values.text import BadText, normalize_text
from messaging.models import Automation, Connection, HookKey
from tenants import audit
from tenants.people import clean_name
from webhooks.inbound.models import ReceivedHook
from webhooks.inbound.receive import add_hook
from webhooks.stores.form_fields import FIELD_ROLES
from webhooks.stores.registry import PLATFORMS

LOOKUP = "store_hook"
CHAT_KIND = "chat"
"""The connection of taps in the chat: see `messaging.automations.button_taps`."""
LONGEST_SECRET = 200
API_ADDRESS = re.compile(r"https://[a-z0-9.-]{4,180}(:[0-9]{1,5})?", re.IGNORECASE)
_SPACE = re.compile(r"\s")
# A post without an id counts as a repeat only while its sender may still retry.
BODY_HASH_VALIDITY = timedelta(hours=24)
# Stores do not sign the time of a post, so a captured post never expires: its key prevents a
# replay.
KEY_RETENTION = timedelta(days=400)


@dataclass(frozen=True)
class HookAddress:
    """What the endpoint for hooks needs of a connection, small enough to cache."""

    tenant_id: int
    id: str
    kind: str
    secret: str
    enabled: bool


def add(kind: str, name: str, *, country: str = "") -> Connection:
    if kind not in PLATFORMS:
        raise invalid("kind", "unknown_kind", "Choose what to connect.")
    connection = Connection(
        tenant_id=current_tenant_id(),
        id=new_id("cnx"),
        kind=kind,
        name=clean_name(name),
        token=new_token(),
        secret=_new_secret(kind),
        country=country,
    )
    db.session.add(connection)
    db.session.flush()
    make_findable(LOOKUP, secret_digest(connection.token), connection.id)
    audit.record("stores.connected", connection.name, kind=kind)
    return connection


def get(connection_id: str) -> Connection:
    found = db.session.get(Connection, (current_tenant_id(), connection_id))
    if found is None or found.removed_at is not None or found.kind == CHAT_KIND:
        raise NotFound()
    return found


def list_connections() -> list[Connection]:
    return list(
        db.session.scalars(
            select(Connection)
            .where(
                Connection.tenant_id == current_tenant_id(),
                Connection.removed_at.is_(None),
                Connection.kind != CHAT_KIND,
            )
            .order_by(Connection.created_at)
        )
    )


def change(connection_id: str, name: str, country: str) -> Connection:
    connection = get(connection_id)
    connection.name, connection.country = clean_name(name), country
    return connection


def set_secret(connection_id: str, secret: str) -> Connection:
    """Set the secret that the platform signs with. It may be empty only where it is optional."""
    connection = get(connection_id)
    before = audit.snapshot(connection)
    connection.secret = _checked_secret(connection.kind, secret)
    audit.record_change("stores.secret_changed", connection.name, before, connection)
    return connection


def set_api_access(connection_id: str, url: str, key: str, secret: str) -> Connection:
    """How journeys reach the store itself. An empty address ends the access; an empty key or secret
    keeps the stored one.
    """
    connection = get(connection_id)
    if PLATFORMS[connection.kind].update_order is None:
        raise NotFound()
    before = audit.snapshot(connection)
    address = url.strip().rstrip("/")
    if address and not API_ADDRESS.fullmatch(address):
        raise invalid("url", "invalid_url", "Enter the address of the store with https://.")
    if _SPACE.search(key + secret) or not (key + secret).isascii():
        raise invalid("key", "invalid_secret", "This secret is not valid.")
    if address and not (key or connection.api_key):
        raise invalid("key", "key_needed", "Enter the access token or the consumer key.")
    connection.api_url = address
    connection.api_key = (key or connection.api_key) if address else None
    connection.api_secret = (secret or connection.api_secret) if address else None
    audit.record_change("stores.api_access_changed", connection.name, before, connection)
    return connection


def renew_secret(connection_id: str) -> Connection:
    connection = get(connection_id)
    before = audit.snapshot(connection)
    connection.secret = _new_secret(connection.kind) or connection.secret
    audit.record_change("stores.secret_changed", connection.name, before, connection)
    return connection


def set_mapping(connection_id: str, mapping: dict[str, str]) -> Connection:
    """Set which field has which meaning; an empty mapping returns to guessing."""
    connection = get(connection_id)
    before = {role: connection.mapping.get(role, "") for role in FIELD_ROLES}
    connection.mapping = {role: mapping[role][:120] for role in FIELD_ROLES if mapping.get(role)}
    after = {role: connection.mapping.get(role, "") for role in FIELD_ROLES}
    audit.record_change(
        "stores.mapping_changed", connection.name, before, after, shown=frozenset(FIELD_ROLES)
    )
    return connection


def set_enabled(connection_id: str, enabled: bool) -> Connection:
    connection = get(connection_id)
    if connection.enabled != enabled:
        connection.enabled = enabled
        audit.record("stores.enabled" if enabled else "stores.disabled", connection.name)
    return connection


def remove(connection_id: str) -> None:
    """Remove a connection. Its history stays; its address and secret are deleted."""
    connection = get(connection_id)
    remove_lookup(LOOKUP, secret_digest(connection.token))
    connection.removed_at, connection.secret, connection.enabled = now(), None, False
    db.session.execute(
        update(Automation)
        .where(
            Automation.tenant_id == current_tenant_id(), Automation.connection_id == connection.id
        )
        .values(enabled=False, changed_at=now())
    )
    audit.record("stores.removed", connection.name, kind=connection.kind)


def hook_address(connection_id: str) -> HookAddress | None:
    connection = db.session.get(Connection, (current_tenant_id(), connection_id))
    if connection is None or connection.removed_at is not None:
        return None
    return HookAddress(
        connection.tenant_id,
        connection.id,
        connection.kind,
        connection.secret or "",
        connection.enabled,
    )


def record_hook(
    connection_id: str, kind: str, keys: Sequence[str], facts: dict[str, str], body: bytes
) -> bool:
    """Store a post for the job. Returns False for a repeat, which is not stored."""
    tenant_id, moment = current_tenant_id(), now()
    names = sorted({key[:300] for key in keys})  # sorted: two posts must not deadlock
    fresh = upsert(HookKey).values(
        [
            {"tenant_id": tenant_id, "connection_id": connection_id, "key": name, "at": moment}
            for name in names
        ]
    )
    stale = fresh.on_conflict_do_update(
        index_elements=[HookKey.tenant_id, HookKey.connection_id, HookKey.key],
        set_={"at": fresh.excluded.at},
        where=(HookKey.key.startswith("hash:")) & (HookKey.at < moment - BODY_HASH_VALIDITY),
    ).returning(HookKey.key)
    if len(db.session.execute(stale).all()) < len(names):
        return False
    add_hook(kind, connection_id, body, facts)
    db.session.execute(
        update(Connection)
        .where(
            Connection.tenant_id == tenant_id,
            Connection.id == connection_id,
            or_(Connection.first_event_at.is_(None), Connection.last_event_at.is_(None)),
        )
        .values(first_event_at=moment, last_event_at=moment)
    )
    return True


def record_refusal(connection_id: str) -> None:
    """Count a refused post, so that the page can point to a wrong secret."""
    db.session.execute(
        update(Connection)
        .where(Connection.tenant_id == current_tenant_id(), Connection.id == connection_id)
        .values(refused=Connection.refused + 1, refused_at=now())
    )


def record_event_seen(connection_id: str, at: datetime) -> None:
    db.session.execute(
        update(Connection)
        .where(
            Connection.tenant_id == current_tenant_id(),
            Connection.id == connection_id,
            Connection.last_event_at < at,
        )
        .values(last_event_at=at)
    )


def list_received(connection_id: str, after: str | None, limit: int, state: str = "") -> list[Any]:
    """List received posts, newest first, without their bodies."""
    query = (
        select(
            ReceivedHook.id,
            ReceivedHook.kind,
            ReceivedHook.state,
            ReceivedHook.tries,
            ReceivedHook.error,
            ReceivedHook.due_at,
            ReceivedHook.received_at,
            ReceivedHook.facts,
        )
        .where(
            ReceivedHook.tenant_id == current_tenant_id(),
            ReceivedHook.target == connection_id,
            ReceivedHook.kind != "cloud",
        )
        .order_by(ReceivedHook.id.desc())
        .limit(limit)
    )
    if state:
        query = query.where(ReceivedHook.state == state)
    if after:
        query = query.where(ReceivedHook.id < after)
    return list(db.session.execute(query))


def get_received(connection_id: str, hook_id: str) -> ReceivedHook:
    found = db.session.get(ReceivedHook, (current_tenant_id(), hook_id))
    if found is None or found.target != connection_id or found.kind == "cloud":
        raise NotFound()
    return found


def delete_old_keys() -> int:
    counts_no_more = HookKey.key.startswith("hash:") & (HookKey.at < now() - BODY_HASH_VALIDITY)
    deleted = db.session.execute(
        delete(HookKey)
        .where(
            HookKey.tenant_id == current_tenant_id(),
            or_(HookKey.at < now() - KEY_RETENTION, counts_no_more),
        )
        .returning(HookKey.key)
    )
    return len(deleted.all())


def is_id(connection_id: str) -> bool:
    try:
        to_uuid("cnx", connection_id)
    except BadId:
        return False
    return True


def _new_secret(kind: str) -> str | None:
    make = PLATFORMS[kind].new_secret
    return make() if make else None


def _checked_secret(kind: str, secret: str) -> str | None:
    try:
        secret = normalize_text(secret)
    except BadText:
        raise invalid("secret", "invalid_secret", "This secret is not valid.") from None
    if not secret:
        if PLATFORMS[kind].secret_required:
            raise invalid(
                "secret",
                "secret_needed",
                "Enter the secret. Without it, incoming requests cannot be verified.",
            )
        return None
    if len(secret) > LONGEST_SECRET or re.search(r"\s", secret):
        raise invalid("secret", "invalid_secret", "This secret is not valid.")
    if error := PLATFORMS[kind].secret_error(secret):
        raise invalid("secret", "invalid_secret", error)
    return secret
