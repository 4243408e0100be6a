"""Sends of connected apps: a person approves them, unless the app's policy allows them without."""

from flask import g

from api.idempotency import JsonAnswer, idempotent
from api.v1.schemas.messaging.message_json import accepted_message_json
from core.errors import Forbidden, invalid
from messaging.api_caller import ApiCaller
from messaging.approvals import submit
from messaging.approvals.submit import SendingApp
from messaging.lines import repository as line_repository
from messaging.messages.accept import MessageDraft
from tenants import api_keys
from tenants.models import ApiKey


def sending_app(key: ApiKey) -> SendingApp:
    """The key of a connected app is named "app, for person"."""
    name = key.name.removesuffix(f", for {key.created_by}") if key.app else key.name
    return SendingApp(key.id, name, key.created_by)


@idempotent
def submit_for_app(draft: MessageDraft, line_id: int | None) -> JsonAnswer:
    caller: ApiCaller = g.caller
    if draft.scheduled_at is not None:
        raise invalid("scheduled_at", "not_for_apps", "A connected app cannot schedule messages.")
    route = line_repository.choose_route(
        caller.lines, line_id, test=caller.test, allowed=caller.key.line_ids
    )
    app = sending_app(api_keys.get(caller.key.id))
    accepted = submit.submit_message(app, draft, line_repository.get(route.id), caller.tenant)
    location = f"/api/v1/messages/{accepted.id}"
    return accepted_message_json(accepted, None), 202, {"Location": location}


def refuse_app() -> None:
    """For actions that write to many people at once."""
    if g.get("by_app"):
        raise Forbidden(
            "person_needed", "A connected app cannot do this. A member does it in the portal."
        )
