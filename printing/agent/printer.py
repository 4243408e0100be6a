"""One printer: its own thread and queue, one job after the other.

A printer that is stuck delays only itself.
"""

import logging
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from typing import Any

from printing.agent import chaos, printer_status
from printing.agent.demo_printer import PictureFolder
from printing.agent.journal import Journal, PrintJob
from printing.agent.outputs import Connection, ConnectionBroken, NothingSent, Output, create_output
from printing.agent.printer_status import Status

log = logging.getLogger("agent")

RETRY_SECONDS = 2.0
IDLE_CHECK_SECONDS, ERROR_CHECK_SECONDS = 15.0, 4.0
SETTLE_SECONDS = 8.0
"""A printer may be busy after a ticket; its status counts only if it lasts this long."""


@dataclass(frozen=True)
class PrinterContext:
    journal: Journal
    demo: Path
    files: Path
    picture_of: Callable[[PrintJob], bytes]
    noted: Callable[[], None]
    """Called when a result is in the journal."""
    changed: Callable[[], None]
    """Called when the state of a printer has changed."""


class Printer(Thread):
    def __init__(
        self, settings: dict[str, Any], around: PrinterContext, after: Thread | None = None
    ) -> None:
        """`after` had this printer with other settings; it finishes its job first."""
        super().__init__(name=str(settings["name"]), daemon=True)
        self.settings = settings
        self.id = str(settings["id"])
        self.around = around
        self.condition = Status("ready", "")
        self._wakeup, self._over = Event(), Event()
        self._ever_answered = False
        self._after = after

    def wake(self) -> None:
        self._wakeup.set()

    def stop(self) -> None:
        """Stop after the current job."""
        self._over.set()
        self._wakeup.set()

    def health(self) -> dict[str, str]:
        return {"id": self.id, "state": self.condition.state, "detail": self.condition.detail}

    def run(self) -> None:
        if self._after is not None:
            self._after.join()
            self._after = None
        while not self._over.is_set():
            try:
                job = self.around.journal.next_for(self.id)
                if job is None:
                    self._rest()
                elif not self._print(job):
                    self._over.wait(RETRY_SECONDS)
            except sqlite3.Error as failed:
                # Nothing is printed without the journal: a job that is not recorded could be
                # printed twice.
                log.error("%s: could not write to the journal: %s", self.name, failed)
                self._over.wait(RETRY_SECONDS)
            except Exception:
                log.exception("%s: unexpected error", self.name)
                self._over.wait(RETRY_SECONDS)

    def _rest(self) -> None:
        well = self.condition.can_print
        woken = self._wakeup.wait(IDLE_CHECK_SECONDS if well else ERROR_CHECK_SECONDS)
        self._wakeup.clear()
        if not woken and not self._over.is_set():
            self._check()

    def _check(self) -> None:
        try:
            output = None if self._is_demo else self._output()
            if output is None or not self._reports_status(output):
                return
            with output.connect() as connection:
                self._set_status(self._read_status(connection))
        except (NothingSent, ConnectionBroken, ValueError) as failed:
            self._set_status(Status("offline", str(failed)))

    def _print(self, job: PrintJob) -> bool:
        """Print one job. Returns whether it is finished, printed or not."""
        if self._is_demo:
            return self._draw(job)
        try:
            output = self._output()
        except (ValueError, KeyError) as wrong:
            self._note(job, "failed", str(wrong), {})
            return True
        begun = False
        try:
            with output.connect() as connection:
                before = (
                    self._read_status(connection)
                    if self._reports_status(output)
                    else Status("ready")
                )
                self._set_status(before)
                if not before.can_print:
                    return False
                if not self.around.journal.started(job):
                    return True
                begun = True
                chaos.at("before_print")
                self._send(job, connection, output, before)
        except NothingSent as failed:
            if begun:
                self.around.journal.not_started(job)
            self._set_status(Status("offline", str(failed)))
            return False
        except ConnectionBroken as failed:
            if not begun:
                self._set_status(Status("offline", str(failed)))
                return False
            self._set_status(Status("offline", str(failed)))
            self._note(job, "unsure", f"the connection was lost: {failed}", {"after": str(failed)})
        return True

    def _send(self, job: PrintJob, connection: Connection, output: Output, before: Status) -> None:
        payload = (job.again if job.copy else b"") + job.data
        began = time.monotonic()
        connection.send(payload)
        connection.drain()
        after = self._settled(connection) if self._reports_status(output) else Status("ready")
        chaos.at("after_print")
        evidence = {
            "before": _status_text(before),
            "after": _status_text(after),
            "bytes": len(payload),
        }
        if after.can_print:
            self._note(job, "printed", "", evidence, time.monotonic() - began)
        else:
            self._note(job, "unsure", printer_status.STATE_TEXTS[after.state], evidence)
        self._set_status(after)

    def _draw(self, job: PrintJob) -> bool:
        folder = PictureFolder(
            self.around.demo / self.name.replace("/", "-"), self.around.picture_of
        )
        try:
            if not self.around.journal.started(job):
                return True
            chaos.at("before_print")
            size = folder.save(job)
        except NothingSent as failed:
            self.around.journal.not_started(job)
            self._set_status(Status("offline", str(failed)))
            return False
        chaos.at("after_print")
        self._set_status(Status("ready"))
        self._note(job, "printed", "", {"bytes": size})
        return True

    def _note(
        self,
        job: PrintJob,
        outcome: str,
        detail: str,
        evidence: dict[str, Any],
        seconds: float = 0.0,
    ) -> None:
        result = {
            "outcome": outcome,
            "detail": detail,
            "evidence": evidence,
            "reprint": job.copy,
            "at": timestamp(),
        }
        self.around.journal.done(job, result)
        copy = " again as REPRINT" if job.copy else ""
        if outcome == "printed":
            log.info("%s: printed %s%s (%.1f s)", self.name, job.title, copy, seconds)
        else:
            log.warning("%s: %s is %s: %s", self.name, job.title, outcome, detail)
        self.around.noted()

    def _output(self) -> Output:
        return create_output(self.settings["output"], self.around.files)

    @property
    def _is_demo(self) -> bool:
        return bool(self.settings["output"].get("kind") == "demo")

    def _reports_status(self, output: Output) -> bool:
        return bool(
            output.can_answer
            and self.settings.get("checks")
            and self.settings.get("language") == "escpos"
        )

    def _read_status(self, connection: Connection) -> Status:
        """Query the status.

        Many printers never answer but do print, so silence counts only after an earlier answer.
        """
        found = printer_status.query_status(connection.send, connection.read_byte)
        self._ever_answered = self._ever_answered or found.answered
        if not found.answered and not self._ever_answered:
            return Status("ready", "does not report its status", answered=False)
        return found

    def _settled(self, connection: Connection) -> Status:
        until = time.monotonic() + SETTLE_SECONDS
        while True:
            found = self._read_status(connection)
            if found.can_print or time.monotonic() > until:
                return found
            self._over.wait(0.25)

    def _set_status(self, condition: Status) -> None:
        before, self.condition = self.condition, condition
        if before.state != condition.state:
            write_log = log.info if condition.can_print else log.warning
            write_log("%s: %s", self.name, printer_status.STATE_TEXTS[condition.state])
            self.around.changed()


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _status_text(condition: Status) -> str:
    return f"{condition.state} {condition.detail}".strip()
