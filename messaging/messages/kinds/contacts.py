"""Contact cards."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, Field

from core.i18n.catalogs import N_
from core.values.field_checks import optional_text, required_text
from core.values.network_address import is_phone
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.fields import KindFields, ResolveFile

MOST_CARDS = 20
REQUESTED = "contact_request"  # the origin of a card that answers a request for the number
NAME_PARTS = ("first_name", "middle_name", "last_name", "prefix", "suffix")
COMPANY_PARTS = ("company", "department", "title")
Word = Annotated[str | None, Field(max_length=200)]


class CardPhone(BaseModel):
    phone: Annotated[str, required_text("phone", 40)] = Field(examples=["+90 532 111 22 33"])
    type: Word = Field(None, description="Such as `CELL` or `WORK`.", examples=["CELL"])
    wa_id: Word = Field(
        None, description="The WhatsApp number, digits only: the card gets a button to message it."
    )


class CardEmail(BaseModel):
    email: Annotated[str, required_text("email", 254)]
    type: Word = Field(None, description="Such as `WORK`.", examples=["WORK"])


class CardUrl(BaseModel):
    url: Annotated[str, required_text("url", 2048)] = Field(examples=["https://example.com"])
    type: Word = Field(None, description="Such as `WORK`.", examples=["WORK"])


class CardAddress(BaseModel):
    street: Word = Field(None, examples=["Moda Cd. 12"])
    city: Word = Field(None, examples=["İstanbul"])
    state: Word = Field(None, description="The state or province.", examples=["İstanbul"])
    zip: Word = Field(None, description="The postal code.", examples=["34710"])
    country: Word = Field(None, description="The country's name.", examples=["Türkiye"])
    country_code: Word = Field(None, description="Two letters.", examples=["tr"])
    type: Word = Field(None, description="Such as `WORK`.", examples=["WORK"])


class ContactCardFields(BaseModel):
    name: Annotated[str, required_text("name", 200)] = Field(
        description="The whole name, as it is shown.", examples=["Derya Aksoy"]
    )
    first_name: Word = Field(None, description="The given name.", examples=["Derya"])
    middle_name: Word = Field(None, description="The middle name.")
    last_name: Word = Field(None, description="The family name.", examples=["Aksoy"])
    prefix: Word = Field(None, description="Such as `Dr`.")
    suffix: Word = Field(None, description="Such as `Jr`.")
    phones: list[CardPhone] = Field(
        default_factory=list, max_length=20, description="Phone numbers."
    )
    emails: list[CardEmail] = Field(
        default_factory=list, max_length=20, description="E-mail addresses."
    )
    urls: list[CardUrl] = Field(default_factory=list, max_length=20, description="Web pages.")
    addresses: list[CardAddress] = Field(
        default_factory=list, max_length=20, description="Postal addresses."
    )
    company: Word = Field(None, description="The company's name.", examples=["Lokanta Mavi"])
    department: Word = Field(None, description="The department.")
    title: Word = Field(None, description="The job title.", examples=["Manager"])
    birthday: Annotated[str | None, optional_text("birthday", 10)] = Field(
        None, pattern=r"^\d{4}-\d{2}-\d{2}$", description="`YYYY-MM-DD`."
    )

    def network_card(self) -> dict[str, Any]:
        """The card as the cloud API takes it. It needs one part of the name beside the whole."""
        given = self.model_dump(exclude_none=True)
        parts = {name: given[name] for name in NAME_PARTS if name in given}
        card: dict[str, Any] = {
            "name": {"formatted_name": self.name, **(parts or {"first_name": self.name})}
        }
        for name in ("phones", "emails", "urls", "addresses", "birthday"):
            if given.get(name):
                card[name] = given[name]
        if company := {name: given[name] for name in COMPANY_PARTS if name in given}:
            card["org"] = company
        return card


class ContactsFields(KindFields):
    contacts: list[ContactCardFields] = Field(
        min_length=1, max_length=MOST_CARDS, description="The cards to send."
    )

    def message_text(self) -> str:
        return ", ".join(card.name for card in self.contacts)

    def message_content(self, _resolve_file: ResolveFile) -> dict[str, Any]:
        return {
            "contacts": [
                {"name": card.name, "phones": [one.phone for one in card.phones]}
                for card in self.contacts
            ],
            "cards": [card.network_card() for card in self.contacts],
        }


def _cloud_part(envelope: Envelope) -> list[dict[str, Any]]:
    cards: list[dict[str, Any]] = envelope.content["cards"]
    return cards


def _linked_part(
    envelope: Envelope, _media: MediaFileBody | None
) -> tuple[str, dict[str, Any], str]:
    cards = [
        {"displayName": card["name"]["formatted_name"], "vcard": vcard(card)}
        for card in envelope.content["cards"]
    ]
    if len(cards) == 1:
        return "contactMessage", cards[0], ""
    return "contactsArrayMessage", {"displayName": envelope.text, "contacts": cards}, ""


def vcard(card: Mapping[str, Any]) -> str:
    """A network card as the text that phones exchange (vCard 3.0)."""
    name = card["name"]
    parts = ("last_name", "first_name", "middle_name", "prefix", "suffix")
    lines = [
        "BEGIN:VCARD",
        "VERSION:3.0",
        f"N:{';'.join(_escaped(name.get(part, '')) for part in parts)}",
        f"FN:{_escaped(name['formatted_name'])}",
    ]
    for one in card.get("phones", ()):
        chat = f";waid={one['wa_id']}" if one.get("wa_id") else ""
        lines.append(f"TEL;type={one.get('type') or 'CELL'}{chat}:{_escaped(one['phone'])}")
    lines += [f"EMAIL:{_escaped(one['email'])}" for one in card.get("emails", ())]
    lines += [f"URL:{_escaped(one['url'])}" for one in card.get("urls", ())]
    for one in card.get("addresses", ()):
        place = (one.get(part, "") for part in ("street", "city", "state", "zip", "country"))
        lines.append(f"ADR:;;{';'.join(_escaped(part) for part in place)}")
    if company := card.get("org", {}).get("company"):
        lines.append(f"ORG:{_escaped(company)}")
    if title := card.get("org", {}).get("title"):
        lines.append(f"TITLE:{_escaped(title)}")
    if birthday := card.get("birthday"):
        lines.append(f"BDAY:{_escaped(birthday)}")
    return "\r\n".join([*lines, "END:VCARD"])


def _escaped(value: str) -> str:
    for char in ("\\", ";", ","):
        value = value.replace(char, f"\\{char}")
    return " ".join(value.split())


def shared_phone(content: Mapping[str, Any]) -> str:
    """Return the phone that a customer sent in answer to a request for it; "" in other messages."""
    if content.get("origin") != REQUESTED:
        return ""
    cards = content.get("contacts") or [{}]
    return next((one for one in cards[0].get("phones") or () if is_phone(one)), "")


def _public_content(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: content[name] for name in ("contacts", "origin") if name in content}


CONTACTS = MessageKind(
    N_("Contacts"),
    icon="person",
    fields=ContactsFields,
    cloud_part=_cloud_part,
    linked_part=_linked_part,
    public_content=_public_content,
)
