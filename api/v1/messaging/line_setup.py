"""Add, change, check and delete lines in the API."""

import json
from typing import Any

from flask import Response, current_app, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.messaging.instances import instance_json, visible
from api.v1.schemas.messaging.instances import (
    CheckedInstance,
    InstanceChange,
    InstancePath,
    NewCloudInstance,
    NewInstance,
)
from core.db import tenant_scope
from core.errors import Conflict, FieldError, Forbidden, Invalid, NotFound, invalid
from core.settings import Settings
from core.values.phone import BadPhone, check_phone
from messaging.lines import direct_send, live_check, send_lane
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.driver import LineProblem
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Line
from messaging.reasons import NETWORK_REASONS

TAG = Tag(name="Instances")
# The field that a refusal of the network is about.
FIELDS = {"token_expired": "token"}


def _may_add_lines() -> None:
    if g.caller.key.line_ids is not None:
        raise Forbidden(
            "line_not_allowed", "This key is restricted to certain lines and cannot add lines."
        )


def _check_new_line(body: NewInstance) -> list[LineProblem]:
    cloud = body.cloud()
    return [] if cloud is None else check_new_cloud_line(cloud)


def _with_webhook(answer: Response) -> Response:
    """Stored responses have no verify token: it is added each time."""
    body = json.loads(answer.get_data())
    try:
        body["webhook"] = webhook_json(line_repository.get(body["id"]))
    except NotFound:
        return answer
    answer.set_data(json.dumps(body, ensure_ascii=False))
    return answer


@v1.post(
    "/instances",
    tags=[TAG],
    summary="Add a line",
    responses={201: CheckedInstance, 409: ErrorBody},
)
@key_may("lines")
@idempotent(check=_may_add_lines, prepare=_check_new_line, complete=_with_webhook)
def add_instance(body: NewInstance, prepared: list[LineProblem]) -> JsonAnswer:
    """A cloud line is checked with WhatsApp first: a token, ID or number that cannot send is
    refused with the reason. A linked line is not linked yet: start its pairing next and show the
    QR code. It uses an unofficial client of the network, which may restrict the number.
    """
    cloud = body.cloud()
    if cloud is not None:
        line = add_cloud_line(cloud, prepared)
    else:
        line = pairing.add_linked_line(body.name, network=_settings().linked_network)
    where = {"Location": f"/api/v1/instances/{line.id}"}
    return checked_json(line, prepared), 201, where


@v1.patch(
    "/instances/<int:instance_id>",
    tags=[TAG],
    summary="Change a line",
    responses={200: CheckedInstance},
)
@key_may("lines")
def change_instance(path: InstancePath, body: InstanceChange) -> dict[str, Any]:
    """Missing fields stay unchanged. A new token is checked with WhatsApp before it replaces the
    old one.
    """
    with tenant_scope(g.tenant_id):
        line = visible(path.instance_id)
    if {"token", "app_secret", "account_id"} & body.model_fields_set:
        _check_has_access(line)
    found = []
    if body.token is not None:
        facts = _facts(line.phone_number_id or "", body.token, body.app_secret or "")
        found = check_credentials(facts, body.account_id or line.account_id or "")
    with tenant_scope(g.tenant_id):
        line = visible(path.instance_id)
        _change(line, body)
        if body.token is not None:
            live_check.store_findings(line.id, found)
        return {**checked_json(line, found), "webhook": webhook_json(line)}


@v1.post(
    "/instances/<int:instance_id>/check",
    tags=[TAG],
    summary="Check a cloud line with WhatsApp",
    responses={200: CheckedInstance, 409: ErrorBody},
)
@key_may("lines")
def check_instance(path: InstancePath) -> dict[str, Any]:
    """Asks WhatsApp about the token, the number and the webhook, and answers in words what is
    wrong. The line's state follows from it.
    """
    with tenant_scope(g.tenant_id):
        line = visible(path.instance_id)
    if not DRIVERS[line.kind].has_access_token:
        raise _not_a_cloud_line()
    found = live_check.check_saved_line(_settings(), line)
    with tenant_scope(g.tenant_id):
        live_check.store_findings(path.instance_id, found)
        line = visible(path.instance_id)
        return {**checked_json(line, found), "webhook": webhook_json(line)}


