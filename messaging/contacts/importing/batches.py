"""Process one batch of rows: find repeats and existing contacts, count them, and write them."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg2.extras import Json
from sqlalchemy import insert, text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import DomainError
from core.i18n.catalogs import N_
from core.ids import from_uuid, new_uuid, to_uuid
from core.values.network_address import address_kind
from core.values.phone import phone_variants
from messaging import search_index
from messaging.contacts import consent as contact_consent
from messaging.contacts import repository as contact_repository
from messaging.contacts import search_tokens
from messaging.contacts.importing.csv_files import FileRow
from messaging.contacts.importing.rows import ParsedRow, RowError, RowParser
from messaging.models import ContactImport, ContactImportReject

INSERT_PHONES = text("""
INSERT INTO contact_import_phones (tenant_id, import_id, phone, line)
SELECT :tenant_id, :import_id, mine.phone, mine.line
  FROM unnest(CAST(:phones AS text[]), CAST(:lines AS integer[])) AS mine (phone, line)
    ON CONFLICT DO NOTHING RETURNING phone
""")
FIND_FIRST_ROWS = text("""
SELECT phone, line FROM contact_import_phones
 WHERE tenant_id = :tenant_id AND import_id = :import_id AND phone = ANY(:phones)
""")
FIND_EXISTING = text("""
SELECT value, contact_id FROM identities
 WHERE tenant_id = :tenant_id AND kind IN ('phone', 'network_id', 'lid') AND value = ANY(:values)
""")
INSERT_CONTACTS = text("""
INSERT INTO contacts (tenant_id, id, name, name_key, named_by, profile_name, language, tags,
                      fields, birthday, birth_year, consent_at, consent_source, opted_out_source,
                      orders, visits, spent, username)
SELECT :tenant_id, mine.id, mine.name, mine.name_key,
       CASE WHEN mine.name = '' THEN 'network' ELSE 'person' END, '', mine.language,
       ARRAY(SELECT jsonb_array_elements_text(mine.tags)), mine.fields, mine.birthday,
       mine.birth_year, CASE WHEN mine.source <> '' THEN CAST(:now AS timestamptz) END,
       mine.source, '', 0, 0, 0, mine.username
  FROM unnest(CAST(:ids AS uuid[]), CAST(:names AS text[]), CAST(:keys AS text[]),
              CAST(:languages AS text[]), CAST(:tags AS jsonb[]), CAST(:fields AS jsonb[]),
              CAST(:birthdays AS smallint[]), CAST(:years AS smallint[]),
              CAST(:sources AS text[]), CAST(:usernames AS text[]))
       AS mine (id, name, name_key, language, tags, fields, birthday, birth_year, source,
                username)
RETURNING id
""")
INSERT_IDENTITIES = text("""
INSERT INTO identities (tenant_id, kind, value, contact_id, spelling)
SELECT :tenant_id, mine.kind, mine.value, mine.id, mine.spelling
  FROM unnest(CAST(:kinds AS text[]), CAST(:values AS text[]), CAST(:ids AS uuid[]),
              CAST(:spellings AS text[])) AS mine (kind, value, id, spelling)
 WHERE mine.kind <> 'phone' OR NOT EXISTS (
       SELECT 1 FROM identities AS own
        WHERE own.tenant_id = :tenant_id AND own.contact_id = mine.id AND own.kind = 'phone')
    ON CONFLICT DO NOTHING RETURNING contact_id
