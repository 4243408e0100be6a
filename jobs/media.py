"""Download the files of messages, and delete files that are no longer needed."""

from concurrent.futures import ThreadPoolExecutor

from flask import current_app

from core.db import global_scope, notify_workers, tenant_scope
from core.logs import logger
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from core.storage import pending_deletions
from core.storage.blobs import BlobError, Blobs
from jobs.engine import round_robin
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineFacts
from messaging.messages.media import download as media_download
from messaging.messages.media import files as media_files
from messaging.messages.media.files import LANE, DownloadFailure, PendingDownload, StoredMedia
from messaging.models import Line

log = logger(__name__)

WORK_SECONDS = 30.0
AT_ONCE = 8
LEASE_SECONDS = 180.0  # longer than the slowest download may take
LANE_SECONDS = 120.0
DELETIONS_AT_ONCE = 500


def drain() -> int:
    """Work the lanes in turn, for WORK_SECONDS at most; the files of a lane concurrently."""
    acknowledge_wakeup("jobs.media.drain")
    return round_robin.work_lanes(
        "jobs.media.drain", LANE, WORK_SECONDS, _work, _recheck_lane, lease_seconds=LANE_SECONDS
    )


def sweep() -> None:
    """In the sweep's global transaction: downloads that are due again, lanes without a wake-up."""
    if lanes.promote_later_due(LANE):
        notify_workers("jobs.media.drain")


def delete_pending_files() -> int:
    """Delete the blob first, then its entry: an entry that is left over is only tried again."""
    acknowledge_wakeup("jobs.media.delete_pending_files")
    blobs: Blobs = current_app.extensions["blobs"]
    with global_scope():
        keys = pending_deletions.list_pending(DELETIONS_AT_ONCE)
    deleted = []
    for key in keys:
        try:
            removed = _remove_folder(blobs, key) if key.endswith("/") else _remove(blobs, key)
        except (BlobError, OSError) as error:
            log.warning("file not deleted", error=type(error).__name__)
        else:
            deleted += [key] if removed else []
    if deleted:
        with global_scope():
            pending_deletions.mark_deleted(deleted)
    return len(deleted)


def _remove(blobs: Blobs, key: str) -> bool:
    blobs.delete(key)
    return True


def _remove_folder(blobs: Blobs, folder: str) -> bool:
    """True if the folder is empty now; otherwise the next run continues."""
    some = blobs.under(folder, DELETIONS_AT_ONCE)
    for one in some:
        blobs.delete(one.key)
    return len(some) < DELETIONS_AT_ONCE


def _work(tenant_id: int) -> int:
    with tenant_scope(tenant_id):
        downloads = media_files.claim_downloads(AT_ONCE, LEASE_SECONDS)
        lines = {
            line.id: (line.network, line_repository.line_facts(line)) for line in _lines(downloads)
        }
    if downloads:
        outcomes = _fetch(downloads, lines)
        with tenant_scope(tenant_id):
            for one, outcome in zip(downloads, outcomes, strict=True):
                media_files.settle_download(one, outcome)
    return len(downloads)


def _lines(downloads: list[PendingDownload]) -> list[Line]:
    return line_repository.list_lines() if downloads else []


def _fetch(
    downloads: list[PendingDownload], lines: dict[int, tuple[str, LineFacts]]
) -> list[StoredMedia | DownloadFailure]:
    settings: Settings = current_app.extensions["comanda"]
    blobs: Blobs = current_app.extensions["blobs"]

    def one(each: PendingDownload) -> StoredMedia | DownloadFailure:
        network, facts = lines.get(each.line_id, ("", None))
        return media_download.download_file(settings, blobs, each, network, facts)

    with ThreadPoolExecutor(AT_ONCE, "media") as hands:
        return list(hands.map(one, downloads))


def _recheck_lane(tenant_id: int, _worked: int) -> None:
    """After the release, because marks made while the lane was held had no effect."""
    with tenant_scope(tenant_id):
        if lanes.mark_next(LANE, tenant_id, media_files.next_due()):
            notify_workers("jobs.media.drain")
