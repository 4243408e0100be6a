"""Store each inbound message once, even if the network repeats it, and publish its event."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from unicodedata import normalize
from uuid import UUID

from psycopg2.extras import Json
from sqlalchemy import select, text

from core.clock import now, reported_time
from core.db import current_tenant_id, db
from core.ids import from_uuid, new_uuid, to_uuid
from core.live_updates import publish_update
from core.logs import logger
from core.values.network_address import address_country
from core.values.phone import phone_variants
from messaging import search_index
from messaging.contacts import address_changes, opt_out_port
from messaging.contacts import identities as contact_identities
from messaging.contacts.address_changes import AddressChange
from messaging.contacts.identities import KnownContact
from messaging.costs.pricing_facts import forget_facts, record_volume_tier
from messaging.costs.rates import ENTRY_POINT_HOURS, shared_card
from messaging.costs.usage import UsageTally
from messaging.lines import allowances
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage, LineUpdate
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.send_lane import wake_waiting_messages
from messaging.messages.content import content_fields
from messaging.messages.inbound import cases, edits, handovers
from messaging.messages.kinds.contacts import shared_phone
from messaging.messages.kinds.registry import is_written
from messaging.messages.media import files as media_files
from messaging.models import Line
from messaging.templates import repository as template_repository
from webhooks.events import publish_webhook_event

log = logger(__name__)

MESSAGE_UPDATES = {
    "edited": edits.apply_edit,
    "deleted": edits.apply_edit,
    "handover": handovers.apply_handover,
}
WINDOW = timedelta(hours=24)  # in which a cloud line may reply freely
SILENCE = timedelta(hours=24)  # after which a message begins a new case
# The conversation row comes out the same for any order of arrival.
STORE_MESSAGE = text("""
INSERT INTO messages (tenant_id, id, line_id, direction, kind, phone, contact_id, text, content,
                      state, priority, attempt, network_id, country, category, quoted_usd,
                      cost_usd, test, created_at, changed_at)
VALUES (:tenant_id, :id, :line_id, 'in', :kind, :phone, :contact_id, :text, :content,
        'received', 0, 0, :network_id, :country, 'service', 0,
        0, :test, :at, :now);
INSERT INTO message_changes (tenant_id, message_id, id, at, state, cause)
VALUES (:tenant_id, :id, :change_id, :at, 'received', '');
INSERT INTO conversations (tenant_id, id, line_id, contact_id, last_message_id, last_at,
                           window_until, entry_point_until, unread, held_by, held_at,
                           case_id, queued_at, waiting_since)
VALUES (:tenant_id, :conversation_id, :line_id, :contact_id, :id, :at, :window_until,
        :entry_point_until, :unread, CAST(:held_by AS text), CAST(:held_at AS timestamptz),
        CAST(:case_id AS uuid), CAST(:waits_at AS timestamptz), CAST(:waits_at AS timestamptz))
ON CONFLICT (tenant_id, line_id, contact_id) DO UPDATE
   SET last_message_id = CASE WHEN excluded.last_at >= conversations.last_at
                              THEN excluded.last_message_id
                              ELSE conversations.last_message_id END,
       last_at = greatest(conversations.last_at, excluded.last_at),
       window_until = greatest(conversations.window_until, excluded.window_until),
       entry_point_until = greatest(conversations.entry_point_until, excluded.entry_point_until),
       held_by = CASE WHEN conversations.held_at > excluded.last_at
                      THEN conversations.held_by ELSE excluded.held_by END,
       held_at = greatest(conversations.held_at, excluded.held_at),
       unread = conversations.unread + excluded.unread,
       closed_at = CASE WHEN :reopens THEN NULL ELSE conversations.closed_at END,
       returned_at = CASE WHEN :reopens AND conversations.snoozed_until IS NOT NULL
                          THEN excluded.last_at ELSE conversations.returned_at END,
       snoozed_until = CASE WHEN :reopens THEN NULL ELSE conversations.snoozed_until END,
       waiting_since = coalesce(conversations.waiting_since, excluded.waiting_since),
       case_id = CASE WHEN excluded.case_id IS NOT NULL
                       AND (conversations.case_id IS NULL
                            OR conversations.last_at < :silent_before)
                      THEN excluded.case_id ELSE conversations.case_id END,
       queued_at = CASE WHEN conversations.assigned_to IS NULL
                          OR conversations.closed_at IS NOT NULL
                          OR conversations.last_at < :silent_before
                        THEN coalesce(conversations.queued_at, excluded.queued_at)
                        ELSE conversations.queued_at END
