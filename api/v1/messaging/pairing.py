"""Linked phones in the API: show a line's QR code, restart it, log it out."""

from typing import Any

from flask import Response, g, jsonify, request
from flask_openapi3.types import ResponseDict

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.messaging.instances import TAG, visible
from api.v1.schemas.messaging.instances import (
    InstancePath,
    PairingRequest,
    PairingShape,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import Conflict
from core.values import qr_codes
from messaging.lines.drivers.linked import pairing
from messaging.models import Line, LinkedLine
from messaging.reasons import NETWORK_REASONS

PNG = "image/png"
QR_SCALE = 8


SHOWN: ResponseDict = {200: PairingShape, 409: ErrorBody}
ASKED: ResponseDict = {202: PairingShape, 409: ErrorBody}
DRAWN: ResponseDict = {
    200: {
        "description": "The code now, as JSON or as a picture.",
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/PairingShape"}},
            PNG: {"schema": {"type": "string", "format": "binary"}},
        },
    },
    409: ErrorBody,
}


@v1.get(
    "/instances/<int:instance_id>/qr",
    tags=[TAG],
    summary="Get the current QR code",
    responses=DRAWN,
)
@key_may("lines")
def read_qr(path: InstancePath) -> Response:
    """Request it again when it expires: there is a next code while a line is being linked."""
    with tenant_scope(g.tenant_id):
        line, linked = _linked(path.instance_id)
    if request.accept_mimetypes.best_match(["application/json", PNG]) != PNG:
        return _uncached(jsonify(pairing_json(line, linked)))
    if linked.qr is None or not pairing.has_valid_code(linked):
        raise Conflict("no_qr", "There is no QR code now. Start the pairing, then try again.")
    picture = qr_codes.png(linked.qr, correction="low", module_size=QR_SCALE)
    return _uncached(Response(picture, mimetype=PNG))


@v1.get(
    "/instances/<int:instance_id>/pairing",
    tags=[TAG],
    summary="Get the pairing status",
    responses=SHOWN,
)
@key_may("lines")
def read_pairing(path: InstancePath) -> Response:
    with tenant_scope(g.tenant_id):
        return _uncached(jsonify(pairing_json(*_linked(path.instance_id))))


@v1.post(
    "/instances/<int:instance_id>/pairing",
    tags=[TAG],
    summary="Start linking a phone",
    responses=ASKED,
)
@key_may("lines")
@idempotent
def start_pairing(path: InstancePath, body: PairingRequest) -> JsonAnswer:
    """Codes follow within one or two seconds, by GET and by the event instances.qr."""
    return _request_pairing(path, lambda line_id: pairing.start(line_id, body.phone or ""))


@v1.post(
    "/instances/<int:instance_id>/restart",
    tags=[TAG],
    summary="Reconnect a linked phone",
    responses=ASKED,
)
@key_may("lines")
@idempotent
def restart_instance(path: InstancePath) -> JsonAnswer:
    """Reconnects with the linked device, without a new code."""
    return _request_pairing(path, pairing.restart)


@v1.post(
    "/instances/<int:instance_id>/logout",
    tags=[TAG],
    summary="Unlink the phone",
    responses=ASKED,
)
@key_may("lines")
@idempotent
def log_out_instance(path: InstancePath) -> JsonAnswer:
    """Its messages wait until a phone is linked again."""
    return _request_pairing(path, pairing.log_out)


def _request_pairing(path: InstancePath, act: Any) -> JsonAnswer:
    _linked(path.instance_id)
    line, linked = act(path.instance_id)
    where = {"Location": f"/api/v1/instances/{line.id}/pairing"}
    return pairing_json(line, linked), 202, where


def _linked(instance_id: int) -> tuple[Line, LinkedLine]:
    line, linked = pairing.get_linked_line(visible(instance_id).id)
    return line, linked


def _uncached(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "no-store"
    return answer


def pairing_json(line: Line, linked: LinkedLine) -> dict[str, Any]:
    shown = pairing.has_valid_code(linked)
    return {
        "instance_id": line.id,
        "state": line.state,
        "qr": linked.qr if shown else None,
        "code": linked.code if shown else None,
        "expires_at": rfc3339(linked.shown_until) if shown and linked.shown_until else None,
        "phone": line.phone,
        "because": NETWORK_REASONS.english(line.state_because),
    }
