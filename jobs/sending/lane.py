"""Work one tenant's lane of messages until it is empty."""

import asyncio
import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from core import chaos
from core.clock import now
from core.logs import logger
from core.sql.async_pool import Rows
from jobs.linked.wakeup import CHANNEL
from messaging import refusal_reasons
from messaging.lines.send_lane import LANE
from messaging.messages import claim as message_claim
from messaging.messages import fallback, line_failover
from messaging.messages import settle as message_settle
from messaging.messages.claim import ClaimedMessage
from messaging.messages.sending import attempt, recipient_count
from messaging.messages.sending.attempt import AcceptedResults

if TYPE_CHECKING:
    from jobs.sending.worker import SendWorker

log = logger(__name__)

FIRST_BATCH = 4  # most lanes have one message, so no more slots are held than this
# Claiming and settling cost PostgreSQL a millisecond for each batch and little for each message.
BATCH, MIN_BATCH = 24, 16
BATCHES_AT_ONCE = 1
SOON_SECONDS = 1.5
MAX_EMPTY_CLAIMS = 3  # due messages may wait behind the retry of another one
RECHECK_SECONDS = 0.05
MARKING_SECONDS = 0.003  # a transaction that is marking the lane commits within this time

RELEASE_LANE = """
UPDATE lanes SET lease = NULL, leased_until = NULL
 WHERE kind = %(lane)s AND tenant_id = %(tenant_id)s AND lease = %(lease)s
"""


class LaneLost(Exception):
    """Another worker holds the lane."""


