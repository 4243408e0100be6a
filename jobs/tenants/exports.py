"""Build the export of all of a tenant's data, in steps that another worker can continue.

A step reads batches of one table after another, in the order of their keys, and ends with a part of
the archive as a blob and the cursor in the export's row. The last step joins the parts. No step
takes long, and none needs the whole file in memory or in a temporary folder.
"""

import io
import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import IO, Any, cast

from flask import current_app

from core.clock import now
from core.db import notify_workers, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.sql.db_errors import is_outage, sqlstate
from core.storage.blobs import BlobError, Blobs
from core.storage.resumable_zip import EntryStream, ResumableZip, new_state
from core.values.text import csv_lines
from jobs.engine import all_models as _schema  # noqa: F401 - every table
from jobs.engine import all_tenants, round_robin
from tenants.data import export as data_export
from tenants.data.export import LANE, UnfinishedExport

log = logger(__name__)


WORK_SECONDS = 20.0
TURN_SECONDS = 10.0  # then another tenant's lane comes first
STEP_SECONDS = 5.0
PIECE_BYTES = 4 << 20
LEASE_SECONDS = 180.0  # joining the parts of a very large export takes longest
GIVE_UP_AFTER = timedelta(days=1)  # of waiting for an unavailable database or blob store

README = """What is in here

account.json   the account itself, and which tables follow
*.csv          one file for each kind of thing, one line for each thing
media.csv      the files that are kept with them: table, column, and the name in our store

Passwords, tokens and other secrets are left out. Times are UTC.
"""


def drain() -> int:
    """Work the tenants in turn, for 20 seconds at most; then the queue's other jobs come first."""
    acknowledge_wakeup("jobs.tenants.exports.drain")
    return round_robin.work_lanes(
        "jobs.tenants.exports.drain",
        LANE,
        WORK_SECONDS,
        run_step,
        _recheck_lane,
        turn=TURN_SECONDS,
        lease_seconds=LEASE_SECONDS,
    )


def sweep() -> None:
    """In the sweep's global transaction: exports whose worker died or was not woken."""
    if lanes.any_due(LANE):
        notify_workers("jobs.tenants.exports.drain")


def find_lost_work() -> bool:
    """Hourly: delete expired files, and continue an export whose lane was lost."""
    acknowledge_wakeup("jobs.tenants.exports.find_lost_work")
    return all_tenants.run_step("jobs.tenants.exports.find_lost_work", _clean_up)


def run_step(tenant_id: int) -> int:
    """Run one step of the tenant's oldest export; 0 if there is none."""
    with tenant_scope(tenant_id):
        one = data_export.next_unfinished()
    if one is None:
        return 0
    try:
        _run_step(tenant_id, one)
    except Exception as error:
        away = is_outage(error) or isinstance(error, BlobError | OSError)
        if away and one.asked_at > now() - GIVE_UP_AFTER:
            raise  # the lane's lease expires, and the sweep wakes a worker
        # Whatever the error is, the page must not show "being made" forever.
        log.error("export failed", error=type(error).__name__, sqlstate=sqlstate(error))
        with tenant_scope(tenant_id):
            data_export.mark_failed(one)
    return 1


def _clean_up(tenant_id: int) -> bool:
    with tenant_scope(tenant_id):
        data_export.delete_expired()
    _recheck_lane(tenant_id, 0)
    return False


def _recheck_lane(tenant_id: int, _worked: int) -> None:
    with tenant_scope(tenant_id):
        if data_export.next_unfinished() is not None:
            data_export.wake_worker()


def _run_step(tenant_id: int, one: UnfinishedExport) -> None:
    work = one.work
    if work is None:
        with tenant_scope(tenant_id):
            work = _first_cursor(data_export.account_summary())
    if work["at"] < len(work["tables"]):
        _write_piece(tenant_id, one, work)
    else:
        _join_pieces(tenant_id, one, work)


def _first_cursor(facts: dict[str, Any]) -> dict[str, Any]:
    """The cursor before the first row."""
    return {
        "facts": facts,
        "tables": facts["tables"],
        "at": 0,
        "after": None,
        "zip": new_state(now()),
        "parts": [],
        "media": EntryStream.new_state(),
        "media_parts": [],
    }


