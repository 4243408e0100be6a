"""A contact as people see it: its row, its identities and its display name."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Text, any_, bindparam, select
from sqlalchemy.dialects.postgresql import ARRAY

from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import NotFound
from core.ids import BadId, Id, canonical_id
from core.values.phone import display_phone, phone_variants
from messaging.models import Contact, Identity

IDENTITY_KINDS = ("phone", "username", "network_id", "lid")


CONTACT = (
    select(Contact)
    .where(Contact.tenant_id == THIS_TENANT, Contact.id == bindparam("contact_id"))
    .execution_options(populate_existing=True, plan_once=True)
)
IDENTITIES = select(Identity.contact_id, Identity.kind, Identity.value, Identity.spelling).where(
    Identity.tenant_id == THIS_TENANT,
    Identity.contact_id == any_(bindparam("contact_ids", type_=ARRAY(Id("con")))),
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


@dataclass(frozen=True)
class ContactCard:
    contact: Contact
    identities: Sequence[CardIdentity]

    @property
    def id(self) -> str:
        return self.contact.id

    @property
    def phone(self) -> str:
        """The first phone as the network spells it, or "". A network id is not a phone."""
        return next((one.spelling for one in self.identities if one.kind == "phone"), "")

    @property
    def title(self) -> str:
        """The display name: the name, else the phone, else the network's id."""
        if self.contact.name:
            return self.contact.name
        if self.phone:
            return display_phone(self.phone)
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
    found: set[str] = set()
    for one in card.identities:
        found |= {one.value, one.spelling}
        if one.kind == "phone":
            found |= phone_variants(one.value)
    return sorted(found)


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
    variants = {phone: set(phone_variants(phone)) | {phone} for phone in phones if phone}
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
    names: dict[str, list[CardIdentity]] = {one.id: [] for one in contacts}
    if contacts:
        for contact_id, *identity in read_rows(IDENTITIES, {"contact_ids": list(names)}):
            names[contact_id].append(CardIdentity(*identity))
    for found in names.values():
        found.sort(key=lambda one: (IDENTITY_KINDS.index(one.kind), one.value))
    return [ContactCard(one, names[one.id]) for one in contacts]
