"""Send the messages of one linked line: one after another, at a human pace."""

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING

from core import chaos
from core.clock import now
from core.logs import logger
from core.redis.client import redis_client
from messaging import reasons
from messaging.inbox.read_receipts import claim_linked_read_messages
from messaging.lines.drivers.base import (
    SendAccepted,
    SendOutcome,
    SendRefused,
    SendUnknown,
    TryLater,
)
from messaging.lines.drivers.linked import pacing as linked_pacing
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked import sessions as linked_sessions
from messaging.lines.drivers.linked.client import LinkedClient, MediaFileBody
from messaging.lines.drivers.linked.driver import LINKED, as_sent
from messaging.lines.drivers.linked.media import fetch_outgoing_media
from messaging.lines.drivers.linked.sessions import LeaseLost
from messaging.lines.pacing import MessagePacing, PacedMessage
from messaging.messages import settle as message_settle
from messaging.messages.claim import ClaimedMessage
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.linked import send_queue
from messaging.messages.settle import MessageOutcome
from messaging.messages.sync_wait import publish_outcomes
from messaging.reasons import with_detail

if TYPE_CHECKING:
    from jobs.linked.session import LineSession

log = logger(__name__)

BATCH = 5  # at 3 seconds each, they all begin long before their lease expires
POLL_SECONDS, LEAST_WAIT = 5.0, 0.5
ANSWER_SECONDS = 30.0
READ_SECONDS = 5.0
FINISH_SECONDS = 5.0
NO_LIMIT = 1e6  # of the line itself: only how often one person is written to is asked of Pacing


class LinkedSender:
    def __init__(self, session: "LineSession", client: LinkedClient) -> None:
        self.session = session
        self.host = session.host
        self.client = client
        self.pacing = MessagePacing()
        self.next_at = 0.0
        self.per_second = linked_pacing.PER_SECOND
        self.busy = self.stopping = False

    async def run(self) -> None:
        while not self.stopping:
            await self.session.up.wait()
            self.session.woken.clear()
            await self.send_read_receipts()
            batch, wait = await self.session.tenant(self.claim)
            try:
                while batch and await self.wait_for_turn():
                    await self.send(batch.pop(0))
            finally:
                if batch:
                    back = partial(send_queue.release_messages, batch)
                    await asyncio.shield(self.session.scoped(back))
            if wait:
                await self.wait_for_wakeup(wait)

    async def send_read_receipts(self) -> None:
        """Read receipts are optional: one that fails is not sent again."""
        line_id = self.session.line_id
        for one in await self.session.tenant(lambda: claim_linked_read_messages(line_id)):
            try:
                async with asyncio.timeout(READ_SECONDS):
                    await self.client.mark_read(one.phone, one.network_id, typing=one.typing)
            except Exception as error:  # noqa: BLE001 - the library raises many kinds
                log.info("linked read receipt not sent", line=line_id, error=type(error).__name__)

    async def finish(self, task: "asyncio.Task[None]") -> None:
        """Let the message that is being sent finish; nothing new begins."""
        self.stopping = True
        if self.busy:
            await asyncio.wait({task}, timeout=FINISH_SECONDS)
        task.cancel()

    def claim(self) -> tuple[list[ClaimedMessage], float]:
        """The due messages, or none and the seconds to wait for the next."""
        requested = linked_sessions.read_requested_session(self.session.line_id)
        if requested is None or not requested.sends:
            return [], POLL_SECONDS
        self.per_second = requested.per_second
        message_settle.expire_stale_messages()
        line_id = self.session.line_id
        batch = send_queue.hold_messages(line_id, BATCH, self.host.settings.lease_seconds)
        if batch:
            return batch, 0.0
        due = send_queue.next_due(line_id)
        wait = (due - now()).total_seconds() if due is not None else POLL_SECONDS
        return [], min(max(wait, LEAST_WAIT), POLL_SECONDS)

    async def wait_for_wakeup(self, seconds: float) -> None:
        try:
            await asyncio.wait_for(self.session.woken.wait(), seconds)
        except TimeoutError:
            return

    async def wait_for_turn(self) -> bool:
        """False: the line went down during the wait."""
        wait = self.next_at - time.monotonic()
        if wait > 0:
            await asyncio.sleep(wait)
        return self.session.up.is_set() and not self.stopping

    async def send(self, one: ClaimedMessage) -> None:
        chaos.fault_point("claim")
        tenant_id, line_id = self.session.key
        paced = PacedMessage(line_id, one.envelope.phone, NO_LIMIT)
        wait = await self.host.in_thread(lambda: self.pacing.take(tenant_id, paced))
        if wait > 0:
            await self.session.scoped(lambda: send_queue.release_messages([one], wait))
            return
        file = await self.fetch_media(one)
        refused = file if isinstance(file, SendRefused | TryLater) else None
        self.busy = True
        try:
            if not await self.session.tenant(lambda: self.begin(one, usable=refused is None)):
                return
            chaos.fault_point("before_connect")
            media = file if isinstance(file, MediaFileBody) else None
            outcome = refused or await self.send_to_client(one, media)
            await self.settle(one, outcome)
        finally:
            self.busy = False
        self.next_at = time.monotonic() + linked_pacing.seconds_to_next(self.per_second)
        if isinstance(outcome, TryLater) and outcome.scope == "line":
            self.next_at += outcome.after or 5.0

    async def fetch_media(
        self, one: ClaimedMessage
    ) -> MediaFileBody | SendRefused | TryLater | None:
        kind = MESSAGE_KINDS.get(one.envelope.kind)
        if kind is None or LINKED.capability(kind) == "no":
            return SendRefused("unsupported_kind", reasons.LINKED_KIND)
        if kind.file is None:
            return None
        async with self.host.fetching:
            return await fetch_outgoing_media(self.host.fetcher, one.envelope)

    def begin(self, one: ClaimedMessage, *, usable: bool) -> bool:
        """Committed right before the bytes are sent, with the message's place in the line's daily
        limit. False: the message was put back, cancelled, or taken over.
        """
        linked = pairing.find_linked_line(self.session.line_id)
        if linked is None:
            raise LeaseLost
        wait = linked_pacing.take_daily_message(linked, one.envelope.phone) if usable else 0.0
        if wait > 0:
            send_queue.release_messages([one], wait)
            return False
        return send_queue.begin_sending(one, self.host.settings.lease_seconds)

    async def send_to_client(self, one: ClaimedMessage, media: MediaFileBody | None) -> SendOutcome:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self.client.send(as_sent(one.envelope), media)
        except TimeoutError:
            return SendUnknown(reasons.ANSWER_LATE)
        except Exception as error:
            # It is not known whether the message was sent, so nothing may be sent again.
            log.exception("linked client failed", message=one.envelope.message_id)
            return SendUnknown(with_detail(reasons.SENDING_FAILED, type(error).__name__))

    async def settle(self, one: ClaimedMessage, outcome: SendOutcome) -> None:
        def write() -> list[MessageOutcome]:
            settled = message_settle.settle_messages([(one, outcome)])
            chaos.fault_point("before_settle_commit")
            return settled

        # An acceptance by the network is a fact, whichever host holds the line by now. Any other
        # outcome needs the lease: without it the message is unknown, and its echo settles it.
        scope = self.session.scoped if isinstance(outcome, SendAccepted) else self.session.tenant
        outcomes = await scope(write)
        chaos.fault_point("after_settle_commit")
        await self.host.in_thread(lambda: publish_outcomes(outcomes, redis_client()))
