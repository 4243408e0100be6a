"""Tools that write to people. A person approves what they send, unless the app's policy allows it
without.
"""

from typing import Annotated, Any

from flask import current_app
from pydantic import Field

from api.mcp.tools.base import Arguments, Tool, ToolCall, WriteArguments
from api.mcp.tools.contacts import find_conversation
from api.v1.messaging.templates import template_json
from api.v1.schemas.messaging.message_json import (
    accepted_message_json,
    held_message_json,
    message_json,
)
from api.v1.schemas.messaging.messages import (
    LONGEST_TEXT,
    Parameters,
    TemplateRequest,
    TextRequest,
    draft_of_template,
    draft_of_text,
)
from core.errors import Conflict, NotFound
from core.values.field_checks import required_text
from messaging.approvals import queries as held_queries
from messaging.approvals import submit
from messaging.inbox import replies
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.messages.accept import AcceptedMessage, MessageDraft
from messaging.models import Line
from messaging.templates import repository as template_repository
from messaging.templates.repository import TemplateFilters

PHONE = Field(max_length=24, description="Country code first, digits only.")
Text = Annotated[str, required_text("text", LONGEST_TEXT)]
TEXT = Field(description="The text that the customer reads, at most 4096 characters.")
LINE = Field(None, description="The line to send from; empty: the default line.")
REFERENCE = Field(None, max_length=64, description="Your own reference, returned everywhere.")


class DraftReply(WriteArguments):
    conversation_id: str = Field(max_length=64, description="Such as cnv_01J….")
    text: Text = TEXT


def draft_reply(call: ToolCall, given: DraftReply) -> dict[str, Any]:
    talk = find_conversation(call, given.conversation_id)
    line = replies.conversation_line(talk)
    obstacle = replies.reply_obstacle(talk, line)
    if line is None or obstacle:
        raise Conflict(
            obstacle or "line_removed", "Messages cannot be sent in this conversation now."
        )
    draft = MessageDraft("text", talk.address, given.text)
    return _submitted(call, draft, line, always_hold=True)


class SendMessage(WriteArguments):
    phone: str = PHONE
    text: Text = TEXT
    instance_id: int | None = LINE
    reference: str | None = REFERENCE


def send_message(call: ToolCall, given: SendMessage) -> dict[str, Any]:
    body = TextRequest.model_validate(
        {
            "phone": given.phone,
            "message": given.text,
            "instance_id": given.instance_id,
            "reference": given.reference,
        }
    )
    return _submitted(call, draft_of_text(body), _line(call, given.instance_id))


class SendTemplate(WriteArguments):
    phone: str = PHONE
    name: str = Field(min_length=1, max_length=512, description="The template's name.")
    language: str = Field(min_length=2, max_length=15, description="Such as tr or en_US.")
    parameters: Parameters = Field(default_factory=list)
    instance_id: int | None = LINE
    reference: str | None = REFERENCE


def send_template(call: ToolCall, given: SendTemplate) -> dict[str, Any]:
    body = TemplateRequest.model_validate(given.model_dump(exclude={"idempotency_key"}))
    return _submitted(call, draft_of_template(body), _line(call, given.instance_id))


class GetMessage(Arguments):
    id: str = Field(max_length=200, description="The id that a sending tool returned.")


def get_message(call: ToolCall, given: GetMessage) -> dict[str, Any]:
    lines = call.caller.visible_line_ids
    try:
        return {"message": message_json(message_queries.get(given.id, lines))}
    except NotFound:
        return {"message": held_message_json(held_queries.find(given.id, lines))}


class ListTemplates(Arguments):
    name: str = Field("", max_length=120, description="Part of the name; empty: all.")


def list_templates(call: ToolCall, given: ListTemplates) -> dict[str, Any]:
    allowed = call.caller.visible_line_ids
    lines = [
        line
        for line in line_repository.list_lines()
        if line.test or allowed is None or line.id in allowed
    ]
    filters = TemplateFilters(state="approved", name=given.name)
    found = template_repository.list_templates(filters, limit=50)
    shown = [one for one in found if template_repository.lines_of(one, lines)]
    return {"templates": [template_json(one, lines) for one in shown]}


def _line(call: ToolCall, line_id: int | None) -> Line:
    caller = call.caller
    route = line_repository.choose_route(
        caller.lines, line_id, test=caller.test, allowed=caller.key.line_ids
    )
    return line_repository.get(route.id)


def _submitted(
    call: ToolCall, draft: MessageDraft, line: Line, *, always_hold: bool = False
) -> dict[str, Any]:
    accepted = submit.submit_message(
        call.app, draft, line, call.caller.tenant, always_hold=always_hold
    )
    return {"message": _accepted(accepted), "next_step": _next_step(accepted)}


def _accepted(accepted: AcceptedMessage) -> dict[str, Any]:
    found = accepted_message_json(accepted, None)
    return {name: value for name, value in found.items() if name != "status"}


def _next_step(accepted: AcceptedMessage) -> str:
    if accepted.state != "held":
        return "The message is being sent. get_message shows its state."
    page = f"{current_app.extensions['comanda'].base_url}/approvals"
    return f"Nothing was sent yet. A member approves or rejects the message at {page}."


HELD = "A person must approve it first, unless the business allows this app more."

DRAFT_REPLY = Tool(
    "draft_reply",
    "Draft reply",
    "Writes a reply to a conversation and gives it to a person, who approves or rejects it. "
    "It is never sent without approval.",
    "messages:send",
    DraftReply,
    draft_reply,
    test_keys=True,
    reads_only=False,
)
SEND_MESSAGE = Tool(
    "send_message",
    "Send message",
    f"Sends a text to a phone number. {HELD} Possible only within 24 hours after the customer "
    "wrote, on lines of the WhatsApp Cloud API; use send_template otherwise.",
    "messages:send",
    SendMessage,
    send_message,
    test_keys=True,
    reads_only=False,
    reaches_people=True,
)
SEND_TEMPLATE = Tool(
    "send_template",
    "Send template",
    f"Sends an approved template to a phone number, also when the customer has not written. {HELD}",
    "messages:send",
    SendTemplate,
    send_template,
    test_keys=True,
    reads_only=False,
    reaches_people=True,
)
GET_MESSAGE = Tool(
    "get_message",
    "Get message",
    "Shows one message and its state: held, queued, sent, delivered, read, failed, cancelled "
    "(also: rejected by a person) or expired.",
    "messages:read",
    GetMessage,
    get_message,
    test_keys=True,
)
LIST_TEMPLATES = Tool(
    "list_templates",
    "List templates",
    "Lists approved templates with their text and the places to fill in.",
    "messages:read",
    ListTemplates,
    list_templates,
    test_keys=True,
)
