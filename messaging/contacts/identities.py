"""Find contacts by any of their identities, or create them when they first write.

A message links all identities that it carries. If they belong to two contacts, `linking.py` joins
them or leaves the decision to a person.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import TextClause, delete, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid, invalid
from core.ids import from_uuid, new_id, to_uuid
from core.values.network_address import LID, PHONE, USER_ID, address_kind
from core.values.phone import phone_variants
from core.values.text import fold_case, one_line
from messaging.contacts import consent as contact_consent
from messaging.contacts import linking, search_tokens
from messaging.models import BlockedPhone, Contact, FormerIdentity, Identity

LONGEST_NAME, LONGEST_USERNAME = 200, 64

FIND_CONTACTS = text("""
SELECT identities.kind, identities.contact_id, identities.value, identities.spelling,
       identities.line_id, identities.added_at
  FROM identities
  JOIN unnest(CAST(:kinds AS text[]), CAST(:values AS text[])) AS asked (kind, value)
    ON identities.kind = asked.kind AND identities.value = asked.value
 WHERE identities.tenant_id = :tenant_id
""")
# An id is never given to another person. A phone may be, so that it counts only for messages that
# were written before it was given up.
FIND_FORMER = text("""
SELECT former.kind, former.contact_id, former.value, former.ended_at >= :at AS late
  FROM former_identities AS former
  JOIN unnest(CAST(:kinds AS text[]), CAST(:values AS text[])) AS asked (kind, value)
    ON former.kind = asked.kind AND former.value = asked.value
 WHERE former.tenant_id = :tenant_id AND (former.kind <> 'phone' OR former.ended_at >= :at)
 ORDER BY former.ended_at DESC
""")
RECORD_USERNAME = text("""
UPDATE contacts SET username = :username
 WHERE tenant_id = :tenant_id AND id = :id AND username <> :username
   AND (last_seen_at IS NULL OR last_seen_at <= :at)
RETURNING id
""")
# Keeps the network's newest profile name. A name that a person entered is not replaced.
RECORD_SEEN = text("""
UPDATE contacts
   SET profile_name = CASE WHEN profile_name = '' OR last_seen_at IS NULL OR last_seen_at <= :at
                           THEN coalesce(nullif(:name, ''), profile_name) ELSE profile_name END,
       name = CASE WHEN named_by <> 'network' AND name <> '' THEN name
                   WHEN name = '' OR last_seen_at IS NULL OR last_seen_at <= :at
                   THEN coalesce(nullif(:name, ''), name) ELSE name END,
       first_seen_at = least(first_seen_at, :at), last_seen_at = greatest(last_seen_at, :at)
 WHERE tenant_id = :tenant_id AND id = :id
RETURNING opted_out_at, blocked_at, name, name_key
""")
SET_NAME_KEY = text("UPDATE contacts SET name_key = :key WHERE tenant_id = :tenant_id AND id = :id")
_EDGE_CHARACTERS = " \t\r\n.,;:!¡?¿\"'*_~()[]«»“”‘’"

# Words that count as an opt-out when the message has no other text.
OPT_OUT_WORDS = {
    "en": ("stop", "stop all", "stopall", "unsubscribe", "opt out", "optout"),
    "tr": ("dur", "iptal", "ret", "red", "çık", "abonelikten çık"),
    "es": ("baja", "alto", "parar", "darme de baja", "cancelar suscripción"),
    "fr": ("arret", "arrêt", "arrêter", "désabonner", "désinscrire"),
    "de": ("stopp", "abmelden", "abbestellen"),
    "pt": ("sair", "pare", "descadastrar", "cancelar inscrição"),
    "it": ("ferma", "disiscrivi", "cancellami"),
    "nl": ("afmelden", "uitschrijven"),
    "pl": ("rezygnuję", "wypisz"),
    "ru": ("стоп", "отписаться"),
    "ar": ("توقف", "إيقاف", "الغاء الاشتراك", "إلغاء الاشتراك"),
    "id": ("berhenti",),
}


def _folded(typed: str) -> str:
    """Fold case and treat ı as i, so that capital letters match on any keyboard."""
    return fold_case(typed).replace("ı", "i")


_OPT_OUT_FOLDED = {_folded(word) for words in OPT_OUT_WORDS.values() for word in words}


@dataclass(frozen=True)
class KnownContact:
    id: str
    opted_out_at: datetime | None
    blocked_at: datetime | None


@dataclass(frozen=True)
class IdentityKey:
    """One identity to look for. `values` are all its spellings; the first one is stored."""

    kind: str
    values: tuple[str, ...]
    spelling: str


@dataclass(frozen=True)
class Match:
    """The contacts that some identities belong to; the one of the phone comes first."""

    contact_ids: list[str]
    unknown: list[IdentityKey]
    """Those that belong to nobody."""
    late: bool = False
    """The message was written before the network replaced its identities."""


def find_or_create(
    phone: str,
    network_id: str,
    name: str,
    at: datetime,
    *,
    parent_id: str = "",
    username: str = "",
    line_id: int | None = None,
) -> KnownContact:
    """Return the contact of a sender, created if new. Updates its name and last seen."""
    keys = identity_keys(phone, network_id, parent_id)
    if not keys:
        raise ValueError("the sender has neither a phone nor an id of the network")
    match = _match(keys, at, line_id)
    new = not match.contact_ids
    if new:
        contact_id, match = _create(keys, at, line_id)
    else:
        contact_id = linking.join_contacts(match.contact_ids, at)
    learned = not match.late and add_identities(contact_id, match.unknown, at, line_id)
    if username:
        _record_username(contact_id, one_line(username, LONGEST_USERNAME).lstrip("@"), at)
    contact = _record_seen(contact_id, one_line(name, LONGEST_NAME), at, new=new or learned)
    if learned and contact.blocked_at is not None:
        contact_consent.record_blocked_phones(contact_id)
    return contact


def find_contact(phone: str = "", network_id: str = "", at: datetime | None = None) -> str | None:
    """Return the contact. `at`: of a message from them, which may have arrived late."""
    keys = identity_keys(phone, network_id)
    match = _match(keys, at) if keys else Match([], [])
    return match.contact_ids[0] if match.contact_ids else None


def find_by_address(address: str) -> str | None:
    """Return the contact by a phone or by the network's id."""
    if not address:
        return None
    is_phone = address_kind(address) == PHONE
    return find_contact(address) if is_phone else find_contact(network_id=address)


