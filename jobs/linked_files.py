"""Files that came on a linked line: only the host that holds its session can fetch them."""

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING

from core.blobs import Blobs
from messaging import fetching, media
from messaging.lines.cloud_media import NotFetched
from messaging.linked import Client
from messaging.media import Kept, Lost, Wanted

if TYPE_CHECKING:
    from jobs.linked_session import LineSession

AT_ONCE = 4
LEASE_SECONDS = 180.0
LOOK_SECONDS = 15.0  # for what has to be tried again


class Files:
    """Of one connection."""

    def __init__(self, session: "LineSession", client: Client) -> None:
        self.session, self.client = session, client
        self.came = asyncio.Event()

    async def run(self) -> None:
        while True:
            await self.session.up.wait()
            while await self.round():
                pass
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.came.wait(), LOOK_SECONDS)
            self.came.clear()

    async def round(self) -> int:
        line_id = self.session.line_id
        wanted = await self.session.tenant(
            lambda: media.claim(AT_ONCE, LEASE_SECONDS, linked_line=line_id)
        )
        for one in wanted:
            outcome = await self.fetch(one)
            await self.session.scoped(partial(media.settle, one, outcome))
        return len(wanted)

    async def fetch(self, one: Wanted) -> Kept | Lost:
        most = fetching.CAPS[one.kind]
        host = self.session.host
        blobs: Blobs = host.app.extensions["blobs"]
        async with host.fetching:
            try:
                body = await self.client.fetch(media.named_by_network(one.source), most)
            except NotFetched as why:
                return Lost(str(why), why.final)
            return await host.in_thread(lambda: fetching.take_in_body(blobs, one, body))
