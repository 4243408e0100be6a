"""Work one tenant's lane of webhook deliveries until nothing is due for a free endpoint."""

import asyncio
import time
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from core import chaos
from core.clock import now
from core.queue import lanes
from jobs.webhooks.poster import LANE
from webhooks.delivery import claim as webhook_claim
from webhooks.delivery import fanout
from webhooks.delivery.claim import EndpointBatch

if TYPE_CHECKING:
    from jobs.webhooks.worker import WebhookWorker

TURN_SECONDS = 5.0  # then another tenant's lane comes first
BATCH = 100
LANE_HOLD_SECONDS = 0.5  # a lane is held this long for its batches; slower ones finish without it


class WebhookLane:
    def __init__(self, drain: "WebhookWorker", tenant_id: int, lease: UUID) -> None:
        self.drain, self.poster = drain, drain.poster
        self.tenant_id, self.lease = tenant_id, lease
        self.seconds = drain.settings.lane_lease_seconds
        self.new = True
        self.more_to_number = False

    async def run(self) -> int:
        """Returns how many deliveries were started."""
        started = 0
        turn_ends = min(self.drain.presence.until, time.monotonic() + TURN_SECONDS)
        while time.monotonic() < turn_ends and not self.drain.presence.over:
            batches = await self.drain.tenant(self.tenant_id, self.claim)
            if batches is None:
                return started
            if not batches and self.more_to_number:
                continue
            if not batches:
                break
            chaos.fault_point("claim")
            posts = [self.poster.send(self.tenant_id, batch) for batch in batches]
            started += sum(len(batch.claimed) for batch in batches)
            _, slow = await asyncio.wait(posts, timeout=LANE_HOLD_SECONDS)
            full = self.more_to_number or any(len(batch.claimed) >= BATCH for batch in batches)
            if not slow and not full:
                break  # that was all; `leave` finds what was added meanwhile
        await self.leave()
        return started

    def claim(self) -> list[EndpointBatch] | None:
        """None: the lease was lost."""
        if not self.new and not lanes.extend(LANE, self.tenant_id, self.lease, self.seconds):
            return None
        self.new = False
        self.more_to_number = fanout.number_events() >= fanout.BATCH_SIZE
        return webhook_claim.claim_batches(BATCH, self.poster.lease_seconds)

    async def leave(self) -> None:
        """Release the lane, then check once more, because marks made meanwhile had no effect."""
        due = await self.drain.tenant(self.tenant_id, self.release_and_find_next)
        if due is not None:
            self.poster.wake_at(self.tenant_id, due)

    def release_and_find_next(self) -> datetime | None:
        """A mark made between the two statements waits for this transaction and is kept."""
        if not lanes.release(LANE, self.tenant_id, self.lease):
            return None
        due = now() if fanout.has_events_to_fan_out() else webhook_claim.next_due()
        if due is not None:
            self.poster.mark_next_due(self.tenant_id, due)
        return due