def _write_piece(tenant_id: int, one: UnfinishedExport, work: dict[str, Any]) -> None:
    """Read tables from the cursor on, until the part is large enough or the time is over."""
    course = TableReader(tenant_id, work, one.records)
    until = time.monotonic() + STEP_SECONDS
    while not course.over and course.archive.waiting < PIECE_BYTES and time.monotonic() < until:
        course.batch()
    blobs: Blobs = current_app.extensions["blobs"]
    for kind, piece in (
        ("parts", course.archive.read_output()),
        ("media_parts", course.read_media()),
    ):
        if piece:
            # A repeated step writes the same key, so nothing is left over.
            key = f"{_folder(tenant_id, one)}/{one.steps:06}-{kind.replace('_', '-')}"
            blobs.put(key, piece, "application/octet-stream")
            work[kind].append(key)
    with tenant_scope(tenant_id):
        data_export.save_step(one, work, work["at"], course.records)


def _join_pieces(tenant_id: int, one: UnfinishedExport, work: dict[str, Any]) -> None:
    """Join the parts, then add the list of media files and the end of the archive."""
    blobs: Blobs = current_app.extensions["blobs"]
    archive = ResumableZip(work["zip"])
    before, after = archive.add_compressed("media.csv", work["media"])
    segments = [*work["parts"], before, *work["media_parts"], after, archive.close()]
    key = f"{_folder(tenant_id, one)}/all.zip"
    made = blobs.put(key, cast(IO[bytes], JoinedBlobs(blobs, segments)), "application/zip")
    with tenant_scope(tenant_id):
        data_export.mark_ready(one, key, made.size)


def _folder(tenant_id: int, one: UnfinishedExport) -> str:
    return f"{tenant_id}/exports/{one.id}"


class TableReader:
    """Reads the tables of one step; `work` is the cursor."""

    def __init__(self, tenant_id: int, work: dict[str, Any], records: int) -> None:
        self.tenant_id, self.work, self.records = tenant_id, work, records
        self.archive = ResumableZip(work["zip"])
        self.media = EntryStream(work["media"])
        if not work["zip"]["files"]:
            facts = json.dumps(work["facts"], ensure_ascii=False, indent=2)
            self.archive.add("README.txt", README.encode())
            self.archive.add("account.json", facts.encode())
            self.media.write(csv_lines([("table", "column", "file")]).encode())

    @property
    def over(self) -> bool:
        return bool(self.work["at"] >= len(self.work["tables"]))

    def batch(self) -> None:
        """Read the rows after the cursor, in their own transaction."""
        work, name = self.work, self.work["tables"][self.work["at"]]
        columns = [column.name for column in data_export.exported_columns(name)]
        if not work["zip"]["open"]:
            self.archive.begin(f"{name}.csv")
            self.archive.write(csv_lines([columns]).encode())
        with tenant_scope(self.tenant_id):
            rows, last = data_export.rows_after(name, data_export.from_cursor(work["after"]))
        self.archive.write(csv_lines(rows).encode())
        self.media.write(csv_lines(_files(name, columns, rows)).encode())
        self.records += len(rows)
        work["after"] = data_export.as_cursor(last)
        if last is None:
            self.archive.end()
            work["at"] += 1

    def read_media(self) -> bytes:
        return self.media.read_output(last=self.over)


def _files(name: str, columns: list[str], rows: list[list[str]]) -> Iterator[tuple[str, str, str]]:
    for _, column in data_export.file_columns(name):
        if column in columns:
            at = columns.index(column)
            yield from ((name, column, row[at]) for row in rows if row[at])


class JoinedBlobs(io.RawIOBase):
    """Blobs (by key) and bytes, read one after another. Can only seek to the beginning."""

    def __init__(self, blobs: Blobs, segments: list[str | bytes]) -> None:
        self._blobs, self._segments = blobs, segments
        self.seek(0)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if (offset, whence) != (0, io.SEEK_SET):
            raise io.UnsupportedOperation("seeks to the beginning only")
        self._rest, self._at = iter(self._segments), 0
        self._source: Any = io.BytesIO()
        return 0

    def read(self, size: int = -1) -> bytes:
        """Like a socket: at most `size` bytes, and none only at the end."""
        while not (found := self._source.read(size)):
            self._source.close()
            following = next(self._rest, None)
            if following is None:
                self._source = io.BytesIO()
                return b""
            if isinstance(following, bytes):
                self._source = io.BytesIO(following)
            else:
                self._source = self._blobs.open(following)
        self._at += len(found)
        return bytes(found)
