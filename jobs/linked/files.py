"""Download the files received on a linked line. Only the host with its session can do that."""

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING

from core.storage.blobs import Blobs
from messaging.lines.drivers.cloud.media import MediaNotFetched
from messaging.lines.drivers.linked.client import LinkedClient
from messaging.messages.media import download as media_download
from messaging.messages.media import files as media_files
from messaging.messages.media.files import DownloadFailure, PendingDownload, StoredMedia

if TYPE_CHECKING:
    from jobs.linked.session import LineSession

AT_ONCE = 4
LEASE_SECONDS = 180.0
POLL_SECONDS = 15.0  # for downloads that must be retried


class FileFetcher:
    """Belongs to one connection."""

    def __init__(self, session: "LineSession", client: LinkedClient) -> None:
        self.session, self.client = session, client
        self.arrived = asyncio.Event()

    async def run(self) -> None:
        while True:
            await self.session.up.wait()
            while await self.round():
                pass
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.arrived.wait(), POLL_SECONDS)
            self.arrived.clear()

    async def round(self) -> int:
        line_id = self.session.line_id
        downloads = await self.session.tenant(
            lambda: media_files.claim_downloads(AT_ONCE, LEASE_SECONDS, linked_line=line_id)
        )
        for one in downloads:
            outcome = await self.fetch(one)
            await self.session.scoped(partial(media_files.settle_download, one, outcome))
        return len(downloads)

    async def fetch(self, one: PendingDownload) -> StoredMedia | DownloadFailure:
        most = media_download.file_rules(one.kind).received_bytes
        host = self.session.host
        blobs: Blobs = host.app.extensions["blobs"]
        async with host.fetching:
            try:
                body = await self.client.fetch(media_files.is_network_media_id(one.source), most)
            except MediaNotFetched as why:
                return DownloadFailure(why.reason, why.final)
            return await host.in_thread(lambda: media_download.store_fetched_file(blobs, one, body))
