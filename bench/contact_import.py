"""Import a large file of contacts: `python -m bench.contact_import [100000]`, one row in a hundred
invalid.

The real workers check it, then import it. It fails unless nothing is written before the import is
started, every invalid row is reported with its cause, progress is visible, and a file ten times as
long takes no more memory.
"""

import io
import os
import sys
import time
from collections import Counter
from collections.abc import Callable

from sqlalchemy import func, select

from bench.results import write
from bench.setup.stack import Stack, running
from core.app_setup import create_worker_app
from core.db import db, tenant_scope
from core.storage.blobs import Blobs
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.importing.imports import ImportOptions
from messaging.models import Contact, ContactImport

ROWS = 100_000
BROKEN_EACH = 100
MOST_GROWTH_MB = 25.0
WAIT_SECONDS = 900.0
# An invalid row, and the cause that must be reported.
FAULTS = (
    (",{name},tr,1990-04-23", "The phone number is missing."),
    ("12,{name},tr,1990-04-23", "phone"),
    ("{phone},{name},turkish!,1990-04-23", "language"),
    ("{phone},{name},tr,1990-13-45", "birthday"),
)


def file_of(rows: int) -> tuple[bytes, dict[int, str]]:
    """The file, and what is wrong with each invalid line."""
    lines, broken = ["phone,name,language,birthday"], {}
    for number in range(rows):
        known = {"phone": f"9053{number:08}", "name": f"Guest {number}"}
        pattern = "{phone},{name},tr,1990-04-23"
        if number % BROKEN_EACH == BROKEN_EACH - 1:
            pattern, why = FAULTS[number // BROKEN_EACH % len(FAULTS)]
            broken[number + 2] = why
        lines.append(pattern.format(**known))
    return ("\n".join(lines) + "\n").encode(), broken


class Import:
    def __init__(self, stack: Stack, tenant_id: int, blobs: Blobs, rows: int) -> None:
        self.stack, self.tenant_id, self.rows = stack, tenant_id, rows
        body, self.broken = file_of(rows)
        self.steps: Counter[str] = Counter()
        self.most_mb = 0.0
        with tenant_scope(tenant_id):
            self.id = contact_importing.upload_file(io.BytesIO(body), "guests.csv", blobs).id

    def run(self) -> tuple[float, float]:
        """Seconds to check and to import."""
        before = self._contacts()
        looked = self._until("ready", self._check)
        assert self._contacts() == before, "something was written before it was said"
        self._named()
        written = self._until("done", contact_importing.start)
        assert self._contacts() == before + self.rows - len(self.broken), "contacts are missing"
        assert min(self.steps["checking"], self.steps["importing"]) > 3, "no progress was seen"
        return looked, written

    def _check(self, import_id: str) -> ContactImport:
        one = contact_importing.get(import_id)
        return contact_importing.start_check(
            import_id, one.columns["meanings"], ImportOptions(country="TR")
        )

    def _until(self, state: str, begin: Callable[[str], ContactImport]) -> float:
        began, last = time.monotonic(), -1
        with tenant_scope(self.tenant_id):
            begin(self.id)
        while time.monotonic() < began + WAIT_SECONDS:
            with tenant_scope(self.tenant_id):
                one = contact_importing.get(self.id)
                now_in, position = one.state, one.position
            self.most_mb = max(self.most_mb, self.stack.memory_mb())
            if now_in == state:
                return time.monotonic() - began
            if position != last:
                self.steps[now_in] += 1
                last = position
            time.sleep(0.2)
        raise RuntimeError(f"the import did not become {state}")

    def _named(self) -> None:
        """Every invalid row, and no other, is reported with the right cause."""
        named: dict[int, str] = {}
        while True:
            with tenant_scope(self.tenant_id):
                page = contact_importing.list_rejects(self.id, max(named, default=0), 500)
                named |= {
                    one.line: f"{one.field}: {one.cause.format(**one.values)}" for one in page
                }
            if not page:
                break
        assert named.keys() == self.broken.keys(), "other rows than the broken ones are named"
        for line, why in self.broken.items():
            assert why in named[line], f"line {line}: {named[line]}"

    def _contacts(self) -> int:
        with tenant_scope(self.tenant_id):
            query = select(func.count()).where(Contact.tenant_id == self.tenant_id)
            return db.session.scalar(query) or 0


def main(rows: int) -> int:
    with running(2) as stack:
        os.environ.update(stack.env)
        app = create_worker_app()
        with app.app_context():
            blobs: Blobs = app.extensions["blobs"]
            done = []
            for person, count in zip(stack.people, (rows // 10, rows), strict=True):
                one = Import(stack, person["tenant_id"], blobs, count)
                looked, written = one.run()
                done.append(one)
                print(
                    f"{count} rows: looked through in {looked:.0f} s, written in {written:.0f} s,"
                    f" {len(one.broken)} broken and named, progress seen {one.steps.total()}"
                    f" times, web and workers at most {one.most_mb:.0f} MB",
                    flush=True,
                )
    growth = done[1].most_mb - done[0].most_mb
    write(
        {
            "contact_import": {
                "value": round(rows / (looked + written)),
                "unit": f"rows/s of {rows}",
                "growth_mb": round(growth, 1),
                "most_mb": MOST_GROWTH_MB,
            }
        }
    )
    print(f"ten times the file: {growth:+.1f} MB")
    return 0 if growth <= MOST_GROWTH_MB else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else ROWS))
