"""Long work on contacts, in small steps: imports of files, and erasure of contacts."""

from datetime import timedelta

from flask import current_app

from core.clock import now
from core.db import notify_workers, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.storage.blobs import Blobs, NoSuchBlob
from jobs.engine import all_tenants, round_robin
from jobs.engine.round_robin import LaneTurn
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.erasure.erasures import LANE
from messaging.contacts.importing import imports as contact_importing
from tenants.audit import Actor, acting_as

log = logger(__name__)

WORK_SECONDS = 25.0
TURN_SECONDS = 8.0  # then another tenant's lane comes first
IN_FLIGHT_WAIT = timedelta(seconds=3)  # until a message that is being sent has been settled


def drain() -> int:
    """Work the lanes in turn, for less than half a minute, because e-mails and other jobs share
    this worker.
    """
    acknowledge_wakeup("jobs.contacts.drain")
    work = round_robin.lanes_in_turn("jobs.contacts.drain", LANE, WORK_SECONDS, turn=TURN_SECONDS)
    return sum(ContactWork(turn).work() for turn in work)


def sweep() -> None:
    """In the sweep's global transaction."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.contacts.drain")


def delete_old_imports() -> int:
    """Nightly: the files of imports and their rejected rows are kept for a month."""
    acknowledge_wakeup("jobs.contacts.delete_old_imports")
    deleted = 0

    def tidy_one(tenant_id: int) -> bool:
        nonlocal deleted
        with tenant_scope(tenant_id):
            deleted += contact_importing.delete_old_imports(
                now() - contact_importing.IMPORT_RETENTION, _blobs()
            )
            if contact_importing.next_active() or contact_erasures.next_open():
                contact_importing.wake_importer()  # in case the lane was lost
        return False

    all_tenants.run_step("jobs.contacts.delete_old_imports", tidy_one)
    return deleted


class ContactWork:
    def __init__(self, turn: LaneTurn) -> None:
        self.turn, self.tenant_id = turn, turn.tenant_id

    def work(self) -> int:
        done = self.erase() + self.bring_in()
        if not self.turn.held:
            return done
        self.turn.release()
        with tenant_scope(self.tenant_id):
            if contact_importing.next_active() is not None:
                contact_importing.wake_importer()
            elif contact_erasures.next_open() is not None:
                lanes.mark_later(LANE, self.tenant_id, now() + IN_FLIGHT_WAIT)
        return done

    def erase(self) -> int:
        done = 0
        while not self.turn.over:
            with tenant_scope(self.tenant_id):
                erasure = contact_erasures.next_open() if self.turn.extend() else None
                if erasure is None:
                    return done
                more = contact_erasures.run_step(erasure, _delete_blobs)
            done += 1
            if not more:
                return done
        return done

    def bring_in(self) -> int:
        """The file stays open between batches; each batch is a transaction."""
        done = 0
        while not self.turn.over:
            with tenant_scope(self.tenant_id):
                found = contact_importing.next_active()
                one = contact_importing.get(found) if found else None
            if one is None:
                return done
            try:
                course = contact_importing.ImportPass(one, _blobs())
            except NoSuchBlob:
                with tenant_scope(self.tenant_id):
                    contact_importing.fail(
                        one.id, "The file is no longer available. Upload it again."
                    )
                continue
            try:
                with acting_as(Actor("person", "import", one.author)):
                    done += self.follow(course)
            finally:
                course.close()
            if course.over:
                _delete_blobs([one.blob])
        return done

    def follow(self, course: contact_importing.ImportPass) -> int:
        batches, more = 0, True
        while more and not self.turn.over:
            with tenant_scope(self.tenant_id):
                more = self.turn.extend() and course.work()
            batches += 1
        return batches


def _blobs() -> Blobs:
    found: Blobs = current_app.extensions["blobs"]
    return found


def _delete_blobs(keys: list[str]) -> None:
    for key in keys:
        _blobs().delete(key)
