"""The agent's journal on its own disk: written before and after every print.

A job goes fetched → started → done, and is kept until the server has acknowledged its result. A job
that is `started` when the program starts may be printed already: it is printed again with a REPRINT
heading.
"""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

MAX_REPORTED_JOBS = 500
"""Acknowledged results that are kept, to recognize a job that is sent again."""

_TABLES = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    printer_id TEXT NOT NULL,
    fence INTEGER NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    data BLOB NOT NULL,
    again BLOB NOT NULL,
    step TEXT NOT NULL DEFAULT 'fetched',
    copy INTEGER NOT NULL DEFAULT 0,
    result TEXT NOT NULL DEFAULT '{}',
    heard INTEGER NOT NULL DEFAULT 0,
    counted INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS jobs_step ON jobs (step, printer_id, number);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_COLUMNS = (
    "id, printer_id, fence, title, media_type, data, again, step, copy, result, heard, counted"
)


@dataclass(frozen=True)
class PrintJob:
    id: str
    printer_id: str
    fence: int
    title: str
    media_type: str
    data: bytes
    again: bytes
    step: str = "fetched"
    copy: bool = False
    """It may have been printed before."""
    result: dict[str, Any] = field(default_factory=dict)
    heard: bool = False
    counted: bool = False
    """The server has recorded it as printed, so a new request for it is intended."""


class Journal:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        self._db = _opened(path)

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is flushed to disk when it ends, not only to the system's cache."""
        with self._lock, self._db:
            yield self._db

    def begin(self) -> int:
        """Recover at program start. Returns how many jobs may be printed without a record of it."""
        with self._writing() as db:
            return db.execute(
                "UPDATE jobs SET step = 'fetched', copy = 1 WHERE step = 'started'"
            ).rowcount

    def add(self, job: PrintJob) -> bool:
        """Store a job. Returns whether it has to be printed."""
        with self._writing() as db:
            known = self._find(job.id)
            if known is None:
                _insert(db, job)
                return True
            if job.fence <= known.fence:
                # The server has not received our result, or has lost it: report it again.
                db.execute("UPDATE jobs SET heard = 0 WHERE id = ? AND step = 'done'", (job.id,))
                return False
            if known.step in ("fetched", "started"):
                db.execute("UPDATE jobs SET fence = ? WHERE id = ?", (job.fence, job.id))
                return False
            if not known.counted and known.result["outcome"] == "printed":
                db.execute("UPDATE jobs SET fence = ?, heard = 0 WHERE id = ?", (job.fence, job.id))
                return False
            db.execute("DELETE FROM jobs WHERE id = ?", (job.id,))
            _insert(db, job, copy=known.copy or known.result.get("outcome") != "failed")
            return True

    def next_for(self, printer_id: str) -> PrintJob | None:
        rows = self._select("step = 'fetched' AND printer_id = ? LIMIT 1", (printer_id,))
        return rows[0] if rows else None

    def waiting(self) -> list[PrintJob]:
        return self._select("step = 'fetched'", ())

    def started(self, job: PrintJob) -> bool:
        """Record the start. Returns False if the job was dropped and must not be printed."""
        with self._writing() as db:
            begun = db.execute(
                "UPDATE jobs SET step = 'started' WHERE id = ? AND step = 'fetched'", (job.id,)
            )
            return begun.rowcount == 1

    def drop(self, job_id: str, result: dict[str, Any]) -> bool:
        """Drop a job that another printer has printed.

        Returns False if it is started here or may be printed already.
        """
        with self._writing() as db:
            dropped = db.execute(
                "UPDATE jobs SET step = 'done', result = ?"
                " WHERE id = ? AND step = 'fetched' AND copy = 0",
                (json.dumps(result), job_id),
            )
            return dropped.rowcount == 1

    def not_started(self, job: PrintJob) -> None:
        """Record that certainly no byte was sent."""
        self._step(job, "fetched")

    def done(self, job: PrintJob, result: dict[str, Any]) -> None:
        with self._writing() as db:
            db.execute(
                "UPDATE jobs SET step = 'done', result = ? WHERE id = ?",
                (json.dumps(result), job.id),
            )

    def unreported(self) -> list[PrintJob]:
        return self._select("step = 'done' AND heard = 0", ())

    def mark_reported(self, job: PrintJob, *, counted: bool = True) -> None:
        """Record that the result was reported.

        `counted` is False if the server rejected it, because another agent had the lease.
        """
        with self._writing() as db:
            db.execute(
                "UPDATE jobs SET heard = 1, counted = ?, data = x'', again = x''"
                " WHERE id = ? AND fence = ?",
                (counted, job.id, job.fence),
            )
            db.execute(
                "DELETE FROM jobs WHERE heard = 1 AND number < (SELECT max(number) FROM jobs) - ?",
                (MAX_REPORTED_JOBS,),
            )

    def in_hand(self) -> list[str]:
        """Return all jobs whose result the server has not acknowledged."""
        with self._lock:
            rows = self._db.execute("SELECT id FROM jobs WHERE heard = 0 ORDER BY number")
            return [row[0] for row in rows]

    def release_unprinted(self) -> None:
        """After a new pairing, remove unprinted jobs; the server sends them again."""
        with self._writing() as db:
            db.execute("DELETE FROM jobs WHERE step = 'fetched' AND copy = 0")
            unsure = json.dumps({"outcome": "unsure"})
            db.execute(
                "UPDATE jobs SET step = 'done', heard = 1, result = ? WHERE step <> 'done'",
                (unsure,),
            )

    def remember(self, name: str, value: Any) -> None:
        with self._writing() as db:
            db.execute(
                "INSERT INTO facts VALUES (?, ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (name, json.dumps(value)),
            )

    def recall(self, name: str) -> Any:
        with self._lock:
            row = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return json.loads(row[0]) if row else None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _step(self, job: PrintJob, step: str) -> None:
        with self._writing() as db:
            db.execute("UPDATE jobs SET step = ? WHERE id = ?", (step, job.id))

    def _find(self, job_id: str) -> PrintJob | None:
        rows = self._select("id = ?", (job_id,))
        return rows[0] if rows else None

    def _select(self, where: str, values: tuple[str, ...]) -> list[PrintJob]:
        filtered, _, limit = where.partition(" LIMIT ")
        query = f"SELECT {_COLUMNS} FROM jobs WHERE {filtered} ORDER BY number"  # noqa: S608
        with self._lock:
            rows = self._db.execute(f"{query} LIMIT {limit or -1}", values).fetchall()
        return [_job(row) for row in rows]


def _job(row: tuple[Any, ...]) -> PrintJob:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    values["result"] = json.loads(values["result"])
    flags = {name: bool(values[name]) for name in ("copy", "heard", "counted")}
    return PrintJob(**{**values, **flags})


def _insert(db: sqlite3.Connection, job: PrintJob, copy: bool = False) -> None:
    db.execute(
        "INSERT INTO jobs (id, printer_id, fence, title, media_type, data, again, copy)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (job.id, job.printer_id, job.fence, job.title, job.media_type, job.data, job.again, copy),
    )


def _opened(path: Path) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _connected(path)
    except sqlite3.DatabaseError:
        # The file is damaged, for example after a power failure. It is renamed, never deleted, so
        # that a person can inspect it.
        path.rename(path.with_suffix(f".broken-{int(time.time())}"))
        return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=10, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.executescript(_TABLES)
    return db
