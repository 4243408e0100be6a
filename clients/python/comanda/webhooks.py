"""Verifies the three headers of Standard Webhooks against the raw body."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence

from comanda.errors import BadSignature
from comanda.shapes import Event

TOLERANCE_SECONDS = 300


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes | str,
    secret: str | Sequence[str],
    *,
    tolerance: int = TOLERANCE_SECONDS,
    now: float | None = None,
) -> Event:
    """Return the event, or raise `BadSignature`. `body` is the raw request body, not parsed and
    serialized again; a str is encoded as UTF-8. An event may arrive twice: store the ids you have
    processed. `secret` is one secret or several."""
    given = {name.lower(): value for name, value in headers.items()}
    event_id, stamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    signatures = given.get("webhook-signature", "").split()
    if not (event_id and stamp and signatures):
        raise BadSignature("webhook-id, webhook-timestamp and webhook-signature are needed")
    if not (stamp.isascii() and stamp.isdigit()):
        raise BadSignature("webhook-timestamp is not a number of seconds")
    if abs((time.time() if now is None else now) - int(stamp)) > tolerance:
        raise BadSignature("webhook-timestamp is too far from the current time")
    secrets = [secret] if isinstance(secret, str) else list(secret)
    raw = body.encode() if isinstance(body, str) else body
    signed = f"{event_id}.{stamp}.".encode() + raw
    fits = [
        hmac.compare_digest(_signature(one, signed).encode(), other.encode())
        for one in secrets
        for other in signatures
    ]
    if not any(fits):
        raise BadSignature("no signature matches the body")
    return Event.of(json.loads(raw))


def _signature(secret: str, signed: bytes) -> str:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        raise BadSignature("the secret is whsec_ and base64, as the portal showed it") from None
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()
