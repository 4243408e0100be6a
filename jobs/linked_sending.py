"""What leaves by one linked line: one message after the other, at a human's pace."""

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING

from core import faultpoints
from core.clock import now
from core.logs import logger
from core.rings import redis_client
from messaging import settling
from messaging.claiming import Claimed
from messaging.lines import Accepted, Outcome, Refused, TryLater, Unknown
from messaging.linked import Client, Media, pace, pairing, sessions, turns
from messaging.linked.media import KINDS, fetch
from messaging.linked.sessions import LeaseLost
from messaging.pacing import Pacing
from messaging.settling import Told
from messaging.waiting import tell

if TYPE_CHECKING:
    from jobs.linked_session import LineSession

log = logger(__name__)

BATCH = 5  # at 3 seconds each they are begun long before their lease runs out
LOOK_SECONDS, LEAST_WAIT = 5.0, 0.5
ANSWER_SECONDS = 30.0
FINISH_SECONDS = 5.0
NO_LIMIT = 1e6  # of the line itself: only how often one person is written to is asked of Pacing
SENDS = KINDS | {"text", "location"}


class Sender:
    def __init__(self, session: "LineSession", client: Client) -> None:
        self.session = session
        self.host = session.host
        self.client = client
        self.pacing = Pacing()
        self.next_at = 0.0
        self.per_second = pace.PER_SECOND
        self.busy = self.stopping = False

    async def run(self) -> None:
        while not self.stopping:
            await self.session.up.wait()
            self.session.rung.clear()
            batch, wait = await self.session.tenant(self.claim)
            try:
                while batch and await self.turn_comes():
                    await self.send(batch.pop(0))
            finally:
                if batch:
                    back = partial(turns.let_go, batch)
                    await asyncio.shield(self.session.scoped(back))
            if wait:
                await self.heard(wait)

    async def finish(self, task: "asyncio.Task[None]") -> None:
        """A message that is leaving may come to its end; nothing new begins."""
        self.stopping = True
        if self.busy:
            await asyncio.wait({task}, timeout=FINISH_SECONDS)
        task.cancel()

    def claim(self) -> tuple[list[Claimed], float]:
        """What is due, and else how long to wait for it."""
        wish = sessions.wish(self.session.line_id)
        if wish is None or not wish.sends:
            return [], LOOK_SECONDS
        self.per_second = wish.per_second
        settling.tidy()
        line_id = self.session.line_id
        batch = turns.hold(line_id, BATCH, self.host.settings.lease_seconds)
        if batch:
            return batch, 0.0
        due = turns.next_due(line_id)
        wait = (due - now()).total_seconds() if due is not None else LOOK_SECONDS
        return [], min(max(wait, LEAST_WAIT), LOOK_SECONDS)

    async def heard(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.session.rung.wait(), seconds)
        except TimeoutError:
            return

    async def turn_comes(self) -> bool:
        """False: the line went down while we waited."""
        wait = self.next_at - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        return self.session.up.is_set() and not self.stopping

    async def send(self, one: Claimed) -> None:
        faultpoints.at("claim")
        wait = self.pacing.wait(*self.session.key, one.envelope.phone, NO_LIMIT)
        if wait > 0:
            await self.session.scoped(lambda: turns.let_go([one], wait))
            return
        file = await self.fetched(one)
        refused = file if isinstance(file, Refused | TryLater) else None
        self.busy = True
        try:
            if not await self.session.tenant(lambda: self.begin(one, usable=refused is None)):
                return
            faultpoints.at("before_connect")
            media = file if isinstance(file, Media) else None
            outcome = refused or await self.hand_over(one, media)
            await self.settle(one, outcome)
        finally:
            self.busy = False
        self.next_at = time.monotonic() + pace.gap(self.per_second)
        if isinstance(outcome, TryLater) and outcome.scope == "line":
            self.next_at += outcome.after or 5.0

    async def fetched(self, one: Claimed) -> Media | Refused | TryLater | None:
        if one.envelope.kind not in SENDS:
            return Refused("unsupported_kind", sessions.CANNOT_SEND)
        if one.envelope.kind not in KINDS:
            return None
        async with self.host.fetching:
            return await fetch(self.host.fetcher, one.envelope)

    def begin(self, one: Claimed, *, usable: bool) -> bool:
        """Said just before the bytes leave, together with its place in the line's day."""
        linked = pairing.known(self.session.line_id)
        if linked is None:
            raise LeaseLost
        wait = pace.take(linked, one.envelope.phone) if usable else 0.0
        if wait > 0:
            turns.let_go([one], wait)
            return False
        return turns.begin(one, self.host.settings.lease_seconds)

    async def hand_over(self, one: Claimed, media: Media | None) -> Outcome:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self.client.send(one.envelope, media)
        except TimeoutError:
            return Unknown("The network got the message, but did not answer in time.")
        except Exception as error:
            # Whether it left is not known here, so nothing may be sent again.
            log.exception("a linked client failed", message=one.envelope.message_id)
            return Unknown(f"Our own sending failed: {type(error).__name__}")

    async def settle(self, one: Claimed, outcome: Outcome) -> None:
        def write() -> list[Told]:
            told = settling.settle([(one, outcome)])
            faultpoints.at("before_settle_commit")
            return told

        # That the network took it is a fact, whoever holds the line by now. Anything else is
        # for the holder to say: without one the message is unknown, and its echo settles it.
        scope = self.session.scoped if isinstance(outcome, Accepted) else self.session.tenant
        told = await scope(write)
        faultpoints.at("after_settle_commit")
        await self.host.in_thread(lambda: tell(told, redis_client()))
