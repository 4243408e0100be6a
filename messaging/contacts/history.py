"""The messages and conversations of a contact, over all its identities."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, and_, bindparam, exists, or_, select

from core.db import THIS_TENANT, read_rows
from messaging.contacts.cards import ContactCard, addresses_in, addresses_of
from messaging.models import Conversation, FormerIdentity, Line, Message


@dataclass(frozen=True)
class ConversationSummary:
    line_name: str
    last_at: datetime
    window_until: datetime | None
    unread: int


FORMER_OWNER = exists().where(
    FormerIdentity.tenant_id == THIS_TENANT,
    FormerIdentity.contact_id == Message.contact_id,
    or_(FormerIdentity.value == Message.phone, FormerIdentity.spelling == Message.phone),
)
MESSAGES = (
    select(
        Message.id,
        Message.line_id,
        Message.direction,
        Message.kind,
        Message.text,
        Message.content,
        Message.state,
        Message.created_at,
    )
    .where(
        Message.tenant_id == THIS_TENANT,
        Message.phone == bindparam("phone"),
        or_(
            Message.contact_id == bindparam("contact_id"),
            # A number may have had another owner.
            and_(bindparam("is_current", type_=Boolean), ~FORMER_OWNER),
        ),
    )
    .order_by(Message.id.desc())
    .limit(bindparam("most"))
)
CONVERSATIONS = (
    select(Line.name, Conversation.last_at, Conversation.window_until, Conversation.unread)
    .join(Line, (Line.tenant_id == THIS_TENANT) & (Line.id == Conversation.line_id))
    .where(
        Conversation.tenant_id == THIS_TENANT, Conversation.contact_id == bindparam("contact_id")
    )
    .order_by(Conversation.last_at.desc())
)


def list_messages(card: ContactCard, after: str | None, limit: int) -> list[Any]:
    """Return messages, newest first, with what a list of them shows; one index scan per address."""
    query = MESSAGES.where(Message.id < after) if after else MESSAGES
    found: list[Any] = []
    current = set(addresses_in(card.identities))
    for name in addresses_of(card):
        params = {"contact_id": card.id, "is_current": name in current}
        found += read_rows(query, {"phone": name, "most": limit} | params)
    return sorted(found, key=lambda one: str(one.id), reverse=True)[:limit]


def list_conversations(contact_id: str) -> list[ConversationSummary]:
    rows = read_rows(CONVERSATIONS, {"contact_id": contact_id})
    return [ConversationSummary(*row) for row in rows]
