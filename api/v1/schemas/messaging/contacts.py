"""Request and response models of contacts."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from api.paging import PageQuery
from api.schemas import MomentWithOffset
from core.clock import rfc3339
from core.values.money import json_number
from messaging.contacts.cards import ContactCard
from messaging.contacts.importing.imports import failure_of
from messaging.contacts.validation import ContactInput
from messaging.models import (
    ContactErasure,
    ContactField,
    ContactImport,
    ContactNote,
)

CONTACT_ID = "con_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"


class ImportPath(BaseModel):
    import_id: str = Field(max_length=64)


class ErasurePath(BaseModel):
    erasure_id: str = Field(max_length=64)


class ContactsQuery(PageQuery):
    search: str | None = Field(
        None,
        max_length=80,
        description="The start of a word in the name, the first or last digits of a phone number,"
        " another identity, or `#tag`.",
    )
    tag: list[str] = Field(
        default_factory=list, max_length=10, description="Only contacts with all of these tags."
    )
    opted_out: bool | None = None
    blocked: bool | None = None
    consent: bool | None = None
    has_phone: bool | None = None
    language: str | None = Field(None, max_length=20)
    seen_since: MomentWithOffset | None = Field(
        None, description="Only contacts who have messaged you since this time."
    )


class Consent(BaseModel):
    source: str = Field(
        min_length=1, max_length=120, examples=["form on the web site"], description="How."
    )
    at: MomentWithOffset | None = Field(None, description="When consent was given. Left out: now.")


class ContactFacts(BaseModel):
    name: str | None = Field(None, max_length=400, examples=["Ayşe Yılmaz"])
    phone: str | None = Field(
        None,
        max_length=64,
        examples=["905321112233"],
        description="With its country code, or as written in the account's country.",
    )
    language: str | None = Field(None, max_length=20, examples=["tr"])
    tags: list[str] | None = Field(None, max_length=30, examples=[["vip"]])
    birthday: str | None = Field(
        None,
        max_length=20,
        examples=["1990-04-23"],
        description="--04-23 where the year is unknown.",
    )
    fields: dict[str, Any] | None = Field(
        None, description='The account\'s own fields by name or id, such as {"Seat": "Window"}.'
    )
    opted_out: bool | None = Field(
        None, description="Opted out of marketing. Other messages are still sent."
    )
    blocked: bool | None = Field(None, description="`true`: no messages are sent to the contact.")
    consent: Consent | None = Field(None, description="null: withdraw the consent.")

    def entry(self) -> ContactInput:
        return ContactInput(
            name=self.name,
            phone=self.phone,
            language=self.language,
            tags=self.tags,
            birthday=self.birthday,
            fields=self.fields or {},
        )


class IdentityShape(BaseModel):
    kind: str = Field(description="phone, network_id, lid or username", examples=["phone"])
    value: str = Field(examples=["905321112233"])


class ContactShape(BaseModel):
    id: str = Field(examples=[CONTACT_ID])
    name: str = Field(examples=["Ayşe Yılmaz"])
    profile_name: str = Field(description="The contact's profile name on the network.")
    username: str | None = Field(
        description="Their user name on the network, without @; it may change.",
        examples=["ayse.yilmaz"],
    )
    phone: str | None = Field(
        description="null if the network provides only an id.", examples=["905321112233"]
    )
    identities: list[IdentityShape]
    language: str
    tags: list[str]
    birthday: str | None
    fields: dict[str, Any] = Field(description="Custom fields by their ids.")
    consent: dict[str, Any] | None = Field(
        examples=[{"source": "form on the web site", "at": "2026-03-01T10:00:00Z"}]
    )
    opted_out: bool
    opted_out_at: str | None
    blocked: bool
    first_seen_at: str | None
    last_seen_at: str | None = Field(description="When they last wrote; null if they never did.")
    orders: int
    visits: int
    spent: float
    warnings: list[str] = Field(default_factory=list)


class ContactPage(BaseModel):
    data: list[ContactShape]
    next: str | None = Field(description="The value for `?after=` if there are more results.")


class TagList(BaseModel):
    data: list[str] = Field(examples=[["press", "vip"]])
    next: None


class FieldShape(BaseModel):
    id: str
    name: str = Field(examples=["Seat"])
    kind: str = Field(description="text, number, date or choice", examples=["choice"])
    choices: list[str] = Field(examples=[["Window", "Bar"]])


class FieldList(BaseModel):
    data: list[FieldShape]
    next: None


class NoteRequest(BaseModel):
    text: str = Field(
        max_length=8000,
        examples=["Likes the table at the window."],
        description="The note. Only your team sees it.",
    )


class NoteShape(BaseModel):
    id: str
    text: str = Field(description="The note. Only your team sees it.")
    author: str
    at: str


class NoteList(BaseModel):
    data: list[NoteShape]
    next: None


class MergeRequest(BaseModel):
    other_id: str = Field(
        max_length=64,
        description="The contact to merge and delete. Its data is kept.",
        examples=[CONTACT_ID],
    )


class ErasureShape(BaseModel):
    id: str = Field(examples=["era_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    contact_id: str
    status_code: str = Field(description="running or done", examples=["running"])
    step: str = Field(examples=["messages"])
    erased: int = Field(description="How many records have been erased so far.")
    asked_at: str
    done_at: str | None


class ImportRow(BaseModel):
    phone: str | None = Field(None, max_length=64, examples=["905321112233"])
    network_id: str | None = Field(
        None,
        max_length=160,
        description="The network's id of a person without a phone, beside `phone` or instead.",
        examples=["TR.13491208655302741918"],
    )
    username: str | None = Field(
        None, max_length=80, description="Shown and searched. It does not identify anybody."
    )
    name: str | None = Field(None, max_length=400, examples=["Ayşe Yılmaz"])
    language: str | None = Field(None, max_length=20)
    tags: list[str] | None = Field(None, max_length=30)
    birthday: str | None = Field(None, max_length=20)
    note: str | None = Field(
        None, max_length=4000, description="A note about the contact. Your team sees it."
    )
    consent: bool | None = Field(
        None,
        description="Whether the contact agreed to marketing. If any row has this field, only rows"
        " with `true` count as consent; `false` withdraws an earlier consent.",
    )
    consent_source: str | None = Field(
        None, max_length=120, description="How this contact gave consent."
    )


class ImportRequest(BaseModel):
    """Rows as objects, or a CSV text with its header; one of the two."""

    contacts: list[ImportRow] | None = Field(None, min_length=1, max_length=5000)
    csv: str | None = Field(None, examples=["phone,name\n905321112233,Ayşe Yılmaz\n"])
    country: str | None = Field(
        None, pattern="^[A-Z]{2}$", examples=["TR"], description="Of numbers without a code."
    )
    tags: list[str] | None = Field(
        None, max_length=30, description="Tags for all imported contacts."
    )
    consent_source: str | None = Field(
        None,
        max_length=120,
        description="How all contacts gave consent. Rows with a `consent` other than"
        " true, or with a consent column without a clear yes, count as no consent.",
    )
    update: bool = Field(True, description="Whether to update existing contacts.")
    dry_run: bool = Field(
        False, description="`true`: only check the file. `start` imports it afterwards."
    )


class ImportShape(BaseModel):
    id: str = Field(examples=["imp_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    status_code: str = Field(
        description="checking, ready, importing, done, failed or cancelled", examples=["importing"]
    )
    rows: int = Field(description="How many rows the file has. Known after the check.")
    position: int = Field(description="How many rows have been processed in this pass.")
    created: int
    updated: int
    repeated: int = Field(description="Phone numbers that occur more than once in the file.")
    rejected: int
    consent_given: int = Field(description="Rows with consent.")
    consent_refused: int = Field(description="Rows that refuse consent.")
    consent_unclear: int = Field(
        description="Rows without a clear answer about consent. They count as no consent."
    )
    error: str | None
    warnings: list[str] = Field(default_factory=list)


class RejectShape(BaseModel):
    line: int = Field(examples=[17])
    field: str = Field(examples=["phone"])
    message: str = Field(
        examples=["The phone number is missing."], description="Why the row was rejected."
    )
    cells: list[str]


class RejectPage(BaseModel):
    data: list[RejectShape]
    next: str | None


def contact_json(card: ContactCard) -> dict[str, Any]:
    one = card.contact
    consent = None
    if one.consent_at is not None:
        consent = {"source": one.consent_source, "at": rfc3339(one.consent_at)}
    return {
        "id": card.id,
        "name": one.name,
        "profile_name": one.profile_name,
        "username": one.username or None,
        "phone": card.phone or None,
        "identities": [{"kind": each.kind, "value": each.spelling} for each in card.identities],
        "language": one.language,
        "tags": one.tags,
        "birthday": card.birthday or None,
        "fields": one.fields,
        "consent": consent,
        "opted_out": one.opted_out_at is not None,
        "opted_out_at": _time(one.opted_out_at),
        "blocked": one.blocked_at is not None,
        "first_seen_at": _time(one.first_seen_at),
        "last_seen_at": _time(one.last_seen_at),
        "orders": one.orders,
        "visits": one.visits,
        "spent": json_number(one.spent),
    }


def field_json(one: ContactField) -> dict[str, Any]:
    return {"id": one.id, "name": one.name, "kind": one.kind, "choices": one.choices}


def note_json(one: ContactNote) -> dict[str, Any]:
    return {"id": one.id, "text": one.text, "author": one.author, "at": rfc3339(one.at)}


def erasure_json(one: ContactErasure) -> dict[str, Any]:
    return {
        "id": one.id,
        "contact_id": one.contact_id,
        "status_code": "done" if one.done_at else "running",
        "step": one.step,
        "erased": one.found,
        "asked_at": rfc3339(one.asked_at),
        "done_at": _time(one.done_at),
    }


def import_json(one: ContactImport) -> dict[str, Any]:
    sentence, values = failure_of(one)
    return {
        "id": one.id,
        "status_code": one.state,
        "rows": one.total,
        "position": one.position,
        "created": one.created,
        "updated": one.updated,
        "repeated": one.repeated,
        "rejected": one.rejected,
        "consent_given": one.agreed,
        "consent_refused": one.refused,
        "consent_unclear": one.unclear,
        "error": sentence.format(**values) if sentence else None,
    }


def _time(moment: datetime | None) -> str | None:
    return rfc3339(moment) if moment else None
