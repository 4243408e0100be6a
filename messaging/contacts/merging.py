"""Merge two contacts that are the same person."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy import delete, func, select, text, tuple_, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.ids import from_uuid, to_uuid
from messaging import search_index
from messaging.contacts import cards as contact_cards
from messaging.contacts import consent as contact_consent
from messaging.contacts import duplicates, search_tokens
from messaging.contacts.cards import ContactCard
from messaging.journeys import reasons as journey_reasons
from messaging.journeys.stops import stop_runs
from messaging.messages import queries as message_queries
from messaging.models import (
    BlockedPhone,
    ConsentChange,
    Contact,
    ContactNote,
    FormerIdentity,
    Identity,
)
from tenants import audit
from tenants.push import notifications as push_notifications

MOVE_MESSAGES = text("""
UPDATE messages SET contact_id = :kept
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND contact_id = :gone
""")
# Both contacts have a conversation on the same line: the kept one takes the newer values.
JOIN_CONVERSATIONS = text("""
UPDATE conversations AS stays
   SET last_message_id = CASE WHEN leaves.last_at > stays.last_at
                              THEN leaves.last_message_id ELSE stays.last_message_id END,
       last_at = greatest(stays.last_at, leaves.last_at),
       window_until = greatest(stays.window_until, leaves.window_until),
       entry_point_until = greatest(stays.entry_point_until, leaves.entry_point_until),
       unread = stays.unread + leaves.unread,
       waiting_since = least(stays.waiting_since, leaves.waiting_since),
       case_id = coalesce(stays.case_id, leaves.case_id),
       assigned_to = coalesce(stays.assigned_to, leaves.assigned_to),
       assigned_at = CASE WHEN stays.assigned_to IS NULL THEN leaves.assigned_at
                          ELSE stays.assigned_at END,
       queued_at = CASE WHEN stays.assigned_to IS NULL AND leaves.assigned_to IS NULL
                        THEN least(stays.queued_at, leaves.queued_at) END,
       snoozed_until = CASE WHEN (stays.snoozed_until IS NOT NULL OR stays.closed_at IS NOT NULL)
                             AND (leaves.snoozed_until IS NOT NULL OR leaves.closed_at IS NOT NULL)
                            THEN least(stays.snoozed_until, leaves.snoozed_until) END,
       closed_at = CASE WHEN stays.closed_at IS NULL OR leaves.closed_at IS NULL THEN NULL
                        ELSE greatest(stays.closed_at, leaves.closed_at) END,
       tell_read = CASE WHEN leaves.last_at > stays.last_at
                        THEN coalesce(leaves.tell_read, stays.tell_read)
                        ELSE coalesce(stays.tell_read, leaves.tell_read) END
  FROM conversations AS leaves
 WHERE stays.tenant_id = :tenant_id AND leaves.tenant_id = :tenant_id
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
""")
MOVE_NOTES = text("""
UPDATE conversation_notes SET conversation_id = stays.id
  FROM conversations AS leaves, conversations AS stays
 WHERE conversation_notes.tenant_id = :tenant_id AND leaves.tenant_id = :tenant_id
   AND stays.tenant_id = :tenant_id AND conversation_notes.conversation_id = leaves.id
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
""")
MOVE_CASES = text("""
UPDATE conversation_cases SET conversation_id = stays.id
  FROM conversations AS leaves, conversations AS stays
 WHERE conversation_cases.tenant_id = :tenant_id AND leaves.tenant_id = :tenant_id
   AND stays.tenant_id = :tenant_id AND conversation_cases.conversation_id = leaves.id
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
""")
# A conversation has one open case.
CLOSE_SECOND_CASES = text("""
UPDATE conversation_cases AS k SET closed_at = :now
  FROM conversations AS leaves, conversations AS stays
 WHERE k.tenant_id = :tenant_id AND leaves.tenant_id = :tenant_id
   AND stays.tenant_id = :tenant_id AND k.id = leaves.case_id AND k.id <> stays.case_id
   AND k.closed_at IS NULL
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
""")
BOTH_CONVERSATIONS = text("""
SELECT leaves.id AS gone_id, stays.id AS kept_id
  FROM conversations AS leaves, conversations AS stays
 WHERE leaves.tenant_id = :tenant_id AND stays.tenant_id = :tenant_id
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
""")
MOVE_SCHEDULED_REPLIES = text("""
UPDATE scheduled_replies SET conversation_id = stays.id
  FROM conversations AS leaves, conversations AS stays
 WHERE scheduled_replies.tenant_id = :tenant_id AND leaves.tenant_id = :tenant_id
   AND stays.tenant_id = :tenant_id AND scheduled_replies.conversation_id = leaves.id
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
""")
MOVE_LABELS = text("""
INSERT INTO conversation_labels (tenant_id, label_id, conversation_id)
SELECT given.tenant_id, given.label_id, stays.id
  FROM conversation_labels AS given, conversations AS leaves, conversations AS stays
 WHERE given.tenant_id = :tenant_id AND leaves.tenant_id = :tenant_id
   AND stays.tenant_id = :tenant_id AND given.conversation_id = leaves.id
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
    ON CONFLICT DO NOTHING RETURNING label_id
