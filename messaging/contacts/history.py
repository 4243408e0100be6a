"""The messages and conversations of a contact, over all its identities."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from core.db import current_tenant_id, db
from messaging.contacts.cards import ContactCard, addresses_of
from messaging.models import Conversation, Line, Message


@dataclass(frozen=True)
class ConversationSummary:
    line_name: str
    last_at: datetime
    window_until: datetime | None
    unread: int


def list_messages(card: ContactCard, after: str | None, limit: int) -> list[Message]:
    """Return messages, newest first, with one index scan per address."""
    found: list[Message] = []
    for name in addresses_of(card):
        query = (
            select(Message)
            .where(Message.tenant_id == current_tenant_id(), Message.phone == name)
            .order_by(Message.id.desc())
            .limit(limit)
        )
        if after:
            query = query.where(Message.id < after)
        found += db.session.scalars(query)
    return sorted(found, key=lambda one: one.id, reverse=True)[:limit]


def list_conversations(contact_id: str) -> list[ConversationSummary]:
    rows = db.session.execute(
        select(Line.name, Conversation.last_at, Conversation.window_until, Conversation.unread)
        .join(
            Line,
            (Line.tenant_id == current_tenant_id()) & (Line.id == Conversation.line_id),
        )
        .where(Conversation.tenant_id == current_tenant_id(), Conversation.contact_id == contact_id)
        .order_by(Conversation.last_at.desc())
    )
    return [ConversationSummary(*row) for row in rows]
