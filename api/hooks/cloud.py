"""Hooks of the cloud API: the handshake of an address, and what is posted about a line."""

from dataclasses import dataclass

from flask import Response, request
from sqlalchemy import select
from werkzeug.datastructures import Headers

from api.hooks import error_reply, hooks
from api.hooks.address_cache import CHANGED_SECONDS, HookAddressCache
from api.hooks.receive import (
    MIB,
    HookRefused,
    HookSource,
    HookToStore,
    no_such_address,
    receive_hook,
)
from core.db import db
from core.security.signing import constant_time_equal
from messaging.lines.drivers.cloud.inbound import SIGNATURE, verify_signature
from messaging.models import Line

LONGEST_CHALLENGE = 200


@dataclass(frozen=True)
class HookedLine:
    tenant_id: int
    id: str
    app_secret: str
    verify_token: str
    kind: str = "cloud"


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
    line = line_addresses.of(token, CHANGED_SECONDS)
    if line is None:
        return no_such_address()
    args = request.args
    challenge = args.get("hub.challenge", "")
    if (
        args.get("hub.mode") != "subscribe"
        or not line.verify_token
        or not constant_time_equal(args.get("hub.verify_token", ""), line.verify_token)
        or len(challenge) > LONGEST_CHALLENGE
    ):
        return error_reply(403, "wrong_verify_token", "The verify token is not this line's.")
    return Response(challenge, mimetype="text/plain")


def _verify(line: HookedLine, headers: Headers, raw: bytes) -> HookToStore:
    if not verify_signature(line.app_secret, {SIGNATURE: headers.get(SIGNATURE, "")}, raw):
        raise HookRefused()
    return HookToStore()


CLOUD = HookSource(line_addresses, 3 * MIB, _verify)


@hooks.post("/cloud/<token>")
def cloud(token: str) -> Response:
    return receive_hook(CLOUD, "cloud", token)
