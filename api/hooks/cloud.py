"""Hooks of the cloud API about a line: verify the raw bytes, store them, respond."""

from dataclasses import dataclass

import psycopg2
from flask import Response, g, request
from prometheus_client import Counter
from sqlalchemy import select
from werkzeug.exceptions import RequestEntityTooLarge

from api.hooks import error_reply, hooks
from api.hooks.address_cache import HookAddressCache
from core.clock import now
from core.db import db
from core.ids import new_uuid
from core.queue.wakeups import WakeUp, send_wakeups
from core.security.signing import constant_time_equal
from core.sql.pool import run_as_tenant
from messaging.lines.drivers.cloud.driver import verify_signature
from messaging.models import Line

LARGEST_BODY = 3 * 1024 * 1024
LONGEST_CHALLENGE = 200

INSERT_HOOK = """
INSERT INTO received_hooks (tenant_id, id, kind, target, body, state, tries, due_at, received_at)
VALUES (%(tenant_id)s, %(id)s, 'cloud', %(target)s, %(body)s, 'waiting', 0, %(now)s, %(now)s);
INSERT INTO lanes (kind, tenant_id, due_at) VALUES ('hooks', %(tenant_id)s, %(now)s)
ON CONFLICT DO NOTHING
"""

HOOKS_REFUSED = Counter("hooks_refused_total", "Hooks whose signature did not fit", ["kind"])


@dataclass(frozen=True)
class HookedLine:
    tenant_id: int
    id: str
    app_secret: str
    verify_token: str


def _load_line(tenant_id: int, line_id: str) -> HookedLine | None:
    line = db.session.execute(
        select(Line.app_secret, Line.verify_token).where(
            Line.tenant_id == tenant_id, Line.id == int(line_id), Line.removed_at.is_(None)
        )
    ).first()
    if line is None:
        return None
    return HookedLine(tenant_id, line_id, line.app_secret or "", line.verify_token or "")


line_addresses = HookAddressCache("cloud_hook", _load_line)


@hooks.get("/cloud/<token>")
def cloud_handshake(token: str) -> Response:
    """The network calls this once, when the address is entered there."""
    line = line_addresses.of(token)
    if line is None:
        return _not_found()
    asked = request.args
    challenge = asked.get("hub.challenge", "")
    if (
        asked.get("hub.mode") != "subscribe"
        or not line.verify_token
        or not constant_time_equal(asked.get("hub.verify_token", ""), line.verify_token)
        or len(challenge) > LONGEST_CHALLENGE
    ):
        return error_reply(403, "wrong_verify_token", "The verify token is not this line's.")
    return Response(challenge, mimetype="text/plain")


@hooks.post("/cloud/<token>")
def cloud(token: str) -> Response:
    line = line_addresses.of(token)
    if line is None:
        return _not_found()
    request.max_content_length = LARGEST_BODY
    try:
        raw = request.get_data(cache=False)
    except RequestEntityTooLarge:
        return error_reply(413, "body_too_large", "The body is larger than 3 MiB.")
    if not verify_signature(line.app_secret, dict(request.headers), raw):
        HOOKS_REFUSED.labels("cloud").inc()
        return error_reply(401, "invalid_signature", "The signature does not fit the body.")
    g.tenant_id = line.tenant_id
    run_as_tenant(
        line.tenant_id,
        INSERT_HOOK,
        {
            "id": str(new_uuid()),
            "target": line.id,
            "body": psycopg2.Binary(raw),
            "now": now(),
        },
    )
    send_wakeups([WakeUp("jobs.inbound.hooks.drain")])
    return Response('{"status":"ok"}', mimetype="application/json")


def _not_found() -> Response:
    return error_reply(404, "not_found", "There is nothing at this address.")