RETURNING id, case_id, queued_at, returned_at, assigned_to
""")


@dataclass(frozen=True)
class ReceivedMessage:
    id: str
    message: InboundMessage
    """As it was stored: an edit may have arrived before it."""


def receive_message(line: Line, message: InboundMessage, tally: UsageTally) -> str | None:
    """Store an inbound message. Returns our id, or None if the message was stored before."""
    stored = store_message(line, message, tally)
    return stored.id if stored else None


def store_message(line: Line, message: InboundMessage, tally: UsageTally) -> ReceivedMessage | None:
    """Store an inbound message, publish its event and count it. None: it was stored before."""
    uuid = new_uuid()
    if not edits.register_network_id(message.network_id, uuid):
        early = edits.take_early_edits(line, message.network_id)
        if early is None:
            return None
        uuid, message = early.message_id, edits.with_changes(message, early.changes)
    message_id = from_uuid("msg", uuid)
    at = reported_time(message.at)
    contact = contact_identities.find_or_create(
        message.sender_phone or shared_phone(message.content),
        message.sender_network_id,
        normalize("NFC", message.sender_name),
        at,
        parent_id=message.sender_parent_id,
        username=message.sender_username,
        line_id=line.id,
    )
    conversation_id = _store(line, message, uuid, contact, at)
    media_files.register_file(uuid, line, message.kind, message.content)
    search_index.add_words(conversation_id, _search_words(message))
    publish_update("conversations.changed", id=conversation_id, message=message_id)
    event = inbound_event_body(line, message, message_id, at, contact.id)
    publish_webhook_event("messages.upsert", event)
    if is_written(message.kind) and opt_out_port.means_opt_out(line, message.text, contact.id):
        _record_opt_out(line, message.sender_phone, message.sender_network_id, contact.id, at)
    tally.add(line.id, _country(message), "service", received=1)
    return ReceivedMessage(message_id, message)


def receive_line_update(line: Line, update: LineUpdate, _tally: UsageTally | None = None) -> None:
    """Apply a network update about the line itself or about a contact's marketing preference."""
    if apply := MESSAGE_UPDATES.get(update.kind):
        apply(line, update)
        return
    if update.kind == "template":
        if not template_repository.apply_template_update(line, update.detail):
            template_repository.request_sync()
        return
    if apply_detail := DETAIL_UPDATES.get(update.kind):
        apply_detail(line, update.detail)
        return
    because = str(update.detail.get("because") or "")
    _apply_limit_update(line, update)
    for one in _affected_lines(line, update.detail):
        if update.kind == "restricted":
            line_repository.record_line_state(one.id, "restricted", because)
        elif update.kind == "restored" and one.state == "restricted":
            line_repository.record_line_state(one.id, "connected", because)
            wake_waiting_messages()
        elif update.kind == "quality" and update.detail.get("worse") and one.state == "connected":
            line_repository.record_line_state(one.id, "quality_low", because)
        elif (
            update.kind == "quality"
            and not update.detail.get("worse")
            and one.state == "quality_low"
        ):
            line_repository.record_line_state(one.id, "connected", because)
            wake_waiting_messages()
        elif update.kind == "token_expired":
            line_repository.record_line_state(one.id, "token_expired", because)


def inbound_event_body(
    line: Line, message: InboundMessage, message_id: str, at: datetime, contact_id: str
) -> dict[str, Any]:
    """The body of the inbound message event. Fields may be added, never moved or removed."""
    data: dict[str, Any] = {
        "from": message.sender_phone or message.sender_network_id,
        "from_kind": "phone" if message.sender_phone else "network_id",
        "sender_name": message.sender_name,
        "message_id": message.network_id,
        "timestamp": int(at.timestamp()),
        "type": message.kind,
        "id": message_id,
        "contact_id": contact_id,
        "username": message.sender_username or None,
        "network_id": message.sender_network_id or None,
    }
    data |= content_fields(message.kind, message.text, message.content, message_id)
    if line.test:
        data["test"] = True
    return {"instance_id": line.id, "data": data}


def _country(message: InboundMessage) -> str:
    return address_country(message.sender_phone or message.sender_network_id) or "other"


def _search_words(message: InboundMessage) -> list[str]:
    return [
        *search_index.words_of(message.text),
        *search_index.words_of(message.sender_name),
        *search_index.words_of(message.sender_username),
        *search_index.words_of_phone(message.sender_phone),
        *search_index.words_of(message.content.get("filename") or ""),
    ]


