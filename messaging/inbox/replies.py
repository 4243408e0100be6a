"""Replies of members: accepted like API messages, and sent once if the form is submitted twice."""

from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from pydantic import ValidationError
from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, NotFound, invalid
from core.ids import to_uuid
from core.live_updates import publish_update
from core.values.text import BadText, normalize_text
from messaging import search_index
from messaging.inbox import composed
from messaging.inbox.composed import ComposedCard
from messaging.inbox.conversations import ConversationSummary
from messaging.journeys import reasons as journey_reasons
from messaging.journeys.stops import stop_runs
from messaging.lines import direct_send, recipient_limits
from messaging.lines import repository as line_repository
from messaging.lines.capabilities import check_capability
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from messaging.messages.inbound import cases, handovers
from messaging.messages.kinds.reaction import ReactionFields
from messaging.messages.media.uploads import UploadedFile
from messaging.models import Line
from tenants import idempotency
from tenants.audit import current_actor
from tenants.idempotency import InterruptedRequest, StoredResponse
from tenants.plans.catalog import current_tenant_facts

LONGEST_TEXT, LONGEST_CAPTION = 4096, 1024
WINDOW_CLOSED = "window_closed"

# A reply marks all earlier messages as read.
RECORD_REPLY = text("""
UPDATE conversations SET last_message_id = :message_id, last_at = :now, closed_at = NULL,
       unread = 0, draft = '', returned_at = NULL, queued_at = NULL, waiting_since = NULL,
       assigned_at = CASE WHEN assigned_to IS NULL AND CAST(:person_id AS uuid) IS NOT NULL
                          THEN :now ELSE assigned_at END,
       assigned_to = coalesce(assigned_to, CAST(:person_id AS uuid))
 WHERE tenant_id = :tenant_id AND id = :id
""")


@dataclass(frozen=True)
class Reply:
    """A reply from an entry point. `once` is created with the form and identifies it."""

    once: str
    text: str = ""
    reply_to: str = ""
    file: UploadedFile | None = None
    place: tuple[float, float, str] | None = None
    template: tuple[str, str, Any] | None = None
    """Name, language, and the values as `POST /messages` has them in `parameters`."""
    card: ComposedCard | None = None
    template_file: UploadedFile | None = None
    """The file above a template's text, of which `template` has the link."""


def reply_obstacle(talk: ConversationSummary, line: Line | None) -> str:
    """Return why nothing can be sent in this conversation, as a code for the page; "" if it can."""
    if line is None:
        return "line_removed"
    if not line.enabled:
        return "line_disabled"
    if talk.blocked:
        return "blocked"
    if not talk.address:
        return "no_address"
    left = talk.window_left()
    if DRIVERS[line.kind].has_reply_window and (left is None or not left):
        return WINDOW_CLOSED
    return ""


def has_direct_send(obstacle: str, line: Line | None) -> bool:
    """Whether texts and buttons can be sent although the window is closed, as utility messages."""
    return obstacle == WINDOW_CLOSED and line is not None and line.direct_send == direct_send.ON


def conversation_line(talk: ConversationSummary) -> Line | None:
    try:
        return line_repository.get(talk.line_id)
    except NotFound:
        return None


def send_reply(talk: ConversationSummary, answer: Reply) -> str:
    """Send a reply and return its message id.

    If the same form was sent before, returns the id of the first message.
    """
    line = conversation_line(talk)
    hurdle = reply_obstacle(talk, line)
    sends_directly = answer.template is None and has_direct_send(hurdle, line)
    sends_template = answer.template is not None and hurdle == WINDOW_CLOSED
    if line is None or (hurdle and not sends_template and not sends_directly):
        raise Conflict(
            hurdle or "line_removed", "Messages cannot be sent in this conversation now."
        )
    known = idempotency.begin(f"inbox:{answer.once}"[:255], _fingerprint(talk, answer))
    if isinstance(known, StoredResponse):
        return known.body
    if isinstance(known, InterruptedRequest):
        return known.made
    # Before the message is accepted: a worker that continues a journey locks in this order too.
    stop_runs(talk.contact_id, journey_reasons.PERSON_ANSWERED, test=line.test)
    draft = message_accept.check_template_draft(draft_of(talk, answer), line)
    if sends_directly:
        draft = _as_direct_send(draft, line)
    check_capability(line.kind, draft.kind, draft.content)
    accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    idempotency.finish(f"inbox:{answer.once}"[:255], StoredResponse(200, {}, accepted.id))
    record_reply(talk, accepted.id)
    if talk.held_by:
        handovers.take_over(talk.id)
    search_index.add_words(talk.id, search_index.words_of(draft.text))
    publish_update("conversations.changed", id=talk.id, message=accepted.id)
    return accepted.id


