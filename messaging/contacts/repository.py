"""Create and change contacts, their tags, notes and identities."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, NotFound, invalid
from core.ids import BadId, canonical_id, new_id, to_uuid
from core.values.phone import phone_variants
from core.values.text import BadText, normalize_text
from messaging import search_index
from messaging.contacts import cards as contact_cards
from messaging.contacts import consent as contact_consent
from messaging.contacts import custom_fields, search_tokens
from messaging.contacts import identities as people
from messaging.contacts.cards import ContactCard
from messaging.contacts.validation import (
    ContactInput,
    parse_birthday,
    parse_language,
    parse_name,
    parse_phone,
    parse_tags,
)
from messaging.journeys import ports as journey_ports
from messaging.messages import queries as message_queries
from messaging.models import Contact, ContactNote, ContactTag, Identity
from tenants import audit
from tenants.audit import current_actor
from webhooks.events import publish_webhook_event

LONGEST_NOTE, MOST_PHONES = 4000, 10

DETACH_MESSAGES = text("""
UPDATE messages SET contact_id = NULL
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND contact_id = :contact_id
""")


def create(entry: ContactInput, *, country: str | None = None) -> ContactCard:
    """Create a contact. Raises Invalid if the phone belongs to another contact."""
    phone = parse_phone(entry.phone or "", country) if entry.phone else ""
    name = parse_name(entry.name or "")
    if not phone and not name:
        raise invalid("name", "empty_contact", "Enter a name or a phone number.")
    contact = Contact(
        tenant_id=current_tenant_id(),
        id=new_id("con"),
        name=name,
        name_key=search_tokens.search_key(name),
        named_by="person" if name else "network",
        language=parse_language(entry.language or ""),
        tags=parse_tags(entry.tags or ()),
        fields=_without_empty(
            custom_fields.checked_values(entry.fields, custom_fields.list_fields())
        ),
    )
    contact.birthday, contact.birth_year = parse_birthday(entry.birthday or "")
    db.session.add(contact)
    db.session.flush()
    if phone:
        _add_phone_identity(contact.id, phone)
    record_tags(contact.tags)
    search_tokens.create_tokens(contact.id)
    journey_ports.tags_added(contact.id, (), contact.tags)
    card = contact_cards.get(contact.id)
    audit.record("contacts.added", card.title, contact=contact.id)
    return card


def change(contact_id: str, entry: ContactInput, *, country: str | None = None) -> ContactCard:
    contact = contact_cards.get_contact(contact_id)
    before, old_tags = audit.snapshot(contact), contact.tags
    with search_tokens.updating_tokens(contact.id):
        if entry.name is not None:
            contact.name = parse_name(entry.name)
            contact.named_by = "person" if contact.name else "network"
            contact.name_key = search_tokens.search_key(contact.name)
        if entry.language is not None:
            contact.language = parse_language(entry.language)
        if entry.tags is not None:
            contact.tags = parse_tags(entry.tags)
            record_tags(contact.tags)
        if entry.birthday is not None:
            contact.birthday, contact.birth_year = parse_birthday(entry.birthday)
        if entry.fields:
            known = custom_fields.list_fields()
            field_ids = {one.id for one in known}
            stored_fields = {
                key: value for key, value in contact.fields.items() if key in field_ids
            }
            contact.fields = _without_empty(
                {**stored_fields, **custom_fields.checked_values(entry.fields, known)}
            )
        if entry.phone:
            _add_phone_identity(contact.id, parse_phone(entry.phone, country))
    if entry.name or entry.phone:
        search_index.add_contact_words([contact.id])
    if entry.tags is not None:
        journey_ports.tags_added(contact.id, old_tags, contact.tags)
    card = contact_cards.get(contact.id)
    after = audit.snapshot(contact)
    if entry.phone:
        before, after = {**before, "phone": ""}, {**after, "phone": entry.phone}
    audit.record_change(
        "contacts.changed", card.title, before, after, shown=frozenset(), contact=contact.id
    )
    return card


def add_phone(contact_id: str, phone: str, *, country: str | None = None) -> ContactCard:
    return change(contact_id, ContactInput(phone=phone), country=country)


def remove_identity(contact_id: str, kind: str, value: str) -> ContactCard:
    """Remove an identity. Its messages are kept but no longer belong to this contact."""
    card = contact_cards.get(contact_id)
    one = next((one for one in card.identities if (one.kind, one.value) == (kind, value)), None)
    if one is None:
        raise NotFound()
    if len(card.identities) == 1 and not card.contact.name:
        raise Conflict(
            "last_name",
            "Enter a name first. Otherwise the contact would have neither a name nor a number.",
        )
    with search_tokens.updating_tokens(card.id):
        db.session.execute(
            delete(Identity).where(
                Identity.tenant_id == current_tenant_id(),
                Identity.kind == kind,
                Identity.value == value,
            )
        )
    db.session.execute(
        DETACH_MESSAGES,
        {
            "tenant_id": current_tenant_id(),
            "phones": sorted(phone_variants(value) | {one.spelling}),
            "contact_id": str(to_uuid("con", card.id)),
        },
    )
    if card.contact.blocked_at is not None:
        contact_consent.delete_blocked_phones(card.id)
        contact_consent.record_blocked_phones(card.id)
    audit.record("contacts.changed", card.title, contact=card.id, fields=["phone"])
    return contact_cards.get(card.id)


def set_blocked(contact_id: str, blocked: bool) -> ContactCard:
    card = contact_cards.get(contact_id)
    if (contact_consent.block if blocked else contact_consent.unblock)(card.id):
        act = "contacts.blocked" if blocked else "contacts.unblocked"
        if blocked:
            message_queries.cancel_waiting_messages(contact_cards.addresses_of(card))
        audit.record(act, card.title, contact=card.id)
    return contact_cards.get(card.id)


def set_opted_out(contact_id: str, out: bool, source: str = "person") -> ContactCard:
    """Opt a contact out or in, for a person or a program.

    messages/receive.py handles opt-out words in messages.
    """
    card, moment = contact_cards.get(contact_id), now()
    if out and contact_consent.opt_out(card.id, moment, source):
        publish_webhook_event("contacts.opted_out", opted_out_body(card, moment))
        audit.record("contacts.opted_out", card.title, contact=card.id)
    elif not out and contact_consent.opt_in(card.id, moment, source):
        audit.record("contacts.opted_in", card.title, contact=card.id)
    return contact_cards.get(card.id)


def opted_out_body(card: ContactCard, at: datetime) -> dict[str, Any]:
    """The event body. There is no line, because no message was received."""
    other = next((one.spelling for one in card.identities if one.kind != "phone"), None)
    data = {
        "contact_id": card.id,
        "from": card.phone or other,
        "from_kind": "phone" if card.phone else "network_id" if other else None,
        "timestamp": int(at.timestamp()),
    }
    return {"instance_id": None, "data": data}


def set_consent(contact_id: str, source: str | None, at: datetime | None = None) -> ContactCard:
    """Record a consent with its source; None withdraws it."""
    card = contact_cards.get(contact_id)
    if source is not None:
        contact_consent.give_consent(card.id, source, at)
        audit.record("contacts.consent_given", card.title, contact=card.id)
    elif contact_consent.withdraw_consent(card.id, "person"):
        audit.record("contacts.consent_withdrawn", card.title, contact=card.id)
    return contact_cards.get(card.id)


def add_note(contact_id: str, written: str) -> ContactNote:
    contact = contact_cards.get_contact(contact_id)
    try:
        note_text = normalize_text(written)
    except BadText:
        raise invalid("text", "invalid_text", "The text contains an invalid character.") from None
    if not note_text:
        raise invalid("text", "empty_text", "Fill in this field.")
    if len(note_text) > LONGEST_NOTE:
        raise invalid("text", "long_text", "A note can have at most 4000 characters.")
    note = ContactNote(
        tenant_id=current_tenant_id(),
        contact_id=contact.id,
        text=note_text,
        author=current_actor().name,
        at=now(),
    )
    db.session.add(note)
    db.session.flush()
    return note


NOTES = (
    select(ContactNote)
    .where(ContactNote.tenant_id == THIS_TENANT, ContactNote.contact_id == bindparam("contact_id"))
    .order_by(ContactNote.id.desc())
    .limit(bindparam("most"))
)


def list_notes(contact_id: str, limit: int = 100) -> Sequence[Any]:
    """Return the columns of notes, newest first."""
    return read_rows(NOTES, {"contact_id": contact_id, "most": limit})


def delete_note(contact_id: str, note_id: str) -> None:
    card = contact_cards.get(contact_id)
    deleted = db.session.execute(
        delete(ContactNote)
        .where(
            ContactNote.tenant_id == current_tenant_id(),
            ContactNote.contact_id == card.id,
            ContactNote.id == _note_id(note_id),
        )
        .returning(ContactNote.id)
    )
    if deleted.first() is None:
        raise NotFound()
    audit.record("contacts.note_removed", card.title, contact=card.id)


TAGS = (
    select(ContactTag.name)
    .where(ContactTag.tenant_id == THIS_TENANT)
    .order_by(ContactTag.key)
    .limit(bindparam("most"))
)


def list_tags(limit: int = 500) -> list[str]:
    return [row.name for row in read_rows(TAGS, {"most": limit})]


def record_tags(tags: Iterable[str]) -> None:
    rows = [
        {"tenant_id": current_tenant_id(), "key": search_tokens.tag_key(tag), "name": tag}
        for tag in sorted(tags, key=search_tokens.tag_key)
    ]
    if rows:
        db.session.execute(upsert(ContactTag).values(rows).on_conflict_do_nothing())


def _add_phone_identity(contact_id: str, phone: str) -> None:
    query = select(Identity.value).where(
        Identity.tenant_id == current_tenant_id(),
        Identity.contact_id == contact_id,
        Identity.kind == "phone",
    )
    there = set(db.session.scalars(query))
    if phone_variants(phone) & there:
        return
    if len(there) >= MOST_PHONES:
        raise Conflict("too_many_phones", "A contact can have at most 10 phone numbers.")
    other = people.find_contact(phone)
    made = None
    if other is None:
        made = db.session.execute(
            upsert(Identity)
            .values(
                tenant_id=current_tenant_id(),
                kind="phone",
                value=people.canonical_spelling(phone),
                contact_id=contact_id,
                spelling=phone,
            )
            .on_conflict_do_nothing()
            .returning(Identity.contact_id)
        ).first()
    if made is None:
        error = invalid(
            "phone", "phone_taken", "This number is already in your contacts: {who}.",
            who=contact_cards.get(other).title if other else phone,
        )  # fmt: skip
        error.more = {"contact_id": other}
        raise error
    blocked = select(Contact.blocked_at).where(
        Contact.tenant_id == current_tenant_id(), Contact.id == contact_id
    )
    if db.session.scalar(blocked) is not None:
        contact_consent.record_blocked_phones(contact_id)


def _without_empty(values: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in values.items() if value != ""}


def _note_id(note_id: str) -> str:
    try:
        return canonical_id("note", note_id)
    except BadId:
        raise NotFound() from None
