"""A contact as people see it: its row, its identities and its display name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from sqlalchemy import Text, any_, bindparam, select, text
from sqlalchemy.dialects.postgresql import ARRAY

from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import NotFound
from core.ids import BadId, Id, canonical_id
from core.values.network_address import PHONE, address_variants, is_parent_id
from core.values.phone import display_phone
from messaging.models import Contact, Identity

IDENTITY_KINDS = ("phone", "username", "network_id", "lid")
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


CONTACT = (
    select(Contact)
    .where(Contact.tenant_id == THIS_TENANT, Contact.id == bindparam("contact_id"))
    .execution_options(populate_existing=True, plan_once=True)
)
# The former ones are those that the network has replaced.
IDENTITIES = (
    text("""
SELECT contact_id, kind, value, spelling, line_id, added_at, false AS former FROM identities
 WHERE tenant_id = :tenant_id AND contact_id = ANY(:contact_ids)
 UNION ALL
SELECT contact_id, kind, value, spelling, NULL, NULL, true FROM former_identities
 WHERE tenant_id = :tenant_id AND contact_id = ANY(:contact_ids)
""")
    .bindparams(bindparam("contact_ids", type_=ARRAY(Id("con"))))
    .columns(contact_id=Id("con"))
)
NAMES_BY_ADDRESS = select(Identity.value, Contact.id, Contact.name).where(
    Identity.tenant_id == THIS_TENANT,
    Identity.kind.in_(IDENTITY_KINDS),
    Identity.value == any_(bindparam("addresses", type_=ARRAY(Text))),
    Contact.tenant_id == THIS_TENANT,
    Contact.id == Identity.contact_id,
    Contact.name != "",
)


class CardIdentity(NamedTuple):
    kind: str
    value: str
    spelling: str
    """As the network writes it."""
    line_id: int | None = None
    added_at: datetime | None = None


def address_on_line(
    found: Iterable[CardIdentity], line_id: int, address_kinds: frozenset[str]
) -> str:
    """Return where a message on this line goes, "" if the contact cannot be reached on it.

    The phone, else the id that was last used on the line, else the newest. `address_kinds` are
    those of the line's driver.
    """
    usable = [one for one in found if one.kind in address_kinds]
    if not usable:
        return ""
    best = min(
        usable,
        key=lambda one: (
            one.kind != PHONE,
            one.kind != PHONE and one.line_id != line_id,
            is_parent_id(one.value),
            -(one.added_at.timestamp() if one.added_at and one.kind != PHONE else 0),
            one.value,
        ),
    )
    return best.spelling


def line_of_newest_id(found: Sequence[CardIdentity]) -> int | None:
    """Return the line on which a contact without a phone was last seen; None with a phone."""
    if any(one.kind == PHONE for one in found):
        return None
    seen = [one for one in found if one.line_id is not None]
    newest = max(seen, key=lambda one: one.added_at or _LONG_AGO, default=None)
    return newest.line_id if newest else None


@dataclass(frozen=True)
class ContactCard:
    contact: Contact
    identities: Sequence[CardIdentity]
    former: Sequence[CardIdentity] = ()
    """What the network has replaced. Nothing is sent there."""

    @property
    def id(self) -> str:
        return self.contact.id

    @property
    def phone(self) -> str:
        """The first phone as the network spells it, or "". A network id is not a phone."""
        return next((one.spelling for one in self.identities if one.kind == "phone"), "")

    @property
    def reachable(self) -> bool:
        """Whether some line can send to them."""
        return any(one.kind != "username" for one in self.identities)

    @property
    def title(self) -> str:
        """The display name: the name, else the phone, the user name or the network's id."""
        if self.contact.name:
            return self.contact.name
        if self.phone:
            return display_phone(self.phone)
        if self.contact.username:
            return f"@{self.contact.username}"
        first = next(iter(self.identities), None)
        return first.spelling if first else self.contact.id

    @property
    def birthday(self) -> str:
        """1990-04-23, or --04-23 if the year is not known."""
        if self.contact.birthday is None:
            return ""
        month, day = divmod(self.contact.birthday, 100)
        year = f"{self.contact.birth_year:04}" if self.contact.birth_year else "-"
        return f"{year}-{month:02}-{day:02}"


def addresses_of(card: ContactCard) -> list[str]:
    """Return every address under which the contact's messages may be stored."""
    return addresses_in([*card.identities, *card.former])


def addresses_in(found: Iterable[CardIdentity]) -> list[str]:
    """Return all spellings of these identities."""
    return sorted({way for one in found for way in (*address_variants(one.value), one.spelling)})


def get(contact_id: str) -> ContactCard:
    return card_of(get_contact(contact_id))


def get_contact(contact_id: str) -> Contact:
    try:
        known = canonical_id("con", contact_id)
    except BadId:
        raise NotFound() from None
    found = db.session.scalars(CONTACT, {"contact_id": known}).first()
    if found is None:
        raise NotFound()
    return found


def existing_cards(contact_ids: Sequence[str]) -> dict[str, ContactCard]:
    """Return the contacts among these that still exist, by id."""
    query = select(Contact).where(
        Contact.tenant_id == current_tenant_id(), Contact.id.in_(list(contact_ids))
    )
    return {card.id: card for card in cards_of(list(db.session.scalars(query)))}


def names_by_phone(phones: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Return contact id and name for each phone that has a named contact, in one query."""
    variants = {phone: address_variants(phone) for phone in phones if phone}
    if not variants:
        return {}
    addresses = list(set().union(*variants.values()))
    rows = read_rows(NAMES_BY_ADDRESS, {"addresses": addresses})
    known = {row.value: (row.id, row.name) for row in rows}
    return {
        phone: next(known[one] for one in ways if one in known)
        for phone, ways in variants.items()
        if not ways.isdisjoint(known)
    }


def card_of(contact: Contact) -> ContactCard:
    return cards_of([contact])[0]


def cards_of(contacts: Sequence[Contact]) -> list[ContactCard]:
    """Load the identities of all contacts in one query."""
    found = identities_of([one.id for one in contacts])
    return [ContactCard(one, *found[one.id]) for one in contacts]


def identities_of(
    contact_ids: Sequence[str],
) -> dict[str, tuple[list[CardIdentity], list[CardIdentity]]]:
    """Return the current and the former identities of each contact, phones first."""
    found: dict[str, tuple[list[CardIdentity], list[CardIdentity]]] = {
        one: ([], []) for one in contact_ids
    }
    if contact_ids:
        params = {"tenant_id": current_tenant_id(), "contact_ids": list(found)}
        for contact_id, *identity, former in read_rows(IDENTITIES, params):
            found[contact_id][former].append(CardIdentity(*identity))
    for names in (one for pair in found.values() for one in pair):
        names.sort(key=lambda one: (IDENTITY_KINDS.index(one.kind), one.value))
    return found