""")
DELETE_CONTACTS = text("""
DELETE FROM contacts WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
INSERT_CONSENT_CHANGES = text("""
INSERT INTO contact_wishes (tenant_id, id, contact_id, kind, source, author, at)
SELECT :tenant_id, mine.id, mine.contact_id, 'consent', mine.source, :author, :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:contacts AS uuid[]), CAST(:sources AS text[]))
       AS mine (id, contact_id, source)
RETURNING id
""")
INSERT_NOTES = text("""
INSERT INTO contact_notes (tenant_id, id, contact_id, text, author, at)
SELECT :tenant_id, mine.id, mine.contact_id, mine.said, :author, :now
  FROM unnest(CAST(:ids AS uuid[]), CAST(:contacts AS uuid[]), CAST(:texts AS text[]))
       AS mine (id, contact_id, said)
RETURNING id
""")
FIND_CONSENTED = text("""
SELECT id FROM contacts
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[])) AND consent_at IS NOT NULL
""")
# The file adds values; an empty cell clears nothing.
UPDATE_CONTACTS = text("""
UPDATE contacts
   SET name = CASE WHEN mine.name = '' THEN contacts.name ELSE mine.name END,
       name_key = CASE WHEN mine.name = '' THEN contacts.name_key ELSE mine.name_key END,
       named_by = CASE WHEN mine.name = '' THEN contacts.named_by ELSE 'person' END,
       language = CASE WHEN mine.language = '' THEN contacts.language ELSE mine.language END,
       tags = contacts.tags || ARRAY(
           SELECT more.tag FROM jsonb_array_elements_text(mine.tags) AS more (tag)
            WHERE NOT more.tag = ANY(contacts.tags)),
       fields = contacts.fields || mine.fields,
       birthday = coalesce(mine.birthday, contacts.birthday),
       birth_year = CASE WHEN mine.birthday IS NULL THEN contacts.birth_year
                         ELSE mine.birth_year END,
       consent_at = CASE WHEN mine.source <> '' AND contacts.consent_at IS NULL
                         THEN CAST(:now AS timestamptz) ELSE contacts.consent_at END,
       consent_source = CASE WHEN mine.source <> '' AND contacts.consent_at IS NULL
                             THEN mine.source ELSE contacts.consent_source END,
       username = CASE WHEN contacts.username = '' THEN mine.username ELSE contacts.username END
  FROM unnest(CAST(:ids AS uuid[]), CAST(:names AS text[]), CAST(:keys AS text[]),
              CAST(:languages AS text[]), CAST(:tags AS jsonb[]), CAST(:fields AS jsonb[]),
              CAST(:birthdays AS smallint[]), CAST(:years AS smallint[]),
              CAST(:sources AS text[]), CAST(:usernames AS text[]))
       AS mine (id, name, name_key, language, tags, fields, birthday, birth_year, source,
                username)
 WHERE contacts.tenant_id = :tenant_id AND contacts.id = mine.id
""")


SAME_NUMBER = N_("This number is already in row {line}.")
SAME_ID = N_("This WhatsApp ID is already in row {line}.")
TWO_CONTACTS = N_(
    "The phone number and the WhatsApp ID belong to two contacts. Merge them, or leave one of the "
    "two cells empty."
)


@dataclass
class ImportCounts:
    created: int = 0
    updated: int = 0
    repeated: int = 0
    rejected: int = 0
    agreed: int = 0
    refused: int = 0
    unclear: int = 0


def apply_batch(one: ContactImport, batch: list[FileRow], *, write: bool) -> ImportCounts:
    """Count a batch, and write it if `write` is set. Invalid rows are recorded in both cases."""
    reader = RowParser(one)
    good: list[ParsedRow] = []
    faults: list[RowError] = []
    for row in batch:
        try:
            good.append(reader.read(row))
        except DomainError as error:
            named = error.faults[0].field if error.faults else "row"
            values = {key: str(value)[:200] for key, value in error.values.items()}
            faults.append(RowError(row.line, row.cells, named, error.template, values))
    good, repeats = _without_repeats(one, good)
    known, two_contacts = _existing_contacts(good)
    faults += two_contacts
    good = [row for row in good if row.line not in {fault.line for fault in two_contacts}]
    new = [row for row in good if row.key not in known]
    old = [row for row in good if row.key in known] if reader.updates else []
    counts = ImportCounts(len(new), len(old), len(repeats), len(faults))
    if reader.asks_consent:
        answers = [row.consent for row in (*new, *old)]
        counts.agreed, counts.refused = answers.count(True), answers.count(False)
        counts.unclear = answers.count(None)
    _record_rejects(one, [*faults, *repeats])
    if write:
        create_contacts(one, new)
        _update_contacts(one, old, known)
        contact_repository.record_tags({tag for row in good for tag in row.tags})
    return counts