def is_opt_out_request(typed: str) -> bool:
    """True only if the word is the whole message: "stop by at eight" is not an opt-out."""
    words = " ".join(typed.strip(_EDGE_CHARACTERS).split())
    return _folded(words) in _OPT_OUT_FOLDED


def is_same_word(typed: str, word: str) -> bool:
    """Compare without case, accents of the keyboard and punctuation around the word."""
    return _folded(" ".join(typed.strip(_EDGE_CHARACTERS).split())) == _folded(word)


def record_opt_out(contact_id: str, at: datetime, source: str = "word") -> bool:
    """Opt the contact out of marketing. Returns False if they had opted out already."""
    return contact_consent.opt_out(contact_id, at, source)


def has_opted_out(address: str) -> bool:
    contact_id = find_by_address(address)
    if contact_id is None:
        return False
    query = select(Contact.opted_out_at).where(
        Contact.tenant_id == current_tenant_id(), Contact.id == contact_id
    )
    return db.session.scalar(query) is not None


def record_opt_in(contact_id: str, at: datetime, source: str = "network") -> bool:
    """Opt the contact in again. An older request does not override a newer opt-out."""
    return contact_consent.opt_in(contact_id, at, source)


def blocked_phones(phones: Iterable[str]) -> set[str]:
    """Return those of the phones that are blocked, with one query on a small table."""
    return set(
        db.session.scalars(
            select(BlockedPhone.phone).where(
                BlockedPhone.tenant_id == current_tenant_id(), BlockedPhone.phone.in_(phones)
            )
        )
    )


def check_not_blocked(phone: str) -> None:
    """Raise Invalid if the phone is blocked; checked before anything is sent."""
    if blocked_phones([phone]):
        raise contact_blocked_error()


def contact_blocked_error() -> Invalid:
    return invalid(
        "phone", "contact_blocked", "This contact is blocked. Unblock them to send a message."
    )


def canonical_spelling(phone: str) -> str:
    """Return the spelling to store: the current one of the country's numbering plan."""
    ways = sorted(phone_variants(phone), key=len)
    return ways[0] if phone.startswith("52") else ways[-1]


def identity_of_phone(phone: str) -> tuple[str, str]:
    """Return kind and value of the identity for this phone or network id."""
    kind = address_kind(phone)
    return kind, canonical_spelling(phone) if kind == PHONE else phone


def identity_keys(phone: str, *network_ids: str) -> list[IdentityKey]:
    keys = []
    if phone:
        spelling = canonical_spelling(phone)
        keys.append(IdentityKey(PHONE, (spelling, *(phone_variants(phone) - {spelling})), phone))
    return keys + [
        IdentityKey(LID if address_kind(one) == LID else USER_ID, (one,), one)
        for one in network_ids
        if one
    ]


def owners(keys: list[IdentityKey], since: datetime | None = None) -> dict[IdentityKey, str]:
    """Return the contact of each identity that belongs to one, and did at that time."""
    return {
        key: from_uuid("con", row.contact_id)
        for key, row in _live_rows(keys).items()
        if since is None or row.added_at is None or row.added_at <= since
    }


def _match(keys: list[IdentityKey], at: datetime | None, line_id: int | None = None) -> Match:
    rows = _live_rows(keys)
    _update_identities(rows, line_id)
    unknown = [key for key in keys if key not in rows]
    found = [rows[key].contact_id for key in keys if key in rows]
    if at is not None and (asked := [key for key in keys if _may_be_former(rows.get(key), at)]):
        former = _execute_find(FIND_FORMER, asked, at=at)
        late = [row for row in former if row.late]
        if late:
            first = min(late, key=lambda row: row.kind == PHONE)  # an id is surely theirs
            return Match([from_uuid("con", first.contact_id)], [], late=True)
        found += [row.contact_id for row in former]
    return Match(list(dict.fromkeys(from_uuid("con", one) for one in found)), unknown)