def _store(
    line: Line, message: InboundMessage, uuid: UUID, contact: KnownContact, at: datetime
) -> str:
    """Store message, timeline and conversation in one round trip; return the conversation id."""
    held_by = message.content.get("handled_by")
    reopens = not cases.is_rating_answer(message)
    # What the network's agent answers does not wait for a person.
    waits = reopens and not held_by
    case_id = new_uuid()
    stored = db.session.execute(
        STORE_MESSAGE,
        {
            "tenant_id": current_tenant_id(),
            "id": str(uuid),
            "line_id": line.id,
            "kind": message.kind,
            "phone": message.sender_phone or message.sender_network_id,
            "contact_id": str(to_uuid("con", contact.id)),
            "text": normalize("NFC", message.text),
            "content": Json(message.content),
            "network_id": message.network_id,
            "country": _country(message),
            "test": line.test,
            "at": at,
            "now": now(),
            "change_id": str(new_uuid()),
            "conversation_id": str(new_uuid()),
            "window_until": at + WINDOW if DRIVERS[line.kind].has_reply_window else None,
            "entry_point_until": _entry_point_until(line, message, at),
            "unread": 1 if waits else 0,
            "reopens": reopens,
            "silent_before": at - SILENCE,
            "case_id": str(case_id) if waits else None,
            "waits_at": at if waits else None,
            "held_by": held_by,
            "held_at": at if held_by else None,
        },
    )
    row = stored.one()
    conversation_id = from_uuid("cnv", row.id)
    if waits:
        cases.follow_up(line, message, conversation_id, row, case_id, at)
    return conversation_id


def _entry_point_until(line: Line, message: InboundMessage, at: datetime) -> datetime | None:
    """Return until when messages are free because the customer came from an ad.

    The network counts from the first reply, which must come within 24 hours. Counting from the
    customer's message is never later; a receipt settles what was quoted too high.
    """
    if not message.content.get("referral"):
        return None
    hours = shared_card().allowance(line.kind, ENTRY_POINT_HOURS, at.date())
    if not hours:
        return None
    forget_facts()
    return at + timedelta(hours=hours)


def opt_out_sender(line: Line, message: InboundMessage, contact_id: str, at: datetime) -> None:
    """Opt out the sender of a message that was recognized as an opt-out elsewhere."""
    _record_opt_out(line, message.sender_phone, message.sender_network_id, contact_id, at)


def _record_opt_out(line: Line, phone: str, network_id: str, contact_id: str, at: datetime) -> None:
    if contact_identities.record_opt_out(contact_id, at):
        publish_webhook_event(
            "contacts.opted_out",
            {
                "instance_id": line.id,
                "data": {
                    "contact_id": contact_id,
                    "from": phone or network_id,
                    "from_kind": "phone" if phone else "network_id",
                    "timestamp": int(at.timestamp()),
                },
            },
        )


def _apply_marketing_preference(line: Line, detail: dict[str, Any]) -> None:
    """Apply the opt-out or opt-in that the customer chose in the network's own settings."""
    phone, network_id = str(detail.get("phone") or ""), str(detail.get("network_id") or "")
    if not phone and not network_id:
        return
    at = reported_time(int(detail.get("at") or 0))
    contact = contact_identities.find_or_create(phone, network_id, "", at)
    if detail.get("value") == "stop":
        _record_opt_out(line, phone, network_id, contact.id, at)
    elif detail.get("value") in ("resume", "signup"):
        contact_identities.record_opt_in(contact.id, at)


def _apply_limit_update(line: Line, update: LineUpdate) -> None:
    """Store a new limit of recipients or a new quality, if the update reports one."""
    if update.kind not in ("quality", "capability"):
        return
    lines = line_repository.list_lines()
    for one in _affected_lines(line, update.detail):
        allowances.apply_limit_update(one, update.detail, lines)


def _apply_address_change(line: Line, detail: dict[str, Any]) -> None:
    """The customer has a new number or a new id; the contact stays the same."""
    change = AddressChange(
        old_phone=detail["phone"],
        new_phone=detail["new_phone"],
        old_ids=tuple(detail["old_ids"]),
        new_id=detail["network_id"],
    )
    address_changes.record_change(change, reported_time(int(detail["at"])), line.id)


def _apply_pricing_tier(line: Line, detail: dict[str, Any]) -> None:
    """Store the volume tier that the account has reached, for the quotes of the month."""
    record_volume_tier(
        detail["account_id"] or line.account_id or "",
        region=detail["region"],
        category=detail["category"],
        month=detail["month"],
        from_messages=detail["from_messages"],
        at=datetime.fromtimestamp(detail["at"], UTC),
    )


def _affected_lines(line: Line, detail: dict[str, Any]) -> list[Line]:
    """Return the lines with this phone number or account id; the hook's line if neither matches."""
    lines = list(
        db.session.scalars(
            select(Line).where(Line.tenant_id == current_tenant_id(), Line.removed_at.is_(None))
        )
    )
    if phone := detail.get("phone"):
        return [one for one in lines if one.phone in phone_variants(str(phone))]
    account = detail.get("account_id")
    matching = [one for one in lines if account and one.account_id == account]
    return matching or [one for one in lines if one.id == line.id]


DETAIL_UPDATES = {
    "marketing": _apply_marketing_preference,
    "pricing_tier": _apply_pricing_tier,
    "number_changed": _apply_address_change,
}
