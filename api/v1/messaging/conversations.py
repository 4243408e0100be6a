"""The inbox in the API: conversations, their messages, assignments and labels."""

from typing import Any

from flask import Response, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import idempotent
from api.paging import PageQuery, page
from api.v1 import v1
from api.v1.schemas.messaging.conversations import (
    ConversationChange,
    ConversationPage,
    ConversationPath,
    ConversationQuery,
    ConversationRead,
    ConversationShape,
    LabelList,
    LabelPath,
    LabelShape,
    NewLabel,
)
from api.v1.schemas.messaging.message_json import message_json
from api.v1.schemas.messaging.messages import MessagePage
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import Invalid, NotFound
from messaging.api_caller import ApiCaller
from messaging.inbox import conversation_actions, thread, typing_indicator
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationFilters, ConversationSummary
from messaging.inbox.team import labels as conversation_labels
from messaging.inbox.team import snooze
from messaging.inbox.team.labels import LabelName
from messaging.models import Label

TAG = Tag(name="Conversations")


@v1.get(
    "/conversations", tags=[TAG], summary="List conversations", responses={200: ConversationPage}
)
@key_may("messages:read", test_keys=True)
def list_conversations(query: ConversationQuery) -> dict[str, Any]:
    caller: ApiCaller = g.caller
    filters = ConversationFilters(
        view=query.view,
        line_id=query.instance_id,
        query=(query.q or "").strip(),
        line_ids=caller.visible_line_ids,
        label_id=query.label or "",
    )
    with tenant_scope(g.tenant_id):
        found = inbox_conversations.list_conversations(filters, query.after, query.limit + 1)
    return page(found, query, lambda one: one.cursor, conversation_json)


@v1.get(
    "/conversations/<conversation_id>",
    tags=[TAG],
    summary="Get a conversation",
    responses={200: ConversationShape},
)
@key_may("messages:read", test_keys=True)
def read_conversation(path: ConversationPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return conversation_json(_get(path.conversation_id))


@v1.patch(
    "/conversations/<conversation_id>",
    tags=[TAG],
    summary="Update a conversation",
    responses={200: ConversationShape},
)
@key_may("messages:send", test_keys=True)
def change_conversation(path: ConversationPath, body: ConversationChange) -> dict[str, Any]:
    given = body.model_fields_set
    if not given & {"state", "assigned_to", "unread", "labels", "snoozed_until"}:
        raise Invalid(
            "nothing_to_change",
            "Set at least one of `state`, `assigned_to`, `unread`, `labels` and `snoozed_until`.",
        )
    with tenant_scope(g.tenant_id):
        talk = _get(path.conversation_id)
        if "assigned_to" in given:
            conversation_actions.assign(talk.id, body.assigned_to or None)
        if body.state is not None:
            (conversation_actions.close if body.state == "closed" else conversation_actions.reopen)(
                talk.id
            )
        if body.unread is not None:
            (conversation_actions.mark_unread if body.unread else conversation_actions.mark_read)(
                talk.id
            )
        if body.labels is not None:
            conversation_labels.set_labels(talk.id, body.labels)
        if body.snoozed_until is not None:
            snooze.snooze(talk.id, body.snoozed_until)
        elif "snoozed_until" in given:
            snooze.unsnooze(talk.id)
        return conversation_json(inbox_conversations.get(talk.id))


@v1.post(
    "/conversations/<conversation_id>/read",
    tags=[TAG],
    summary="Mark a conversation as read",
    responses={200: ConversationShape},
)
@key_may("messages:send", test_keys=True)
def mark_conversation_read(path: ConversationPath, body: ConversationRead) -> dict[str, Any]:
    """Marks it read in the inbox and on the customer's phone. With `typing`, the customer also
    sees that somebody types, if they wrote in the last 30 days.
    """
    with tenant_scope(g.tenant_id):
        talk = _get(path.conversation_id)
        conversation_actions.mark_read(talk.id)
        if body.typing:
            typing_indicator.show_typing(talk)
        return conversation_json(inbox_conversations.get(talk.id))


@v1.get(
    "/conversations/<conversation_id>/messages",
    tags=[TAG],
    summary="List the messages of a conversation",
    responses={200: MessagePage},
)
@key_may("messages:read", test_keys=True)
def list_conversation_messages(path: ConversationPath, query: PageQuery) -> dict[str, Any]:
    """Newest first, without the notes of colleagues."""
    with tenant_scope(g.tenant_id):
        talk = _get(path.conversation_id)
        rows = thread.list_messages(talk, query.after or "", query.limit + 1)
    return page(rows, query, lambda row: row.id, message_json)


def _get(conversation_id: str) -> ConversationSummary:
    talk = inbox_conversations.get(conversation_id)
    if not _may_see(talk):
        raise NotFound()
    return talk


def _may_see(talk: ConversationSummary) -> bool:
    caller: ApiCaller = g.caller
    return caller.visible_line_ids is None or talk.line_id in caller.visible_line_ids


def conversation_json(talk: ConversationSummary) -> dict[str, Any]:
    return {
        "id": talk.id,
        "instance_id": talk.line_id,
        "contact_id": talk.contact_id,
        "name": talk.contact_name,
        "username": talk.username or None,
        "phone": talk.phone or None,
        "state": "closed" if talk.closed_at else "open",
        "unread": talk.unread,
        "assigned_to": talk.assigned_to,
        "window_until": rfc3339(talk.window_until) if talk.window_until else None,
        "handled_by": talk.held_by or "team",
        "labels": list(talk.label_ids),
        "snoozed_until": rfc3339(talk.snoozed_until) if talk.snoozed_until else None,
        "last_at": rfc3339(talk.last_at),
        "last_message": {
            "id": talk.last_message_id,
            "direction": talk.last_direction,
            "type": talk.last_kind,
            "text": talk.last_text,
            "status_code": talk.last_state,
        },
    }


@v1.get("/labels", tags=[TAG], summary="List labels", responses={200: LabelList})
@key_may("messages:read")
def list_labels() -> dict[str, Any]:
    """Labels tell what a conversation is about. Tags of contacts tell who a person is."""
    with tenant_scope(g.tenant_id):
        return {"data": [label_json(one) for one in conversation_labels.list_labels()]}


@v1.post("/labels", tags=[TAG], summary="Create a label", responses={201: LabelShape})
@key_may("messages:send")
@idempotent
def create_label(body: NewLabel) -> tuple[dict[str, Any], int]:
    return label_json(conversation_labels.save(body.name, body.colour)), 201


@v1.patch("/labels/<label_id>", tags=[TAG], summary="Change a label", responses={200: LabelShape})
@key_may("messages:send")
def change_label(path: LabelPath, body: NewLabel) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return label_json(conversation_labels.save(body.name, body.colour, path.label_id))


@v1.delete("/labels/<label_id>", tags=[TAG], summary="Delete a label", responses={204: None})
@key_may("messages:send")
def delete_label(path: LabelPath) -> Response:
    """Conversations keep everything else."""
    with tenant_scope(g.tenant_id):
        conversation_labels.remove(path.label_id)
    return Response(status=204)


def label_json(label: Label | LabelName) -> dict[str, Any]:
    return {"id": label.id, "name": label.name, "colour": label.colour}
