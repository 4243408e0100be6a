"""Find contacts by any of their identities, or create them when they first write."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid, invalid
from core.ids import from_uuid, new_id, to_uuid
from core.values.phone import phone_variants
from core.values.text import fold_case, one_line
from messaging.contacts import consent as contact_consent
from messaging.contacts import search_tokens
from messaging.models import BlockedPhone, Contact, Identity

LONGEST_NAME = 200

FIND_CONTACTS = text("""
SELECT identities.kind, identities.contact_id, identities.value, identities.spelling
  FROM identities
  JOIN unnest(CAST(:kinds AS text[]), CAST(:values AS text[])) AS asked (kind, value)
    ON identities.kind = asked.kind AND identities.value = asked.value
 WHERE identities.tenant_id = :tenant_id
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
class _IdentityKey:
    """One identity to look for. `values` are all its spellings; the first one is stored."""

    kind: str
    values: tuple[str, ...]
    spelling: str


def find_or_create(phone: str, network_id: str, name: str, at: datetime) -> KnownContact:
    """Return the contact of a sender, created if new. Updates its name and last seen."""
    names = _identity_keys(phone, network_id)
    if not names:
        raise ValueError("the sender has neither a phone nor an id of the network")
    contact_id, known = _find(names)
    new = contact_id is None
    if contact_id is None:
        contact_id, known = _create(names, at)
    learned = _add_identities(contact_id, [one for one in names if one.kind not in known])
    return _record_seen(contact_id, one_line(name, LONGEST_NAME), at, new=new or learned)


def find_contact(phone: str = "", network_id: str = "") -> str | None:
    names = _identity_keys(phone, network_id)
    return _find(names)[0] if names else None


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


def has_opted_out(phone: str) -> bool:
    contact_id = find_contact(phone)
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
    if phone.isdecimal():
        return "phone", canonical_spelling(phone)
    return "lid" if phone.endswith("@lid") else "network_id", phone


def _identity_keys(phone: str, network_id: str) -> list[_IdentityKey]:
    names = []
    if phone:
        spelling = canonical_spelling(phone)
        names.append(
            _IdentityKey("phone", (spelling, *(phone_variants(phone) - {spelling})), phone)
        )
    if network_id:
        kind = "lid" if network_id.endswith("@lid") else "network_id"
        names.append(_IdentityKey(kind, (network_id,), network_id))
    return names


def _find(names: list[_IdentityKey]) -> tuple[str | None, set[str]]:
    """Return the contact and the identity kinds that matched. A phone takes precedence."""
    rows = db.session.execute(
        FIND_CONTACTS,
        {
            "tenant_id": current_tenant_id(),
            "kinds": [one.kind for one in names for _ in one.values],
            "values": [value for one in names for value in one.values],
        },
    ).all()
    if not rows:
        return None, set()
    first = min(rows, key=lambda row: row.kind != "phone")
    for one in names:
        for row in rows:
            if row.kind == one.kind and row.spelling != one.spelling:
                _update_spelling(row.kind, row.value, one.spelling)
    return from_uuid("con", first.contact_id), {row.kind for row in rows}


def _create(names: list[_IdentityKey], at: datetime) -> tuple[str, set[str]]:
    tenant_id, contact_id = current_tenant_id(), new_id("con")
    db.session.execute(
        insert(Contact).values(
            tenant_id=tenant_id,
            id=contact_id,
            first_seen_at=at,
            last_seen_at=at,
        )
    )
    if _add_identity(contact_id, names[0]):
        return contact_id, {names[0].kind}
    # Another transaction created the contact of this sender first and has committed.
    db.session.execute(
        delete(Contact).where(Contact.tenant_id == tenant_id, Contact.id == contact_id)
    )
    found, known = _find(names)
    if found is None:
        raise RuntimeError("a contact was made and erased while we looked")
    return found, known


def _add_identities(contact_id: str, names: list[_IdentityKey]) -> bool:
    made = [_add_identity(contact_id, one) for one in names]
    return any(made)


def _add_identity(contact_id: str, one: _IdentityKey) -> bool:
    made = db.session.execute(
        upsert(Identity)
        .values(
            tenant_id=current_tenant_id(),
            kind=one.kind,
            value=one.values[0],
            contact_id=contact_id,
            spelling=one.spelling,
        )
        .on_conflict_do_nothing()
        .returning(Identity.contact_id)
    )
    return made.first() is not None


def _update_spelling(kind: str, value: str, spelling: str) -> None:
    db.session.execute(
        update(Identity)
        .where(
            Identity.tenant_id == current_tenant_id(),
            Identity.kind == kind,
            Identity.value == value,
        )
        .values(spelling=spelling)
    )


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
