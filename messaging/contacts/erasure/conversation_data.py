"""What waits to happen in the conversations of a contact ends when the contact is deleted."""

from typing import Any

from sqlalchemy import select

from core.db import current_tenant_id, db
from core.storage.pending_deletions import delete_later
from messaging.journeys import reasons as journey_reasons
from messaging.journeys.stops import stop_runs
from messaging.models import Conversation, ScheduledReply
from tenants.push import notifications


def end_waiting(contact_id: str) -> None:
    """Before the contact's row is deleted, and with it the conversations, their labels, cases and
    scheduled replies.
    """
    stop_runs(contact_id, journey_reasons.CONTACT_DELETED)
    conversation_ids = list(db.session.scalars(_conversations(contact_id)))
    notifications.drop_conversations(conversation_ids)
    replies = db.session.execute(
        select(ScheduledReply.content).where(
            ScheduledReply.tenant_id == current_tenant_id(),
            ScheduledReply.conversation_id.in_(conversation_ids),
            ScheduledReply.state != "sent",  # its file belongs to the message
        )
    )
    delete_later(key for row in replies for key in _files(row.content))


def _conversations(contact_id: str) -> Any:
    return select(Conversation.id).where(
        Conversation.tenant_id == current_tenant_id(), Conversation.contact_id == contact_id
    )


def _files(content: dict[str, Any]) -> list[str]:
    header = content.get("header_file")
    return [key for key in (content.get("blob"), header[0] if header else None) if key]