def _may_be_former(row: Any, at: datetime) -> bool:
    """Nobody has the identity now, or its owner got it after the message was written."""
    return row is None or (row.added_at is not None and at < row.added_at)


def _live_rows(keys: list[IdentityKey]) -> dict[IdentityKey, Any]:
    rows = _execute_find(FIND_CONTACTS, keys)
    return {
        key: row for key in keys for row in rows if row.kind == key.kind and row.value in key.values
    }


def _execute_find(statement: TextClause, keys: list[IdentityKey], **more: Any) -> Sequence[Any]:
    params = {
        "tenant_id": current_tenant_id(),
        "kinds": [key.kind for key in keys for _ in key.values],
        "values": [value for key in keys for value in key.values],
    }
    return db.session.execute(statement, params | more).all()


def _create(keys: list[IdentityKey], at: datetime, line_id: int | None) -> tuple[str, Match]:
    tenant_id, contact_id = current_tenant_id(), new_id("con")
    db.session.execute(
        insert(Contact).values(
            tenant_id=tenant_id,
            id=contact_id,
            first_seen_at=at,
            last_seen_at=at,
        )
    )
    if _add_identity(contact_id, keys[0], at, line_id):
        return contact_id, Match([contact_id], keys[1:])
    # Another transaction created the contact of this sender first and has committed.
    db.session.execute(
        delete(Contact).where(Contact.tenant_id == tenant_id, Contact.id == contact_id)
    )
    match = _match(keys, at)
    if not match.contact_ids:
        raise RuntimeError("a contact was made and erased while we looked")
    return match.contact_ids[0], match


def add_identities(
    contact_id: str, keys: list[IdentityKey], at: datetime, line_id: int | None
) -> bool:
    """Add those that belong to nobody. Returns whether there were any."""
    made = [_add_identity(contact_id, key, at, line_id) for key in keys]
    return any(made)


def _add_identity(contact_id: str, key: IdentityKey, at: datetime, line_id: int | None) -> bool:
    made = db.session.execute(
        upsert(Identity)
        .values(
            tenant_id=current_tenant_id(),
            kind=key.kind,
            value=key.values[0],
            contact_id=contact_id,
            spelling=key.spelling,
            line_id=line_id,
            added_at=min(at, now()),
        )
        .on_conflict_do_nothing()
        .returning(Identity.contact_id)
    )
    if made.first() is None:
        return False
    db.session.execute(  # the network uses it again
        delete(FormerIdentity).where(
            FormerIdentity.tenant_id == current_tenant_id(),
            FormerIdentity.contact_id == contact_id,
            FormerIdentity.kind == key.kind,
            FormerIdentity.value == key.values[0],
        )
    )
    return True


def _update_identities(rows: dict[IdentityKey, Any], line_id: int | None) -> None:
    """Keep the network's newest spelling of a phone, and the line of an id."""
    for key, row in rows.items():
        changes: dict[str, Any] = {}
        if row.spelling != key.spelling:
            changes["spelling"] = key.spelling
        if line_id is not None and key.kind != PHONE and row.line_id != line_id:
            changes["line_id"] = line_id
        if changes:
            db.session.execute(
                update(Identity)
                .where(
                    Identity.tenant_id == current_tenant_id(),
                    Identity.kind == row.kind,
                    Identity.value == row.value,
                )
                .values(**changes)
            )


def _record_username(contact_id: str, username: str, at: datetime) -> None:
    """Store the network's newest user name, and find the contact by it."""
    params = {
        "tenant_id": current_tenant_id(),
        "id": str(to_uuid("con", contact_id)),
        "username": username,
        "at": min(at, now()),
    }
    known = select(Contact.username).where(
        Contact.tenant_id == current_tenant_id(), Contact.id == contact_id
    )
    if db.session.scalar(known) == username:
        return
    with search_tokens.updating_tokens(contact_id):
        db.session.execute(RECORD_USERNAME, params)


def _record_seen(contact_id: str, name: str, at: datetime, *, new: bool) -> KnownContact:
    """Update name and last seen. Messages may arrive in any order: the newest one's name stays."""
    params = {"tenant_id": current_tenant_id(), "id": str(to_uuid("con", contact_id))}
    row = db.session.execute(RECORD_SEEN, {**params, "name": name, "at": min(at, now())}).one()
    key = search_tokens.search_key(row.name)
    if key != row.name_key:
        db.session.execute(SET_NAME_KEY, {**params, "key": key})
    if new or key != row.name_key:
        search_tokens.create_tokens(contact_id, row.name_key)
    return KnownContact(contact_id, row.opted_out_at, row.blocked_at)
