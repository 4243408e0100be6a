"""Hooks of stores and form builders. A repeat is stored once."""

from flask import Response
from werkzeug.datastructures import Headers

from api.hooks import hooks
from api.hooks.address_cache import HookAddressCache
from api.hooks.receive import MIB, HookRefused, HookSource, HookToStore, receive_hook
from core.db import tenant_scope
from core.lookups import secret_digest
from messaging.automations import connections as store_connections
from messaging.automations.connections import LOOKUP, HookAddress
from webhooks.stores.registry import PLATFORMS

connection_addresses = HookAddressCache(
    LOOKUP, lambda _, connection_id: store_connections.hook_address(connection_id), secret_digest
)


def _verify(connection: HookAddress, headers: Headers, raw: bytes) -> HookToStore | None:
    platform, given = PLATFORMS[connection.kind], dict(headers)
    if platform.is_ping(raw):
        return None
    if not platform.verify(connection.secret, given, raw):
        with tenant_scope(connection.tenant_id):
            store_connections.record_refusal(connection.id)
        if not connection.secret:
            raise HookRefused("no_secret", "This connection has no signing secret yet.")
        raise HookRefused()
    return HookToStore(platform.facts(given)) if connection.enabled else None


def _store(connection: HookAddress, raw: bytes, hook: HookToStore) -> None:
    facts = hook.facts or {}
    keys = PLATFORMS[connection.kind].dedupe_keys(facts, raw)
    with tenant_scope(connection.tenant_id):
        store_connections.record_hook(connection.id, connection.kind, keys, facts, raw)


STORES = HookSource(connection_addresses, 2 * MIB, _verify, _store)


@hooks.post(f"/<any({', '.join(PLATFORMS)}):kind>/<token>")
def store(kind: str, token: str) -> Response:
    return receive_hook(STORES, kind, token)
