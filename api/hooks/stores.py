"""What stores and form builders post: verified on its raw bytes, kept once, answered at once."""

import re
import time
from threading import Lock

from flask import Response, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from api.hooks import hooks, refusal
from api.hooks.cloud import REFUSED
from core.db import global_scope, tenant_scope
from core.lookups import digest, find
from messaging import connections
from messaging.connections import LOOKUP, Doorplate
from webhooks.stores import PLATFORMS, woocommerce

LARGEST_BODY = 2 * 1024 * 1024
REMEMBER_SECONDS = 5.0
MOST_REMEMBERED = 20_000
TOKEN = re.compile(r"[A-Za-z0-9_-]{16,64}")

_memory: dict[str, tuple[Doorplate, float]] = {}
_lock = Lock()


@hooks.post("/<any(shopify, woocommerce, store, form):kind>/<token>")
def store(kind: str, token: str) -> Response:
    plate = _plate_of(token)
    if plate is None or plate.kind != kind:
        return refusal(404, "not_found", "There is nothing at this address.")
    request.max_content_length = LARGEST_BODY
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return refusal(413, "body_too_large", "The body is larger than 2 MiB.")
    g.tenant_id = plate.tenant_id
    if kind == "woocommerce" and woocommerce.is_ping(raw):
        return _ok()
    platform, headers = PLATFORMS[kind], dict(request.headers)
    if not platform.verify(plate.secret, headers, raw):
        return _refused(plate)
    if plate.enabled:
        facts = platform.facts(headers)
        key = platform.dedupe_key(facts, raw)
        with tenant_scope(plate.tenant_id):
            connections.record(plate.id, kind, key, facts, raw)
    return _ok()


def forget_connections() -> None:
    _memory.clear()


def _refused(plate: Doorplate) -> Response:
    REFUSED.labels(plate.kind).inc()
    with tenant_scope(plate.tenant_id):
        connections.note_refusal(plate.id)
    if not plate.secret:
        return refusal(401, "no_secret", "This connection has no secret yet to check with.")
    return refusal(401, "invalid_signature", "The signature does not fit the body.")


def _ok() -> Response:
    return Response('{"status":"ok"}', mimetype="application/json")


def _plate_of(token: str) -> Doorplate | None:
    """Remembered for a few seconds: what a hook must know of its connection hardly ever changes."""
    if not TOKEN.fullmatch(token):
        return None
    found = _memory.get(token)
    if found is not None and found[1] > time.monotonic():
        return found[0]
    plate = _look_up(token)
    with _lock:
        if len(_memory) >= MOST_REMEMBERED:
            _memory.clear()
        if plate is None:
            _memory.pop(token, None)
        else:
            _memory[token] = (plate, time.monotonic() + REMEMBER_SECONDS)
    return plate


def _look_up(token: str) -> Doorplate | None:
    with global_scope():
        owner = find(LOOKUP, digest(token))
    if owner is None:
        return None
    tenant_id, connection_id = owner
    with tenant_scope(tenant_id):
        return connections.doorplate(connection_id)