def _without_repeats(
    one: ContactImport, good: list[ParsedRow]
) -> tuple[list[ParsedRow], list[RowError]]:
    """Split off repeated numbers; the first row of a number counts."""
    if not good:
        return [], []
    params: dict[str, Any] = {
        "tenant_id": current_tenant_id(),
        "import_id": str(to_uuid("imp", one.id)),
    }
    here: dict[str, int] = {}
    for row in good:
        here.setdefault(row.key, row.line)
    existing = db.session.execute(
        INSERT_PHONES, {**params, "phones": list(here), "lines": list(here.values())}
    )
    first = {phone: here[phone] for (phone,) in existing}
    earlier = [key for key in here if key not in first]
    if earlier:
        first |= dict(db.session.execute(FIND_FIRST_ROWS, {**params, "phones": earlier}).tuples())
    unique = [row for row in good if first.get(row.key) == row.line]
    repeats = [
        RowError(
            row.line,
            row.cells,
            "phone" if row.phone else "network_id",
            SAME_NUMBER if row.phone else SAME_ID,
            {"line": first.get(row.key, 0)},
        )
        for row in good
        if first.get(row.key) != row.line
    ]
    return unique, repeats


def _existing_contacts(good: list[ParsedRow]) -> tuple[dict[str, str], list[RowError]]:
    """Return the contact ids by row key, and the rows whose phone and id are of two contacts.

    Phones match in any spelling.
    """
    spellings = {row.line: phone_variants(row.phone) if row.phone else set() for row in good}
    values = {way for ways in spellings.values() for way in ways}
    values |= {row.network_id for row in good if row.network_id}
    if not values:
        return {}, []
    found = db.session.execute(
        FIND_EXISTING, {"tenant_id": current_tenant_id(), "values": sorted(values)}
    )
    owners = {row.value: str(row.contact_id) for row in found}
    known: dict[str, str] = {}
    faults: list[RowError] = []
    for row in good:
        by_phone = next((owners[way] for way in spellings[row.line] if way in owners), None)
        by_id = owners.get(row.network_id)
        if by_phone and by_id and by_phone != by_id:
            faults.append(RowError(row.line, row.cells, "network_id", TWO_CONTACTS, {}))
        elif owner := by_phone or by_id:
            known[row.key] = owner
    return known, faults


def _record_rejects(one: ContactImport, faults: list[RowError]) -> None:
    rows = [
        {
            "tenant_id": current_tenant_id(),
            "import_id": one.id,
            "line": fault.line,
            "field": fault.field,
            "cause": fault.cause,
            "values": fault.values,
            "cells": [cell.replace("\0", "")[:500] for cell in fault.cells[:60]],
        }
        for fault in faults
    ]
    if rows:
        db.session.execute(insert(ContactImportReject), rows)


def _columns(rows: list[ParsedRow], ids: list[str]) -> dict[str, Any]:
    return {
        "tenant_id": current_tenant_id(),
        "now": now(),
        "ids": ids,
        "names": [row.name for row in rows],
        "keys": [search_tokens.search_key(row.name) for row in rows],
        "languages": [row.language for row in rows],
        "tags": [Json(row.tags) for row in rows],
        "fields": [Json(row.fields) for row in rows],
        "birthdays": [row.birthday for row in rows],
        "years": [row.birth_year for row in rows],
        "sources": [row.source for row in rows],
        "usernames": [row.username for row in rows],
    }


def _insert_identities(pairs: list[tuple[str, str, str]]) -> set[str]:
    """Add values with their spellings to contacts, and return the contacts that got theirs."""
    rows = db.session.execute(
        INSERT_IDENTITIES,
        {
            "tenant_id": current_tenant_id(),
            "kinds": [address_kind(value) for _, value, _ in pairs],
            "ids": [contact for contact, _, _ in pairs],
            "values": [value for _, value, _ in pairs],
            "spellings": [spelling for _, _, spelling in pairs],
        },
    )
    return {str(contact_id) for (contact_id,) in rows}


