"""What stores and form builders post: verified on its raw bytes, kept once, answered at once."""

from flask import Response, g, request
from werkzeug.exceptions import RequestEntityTooLarge

from api.hooks import hooks, refusal
from api.hooks.cloud import REFUSED
from api.hooks.plates import Plates
from core.db import tenant_scope
from core.lookups import digest
from messaging import connections
from messaging.connections import LOOKUP, Doorplate
from webhooks.stores import PLATFORMS, woocommerce

LARGEST_BODY = 2 * 1024 * 1024

plates = Plates(LOOKUP, lambda _, connection_id: connections.doorplate(connection_id), digest)


@hooks.post("/<any(shopify, woocommerce, store, form):kind>/<token>")
def store(kind: str, token: str) -> Response:
    plate = plates.of(token)
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
        keys = platform.dedupe_keys(facts, raw)
        with tenant_scope(plate.tenant_id):
            connections.record(plate.id, kind, keys, facts, raw)
    return _ok()


def _refused(plate: Doorplate) -> Response:
    REFUSED.labels(plate.kind).inc()
    with tenant_scope(plate.tenant_id):
        connections.note_refusal(plate.id)
    if not plate.secret:
        return refusal(401, "no_secret", "This connection has no secret yet to check with.")
    return refusal(401, "invalid_signature", "The signature does not fit the body.")


def _ok() -> Response:
    return Response('{"status":"ok"}', mimetype="application/json")
