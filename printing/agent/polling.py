"""The agent's main loop: poll for jobs, pass them to the printers, report their results."""

import base64
import binascii
import json
import logging
import os
import random
import sqlite3
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from threading import Event, Thread
from typing import Any

from printing.agent import chaos, discovery
from printing.agent.journal import Journal, PrintJob
from printing.agent.outputs import NothingSent
from printing.agent.printer import Printer, PrinterContext, timestamp
from printing.agent.server_client import (
    Interrupted,
    Pairing,
    RequestRefused,
    ServerConnection,
    ServerUnavailable,
    TokenRevoked,
)

log = logging.getLogger("agent")

MAX_BACKOFF_SECONDS = 30.0
SCAN_SECONDS = 600.0
GONE_STATUSES = frozenset({404, 409, 410})
"""The server has given the job to another agent, or no longer has it."""


class Backoff:
    """Exponential backoff with jitter, so that not all agents reconnect at the same time."""

    def __init__(self, first: float = 0.5) -> None:
        self.first = first
        self.failures = 0

    def seconds(self) -> float:
        self.failures += 1
        longest = min(self.first * 2.0 ** (self.failures - 1), MAX_BACKOFF_SECONDS)
        return longest * float(random.uniform(0.5, 1.0))  # noqa: S311

    def over(self) -> None:
        self.failures = 0


class Agent:
    def __init__(
        self, pairing: Pairing, journal: Journal, demo: Path, networks: list[str] | None = None
    ) -> None:
        self.pairing, self.journal, self.demo = pairing, journal, demo
        self.networks = networks
        self.printers: dict[str, Printer] = {}
        self.found: list[dict[str, object]] = []
        self.revoked = False
        self._poll, self._results, self._pictures = (
            ServerConnection(pairing.token) for _ in range(3)
        )
        self._over, self._wakeup = Event(), Event()
        self._around = PrinterContext(
            journal,
            demo,
            journal.path.parent / "files",
            self._picture_of,
            self._wakeup.set,
            self._poll.interrupt,
        )

    def run(self) -> None:
        """Run until it is stopped or its token is revoked."""
        doubtful = self.journal.begin()
        if doubtful:
            log.warning(
                "%d ticket(s) may already be printed. Printing them again as reprints.", doubtful
            )
        self._set_printers(self.journal.recall("printers") or [])
        reporter = Thread(target=self._report, name="results", daemon=True)
        reporter.start()
        if self.networks != []:
            Thread(target=self._discover, name="discovery", daemon=True).start()
        try:
            self._listen()
        finally:
            for printer in self.printers.values():
                printer.stop()
            for printer in self.printers.values():
                printer.join(5)
            self._over.set()
            self._wakeup.set()
            reporter.join(5)

    def stop(self) -> None:
        self._over.set()
        self._poll.interrupt()

    def _listen(self) -> None:
        patience = Backoff()
        while not self._over.is_set():
            try:
                answer = self._poll.post(
                    self.pairing.poll_url, self._state(), self.pairing.poll_seconds + 15
                )
                self._handle_answer(answer)
                if patience.failures:
                    log.info("The server is responding again.")
                patience.over()
            except Interrupted:
                continue
            except TokenRevoked as error:
                self._stop_for_ever(str(error))
            except (
                ServerUnavailable,
                RequestRefused,
                sqlite3.Error,
                KeyError,
                TypeError,
                ValueError,
            ) as failed:
                wait = patience.seconds()
                if patience.failures == 1:
                    log.warning("The server is not responding (%s). Printing continues.", failed)
                self._over.wait(wait)

    def _state(self) -> dict[str, Any]:
        return {
            "wait": int(self.pairing.poll_seconds),
            "have": self.journal.in_hand(),
            "printers": [printer.health() for printer in self.printers.values()],
            "found": self.found,
        }

    def _handle_answer(self, answer: dict[str, Any]) -> None:
        self._set_printers(answer["printers"])
        jobs = [_job(data) for data in answer["jobs"]]
        for job in jobs:
            if self.journal.add(job):
                log.info("Received %s", job.title)
        for job_id in answer.get("drop", []):
            if self.journal.drop(str(job_id), _dropped()):
                log.info("%s dropped: another printer has printed it", job_id)
                self._wakeup.set()
        if jobs:
            chaos.at("after_fetch")
            self._wakeup.set()
        for job in self.journal.waiting():
            if job.printer_id in self.printers:
                self.printers[job.printer_id].wake()
            else:
                self.journal.done(job, _returned(job))
                self._wakeup.set()

    def _set_printers(self, configured: list[dict[str, Any]]) -> None:
        settings = {str(one["id"]): one for one in configured}
        now = {printer.id: printer.settings for printer in self.printers.values()}
        if settings == now:
            return
        self.journal.remember("printers", configured)
        changed = {one: self.printers.pop(one) for one in now if settings.get(one) != now[one]}
        for printer in changed.values():
            printer.stop()
        for printer_id, one in settings.items():
            if printer_id not in self.printers:
                printer = Printer(one, self._around, changed.get(printer_id))
                self.printers[printer_id] = printer
                log.info("Printer %s (%s)", printer.name, one["output"].get("kind"))
                printer.start()
                printer.wake()

    def _report(self) -> None:
        """Report results in order, as soon as the server is reachable."""
        patience = Backoff()
        while True:
            self._wakeup.clear()
            try:
                for job in self.journal.unreported():
                    chaos.at("before_ack")
                    counted = self._report_result(job)
                    chaos.at("after_ack")
                    self.journal.mark_reported(job, counted=counted)
                    patience.over()
            except TokenRevoked:
                self._poll.interrupt()
                return
            except (ServerUnavailable, sqlite3.Error):
                if self._over.wait(patience.seconds()):
                    return
                continue
            if self._over.is_set():
                return
            self._wakeup.wait(MAX_BACKOFF_SECONDS)

    def _report_result(self, job: PrintJob) -> bool:
        """Report one result. Returns whether the server accepted it."""
        url = f"{self.pairing.server}/print/v1/jobs/{job.id}/result"
        try:
            answer = self._results.post(url, {"fence": job.fence, **job.result})
            if "state" not in answer:
                raise ServerUnavailable("the response is not from the Comanda server")
        except RequestRefused as answer:
            if answer.status not in GONE_STATUSES:
                log.error("The server rejected the result of %s: %s", job.title, answer)
            else:
                log.info("%s is no longer assigned to this agent: %s", job.title, answer)
            return False
        return True

    def _picture_of(self, job: PrintJob) -> bytes:
        try:
            return self._pictures.get(f"{self.pairing.server}/print/v1/jobs/{job.id}/picture.png")
        except (ServerUnavailable, RequestRefused, TokenRevoked, Interrupted) as failed:
            raise NothingSent(f"its picture could not be downloaded: {failed}") from None

    def _stop_for_ever(self, reason: str) -> None:
        self.revoked = True
        self._over.set()
        waiting = len(self.journal.in_hand())
        log.error("This computer was disconnected in the portal: %s", reason)
        log.error("Printing has stopped. %d ticket(s) remain in the journal.", waiting)
        log.error("Create a new pairing code in the portal and start the agent with --pair CODE.")

    def _discover(self) -> None:
        while not self._over.is_set():
            networks = discovery.own_networks() if self.networks is None else self.networks
            try:
                found = discovery.scan(networks)
            except (OSError, ValueError) as failed:
                log.warning("The network scan failed: %s", failed)
                return
            if found != self.found:
                self.found = found
                log.info("%d printer(s) found on the network", len(found))
                self._poll.interrupt()
            self._over.wait(SCAN_SECONDS)


