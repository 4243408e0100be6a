"""Fetch the files of messages, and remove those nobody needs any more."""

from concurrent.futures import ThreadPoolExecutor

from flask import current_app

from core import doomed, lanes
from core.blobs import BlobError, Blobs
from core.clock import now
from core.db import global_scope, ring, tenant_scope
from core.logs import logger
from core.rings import hear
from core.settings import Settings
from jobs import turns
from messaging import fetching, lines_book, media
from messaging.lines import LineFacts
from messaging.media import LANE, Kept, Lost, Wanted
from messaging.models import Line

log = logger(__name__)

WORK_SECONDS = 30.0
AT_ONCE = 8
LEASE_SECONDS = 180.0  # longer than the slowest file may take
LANE_SECONDS = 120.0
DOOMED_AT_ONCE = 500


def drain() -> int:
    """Lanes in turn, for half a minute at most; inside one, files side by side."""
    hear("jobs.media.drain")
    done, more = turns.take(LANE, WORK_SECONDS, _work, _look_again, lease_seconds=LANE_SECONDS)
    if more:
        with global_scope():
            ring("jobs.media.drain")
    return done


def sweep() -> None:
    """In the sweep's global transaction: what is due again, and lanes that nobody rang for."""
    if lanes.wake_due(LANE):
        ring("jobs.media.drain")


def remove_doomed() -> int:
    """The blob first: a name that is left over is only looked at once more."""
    hear("jobs.media.remove_doomed")
    blobs: Blobs = current_app.extensions["blobs"]
    with global_scope():
        keys = doomed.doomed(DOOMED_AT_ONCE)
    gone = []
    for key in keys:
        try:
            removed = _remove_folder(blobs, key) if key.endswith("/") else _remove(blobs, key)
        except (BlobError, OSError) as error:
            log.warning("blob not removed", error=type(error).__name__)
        else:
            gone += [key] if removed else []
    if gone:
        with global_scope():
            doomed.forget(gone)
    return len(gone)


def _remove(blobs: Blobs, key: str) -> bool:
    blobs.delete(key)
    return True


def _remove_folder(blobs: Blobs, folder: str) -> bool:
    """Whether it is empty now; otherwise the next run continues."""
    some = blobs.under(folder, DOOMED_AT_ONCE)
    for one in some:
        blobs.delete(one.key)
    return len(some) < DOOMED_AT_ONCE


def _work(tenant_id: int) -> int:
    with tenant_scope(tenant_id):
        wanted = media.claim(AT_ONCE, LEASE_SECONDS)
        lines = {line.id: (line.network, lines_book.facts_of(line)) for line in _lines(wanted)}
    if wanted:
        outcomes = _fetch(wanted, lines)
        with tenant_scope(tenant_id):
            for one, outcome in zip(wanted, outcomes, strict=True):
                media.settle(one, outcome)
    return len(wanted)


def _lines(wanted: list[Wanted]) -> list[Line]:
    return lines_book.listed() if wanted else []


def _fetch(wanted: list[Wanted], lines: dict[int, tuple[str, LineFacts]]) -> list[Kept | Lost]:
    settings: Settings = current_app.extensions["comanda"]
    blobs: Blobs = current_app.extensions["blobs"]

    def one(each: Wanted) -> Kept | Lost:
        network, facts = lines.get(each.line_id, ("", None))
        return fetching.take_in(settings, blobs, each, network, facts)

    with ThreadPoolExecutor(AT_ONCE, "media") as hands:
        return list(hands.map(one, wanted))


def _look_again(tenant_id: int, _worked: int) -> None:
    """After the release: marks that were made meanwhile did nothing."""
    with tenant_scope(tenant_id):
        due = media.next_due()
        if due is not None and due <= now():
            lanes.mark_due(LANE, tenant_id)
            ring("jobs.media.drain")
        elif due is not None:
            lanes.mark_later(LANE, tenant_id, due)
