"""Writing into the book: new contacts, changes, tags, notes, ways to reach somebody."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert as upsert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound, invalid
from core.ids import BadId, canonical, new_id, to_uuid
from core.phone import same_variants
from core.texts import BadText, clean
from messaging import contacts as people
from messaging import reading
from messaging.crm import cards, fields, tokens, wishes
from messaging.crm.cards import Card
from messaging.crm.entries import (
    Entry,
    a_birthday,
    a_language,
    a_name,
    a_phone,
    some_tags,
)
from messaging.inbox import words
from messaging.models import Contact, ContactNote, ContactTag, Identity
from tenants import audit
from tenants.audit import current_actor
from webhooks.publishing import publish

LONGEST_NOTE, MOST_PHONES = 4000, 10

LET_GO = text("""
UPDATE messages SET contact_id = NULL
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND contact_id = :contact_id
""")


def create(entry: Entry, *, country: str | None = None) -> Card:
    """Somebody nobody knew; a phone that is in the book already is refused with its owner."""
    phone = a_phone(entry.phone or "", country) if entry.phone else ""
    name = a_name(entry.name or "")
    if not phone and not name:
        raise invalid("name", "empty_contact", "Write a name or a phone number.")
    contact = Contact(
        tenant_id=current_tenant_id(),
        id=new_id("con"),
        name=name,
        name_key=tokens.plain(name),
        named_by="person" if name else "network",
        language=a_language(entry.language or ""),
        tags=some_tags(entry.tags or ()),
        fields=_filled(fields.checked(entry.fields, fields.listed())),
    )
    contact.birthday, contact.birth_year = a_birthday(entry.birthday or "")
    db.session.add(contact)
    db.session.flush()
    if phone:
        _give_phone(contact.id, phone)
    note_tags(contact.tags)
    tokens.made(contact.id)
    card = cards.get(contact.id)
    audit.record("contacts.added", card.title, contact=contact.id)
    return card


def change(contact_id: str, entry: Entry, *, country: str | None = None) -> Card:
    contact = cards.row(contact_id)
    before = audit.snapshot(contact)
    with tokens.kept(contact.id):
        if entry.name is not None:
            contact.name = a_name(entry.name)
            contact.named_by = "person" if contact.name else "network"
            contact.name_key = tokens.plain(contact.name)
        if entry.language is not None:
            contact.language = a_language(entry.language)
        if entry.tags is not None:
            contact.tags = some_tags(entry.tags)
            note_tags(contact.tags)
        if entry.birthday is not None:
            contact.birthday, contact.birth_year = a_birthday(entry.birthday)
        if entry.fields:
            known = fields.listed()
            mine = {one.id for one in known}
            kept = {key: value for key, value in contact.fields.items() if key in mine}
            contact.fields = _filled({**kept, **fields.checked(entry.fields, known)})
        if entry.phone:
            _give_phone(contact.id, a_phone(entry.phone, country))
    if entry.name or entry.phone:
        words.learn_people([contact.id])
    card = cards.get(contact.id)
    after = audit.snapshot(contact)
    if entry.phone:
        before, after = {**before, "phone": ""}, {**after, "phone": entry.phone}
    audit.record_change(
        "contacts.changed", card.title, before, after, shown=frozenset(), contact=contact.id
    )
    return card


def add_phone(contact_id: str, phone: str, *, country: str | None = None) -> Card:
    return change(contact_id, Entry(phone=phone), country=country)


def drop_identity(contact_id: str, kind: str, value: str) -> Card:
    """What was written under it stays with it, and is no longer this contact's."""
    card = cards.get(contact_id)
    one = next((one for one in card.identities if (one.kind, one.value) == (kind, value)), None)
    if one is None:
        raise NotFound()
    if len(card.identities) == 1 and not card.contact.name:
        raise Conflict("last_name", "Write a name first: nothing else would be left of them.")
    with tokens.kept(card.id):
        db.session.execute(
            delete(Identity).where(
                Identity.tenant_id == current_tenant_id(),
                Identity.kind == kind,
                Identity.value == value,
            )
        )
    db.session.execute(
        LET_GO,
        {
            "tenant_id": current_tenant_id(),
            "phones": sorted(same_variants(value) | {one.spelling}),
            "contact_id": str(to_uuid("con", card.id)),
        },
    )
    if card.contact.blocked_at is not None:
        wishes.forget_blocked(card.id)
        wishes.note_blocked(card.id)
    audit.record("contacts.changed", card.title, contact=card.id, fields=["phone"])
    return cards.get(card.id)


def set_blocked(contact_id: str, blocked: bool) -> Card:
    card = cards.get(contact_id)
    if (wishes.block if blocked else wishes.unblock)(card.id):
        act = "contacts.blocked" if blocked else "contacts.unblocked"
        if blocked:
            reading.call_off(cards.names_of(card))
        audit.record(act, card.title, contact=card.id)
    return cards.get(card.id)