""")
MOVE_WORDS = text("""
INSERT INTO conversation_words (tenant_id, word, conversation_id)
SELECT said.tenant_id, said.word, stays.id
  FROM conversation_words AS said, conversations AS leaves, conversations AS stays
 WHERE said.tenant_id = :tenant_id AND leaves.tenant_id = :tenant_id
   AND stays.tenant_id = :tenant_id AND said.conversation_id = leaves.id
   AND stays.contact_id = :kept AND leaves.contact_id = :gone AND stays.line_id = leaves.line_id
 ORDER BY said.word
    ON CONFLICT DO NOTHING RETURNING word
""")
MOVE_JOURNEYS = text("""
UPDATE journey_runs SET contact_id = :kept WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
DROP_CONVERSATIONS = text("""
DELETE FROM conversations
 WHERE tenant_id = :tenant_id AND contact_id = :gone AND line_id IN (
       SELECT stays.line_id FROM conversations AS stays
        WHERE stays.tenant_id = :tenant_id AND stays.contact_id = :kept)
""")
MOVE_CONVERSATIONS = text("""
UPDATE conversations SET contact_id = :kept
 WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
# A contact that was in a campaign under both names stays in it once.
MOVE_RECIPIENTS = text("""
UPDATE campaign_recipients AS r SET contact_id = :kept
 WHERE r.tenant_id = :tenant_id AND r.contact_id = :gone AND NOT EXISTS (
       SELECT 1 FROM campaign_recipients AS other
        WHERE other.tenant_id = :tenant_id AND other.campaign_id = r.campaign_id
          AND other.contact_id = :kept)
""")
MOVE_LINKS = text("""
UPDATE short_links SET contact_id = :kept WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
# Other packages add functions that move their data, called with the kept and the deleted contact's
# id.
MORE_MERGES: list[Callable[[str, str], None]] = []


@dataclass(frozen=True)
class MergePreview:
    """What a merge will do, shown for confirmation."""

    kept: ContactCard
    gone: ContactCard
    identities: int
    notes: int
    tags: list[str]
    stays_opted_out: bool
    stays_blocked: bool


def preview_merge(kept_id: str, gone_id: str) -> MergePreview:
    kept, gone = contact_cards.get(kept_id), contact_cards.get(gone_id)
    if kept.id == gone.id:
        raise invalid("other", "same_contact", "This is the same contact. Choose another one.")
    notes = select(func.count()).where(
        ContactNote.tenant_id == current_tenant_id(), ContactNote.contact_id == gone.id
    )
    return MergePreview(
        kept=kept,
        gone=gone,
        identities=len(gone.identities),
        notes=db.session.scalar(notes) or 0,
        tags=_merge_tags(kept.contact, gone.contact),
        stays_opted_out=bool(kept.contact.opted_out_at or gone.contact.opted_out_at),
        stays_blocked=bool(kept.contact.blocked_at or gone.contact.blocked_at),
    )


def merge(kept_id: str, gone_id: str) -> ContactCard:
    """Move everything of the second contact to the first.

    An opt-out or block of either holds for the merged contact.
    """
    preview = preview_merge(kept_id, gone_id)
    kept, gone = _locked(preview.kept.id, preview.gone.id)
    tenant_id = current_tenant_id()
    with search_tokens.updating_tokens(kept.id, gone.id):
        _fill_missing(kept, gone)
        db.session.flush()
        _drop_shared_former(kept.id, gone.id)
        for table in (Identity, FormerIdentity, ContactNote, ConsentChange, BlockedPhone):
            db.session.execute(
                update(table)
                .where(table.tenant_id == tenant_id, table.contact_id == gone.id)
                .values(contact_id=kept.id)
            )
        _merge_conversations(preview, kept.id, gone.id)
        duplicates.move_cases(kept.id, gone.id)
        for also in MORE_MERGES:
            also(kept.id, gone.id)
        db.session.execute(
            delete(Contact).where(Contact.tenant_id == tenant_id, Contact.id == gone.id)
        )
        db.session.expire_all()
    if preview.stays_blocked:
        contact_consent.record_blocked_phones(kept.id)
        message_queries.cancel_waiting_messages(
            contact_cards.addresses_of(contact_cards.get(kept.id))
        )
    card = contact_cards.get(kept.id)
    search_index.add_contact_words([card.id])
    audit.record(
        "contacts.merged",
        card.title,
        contact=card.id,
        gone=preview.gone.id,
        name=preview.gone.title,
    )
    return card


def _drop_shared_former(kept_id: str, gone_id: str) -> None:
    """Both may have had the same number at different times; the kept contact's row stays."""
    shared = select(FormerIdentity.kind, FormerIdentity.value).where(
        FormerIdentity.tenant_id == current_tenant_id(), FormerIdentity.contact_id == kept_id
    )
    db.session.execute(
        delete(FormerIdentity).where(
            FormerIdentity.tenant_id == current_tenant_id(),
            FormerIdentity.contact_id == gone_id,
            tuple_(FormerIdentity.kind, FormerIdentity.value).in_(shared),
        )
    )


def _locked(kept_id: str, gone_id: str) -> tuple[Contact, Contact]:
    """Lock both in id order, so that two opposite merges do not deadlock."""
    rows = db.session.scalars(
        select(Contact)
        .where(Contact.tenant_id == current_tenant_id(), Contact.id.in_([kept_id, gone_id]))
        .order_by(Contact.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    found = {row.id: row for row in rows}
    return found[kept_id], found[gone_id]


def _fill_missing(kept: Contact, gone: Contact) -> None:
    """Fill empty values of the first from the second. A name that a person entered wins."""
    if not kept.name or (kept.named_by == "network" and gone.named_by != "network" and gone.name):
        kept.name, kept.named_by, kept.name_key = gone.name, gone.named_by, gone.name_key
    kept.profile_name = kept.profile_name or gone.profile_name
    if gone.username and (not kept.username or _seen_later(gone, kept)):
        kept.username = gone.username
    kept.language = kept.language or gone.language
    kept.tags = _merge_tags(kept, gone)
    kept.fields = {**gone.fields, **kept.fields}
    if kept.birthday is None:
        kept.birthday, kept.birth_year = gone.birthday, gone.birth_year
    if gone.consent_at and (kept.consent_at is None or gone.consent_at > kept.consent_at):
        kept.consent_at, kept.consent_source = gone.consent_at, gone.consent_source
    if gone.opted_out_at and kept.opted_out_at is None:
        kept.opted_out_at, kept.opted_out_source = gone.opted_out_at, gone.opted_out_source
    kept.blocked_at = kept.blocked_at or gone.blocked_at
    first = [at for at in (kept.first_seen_at, gone.first_seen_at) if at]
    last = [at for at in (kept.last_seen_at, gone.last_seen_at) if at]
    bought = [at for at in (kept.last_order_at, gone.last_order_at) if at]
    kept.first_seen_at = min(first, default=None)
    kept.last_seen_at = max(last, default=None)
    kept.last_order_at = max(bought, default=None)
    marketed = [at for at in (kept.marketed_at, gone.marketed_at) if at]
    kept.marketed_at = max(marketed, default=None)
    kept.orders += gone.orders
    kept.visits += gone.visits
    kept.spent += gone.spent


def _seen_later(one: Contact, other: Contact) -> bool:
    return one.last_seen_at is not None and (
        other.last_seen_at is None or one.last_seen_at > other.last_seen_at
    )


def _merge_tags(kept: Contact, gone: Contact) -> list[str]:
    named = {search_tokens.tag_key(tag): tag for tag in (*gone.tags, *kept.tags)}
    return [named[key] for key in sorted(named)]


def _merge_conversations(preview: MergePreview, kept_id: str, gone_id: str) -> None:
    params = {
        "tenant_id": current_tenant_id(),
        "kept": str(to_uuid("con", kept_id)),
        "gone": str(to_uuid("con", gone_id)),
        "now": now(),
    }
    phones = contact_cards.addresses_of(preview.gone)
    db.session.execute(MOVE_MESSAGES, {**params, "phones": phones})
    # The two may be in the same journey, which a contact can be in only once.
    stop_runs(gone_id, journey_reasons.OTHER_JOURNEY)
    for row in db.session.execute(BOTH_CONVERSATIONS, params).all():
        push_notifications.move_conversation(
            from_uuid("cnv", row.gone_id), from_uuid("cnv", row.kept_id)
        )
    for statement in (
        *(JOIN_CONVERSATIONS, MOVE_NOTES, CLOSE_SECOND_CASES, MOVE_CASES, MOVE_SCHEDULED_REPLIES),
        *(MOVE_LABELS, MOVE_WORDS),
        *(DROP_CONVERSATIONS, MOVE_CONVERSATIONS, MOVE_RECIPIENTS, MOVE_LINKS),
        MOVE_JOURNEYS,
    ):
        db.session.execute(statement, params)