def load_pairing(path: Path) -> Pairing | None:
    try:
        return Pairing(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def save_pairing(path: Path, pairing: Pairing) -> None:
    """Write atomically, readable by this user only."""
    part = path.with_suffix(".part")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        json.dump(asdict(pairing), out)
        out.flush()
        os.fsync(out.fileno())
    part.replace(path)


def pair(server: str, code: str, name: str, wait: Callable[[float], object]) -> Pairing:
    """Pair with the server; waits until it is reachable. Raises RequestRefused for a wrong code."""
    patience = Backoff()
    while True:
        try:
            return Pairing.by_code(server, code, name)
        except ServerUnavailable as failed:
            log.warning("The server is not responding yet (%s).", failed)
            wait(patience.seconds())


def _dropped() -> dict[str, Any]:
    return {
        "outcome": "failed",
        "detail": "printed on another printer",
        "evidence": {},
        "reprint": False,
        "at": timestamp(),
    }


def _returned(job: PrintJob) -> dict[str, Any]:
    return {
        "outcome": "unsure" if job.copy else "failed",
        "detail": "this printer is not set up here",
        "evidence": {},
        "reprint": False,
        "at": timestamp(),
    }


def _job(fields: dict[str, Any]) -> PrintJob:
    try:
        data = base64.b64decode(fields["data"], validate=True)
        again = base64.b64decode(fields.get("again") or "", validate=True)
    except binascii.Error as wrong:
        raise ValueError(f"the ticket cannot be read: {wrong}") from None
    return PrintJob(
        id=str(fields["id"]),
        printer_id=str(fields["printer_id"]),
        fence=int(fields["fence"]),
        title=str(fields.get("title", fields["id"])),
        media_type=str(fields.get("media_type", "application/octet-stream")),
        data=data,
        again=again,
    )
