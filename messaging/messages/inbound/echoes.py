"""Store messages that a line's number sent without us: typed on the phone, or by Meta's agent.

They are shown in the conversation. They cost nothing here, open no reply window, count as unread
nowhere, and nothing reacts to them.
"""

from datetime import datetime
from typing import Any
from unicodedata import normalize
from uuid import UUID

from psycopg2.extras import Json
from sqlalchemy import text

from core.clock import now, reported_time
from core.db import current_tenant_id, db
from core.ids import from_uuid, new_uuid, to_uuid
from core.live_updates import publish_update
from core.values.phone import phone_country
from messaging import search_index
from messaging.contacts import identities as contact_identities
from messaging.journeys import reasons as journey_reasons
from messaging.journeys.stops import stop_runs
from messaging.lines.drivers.base import META_AGENT, SENT_FROM_PHONE, EchoedMessage
from messaging.messages.content import content_fields, other_party
from messaging.messages.inbound import cases, edits
from messaging.messages.media import files as media_files
from messaging.models import Line
from webhooks.events import publish_webhook_event

# A reply on the phone marks earlier messages as read, as a reply in the inbox does.
STORE_ECHO = text("""
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, contact_id, text, content,
                      state, priority, attempt, network_id, country, category, quoted_usd,
                      cost_usd, test, created_at, changed_at)
VALUES (:tenant_id, :id, :line_id, 'out', :kind, :phone, :contact_id, :text, :content,
        'sent', 0, 0, :network_id, :country, 'service', 0,
        0, :test, :at, :now);
INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
VALUES (:tenant_id, :id, :change_id, :at, 'sent', '');
INSERT INTO conversations (tenant_id, id, line_id, contact_id, last_message_id, last_at, unread,
                           held_by, held_at)
VALUES (:tenant_id, :conversation_id, :line_id, :contact_id, :id, :at, 0,
        CAST(:holder AS text), CASE WHEN CAST(:holder AS text) IS NULL THEN NULL
                                    ELSE CAST(:at AS timestamptz) END)
ON CONFLICT (tenant_id, line_id, contact_id) DO UPDATE
   SET last_message_id = CASE WHEN excluded.last_at >= conversations.last_at
                              THEN excluded.last_message_id
                              ELSE conversations.last_message_id END,
       unread = CASE WHEN :read AND excluded.last_at >= conversations.last_at
                     THEN 0 ELSE conversations.unread END,
       held_by = CASE WHEN excluded.held_at >= coalesce(conversations.held_at, excluded.held_at)
                      THEN excluded.held_by ELSE conversations.held_by END,
       held_at = greatest(conversations.held_at, excluded.held_at),
       waiting_since = CASE WHEN excluded.last_at >= conversations.last_at
                            THEN NULL ELSE conversations.waiting_since END,
       queued_at = CASE WHEN excluded.last_at >= conversations.last_at
                        THEN NULL ELSE conversations.queued_at END,
       last_at = greatest(conversations.last_at, excluded.last_at)
RETURNING id
""")


def store_echo(line: Line, echo: EchoedMessage) -> str | None:
    """Store the message. Returns our id, or None if it is stored already."""
    uuid, body = new_uuid(), normalize("NFC", echo.text)
    content = {**echo.content, "sent_from": echo.sent_from}
    if not edits.register_network_id(echo.network_id, uuid):
        early = edits.take_early_edits(line, echo.network_id)
        if early is None:
            return None
        uuid = early.message_id
        body, content = edits.after_changes(echo.kind, body, content, early.changes)
    return _store(line, echo, uuid, body, content)


def _store(line: Line, echo: EchoedMessage, uuid: UUID, body: str, content: dict[str, Any]) -> str:
    at = reported_time(echo.at)
    contact_id = contact_identities.find_contact(echo.phone, echo.recipient_network_id)
    if contact_id is None:
        contact_id = contact_identities.find_or_create(
            echo.phone, echo.recipient_network_id, "", at
        ).id
    stored = db.session.execute(
        STORE_ECHO,
        {
            "tenant_id": current_tenant_id(),
            "id": str(uuid),
            "line_id": line.id,
            "kind": echo.kind,
            "phone": echo.phone or echo.recipient_network_id,
            "contact_id": str(to_uuid("con", contact_id)),
            "text": body,
            "content": Json(content),
            "network_id": echo.network_id,
            "country": (phone_country(echo.phone) if echo.phone else None) or "other",
            "test": line.test,
            "at": at,
            "now": now(),
            "change_id": str(new_uuid()),
            "conversation_id": str(new_uuid()),
            "read": echo.sent_from == SENT_FROM_PHONE,
            "holder": META_AGENT if echo.sent_from == META_AGENT else None,
        },
    )
    if echo.sent_from == SENT_FROM_PHONE:
        stop_runs(contact_id, journey_reasons.PERSON_ANSWERED, line_id=line.id)
    conversation_id, message_id = from_uuid("cnv", stored.scalar_one()), from_uuid("msg", uuid)
    if echo.sent_from == SENT_FROM_PHONE:
        cases.record_first_reply(conversation_id, None, at)
    media_files.register_file(uuid, line, echo.kind, content)
    search_index.add_words(conversation_id, search_index.words_of(body))
    publish_update("conversations.changed", id=conversation_id, message=message_id)
    publish_webhook_event(
        "messages.echo", echo_event_body(line, echo, message_id, body, content, at)
    )
    return message_id


def echo_event_body(
    line: Line,
    echo: EchoedMessage,
    message_id: str,
    body: str,
    content: dict[str, Any],
    at: datetime,
) -> dict[str, Any]:
    data: dict[str, Any] = {
        **other_party("out", echo.phone or echo.recipient_network_id),
        "message_id": echo.network_id,
        "timestamp": int(at.timestamp()),
        "type": echo.kind,
        "id": message_id,
        **content_fields(echo.kind, body, content, message_id),
    }
    if line.test:
        data["test"] = True
    return {"instance_id": line.id, "data": data}
