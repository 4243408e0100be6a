"""Send messages of every type with one call, and preview them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from flask import Response, g
from flask_openapi3.types import ResponseDict

from api.auth import key_may
from api.schemas import ContactPath
from api.v1 import v1
from api.v1.messaging.contacts import TAG as CONTACTS
from api.v1.messaging.conversations import TAG as CONVERSATIONS
from api.v1.messaging.messages import TAG, send_prepared
from api.v1.schemas.messaging.conversations import ConversationPath
from api.v1.schemas.messaging.message_types import (
    AnyMessage,
    MessagePreview,
    MessageRequest,
    Recipient,
    RoutedMessageRequest,
    fields_of,
)
from api.v1.schemas.messaging.messages import SendAnswer, draft_with_options, media_url
from core.clock import now
from core.db import tenant_scope
from core.errors import NotFound, invalid
from core.values.money import json_number
from core.values.network_address import address_country, address_variants
from messaging.api_caller import ApiCaller
from messaging.costs.markets import OTHER
from messaging.inbox.message_targets import MessageTarget, contact_target, conversation_target
from messaging.lines import capabilities
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.repository import LineRoute
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import DEFAULT_VALIDITY, MessageDraft
from messaging.messages.kinds.fields import FileReference, ResolveFile
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.kinds.template import TemplateFields
from messaging.messages.media import library as media_library

SENT: ResponseDict = {200: SendAnswer, 202: SendAnswer}
PREVIEW_ID = "msg_00000000000000000000000000"


@v1.post("/messages", tags=[TAG], summary="Send any type of message", responses=SENT)
@key_may("messages:send", test_keys=True)
def send_message(body: MessageRequest) -> Response:
    """Text, media, buttons, lists, templates and more: the fields depend on `type`. The field `can`
    of a line lists the types that it sends.
    """

    return _send(body.root, lambda: _target_of(body.root.to))


@v1.post(
    "/conversations/<conversation_id>/messages",
    tags=[CONVERSATIONS],
    summary="Send a message in a conversation",
    responses=SENT,
)
@key_may("messages:send", test_keys=True)
def send_in_conversation(path: ConversationPath, body: RoutedMessageRequest) -> Response:
    """The body is that of `POST /messages` without `to`. The conversation's line sends, unless you
    name another one.
    """
    return _send(body.root, lambda: _conversation(path.conversation_id))


@v1.post(
    "/contacts/<contact_id>/messages",
    tags=[CONTACTS],
    summary="Send a message to a contact",
    responses=SENT,
)
@key_may("messages:send", test_keys=True)
def send_to_contact(path: ContactPath, body: RoutedMessageRequest) -> Response:
    """The body is that of `POST /messages` without `to`. Also reaches contacts without a phone
    number.
    """
    return _send(body.root, lambda: _contact(path.contact_id))


@v1.post(
    "/messages/preview",
    tags=[TAG],
    summary="Preview a message",
    responses={200: MessagePreview},
)
@key_may("messages:send", test_keys=True)
def preview_message(body: MessageRequest) -> dict[str, Any]:
    """Checks the message like a send and returns what would be sent and what it costs."""
    draft, line = _prepared(body.root, _target_of(body.root.to))
    caller: ApiCaller = g.caller
    with tenant_scope(g.tenant_id):
        draft = message_accept.check_template_draft(draft, line_repository.get(line.id))
    country = address_country(draft.phone) or OTHER
    price = caller.cards.quote(line, draft.phone, country, draft.category, now())
    kind, driver = MESSAGE_KINDS[draft.kind], DRIVERS[line.kind]
    sent_as = driver.capability(kind)
    text = draft.text
    if sent_as == "as_text" and kind.plain_text is not None:
        text = kind.plain_text(draft.content)
    envelope = Envelope(
        PREVIEW_ID, 1, g.tenant_id, line.id, draft.phone, draft.kind, draft.text, draft.content
    )
    return {
        "type": draft.kind,
        "text": text,
        "phone": draft.phone,
        "instance_id": line.id,
        "line_kind": line.kind,
        "sent_as": sent_as,
        "category": draft.category,
        "cost_usd": json_number(price),
        "test": line.test,
        "body": driver.request_body(envelope) if driver.request_body else None,
    }


def _target_of(to: Recipient) -> MessageTarget:
    """Raises Invalid for a contact or conversation that does not exist."""
    if to.phone is not None:
        return MessageTarget(phone=to.phone)
    try:
        if to.conversation_id is not None:
            return _conversation(to.conversation_id, "to.conversation_id")
        return _contact(str(to.contact_id), "to.contact_id")
    except NotFound:
        if to.conversation_id is not None:
            raise invalid(
                "to.conversation_id", "unknown_conversation", "No conversation has this id."
            ) from None
        raise invalid("to.contact_id", "unknown_contact", "No contact has this id.") from None


def _conversation(conversation_id: str, field: str = "conversation_id") -> MessageTarget:
    with tenant_scope(g.tenant_id):
        return conversation_target(conversation_id, g.caller.visible_line_ids, field)


def _contact(contact_id: str, field: str = "contact_id") -> MessageTarget:
    with tenant_scope(g.tenant_id):
        return contact_target(contact_id, g.caller.visible_line_ids, field)


def _send(request: AnyMessage, target: Callable[[], MessageTarget]) -> Response:
    def prepare() -> tuple[MessageDraft, int]:
        draft, line = _prepared(request, target())
        return draft, line.id

    return send_prepared(prepare)


def _prepared(request: AnyMessage, to: MessageTarget) -> tuple[MessageDraft, LineRoute]:
    """Look up recipient, line, files and quoted messages. Raises Invalid with the field's name."""
    caller: ApiCaller = g.caller
    line_id = request.instance_id or (None if caller.test else to.line_id)
    line = line_repository.choose_route(
        caller.lines, line_id, test=caller.test, allowed=caller.key.line_ids
    )
    address = to.address_on(line)
    fields = fields_of(request)
    content = fields.message_content(_file_resolver(request))
    capabilities.check_capability(line.kind, request.type, content)
    if "message_id" in content:
        content["message_id"] = _network_id(content["message_id"], "message_id", line, address)
    if request.reply_to is not None:
        content["reply_to"] = _network_id(request.reply_to, "reply_to", line, address)
    fallback: TemplateFields | None = getattr(request, "fallback_template", None)
    if fallback is not None:
        content["fallback"] = fallback.as_content()
    draft = draft_with_options(
        request,
        phone=address,
        kind=request.type,
        text=fields.message_text(),
        content=content,
        category=MESSAGE_KINDS[request.type].category,
    )
    return draft, line


