"""Import contacts from a file: upload it, check all rows, then write them batch by batch.

Both passes store their position in the same transaction as their work. If a worker is killed,
nothing is half done, and the next one continues after the last committed row.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, BinaryIO

from sqlalchemy import delete, select

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.errors import Conflict, NotFound, invalid
from core.ids import BadId, canonical_id, new_id
from core.queue import lanes
from core.storage import spreadsheets
from core.storage.blobs import Blobs
from core.values.text import one_line
from messaging.contacts import consent as contact_consent
from messaging.contacts import custom_fields
from messaging.contacts.erasure.erasures import LANE
from messaging.contacts.importing import batches as import_batches
from messaging.contacts.importing import csv_files
from messaging.contacts.importing.csv_files import FileFormat, NotATable
from messaging.contacts.validation import parse_tags
from messaging.models import ContactImport, ContactImportPhone, ContactImportReject
from tenants import accounts, audit
from tenants.audit import current_actor

LARGEST_FILE = 25 * 1024 * 1024
MOST_ROWS = 500_000
MOST_SHEET_ROWS = 50_000  # of a spreadsheet, which is read during the request
BATCH = 500
IMPORT_RETENTION = timedelta(days=30)
ACTIVE_STATES = ("checking", "importing")


@dataclass(frozen=True)
class ImportOptions:
    """Options for all rows of a file."""

    country: str = ""
    tags: Sequence[str] = ()
    consent_source: str = ""
    """How all of them agreed to be contacted; empty means no consent."""
    update: bool = True
    """Whether existing contacts are updated from the file."""
    alone: bool = False
    """Whether to write without a confirmation, as API callers expect."""

    def as_json(self) -> dict[str, Any]:
        return {**self.__dict__, "tags": list(self.tags)}


def as_table(file: BinaryIO) -> BinaryIO:
    """Return a spreadsheet as CSV, any other file as is. Slow: call it before the transaction."""
    workbook = spreadsheets.is_workbook(file.read(4))
    file.seek(0)
    if not workbook:
        return file
    try:
        return io.BytesIO(spreadsheets.as_csv(file, MOST_SHEET_ROWS))
    except spreadsheets.TooLarge:
        raise invalid(
            "file",
            "file_too_large",
            "A spreadsheet may have at most {most} rows. Save a larger one as CSV.",
            most=MOST_SHEET_ROWS,
        ) from None
    except spreadsheets.NotReadable:
        raise invalid(
            "file",
            "unreadable_file",
            "This file is not a CSV or .xlsx file. Save the sheet in one of these formats first.",
        ) from None


def upload_file(file: BinaryIO, file_name: str, blobs: Blobs) -> ContactImport:
    """Store the file and detect its format. No contact is changed."""
    import_id = new_id("imp")
    key = f"tenants/{current_tenant_id()}/imports/{import_id}.csv"
    blob = blobs.put(key, file, "text/csv")
    try:
        if blob.size > LARGEST_FILE:
            raise invalid("file", "file_too_large", "The file is larger than 25 MB.")
        with blobs.open(key) as stored:
            sheet = _inspect_file(stored)
    except BaseException:
        blobs.delete(key)
        raise
    country = accounts.home_country()
    one = ContactImport(
        tenant_id=current_tenant_id(),
        id=import_id,
        file_name=one_line(file_name.replace("\0", ""), 120) or "contacts.csv",
        blob=key,
        size=blob.size,
        encoding=sheet.encoding,
        delimiter=sheet.delimiter,
        has_header=sheet.has_header,
        columns={"names": sheet.names, "meanings": sheet.meanings, "rows": sheet.rows},
        options=ImportOptions(country=country).as_json(),
        author=current_actor().name,
    )
    db.session.add(one)
    db.session.flush()
    return one


def reparse_file(import_id: str, blobs: Blobs, encoding: str, delimiter: str) -> ContactImport:
    """Read the file again with another encoding or delimiter than the detected one."""
    one = _in_state(import_id, "uploaded")
    if (
        encoding not in (*csv_files.ENCODINGS, one.encoding)
        or delimiter not in csv_files.DELIMITERS
    ):
        raise invalid("encoding", "invalid_choice", "Choose one of these.")
    with blobs.open(one.blob) as stored:
        sheet = _inspect_file(stored, encoding, delimiter)
    one.encoding, one.delimiter, one.has_header = encoding, delimiter, sheet.has_header
    one.columns = {"names": sheet.names, "meanings": sheet.meanings, "rows": sheet.rows}
    return one


def start_check(import_id: str, meanings: list[str], options: ImportOptions) -> ContactImport:
    """Start a job that checks all rows: which are new, which are known, which are invalid."""
    one = _in_state(import_id, "uploaded", "ready")
    meanings = _meanings(meanings, len(one.columns["names"]))
    if options.consent_source:
        options = replace(
            options, consent_source=contact_consent.checked_source(options.consent_source)
        )
    options = replace(options, tags=parse_tags(options.tags))
    _delete_rejects(one.id)
    one.columns = {**one.columns, "meanings": meanings}
    one.options = options.as_json()
    one.total = 0
    _count_from_zero(one)
    _set_state(one, "checking")
    return one


def start(import_id: str) -> ContactImport:
    """Start writing a checked import."""
    one = _in_state(import_id, "ready")
    _start_writing(one)
    return one


def cancel(import_id: str) -> ContactImport:
    """Cancel an import. Contacts that are already written stay."""
    one = _in_state(import_id, "uploaded", "checking", "ready", "importing")
    begun = one.state == "importing"
    one.state, one.changed_at = "cancelled", now()
    if begun:
        audit.record("contacts.import_cancelled", one.file_name, rows=one.position)
    return one


def fail(import_id: str, because: str) -> None:
    _fail(_in_state(import_id, *ACTIVE_STATES), NotATable(because))


def get(import_id: str) -> ContactImport:
    try:
        known = canonical_id("imp", import_id)
    except BadId:
        raise NotFound() from None
    one = db.session.get(ContactImport, (current_tenant_id(), known), populate_existing=True)
    if one is None:
        raise NotFound()
    return one


def list_imports(limit: int = 20) -> list[ContactImport]:
    return list(
        db.session.scalars(
            select(ContactImport)
            .where(ContactImport.tenant_id == current_tenant_id())
            .order_by(ContactImport.id.desc())
            .limit(limit)
        )
    )


def list_rejects(import_id: str, after: int = 0, limit: int = 50) -> list[ContactImportReject]:
    """Return rejected rows in the order of the file."""
    return list(
        db.session.scalars(
            select(ContactImportReject)
            .where(
                ContactImportReject.tenant_id == current_tenant_id(),
                ContactImportReject.import_id == import_id,
                ContactImportReject.line > after,
            )
            .order_by(ContactImportReject.line)
            .limit(limit)
        )
    )


def next_active() -> str | None:
    return db.session.scalar(
        select(ContactImport.id)
        .where(
            ContactImport.tenant_id == current_tenant_id(), ContactImport.state.in_(ACTIVE_STATES)
        )
        .order_by(ContactImport.id)
        .limit(1)
    )


def delete_old_imports(before: datetime, blobs: Blobs) -> int:
    """Delete imports that were last changed before `before`: they contain personal data."""
    old = db.session.execute(
        select(ContactImport.id, ContactImport.blob).where(
            ContactImport.tenant_id == current_tenant_id(),
            ContactImport.changed_at < before,
            ContactImport.state.not_in(ACTIVE_STATES),
        )
    ).all()
    for import_id, blob in old:
        blobs.delete(blob)
        db.session.execute(
            delete(ContactImport).where(
                ContactImport.tenant_id == current_tenant_id(), ContactImport.id == import_id
            )
        )
    return len(old)


class ImportPass:
    """One worker's pass through a file. The file stays open between its transactions."""

    def __init__(self, one: ContactImport, blobs: Blobs) -> None:
        self.id, self.state, self.position = one.id, one.state, one.position
        self.over = False
        """The file is no longer needed; delete it after the commit."""
        self.file = blobs.open(one.blob)
        every = csv_files.read_rows(self.file, one.encoding, one.delimiter, one.has_header)
        self.rows: Iterator[csv_files.FileRow] = islice(every, one.position, None)

    def close(self) -> None:
        self.file.close()

    def work(self) -> bool:
        """Process a batch in the open transaction. False: finished, or another worker has it."""
        try:
            batch, fault = list(islice(self.rows, BATCH)), None
        except NotATable as error:
            batch, fault = [], error
        one = self._lock_unchanged()
        if one is None:
            return False
        if one.position + len(batch) > MOST_ROWS:
            fault = NotATable("A file can have at most 500,000 rows.")
        if fault is not None:
            _fail(one, fault)
            return False
        if batch:
            counts = import_batches.apply_batch(one, batch, write=self.state == "importing")
            one.created += counts.created
            one.updated += counts.updated
            one.repeated += counts.repeated
            one.rejected += counts.rejected
            one.agreed += counts.agreed
            one.refused += counts.refused
            one.unclear += counts.unclear
            one.position += len(batch)
            one.changed_at, self.position = now(), one.position
            if self.state == "checking":
                one.total = one.position
        if len(batch) < BATCH:
            self._finish(one)
            return False
        return True

    def _lock_unchanged(self) -> ContactImport | None:
        """Lock the import. None if its state or position was changed by someone else."""
        one = db.session.scalars(
            select(ContactImport)
            .where(ContactImport.tenant_id == current_tenant_id(), ContactImport.id == self.id)
            .with_for_update()
            .execution_options(populate_existing=True)
        ).first()
        if one is None or (one.state, one.position) != (self.state, self.position):
            return None
        return one

    def _finish(self, one: ContactImport) -> None:
        if self.state == "importing":
            _delete_phones(one.id)
            one.state, one.changed_at, self.over = "done", now(), True
            one.columns = {**one.columns, "rows": []}
            audit.record(
                "contacts.imported",
                one.file_name,
                created=one.created,
                updated=one.updated,
                rejected=one.rejected + one.repeated,
            )
        elif one.options.get("alone"):
            _start_writing(one)
        else:
            one.state, one.changed_at = "ready", now()