class SendLane:
    def __init__(
        self, drain: "SendWorker", tenant_id: int, lease: UUID, first: Rows | None = None
    ) -> None:
        """`first`: the rows that came with the lease; slots for FIRST_BATCH of them are already
        taken.
        """
        self.drain = drain
        self.tenant_id = tenant_id
        self.lease = lease
        self.first = first
        self.extend_at = time.monotonic() + drain.settings.lane_lease_seconds / 2
        self.batches_in_flight: set[asyncio.Task[Any]] = set()
        self.most = FIRST_BATCH
        self.sent = 0
        self.empty_claims = 0
        self.moved = False

    async def run(self) -> int:
        try:
            next_check: datetime | None = now()
            while next_check is not None:
                await asyncio.sleep(max((next_check - now()).total_seconds(), 0))
                if self.drain.presence.over and self.first is None:
                    await self.hand_over()
                    break
                next_check = await self.send_next_batch()
        except LaneLost:
            pass
        finally:
            await self.wait_for_batches()
        return self.sent

    async def send_next_batch(self) -> datetime | None:
        """Send one batch, or leave. Returns when to check again; None: the lane was released."""
        requested, group = await self.claim_batch()
        if not group and self.moved:
            self.empty_claims, self.moved = 0, False
            return now()
        if not group:
            await self.wait_for_batches()
            return await self.leave_or_wait()
        self.empty_claims = 0
        if len(group) < requested and not self.batches_in_flight:
            return await self.send(group, leave=True)
        self.start_batch(group)
        if len(group) == BATCH:
            self.drain.request_extra_worker()
        if len(group) < requested:
            await self.wait_for_batches()
            return await self.leave()
        if len(self.batches_in_flight) >= BATCHES_AT_ONCE:
            await asyncio.wait(self.batches_in_flight, return_when=asyncio.FIRST_COMPLETED)
        return now()

    async def claim_batch(self) -> tuple[int, list[ClaimedMessage]]:
        """How many messages were requested, and those that could be claimed."""
        drain = self.drain
        requested, rows, claimed = FIRST_BATCH, self.first, 0
        self.first = None
        if rows is None:
            requested = await drain.slots.acquire(
                self.most, 1 if self.most < MIN_BATCH else MIN_BATCH
            )
        self.most = BATCH
        try:
            if rows is None:
                rows = await self.claim(requested)
            row_types = {row[0] for row in rows}
            if "lost" in row_types:
                raise LaneLost
            if "linked" in row_types:
                drain.outbox.publications.add((CHANNEL, str(self.tenant_id)))
                drain.publish_soon()
            group = await self.apply_pacing(message_claim.messages_from_rows(self.tenant_id, rows))
            if fallback.has_template_candidates(group) or "stand_in" in row_types:
                group = await self.try_fallbacks(group, line_down="stand_in" in row_types)
            if recipient_count.has_candidates(group):
                group = await self.apply_recipient_limits(group)
            claimed = len(group)
            return requested, group
        finally:
            drain.slots.release(requested - claimed)

    async def claim(self, most: int) -> Rows:
        chaos.fault_point("claim")
        settings = self.drain.settings
        allowed = self.drain.pacing.allowed(self.tenant_id)
        params = message_claim.claim_params(most, settings.lease_seconds, allowed)
        params |= {"lane": LANE, "lease": str(self.lease)}
        if time.monotonic() > self.extend_at:
            self.extend_at = time.monotonic() + settings.lane_lease_seconds / 2
            params["lane_until"] = now() + timedelta(seconds=settings.lane_lease_seconds)
        return await self.drain.claims.run(self.tenant_id, params)

    async def apply_pacing(self, group: list[ClaimedMessage]) -> list[ClaimedMessage]:
        """Put back messages whose line or recipient has had too many for now."""
        paced = [attempt.paced_message(one) for one in group]
        waits = await self.drain.pacing.take(self.drain.redis, self.tenant_id, paced)
        late = [one for one, wait in zip(group, waits, strict=True) if wait > 0]
        longest = max([0.01, *waits])
        if late:
            await self.drain.tenant(
                self.tenant_id, lambda: message_claim.requeue_messages(late, longest)
            )
            if longest > SOON_SECONDS:
                self.drain.outbox.outcomes.extend(message_settle.queued_outcomes(late))
                self.drain.publish_soon()
        return [one for one, wait in zip(group, waits, strict=True) if wait == 0]

    async def apply_recipient_limits(self, group: list[ClaimedMessage]) -> list[ClaimedMessage]:
        """Put back messages to new people beyond the number that the network allows in a day."""
        counted = await self.drain.tenant(
            self.tenant_id, lambda: recipient_count.messages_to_count(self.tenant_id, group)
        )
        if not counted:
            return group
        waits = await recipient_count.count_recipients(self.drain.redis, counted)
        late = [one for one in group if one.uuid in waits]
        if late:
            longest = max(waits.values())
            await self.drain.tenant(
                self.tenant_id,
                lambda: message_claim.requeue_messages(
                    late, longest, refusal_reasons.RECIPIENT_LIMIT
                ),
            )
            self.drain.outbox.outcomes.extend(message_settle.queued_outcomes(late))
            self.drain.publish_soon()
        return [one for one in group if one.uuid not in waits]

    async def try_fallbacks(
        self, group: list[ClaimedMessage], *, line_down: bool
    ) -> list[ClaimedMessage]:
        """Send some messages as their template, and move what waits for a line that is down to its
        failover line, where the next claim finds it. Claimed messages are sent even if this fails.
        """

        def inside() -> list[ClaimedMessage]:
            lines = attempt.lines_by_id()
            self.moved = line_down and line_failover.move_waiting_messages(lines) > 0
            return fallback.send_as_templates(group, lines, self.drain.settings.lease_seconds)

        try:
            return await self.drain.tenant(self.tenant_id, inside)
        except Exception:
            log.exception("fallback failed", tenant=self.tenant_id)
            return group

    def start_batch(self, group: list[ClaimedMessage]) -> None:
        """In the background: the next batch is claimed while this one is being sent."""
        task = asyncio.create_task(self.send(group, leave=False))
        self.batches_in_flight.add(task)
        task.add_done_callback(self.on_batch_done)

    def on_batch_done(self, task: "asyncio.Task[Any]") -> None:
        self.batches_in_flight.discard(task)
        if task.exception() is not None:
            log.error("send batch failed", exc_info=task.exception())

    async def wait_for_batches(self) -> None:
        while self.batches_in_flight:
            await asyncio.wait(self.batches_in_flight)

    async def send(self, group: list[ClaimedMessage], *, leave: bool) -> datetime | None:
        """Send, settle, publish; with the last batch, also leave the lane in the same round
        trip.
        """
        try:
            accepted, others = await attempt.send_claimed(
                self.drain.client, self.drain.settings, group
            )
            self.sent += len(group)
            next_check: datetime | None = now()
            if accepted:
                next_check = await self.settle_sent(accepted, leave=leave and not others)
            if others:
                outcomes = await self.drain.tenant(
                    self.tenant_id,
                    lambda: attempt.settle_others(self.tenant_id, others, self.drain.pacing),
                )
                self.drain.outbox.outcomes.extend(outcomes)
                self.drain.publish_soon()
            chaos.fault_point("after_settle_commit")
            return next_check
        finally:
            self.drain.slots.release(len(group))

    async def settle_sent(self, accepted: AcceptedResults, *, leave: bool) -> datetime | None:
        calls = self.drain.last if leave else self.drain.settles
        more = self.leave_params(now() + timedelta(seconds=SOON_SECONDS)) if leave else {}
        outbox = self.drain.outbox
        outcomes, next_check = await attempt.settle_accepted(
            calls, self.tenant_id, accepted, outbox, more
        )
        outbox.outcomes.extend(outcomes)
        self.drain.publish_soon()
        return next_check[0] if leave else now()

    async def leave_or_wait(self) -> datetime | None:
        """Nothing could be claimed. Messages that are due anyway wait for their line or for a
        retry.
        """
        paced = self.drain.pacing.next_allowed(self.tenant_id)
        if 0 < paced < SOON_SECONDS:
            next_check = await self.leave()
            return next_check and max(next_check, now() + timedelta(seconds=paced))
        self.empty_claims += 1
        if self.empty_claims > MAX_EMPTY_CLAIMS or paced:
            return await self.leave(soon=False)
        next_check = await self.leave()
        if next_check is not None and self.empty_claims == 1:
            # Too old to be sent, or begun by a worker that died.
            await self.drain.tenant(self.tenant_id, message_settle.expire_stale_messages)
        return next_check and max(next_check, now() + timedelta(seconds=RECHECK_SECONDS))

    async def leave(self, *, soon: bool = True) -> datetime | None:
        """Release the lane unless there is work now or soon. Returns when to check again, or
        None.
        """
        until = now() + timedelta(seconds=SOON_SECONDS if soon else -86400)
        params = self.leave_params(until)
        rows = await self.drain.pool.run(message_claim.LEAVE_LANE, params)
        next_check: datetime | None = rows[0][0]
        return next_check

    def leave_params(self, soon: datetime) -> dict[str, Any]:
        again = now() + timedelta(seconds=MARKING_SECONDS)
        params = message_claim.leave_lane_params(LANE, self.lease, soon, again)
        return {**params, "tenant_id": self.tenant_id}

    async def hand_over(self) -> None:
        """worker."""
        await self.wait_for_batches()
        params = {"tenant_id": self.tenant_id, "lane": LANE, "lease": str(self.lease)}
        await self.drain.pool.run(RELEASE_LANE, params)
