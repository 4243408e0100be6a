"""Long work on contacts, in small bites: files that come in, and people who are erased."""

import time
from datetime import timedelta
from uuid import UUID

from flask import current_app

from core import lanes
from core.blobs import Blobs, NoSuchBlob
from core.clock import now
from core.db import global_scope, ring, tenant_scope
from core.logs import logger
from core.rings import hear
from core.settings import Settings
from jobs import rounds
from messaging.crm import erasing, importing
from messaging.crm.erasing import LANE
from restaurant import guests
from tenants.audit import Actor, acting

log = logger(__name__)

WORK_SECONDS = 25.0
TURN_SECONDS = 8.0  # then another tenant's lane comes first
WAIT = timedelta(seconds=3)  # for a message that is just leaving


def drain() -> int:
    """Lanes in turn, for less than half a minute: prints and letters share this worker."""
    hear("jobs.contacts.drain")
    guests.listen()
    settings: Settings = current_app.extensions["comanda"]
    stop, done = time.monotonic() + WORK_SECONDS, 0
    while time.monotonic() < stop:
        with global_scope():
            leased = lanes.lease_next(LANE, settings.lane_lease_seconds)
        if leased is None:
            return done
        tenant_id, lease = leased
        until = min(stop, time.monotonic() + TURN_SECONDS)
        done += Turn(tenant_id, lease, settings.lane_lease_seconds).work(until)
    with global_scope():
        ring("jobs.contacts.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction."""
    if lanes.wake_due(LANE):
        ring("jobs.contacts.drain")


def tidy() -> int:
    """At night: files of imports and their rejects are kept a month."""
    hear("jobs.contacts.tidy")
    gone = 0

    def tidy_one(tenant_id: int) -> bool:
        nonlocal gone
        with tenant_scope(tenant_id):
            gone += importing.forget_old(now() - importing.KEPT, _blobs())
            if importing.next_moving() or erasing.next_open():
                importing.wake()  # a lane that was lost
        return False

    rounds.go("jobs.contacts.tidy", tidy_one)
    return gone


class Turn:
    def __init__(self, tenant_id: int, lease: UUID, seconds: float) -> None:
        self.tenant_id, self.lease, self.seconds = tenant_id, lease, seconds
        self.held = True

    def work(self, until: float) -> int:
        done = self.erase(until) + self.bring_in(until)
        if not self.held:
            return done
        with global_scope():
            lanes.release(LANE, self.tenant_id, self.lease)
        with tenant_scope(self.tenant_id):
            if importing.next_moving() is not None:
                importing.wake()
            elif erasing.next_open() is not None:
                lanes.mark_later(LANE, self.tenant_id, now() + WAIT)
        return done

    def keep(self) -> bool:
        self.held = lanes.extend(LANE, self.tenant_id, self.lease, self.seconds)
        return self.held

    def erase(self, until: float) -> int:
        done = 0
        while time.monotonic() < until:
            with tenant_scope(self.tenant_id):
                erasure = erasing.next_open() if self.keep() else None
                if erasure is None:
                    return done
                more = erasing.work(erasure, _drop)
            done += 1
            if not more:
                return done
        return done

    def bring_in(self, until: float) -> int:
        """The file stays open from batch to batch; each batch is a transaction."""
        done = 0
        while self.held and time.monotonic() < until:
            with tenant_scope(self.tenant_id):
                found = importing.next_moving()
                one = importing.get(found) if found else None
            if one is None:
                return done
            try:
                course = importing.Pass(one, _blobs())
            except NoSuchBlob:
                with tenant_scope(self.tenant_id):
                    importing.fail(one.id, "The file is gone. Upload it again.")
                continue
            try:
                with acting(Actor("person", "import", one.author)):
                    done += self.follow(course, until)
            finally:
                course.close()
            if course.over:
                _drop([one.blob])
        return done

    def follow(self, course: importing.Pass, until: float) -> int:
        batches, more = 0, True
        while more and time.monotonic() < until:
            with tenant_scope(self.tenant_id):
                more = self.keep() and course.work()
            batches += 1
        return batches


def _blobs() -> Blobs:
    found: Blobs = current_app.extensions["blobs"]
    return found


def _drop(keys: list[str]) -> None:
    for key in keys:
        _blobs().delete(key)