def _network_id(name: str, field: str, line: LineRoute, phone: str) -> str:
    """The network's id of a message in the conversation of this line and this person."""
    with tenant_scope(g.tenant_id):
        try:
            message = message_queries.get(name, g.caller.visible_line_ids)
        except NotFound:
            message = None
    if (
        message is None
        or message.network_id is None
        or message.line_id != line.id
        or message.phone not in address_variants(phone)
    ):
        raise invalid(field, "unknown_message", "There is no such message in this conversation.")
    return message.network_id


def _file_resolver(request: AnyMessage) -> ResolveFile:
    sent_by = _last_moment(request)

    def resolve_file(reference: FileReference, place: str, kind: str) -> dict[str, Any]:
        before = f"{place}." if place else ""
        if reference.url is not None:
            return {"url": media_url(reference.url, f"{before}url")}
        field = f"{before}media_id"
        with tenant_scope(g.tenant_id):
            media = media_library.find(str(reference.media_id), test=g.caller.test)
            if media is None:
                raise invalid(field, "unknown_media", "No uploaded file has this id.")
            return media_library.content_for_message(media, field, kind, sent_by)

    return resolve_file


def _last_moment(request: AnyMessage) -> datetime:
    seconds = request.valid_for_seconds
    valid_for = DEFAULT_VALIDITY if seconds is None else timedelta(seconds=seconds)
    return max(request.scheduled_at or now(), now()) + valid_for
