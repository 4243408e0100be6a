"""Hooks of stores and form builders: verify the raw bytes, store them once, respond at once."""

from flask import Response, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from api.hooks import error_reply, hooks
from api.hooks.address_cache import HookAddressCache
from api.hooks.cloud import HOOKS_REFUSED
from core.db import tenant_scope
from core.lookups import secret_digest
from messaging.automations import connections as store_connections
from messaging.automations.connections import LOOKUP, HookAddress
from webhooks.stores.registry import PLATFORMS

LARGEST_BODY = 2 * 1024 * 1024

connection_addresses = HookAddressCache(
    LOOKUP, lambda _, connection_id: store_connections.hook_address(connection_id), secret_digest
)


@hooks.post(f"/<any({', '.join(PLATFORMS)}):kind>/<token>")
def store(kind: str, token: str) -> Response:
    plate = connection_addresses.of(token)
    if plate is None or plate.kind != kind:
        return error_reply(404, "not_found", "There is nothing at this address.")
    request.max_content_length = LARGEST_BODY
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return error_reply(413, "body_too_large", "The body is larger than 2 MiB.")
    g.tenant_id = plate.tenant_id
    platform, headers = PLATFORMS[kind], dict(request.headers)
    if platform.is_ping(raw):
        return _ok()
    if not platform.verify(plate.secret, headers, raw):
        return _record_refused(plate)
    if plate.enabled:
        facts = platform.facts(headers)
        keys = platform.dedupe_keys(facts, raw)
        with tenant_scope(plate.tenant_id):
            store_connections.record_hook(plate.id, kind, keys, facts, raw)
    return _ok()


def _record_refused(plate: HookAddress) -> Response:
    HOOKS_REFUSED.labels(plate.kind).inc()
    with tenant_scope(plate.tenant_id):
        store_connections.record_refusal(plate.id)
    if not plate.secret:
        return error_reply(401, "no_secret", "This connection has no secret yet to check with.")
    return error_reply(401, "invalid_signature", "The signature does not fit the body.")


def _ok() -> Response:
    return Response('{"status":"ok"}', mimetype="application/json")