@v1.delete(
    "/instances/<int:instance_id>",
    tags=[TAG],
    summary="Delete a line",
    responses={204: None},
)
@key_may("lines")
def delete_instance(path: InstancePath) -> tuple[str, int]:
    """Waiting messages are not sent, and the credentials are deleted. Sent messages stay. A linked
    phone is logged out.
    """
    with tenant_scope(g.tenant_id):
        remove_line(visible(path.instance_id))
    return "", 204


def remove_line(line: Line) -> None:
    if DRIVERS[line.kind].has_sessions and line.state not in ("unpaired", "logged_out"):
        pairing.end_session(line.id)
    line_removal.remove(line.id)


def check_new_cloud_line(body: NewCloudInstance) -> list[LineProblem]:
    """Outside a transaction. Raises Invalid if the line could not send."""
    try:
        check_phone(body.phone)
    except BadPhone as error:
        raise invalid("phone", "invalid_phone", "{fault}", fault=str(error)) from None
    facts = _facts(body.phone_number_id, body.token, body.app_secret)
    return check_credentials(facts, body.account_id or "")


def add_cloud_line(body: NewCloudInstance, found: list[LineProblem]) -> Line:
    return line_repository.add_cloud_line(
        body.name,
        body.phone,
        body.phone_number_id,
        body.token,
        body.app_secret,
        account_id=body.account_id or "",
        unreached=live_check.unreachable_reason(found),
    )


def check_credentials(facts: LineFacts, account_id: str) -> list[LineProblem]:
    """Ask the network. Raises Invalid with every reason for which the line could not send."""
    found = live_check.check_new_credentials(_settings(), facts, account_id)
    stops = live_check.blocking_problems(found)
    if stops:
        first = problem_json(stops[0])
        refusal = Invalid(first["code"], "{reason}", reason=first["message"])
        refusal.faults = [
            FieldError(
                FIELDS.get(one.code, "phone_number_id"), one.code, problem_json(one)["message"]
            )
            for one in stops
        ]
        raise refusal
    return found


def checked_json(line: Line, found: list[LineProblem]) -> dict[str, Any]:
    return {
        **instance_json(line),
        "webhook": None,
        "problems": [problem_json(one) for one in found],
    }


def problem_json(problem: LineProblem) -> dict[str, str]:
    return {"code": problem.code, "message": NETWORK_REASONS.english(problem.reason)}


def webhook_json(line: Line) -> dict[str, str] | None:
    if not DRIVERS[line.kind].has_access_token or not line.verify_token:
        return None
    url = live_check.callback_url(_settings(), line)
    return {"callback_url": url, "verify_token": line.verify_token}


def _change(line: Line, body: InstanceChange) -> None:
    if body.name is not None:
        line_repository.rename(line.id, body.name)
    if body.account_id is not None:
        line_repository.set_account(line.id, body.account_id)
    if body.token is not None:
        line_repository.replace_credentials(line.id, body.token, body.app_secret or "")
    elif body.app_secret is not None:
        line_repository.replace_credentials(line.id, line.token or "", body.app_secret)
    if body.enabled is not None:
        line_repository.set_enabled(line.id, body.enabled)
        if body.enabled:
            send_lane.wake_waiting_messages()
    if "fallback_instance_id" in body.model_fields_set:
        _set_fallback(line, body.fallback_instance_id)
    if body.direct_send is not None:
        direct_send.set_direct_send(line.id, body.direct_send == direct_send.ON)


def _set_fallback(line: Line, other_id: int | None) -> None:
    allowed = g.caller.key.line_ids
    if other_id is not None and allowed is not None and other_id not in allowed:
        raise Forbidden(
            "line_not_allowed",
            "This key does not have access to the line {line}.",
            line=other_id,
        )
    line_repository.set_fallback(line.id, other_id, field="fallback_instance_id")


def _check_has_access(line: Line) -> None:
    if not DRIVERS[line.kind].has_access_token or line.network == "simulator":
        raise _not_a_cloud_line()


def _not_a_cloud_line() -> Conflict:
    return Conflict("not_a_cloud_line", "Only a cloud line has an access token.")


def _facts(phone_number_id: str, token: str, app_secret: str) -> LineFacts:
    return LineFacts(g.tenant_id, 0, "cloud", phone_number_id, token, app_secret)


def _settings() -> Settings:
    settings: Settings = current_app.extensions["comanda"]
    return settings