def _second_addresses(pairs: list[tuple[str, ParsedRow]]) -> list[tuple[str, str, str]]:
    """The network ids of rows that have a phone too."""
    return [
        (contact, row.network_id, row.network_id)
        for contact, row in pairs
        if row.phone and row.network_id
    ]


def create_contacts(source: ContactImport, rows: list[ParsedRow]) -> None:
    if not rows:
        return
    ids = [str(new_uuid()) for _ in rows]
    db.session.execute(INSERT_CONTACTS, _columns(rows, ids))
    own_ids = _insert_identities(
        [(one, row.key, row.phone or row.network_id) for one, row in zip(ids, rows, strict=True)]
    )
    if len(own_ids) < len(ids):  # a new message created some of these contacts in the meantime
        late = [one for one in ids if one not in own_ids]
        db.session.execute(DELETE_CONTACTS, {"tenant_id": current_tenant_id(), "ids": late})
    pairs = [(one, row) for one, row in zip(ids, rows, strict=True) if one in own_ids]
    if more := _second_addresses(pairs):
        _insert_identities(more)
    after = {
        contact_id: search_tokens.tokens_of(
            search_tokens.TokenSource(
                name=row.name,
                language=row.language,
                tags=row.tags,
                agreed=bool(row.source),
                username=row.username,
                names=[
                    f"{address_kind(one)}:{one}"
                    for one in dict.fromkeys((row.key, row.network_id))
                    if one
                ],
            )
        )
        for contact_id, row in pairs
    }
    search_tokens.write_token_changes({}, after)
    _insert_consents_and_notes(source, pairs)


def _update_contacts(one: ContactImport, rows: list[ParsedRow], known: dict[str, str]) -> None:
    if not rows:
        return
    # A file may have two numbers of one contact: the first row is used.
    by_contact: dict[str, ParsedRow] = {}
    for row in rows:
        by_contact.setdefault(known[row.key], row)
    ids, chosen = list(by_contact), list(by_contact.values())
    with search_tokens.updating_tokens(*(from_uuid("con", UUID(one)) for one in ids)):
        db.session.execute(UPDATE_CONTACTS, _columns(chosen, ids))
        pairs = list(by_contact.items())
        phones = [(contact, row.key, row.phone) for contact, row in pairs if row.phone]
        if missing := [*phones, *_second_addresses(pairs)]:
            _insert_identities(missing)
    refused = [contact for contact, row in by_contact.items() if row.consent is False]
    if refused:
        _withdraw_consents(refused, one.file_name)
    named = [one for one, row in by_contact.items() if row.name]
    search_index.add_contact_words(from_uuid("con", UUID(one)) for one in named)
    _insert_consents_and_notes(one, list(by_contact.items()))


def _withdraw_consents(ids: list[str], file_name: str) -> None:
    """Withdraw earlier consents that the file denies; the file is recorded as the source."""
    agreed = db.session.execute(FIND_CONSENTED, {"tenant_id": current_tenant_id(), "ids": ids})
    for (contact_id,) in agreed.all():
        contact_consent.withdraw_consent(from_uuid("con", contact_id), file_name)


def _insert_consents_and_notes(one: ContactImport, pairs: list[tuple[str, ParsedRow]]) -> None:
    """Write the consent records and the notes."""
    params = {"tenant_id": current_tenant_id(), "author": one.author, "now": now()}
    agreed = [(contact, row.source) for contact, row in pairs if row.source]
    noted = [(contact, row.note) for contact, row in pairs if row.note]
    for statement, column, found in (
        (INSERT_CONSENT_CHANGES, "sources", agreed),
        (INSERT_NOTES, "texts", noted),
    ):
        if found:
            db.session.execute(
                statement,
                {
                    **params,
                    "ids": [str(new_uuid()) for _ in found],
                    "contacts": [contact for contact, _ in found],
                    column: [value for _, value in found],
                },
            )
