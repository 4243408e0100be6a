"""Contacts in the API."""

from typing import Any

from flask import Response, g
from flask_openapi3.models.tag import Tag
from flask_openapi3.types import ResponseDict

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.schemas import ContactPath, ErrorBody
from api.v1 import v1
from api.v1.schemas.messaging.contacts import (
    ContactFacts,
    ContactPage,
    ContactShape,
    ContactsQuery,
    ErasurePath,
    ErasureShape,
    FieldList,
    MergeRequest,
    NoteList,
    NoteRequest,
    NoteShape,
    TagList,
    contact_json,
    erasure_json,
    field_json,
    note_json,
)
from core.db import tenant_scope
from core.errors import NotFound, invalid
from messaging.contacts import cards as contact_cards
from messaging.contacts import custom_fields, merging
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.cards import ContactCard
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.search import ContactFilters
from tenants import accounts

TAG = Tag(name="Contacts")
CREATED: ResponseDict = {201: ContactShape, 409: ErrorBody}
CHANGED: ResponseDict = {200: ContactShape, 409: ErrorBody}


@v1.get("/contacts", tags=[TAG], summary="List and find contacts", responses={200: ContactPage})
@key_may("contacts")
def list_contacts(query: ContactsQuery) -> dict[str, Any]:
    """Newest first."""
    filters = ContactFilters(
        search=_text(query.search or "", "search"),
        tags=tuple(_text(tag, "tag") for tag in query.tag),
        opted_out=query.opted_out,
        blocked=query.blocked,
        consent=query.consent,
        has_phone=query.has_phone,
        language=_text(query.language or "", "language"),
        seen_since=query.seen_since,
    )
    with tenant_scope(g.tenant_id):
        country = accounts.account().country or None
        rows = contact_search.search_contacts(
            filters, after=query.after, limit=query.limit + 1, country=country
        )
        shown = contact_cards.cards_of(rows[: query.limit])
    more = len(rows) > query.limit
    return {
        "data": [contact_json(card) for card in shown],
        "next": contact_search.cursor_of(shown[-1].contact, "newest") if more else None,
    }


@v1.post("/contacts", tags=[TAG], summary="Add a contact", responses=CREATED)
@key_may("contacts")
@idempotent
def add_contact(body: ContactFacts) -> JsonAnswer:
    """A phone number that already exists is rejected; the error has the id of its contact."""
    card = _apply_consent(contact_repository.create(body.entry()), body)
    return contact_json(card), 201


@v1.get("/contacts/tags", tags=[TAG], summary="Tags in use", responses={200: TagList})
@key_may("contacts")
def contact_tags() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": contact_repository.list_tags(), "next": None}


@v1.get(
    "/contacts/fields", tags=[TAG], summary="List custom contact fields", responses={200: FieldList}
)
@key_may("contacts")
def contact_fields() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": [field_json(one) for one in custom_fields.list_fields()], "next": None}


@v1.get(
    "/contacts/erasures/<erasure_id>",
    tags=[TAG],
    summary="Get the status of an erasure",
    responses={200: ErasureShape},
)
@key_may("contacts")
def contact_erasure(path: ErasurePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        found = contact_erasures.get(path.erasure_id)
        if found is None:
            raise NotFound()
        return erasure_json(found)


@v1.get("/contacts/<contact_id>", tags=[TAG], summary="One contact", responses={200: ContactShape})
@key_may("contacts")
def read_contact(path: ContactPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return contact_json(contact_cards.get(path.contact_id))


@v1.patch("/contacts/<contact_id>", tags=[TAG], summary="Update a contact", responses=CHANGED)
@key_may("contacts")
def change_contact(path: ContactPath, body: ContactFacts) -> dict[str, Any]:
    """Missing fields stay unchanged. A phone is added to the existing ones."""
    with tenant_scope(g.tenant_id):
        card = _apply_consent(contact_repository.change(path.contact_id, body.entry()), body)
        return contact_json(card)


@v1.delete("/contacts/<contact_id>", tags=[TAG], summary="Delete a contact", responses={204: None})
@key_may("contacts")
def remove_contact(path: ContactPath) -> Response:
    """Deletes the contact only; messages stay. To delete all personal data, erase the contact."""
    with tenant_scope(g.tenant_id):
        contact_erasures.delete_contact_only(path.contact_id)
    return Response(status=204)


@v1.post(
    "/contacts/<contact_id>/erase",
    tags=[TAG],
    summary="Erase a contact permanently",
    responses={202: ErasureShape},
)
@key_may("contacts")
@idempotent
def erase_contact(path: ContactPath) -> JsonAnswer:
    """Removes names, numbers, texts and files from all stored data; amounts stay."""
    begun = contact_erasures.start_erasure(path.contact_id)
    where = {"Location": f"/api/v1/contacts/erasures/{begun.id}"}
    return erasure_json(begun), 202, where


@v1.post(
    "/contacts/<contact_id>/merge", tags=[TAG], summary="Merge two contacts", responses=CHANGED
)
@key_may("contacts")
@idempotent
def merge_contacts(path: ContactPath, body: MergeRequest) -> JsonAnswer:
    """Moves everything of the other contact to this one: identities, notes, tags, messages."""
    card = merging.merge(path.contact_id, body.other_id)
    return contact_json(card)


@v1.get("/contacts/<contact_id>/notes", tags=[TAG], summary="Notes", responses={200: NoteList})
@key_may("contacts")
def contact_notes(path: ContactPath) -> dict[str, Any]:
    """Newest first, at most 100."""
    with tenant_scope(g.tenant_id):
        card = contact_cards.get(path.contact_id)
        return {
            "data": [note_json(one) for one in contact_repository.list_notes(card.id)],
            "next": None,
        }


@v1.post(
    "/contacts/<contact_id>/notes", tags=[TAG], summary="Add a note", responses={201: NoteShape}
)
@key_may("contacts")
@idempotent
def add_contact_note(path: ContactPath, body: NoteRequest) -> JsonAnswer:
    return note_json(contact_repository.add_note(path.contact_id, body.text)), 201


def _apply_consent(card: ContactCard, body: ContactFacts) -> ContactCard:
    if "consent" in body.model_fields_set:
        at = body.consent.at if body.consent else None
        card = contact_repository.set_consent(
            card.id, body.consent.source if body.consent else None, at
        )
    if body.opted_out is not None:
        card = contact_repository.set_opted_out(card.id, body.opted_out, "api")
    if body.blocked is not None:
        card = contact_repository.set_blocked(card.id, body.blocked)
    return card


def _text(text: str, field: str) -> str:
    if "\0" in text:
        raise invalid(field, "invalid_text", "A text holds NUL or half of a surrogate pair.")
    return text