def react(talk: ConversationSummary, message_id: str, emoji: str) -> str:
    """React to one of the customer's messages with an emoji; empty removes it. Returns the id."""
    line = conversation_line(talk)
    if line is None or reply_obstacle(talk, line):
        raise Conflict("line_removed", "Messages cannot be sent in this conversation now.")
    if not message_id:
        raise invalid("message", "message_missing", "Choose the message to react to.")
    target = message_queries.get(message_id)
    if target.line_id != talk.line_id or target.network_id is None or target.direction != "in":
        raise NotFound()
    try:
        fields = ReactionFields(message_id=target.network_id, emoji=emoji)
    except ValidationError:
        raise invalid("emoji", "invalid_emoji", "Choose one emoji.") from None
    content = {**message_accept.author_field(), **composed.content_of(fields)}
    check_capability(line.kind, "reaction", content)
    draft = MessageDraft("reaction", talk.address, fields.message_text(), content)
    accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    publish_update("conversations.changed", id=talk.id, message=accepted.id)
    return accepted.id


def _as_direct_send(draft: MessageDraft, line: Line) -> MessageDraft:
    if not direct_send.can_send_directly(line, draft.kind, draft.content):
        raise invalid(
            "text",
            "not_by_direct_send",
            "Direct Send delivers only texts, buttons and link buttons. Send anything else after "
            "the customer has written again.",
        )
    return replace(
        draft,
        content=direct_send.as_direct_send(draft.content),
        category=direct_send.CATEGORY,
        counts_recipient=recipient_limits.limit_of(line) is not None,
    )


def draft_of(talk: ConversationSummary, answer: Reply) -> MessageDraft:
    content: dict[str, Any] = message_accept.author_field()
    if answer.reply_to:
        quoted = message_queries.get(answer.reply_to)
        if quoted.line_id == talk.line_id and quoted.network_id:
            content["reply_to"] = quoted.network_id
    if answer.template is not None:
        name, language, parameters = answer.template
        content |= {
            "name": checked_text(name, "template", 512),
            "language": checked_text(language, "language", 15),
            "parameters": _checked_values(parameters),
        }
        return MessageDraft("template", talk.address, content=content, category="utility")
    if answer.place is not None:
        latitude, longitude, name = answer.place
        if abs(latitude) > 90 or abs(longitude) > 180:
            raise invalid("place", "invalid_place", "This location is not valid.")
        content |= {"latitude": latitude, "longitude": longitude}
        if name.strip():
            content["name"] = checked_text(name, "place", 200)
        return MessageDraft("location", talk.address, content=content)
    if answer.card is not None:
        fields = composed.message_fields(answer.card, answer.text)
        content |= composed.content_of(fields)
        return MessageDraft(answer.card.kind, talk.address, fields.message_text(), content)
    if answer.file is not None:
        caption = checked_text(answer.text, "text", LONGEST_CAPTION) if answer.text.strip() else ""
        content |= answer.file.as_content()
        return MessageDraft(answer.file.kind, talk.address, text=caption, content=content)
    return MessageDraft(
        "text", talk.address, checked_text(answer.text, "text", LONGEST_TEXT), content
    )


def _checked_values(given: Any) -> Any:
    """Values of a template: texts, or an object with header, body and buttons."""
    if isinstance(given, str):
        return checked_text(given, "parameters", 2000)
    if isinstance(given, dict):
        return {name: _checked_values(one) for name, one in given.items()}
    if isinstance(given, list):
        return [_checked_values(one) for one in given]
    return given


def checked_text(written: str, field: str, most: int) -> str:
    try:
        checked = normalize_text(written)
    except BadText as error:
        raise invalid(field, error.code, "{fault}", fault=str(error)) from None
    if not checked:
        raise invalid(field, f"empty_{field}", "Enter some text first.")
    if len(checked) > most:
        raise Invalid(
            f"long_{field}", "The text is too long. Use at most {most} characters.", most=most
        )
    return checked


def record_reply(talk: ConversationSummary, message_id: str, person_id: str | None = None) -> None:
    """`person_id`: who wrote it, if not the person of this request."""
    actor, moment = current_actor(), now()
    if person_id is None and actor.kind == "person":
        person_id = actor.id
    db.session.execute(
        RECORD_REPLY,
        {
            "tenant_id": current_tenant_id(),
            "id": str(to_uuid("cnv", talk.id)),
            "message_id": str(to_uuid("msg", message_id)),
            "person_id": str(to_uuid("per", person_id)) if person_id else None,
            "now": moment,
        },
    )
    if person_id:
        cases.record_first_reply(talk.id, person_id, moment)


def _fingerprint(talk: ConversationSummary, answer: Reply) -> str:
    parts = (talk.id, answer.text, answer.place, answer.template, answer.file is None, answer.card)
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
