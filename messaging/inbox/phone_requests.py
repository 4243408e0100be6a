"""Ask a customer without a phone number for it. The answer is linked in messages/receive.py."""

from core.errors import Conflict
from core.live_updates import publish_update
from messaging.inbox import replies
from messaging.inbox.conversations import ConversationSummary
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.models import Line
from tenants.plans.catalog import current_tenant_facts

KIND = "contact_request"


def can_ask(talk: ConversationSummary, line: Line | None) -> bool:
    """Whether the number is unknown and the line can ask for it now."""
    if talk.phone or line is None or replies.reply_obstacle(talk, line):
        return False
    return DRIVERS[line.kind].capability(MESSAGE_KINDS[KIND]) == "yes"


def ask_for_phone(talk: ConversationSummary, body: str) -> str:
    """Send the request and return its message id. Raises Conflict if it cannot be sent."""
    line = replies.conversation_line(talk)
    if line is None or not can_ask(talk, line):
        raise Conflict(
            "cannot_ask", "The phone number cannot be requested in this conversation now."
        )
    content = {**message_accept.author_field(), "interactive": {"body": body}}
    draft = MessageDraft(KIND, talk.address, text=body, content=content)
    accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    replies.record_reply(talk, accepted.id)
    publish_update("conversations.changed", id=talk.id, message=accepted.id)
    return accepted.id
