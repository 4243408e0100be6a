"""The people on the other side: found by any of their identities, or made when they first write."""

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
# The network's newest name is kept; what a person wrote down is not replaced by it.
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

# Words that mean "no more of this" when they are all that somebody writes.
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


def _folded(said: str) -> str:
    """Without case, and with one letter i: people shout on keyboards of every language."""
    return fold_case(said).replace("ı", "i")


_OPT_OUT_FOLDED = {_folded(word) for words in OPT_OUT_WORDS.values() for word in words}


@dataclass(frozen=True)
class KnownContact:
    id: str
    opted_out_at: datetime | None
    blocked_at: datetime | None


@dataclass(frozen=True)
class _IdentityKey:
    """One way to find somebody; `values` are all its spellings, the first is what we keep."""

    kind: str
    values: tuple[str, ...]
    spelling: str


def find_or_create(phone: str, network_id: str, name: str, at: datetime) -> KnownContact:
    """The contact behind a sender, made if new; the newest name and the last sight are kept."""
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


def is_opt_out_request(said: str) -> bool:
    """Only when the word is all there is: "stop by at eight" is not a farewell."""
    words = " ".join(said.strip(_EDGE_CHARACTERS).split())
    return _folded(words) in _OPT_OUT_FOLDED


def record_opt_out(contact_id: str, at: datetime, source: str = "word") -> bool:
    """True: from now on; False: they had already."""
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
    """They asked for it again. An older wish does not undo a newer one."""
    return contact_consent.opt_in(contact_id, at, source)


def blocked_phones(phones: Iterable[str]) -> set[str]:
    """Which of these belong to somebody who is blocked; one look at a small table."""
    return set(
        db.session.scalars(
            select(BlockedPhone.phone).where(
                BlockedPhone.tenant_id == current_tenant_id(), BlockedPhone.phone.in_(phones)
            )
        )
    )


def check_not_blocked(phone: str) -> None:
    """For the way out: nothing is sent to somebody who is blocked."""
    if blocked_phones([phone]):
        raise contact_blocked_error()


def contact_blocked_error() -> Invalid:
    return invalid(
        "phone", "contact_blocked", "This contact is blocked; unblock them to write to them."
    )


def canonical_spelling(phone: str) -> str:
    """Which of the ways to write a phone is kept: as its numbering plan has it today."""
    ways = sorted(phone_variants(phone), key=len)
    return ways[0] if phone.startswith("52") else ways[-1]


def identity_of_phone(phone: str) -> tuple[str, str]:
    """Kind and value of the identity that somebody with this phone, or this network id, has."""
    if phone.isdecimal():
        return "phone", canonical_spelling(phone)
    return "lid" if phone.endswith("@lid") else "network_id", phone


def _identity_keys(phone: str, network_id: str) -> list[_IdentityKey]:
    names = []
    if phone:
        kept = canonical_spelling(phone)
        names.append(_IdentityKey("phone", (kept, *(phone_variants(phone) - {kept})), phone))
    if network_id:
        kind = "lid" if network_id.endswith("@lid") else "network_id"
        names.append(_IdentityKey(kind, (network_id,), network_id))
    return names


def _find(names: list[_IdentityKey]) -> tuple[str | None, set[str]]:
    """The contact and the kinds of name it was found by. Where there is a phone, it decides."""
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
    # Somebody else's transaction met the same sender first, and has committed by now.
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
    """Messages may come in any order: the name of the newest one stays."""
    mine = {"tenant_id": current_tenant_id(), "id": str(to_uuid("con", contact_id))}
    row = db.session.execute(RECORD_SEEN, {**mine, "name": name, "at": min(at, now())}).one()
    key = search_tokens.search_key(row.name)
    if key != row.name_key:
        db.session.execute(SET_NAME_KEY, {**mine, "key": key})
    if new or key != row.name_key:
        search_tokens.create_tokens(contact_id, row.name_key)
    return KnownContact(contact_id, row.opted_out_at, row.blocked_at)
