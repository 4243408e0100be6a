"""Signatures on outgoing and incoming webhooks, and expiring tokens for links."""

import base64
import binascii
import hashlib
import hmac
import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from itsdangerous import BadData, URLSafeSerializer

from core import clock

WHSEC = "whsec_"
TOLERANCE = timedelta(minutes=5)


class BadSignature(ValueError):
    code = "invalid_signature"


class BadSecret(ValueError):
    code = "invalid_secret"


class BadToken(ValueError):
    """A token that this service did not make, or that was changed."""

    code = "invalid_token"


class ExpiredToken(BadToken):
    code = "expired_token"


def constant_time_equal(one: str | bytes, other: str | bytes) -> bool:
    """Compare in a time that does not depend on where the values differ."""
    return hmac.compare_digest(_bytes(one), _bytes(other))


def hmac_hex(secret: str | bytes, body: bytes, algorithm: str = "sha256") -> str:
    return hmac.new(_bytes(secret), body, algorithm).hexdigest()


def hmac_base64(secret: str | bytes, body: bytes, algorithm: str = "sha256") -> str:
    return base64.b64encode(hmac.new(_bytes(secret), body, algorithm).digest()).decode()


def new_webhook_secret() -> str:
    return WHSEC + base64.b64encode(os.urandom(32)).decode()


def webhook_signature(secret: str, event_id: str, timestamp: int, body: bytes) -> str:
    signed = f"{event_id}.{timestamp}.".encode() + body
    return f"v1,{hmac_base64(_webhook_key(secret), signed)}"


def webhook_headers(
    secrets: str | Sequence[str], event_id: str, body: bytes, at: datetime | None = None
) -> dict[str, str]:
    """The three headers of Standard Webhooks; one signature per secret, the newest first."""
    timestamp = int((at or clock.now()).timestamp())
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(
            webhook_signature(secret, event_id, timestamp, body) for secret in _each(secrets)
        ),
    }


def verify_webhook(
    secrets: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    tolerance: timedelta = TOLERANCE,
) -> None:
    """Raise BadSignature unless a signature matches a secret and the time is within the tolerance.

    The standardwebhooks package is not used here: it decodes the body as text, reads the real clock
    and fails on a malformed header, while a hook is verified on its raw bytes.
    """
    given = {name.lower(): value for name, value in headers.items()}
    event_id, stamp = given.get("webhook-id", ""), given.get("webhook-timestamp", "")
    signatures = given.get("webhook-signature", "").split()
    if not (event_id and stamp and signatures):
        raise BadSignature(
            "the headers webhook-id, webhook-timestamp and webhook-signature are required"
        )
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= 12):
        raise BadSignature("webhook-timestamp must be a Unix timestamp in whole seconds")
    if abs(clock.now().timestamp() - int(stamp)) > tolerance.total_seconds():
        raise BadSignature("webhook-timestamp is too far from the current time")
    # Compare every pair, so that the duration does not show which one matched.
    fits = [
        constant_time_equal(webhook_signature(secret, event_id, int(stamp), body), signature)
        for secret in _each(secrets)
        for signature in signatures
    ]
    if not any(fits):
        raise BadSignature("no signature matches the body")


def sign_token(
    secret_key: str | Sequence[str], purpose: str, value: Any, expires_in: timedelta
) -> str:
    """A token for a link: anyone can read it, nobody can change it, and it expires."""
    return sign_token_until(secret_key, purpose, value, clock.now() + expires_in)


def sign_token_until(
    secret_key: str | Sequence[str], purpose: str, value: Any, until: datetime
) -> str:
    """The same value and expiry give the same token."""
    return str(_serializer(secret_key, purpose).dumps([int(until.timestamp()), value]))


def read_token(secret_key: str | Sequence[str], purpose: str, token: str) -> Any:
    """The value, if the token is valid for this purpose. Raises BadToken or ExpiredToken."""
    try:
        until, value = _serializer(secret_key, purpose).loads(token)
    except (BadData, ValueError):
        raise BadToken("this link is not valid") from None
    if clock.now().timestamp() >= until:
        raise ExpiredToken("this link has run out")
    return value


def _serializer(secret_key: str | Sequence[str], purpose: str) -> URLSafeSerializer:
    # itsdangerous signs with the last key; the setting lists the newest first.
    keys = list(reversed(_each(secret_key)))
    return URLSafeSerializer(
        keys,
        salt=f"comanda.{purpose}",
        signer_kwargs={"key_derivation": "hmac", "digest_method": hashlib.sha256},
    )


def _webhook_key(secret: str) -> bytes:
    encoded = secret.removeprefix(WHSEC).rstrip("=")
    try:
        key = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key:
        raise BadSecret("a webhook secret is whsec_ and base64")
    return key


def _each(one_or_many: str | Sequence[str]) -> Sequence[str]:
    many = [one_or_many] if isinstance(one_or_many, str) else one_or_many
    if not many:
        raise BadSecret("there is no secret to sign with")
    return many


def _bytes(text: str | bytes) -> bytes:
    # surrogateescape: a header may contain any bytes and must be rejected, not cause a crash.
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