def set_opted_out(contact_id: str, out: bool, source: str = "person") -> Card:
    """By a click or by a program; who writes a word of farewell is heard in receiving.py."""
    card, moment = cards.get(contact_id), now()
    if out and wishes.opt_out(card.id, moment, source):
        publish("contacts.opted_out", opted_out_body(card, moment))
        audit.record("contacts.opted_out", card.title, contact=card.id)
    elif not out and wishes.opt_in(card.id, moment, source):
        audit.record("contacts.opted_in", card.title, contact=card.id)
    return cards.get(card.id)


def opted_out_body(card: Card, at: datetime) -> dict[str, Any]:
    """No line is named: nobody wrote to one."""
    other = next((one.spelling for one in card.identities if one.kind != "phone"), None)
    data = {
        "contact_id": card.id,
        "from": card.phone or other,
        "from_kind": "phone" if card.phone else "network_id" if other else None,
        "timestamp": int(at.timestamp()),
    }
    return {"instance_id": None, "data": data}


def set_consent(contact_id: str, source: str | None, at: datetime | None = None) -> Card:
    """With its source: agreed. None: taken back."""
    card = cards.get(contact_id)
    if source is not None:
        wishes.agree(card.id, source, at)
        audit.record("contacts.consent_given", card.title, contact=card.id)
    elif wishes.withdraw(card.id, "person"):
        audit.record("contacts.consent_withdrawn", card.title, contact=card.id)
    return cards.get(card.id)


def add_note(contact_id: str, said: str) -> ContactNote:
    contact = cards.row(contact_id)
    try:
        note_text = clean(said)
    except BadText:
        raise invalid(
            "text", "invalid_text", "The text holds a character nobody can read."
        ) from None
    if not note_text:
        raise invalid("text", "empty_text", "Fill this in.")
    if len(note_text) > LONGEST_NOTE:
        raise invalid("text", "long_text", "A note has 4000 characters at most.")
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


def notes(contact_id: str, limit: int = 100) -> list[ContactNote]:
    """The newest first."""
    return list(
        db.session.scalars(
            select(ContactNote)
            .where(
                ContactNote.tenant_id == current_tenant_id(), ContactNote.contact_id == contact_id
            )
            .order_by(ContactNote.id.desc())
            .limit(limit)
        )
    )


def drop_note(contact_id: str, note_id: str) -> None:
    card = cards.get(contact_id)
    gone = db.session.execute(
        delete(ContactNote)
        .where(
            ContactNote.tenant_id == current_tenant_id(),
            ContactNote.contact_id == card.id,
            ContactNote.id == _note_id(note_id),
        )
        .returning(ContactNote.id)
    )
    if gone.first() is None:
        raise NotFound()
    audit.record("contacts.note_removed", card.title, contact=card.id)


def known_tags(limit: int = 500) -> list[str]:
    return list(
        db.session.scalars(
            select(ContactTag.name)
            .where(ContactTag.tenant_id == current_tenant_id())
            .order_by(ContactTag.key)
            .limit(limit)
        )
    )


def note_tags(tags: Iterable[str]) -> None:
    rows = [
        {"tenant_id": current_tenant_id(), "key": tokens.tag_key(tag), "name": tag}
        for tag in sorted(tags, key=tokens.tag_key)
    ]
    if rows:
        db.session.execute(upsert(ContactTag).values(rows).on_conflict_do_nothing())


def _give_phone(contact_id: str, phone: str) -> None:
    mine = select(Identity.value).where(
        Identity.tenant_id == current_tenant_id(),
        Identity.contact_id == contact_id,
        Identity.kind == "phone",
    )
    there = set(db.session.scalars(mine))
    if same_variants(phone) & there:
        return
    if len(there) >= MOST_PHONES:
        raise Conflict("too_many_phones", "A contact has 10 phone numbers at most.")
    other = people.find(phone)
    made = None
    if other is None:
        made = db.session.execute(
            upsert(Identity)
            .values(
                tenant_id=current_tenant_id(),
                kind="phone",
                value=people.one_spelling(phone),
                contact_id=contact_id,
                spelling=phone,
            )
            .on_conflict_do_nothing()
            .returning(Identity.contact_id)
        ).first()
    if made is None:
        error = invalid(
            "phone", "phone_taken", "This number is in your contacts already: see {who}.",
            who=cards.get(other).title if other else phone,
        )  # fmt: skip
        error.more = {"contact_id": other}
        raise error
    blocked = select(Contact.blocked_at).where(
        Contact.tenant_id == current_tenant_id(), Contact.id == contact_id
    )
    if db.session.scalar(blocked) is not None:
        wishes.note_blocked(contact_id)


def _filled(values: Mapping[str, str]) -> dict[str, str]:
    return {key: value for key, value in values.items() if value != ""}


def _note_id(note_id: str) -> str:
    try:
        return canonical("note", note_id)
    except BadId:
        raise NotFound() from None