def wake_importer() -> None:
    lanes.mark_due(LANE, current_tenant_id())
    notify_workers("jobs.contacts.drain")


def _fail(one: ContactImport, fault: NotATable) -> None:
    one.state, one.error, one.changed_at = "failed", fault.sentence, now()
    one.options = {**one.options, "fault": fault.values}


def failure_of(one: ContactImport) -> tuple[str, dict[str, Any]]:
    """Return why it failed: the sentence and its values."""
    return one.error, dict(one.options.get("fault") or {})


def _start_writing(one: ContactImport) -> None:
    _delete_rejects(one.id)
    _count_from_zero(one)
    _set_state(one, "importing")


def _count_from_zero(one: ContactImport) -> None:
    one.position = one.created = one.updated = one.repeated = one.rejected = 0
    one.agreed = one.refused = one.unclear = 0


def _set_state(one: ContactImport, state: str) -> None:
    one.state, one.changed_at, one.error = state, now(), ""
    db.session.flush()
    wake_importer()


def _in_state(import_id: str, *states: str) -> ContactImport:
    one = get(import_id)
    locked = db.session.scalars(
        select(ContactImport)
        .where(ContactImport.tenant_id == current_tenant_id(), ContactImport.id == one.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()
    if locked.state not in states:
        raise Conflict("conflict", "This import has already moved past that step. Reload the page.")
    return locked


def _inspect_file(stored: BinaryIO, encoding: str = "", delimiter: str = "") -> FileFormat:
    own = [(one.id, one.name) for one in custom_fields.list_fields()]
    country = accounts.home_country() or None
    try:
        return csv_files.detect_format(
            stored, own, encoding=encoding, delimiter=delimiter, country=country
        )
    except NotATable as error:
        raise invalid("file", "unreadable_file", error.sentence, **error.values) from None


def _meanings(given: list[str], width: int) -> list[str]:
    own = {f"field:{one.id}" for one in custom_fields.list_fields()}
    meanings = [*given, *[""] * width][:width]
    for meaning in meanings:
        if meaning and meaning not in csv_files.COLUMN_MEANINGS and meaning not in own:
            raise invalid("columns", "unknown_column", "Choose what each column contains.")
    used = [meaning for meaning in meanings if meaning and meaning != "tags"]
    if len(set(used)) < len(used):
        raise invalid("columns", "column_twice", "Two columns cannot contain the same field.")
    if not {"phone", "network_id"} & set(meanings):
        raise invalid("columns", "no_phone", "Choose the column with the phone or WhatsApp ID.")
    return meanings


def _delete_rejects(import_id: str) -> None:
    db.session.execute(
        delete(ContactImportReject).where(
            ContactImportReject.tenant_id == current_tenant_id(),
            ContactImportReject.import_id == import_id,
        )
    )
    _delete_phones(import_id)


def _delete_phones(import_id: str) -> None:
    db.session.execute(
        delete(ContactImportPhone).where(
            ContactImportPhone.tenant_id == current_tenant_id(),
            ContactImportPhone.import_id == import_id,
        )
    )
