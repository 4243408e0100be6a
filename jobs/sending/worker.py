"""Send due messages: lanes concurrently, small batches within a lane, many messages at once.

Except for rare cases, everything runs in one event loop, in SQL calls of one transaction each.
"""

import asyncio
from datetime import timedelta
from uuid import uuid4

from flask import Flask, current_app

from core import chaos
from core.clock import now
from core.http import Policy
from core.http.async_client import Client
from core.logs import logger
from core.queue.wakeups import acknowledge_wakeup
from core.sql.async_pool import AsyncPool, Rows
from core.sql.batching import Batcher
from jobs.engine.drain import DrainWorker
from jobs.engine.slots import Slots
from jobs.sending.lane import FIRST_BATCH, SendLane
from messaging.lines.pacing import LinePacing
from messaging.lines.send_lane import LANE
from messaging.messages import claim as message_claim
from messaging.messages import settle as message_settle
from messaging.messages.accept import JOB
from messaging.messages.sending.after_commit import AfterCommitOutbox

log = logger(__name__)

SENDING_AT_ONCE = 64  # in one process: a crash leaves at most this many unknown
CONNECTIONS = 6

LEASE = "SELECT app.lease_lanes(%(lane)s, %(lease)s, %(now)s, %(until)s, %(most)s)"

_line_pacing = LinePacing()


def drain() -> int:
    acknowledge_wakeup("jobs.sending.worker.drain")
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return asyncio.run(SendWorker(app).run())


class SendWorker(DrainWorker):
    job, lane = JOB, LANE
    most_lanes = 64
    leased_at_once = 16  # so that two workers share what arrived at the same time
    hands_over = True
    pool: AsyncPool
    claims: Batcher
    settles: Batcher
    last: Batcher
    """Settles a lane's last messages and releases it in the same call."""
    client: Client

    def __init__(self, app: Flask) -> None:
        super().__init__(app)
        self.pacing = _line_pacing
        self.slots = Slots(SENDING_AT_ONCE)
        self.outbox = AfterCommitOutbox()

    async def run(self) -> int:
        url = self.settings.database_url
        # The network's address is the operator's own setting, and may be on this machine.
        async with (
            AsyncPool(url, CONNECTIONS) as pool,
            Client(Policy(allow_loopback=True)) as client,
        ):
            self.use(pool)
            self.client = client
            return await super().run()

    def use(self, pool: AsyncPool) -> None:
        self.pool = pool
        self.claims = Batcher(pool, message_claim.CLAIM_MESSAGES, 2)
        self.settles = Batcher(pool, message_settle.SETTLE_SENT, 2)
        self.last = Batcher(pool, message_settle.SETTLE_SENT_AND_LEAVE, 2)

    async def lease(self, most: int) -> tuple[int, list[SendLane]]:
        """How many lanes were requested, and those that waited; with their first messages, if there
        are slots for them.
        """
        if most <= 0:
            return 0, []
        slots = self.slots.acquire_now(most * FIRST_BATCH)
        ready = slots // FIRST_BATCH
        self.slots.release(slots - ready * FIRST_BATCH)
        if ready:
            return ready, await self.lease_and_claim(ready)
        moment, lease = now(), uuid4()
        until = moment + timedelta(seconds=self.settings.lane_lease_seconds)
        rows = await self.pool.run(
            LEASE,
            {"lane": LANE, "lease": str(lease), "now": moment, "until": until, "most": most},
        )
        return most, [SendLane(self, row[0], lease) for row in rows]

    async def lease_and_claim(self, most: int) -> list[SendLane]:
        chaos.fault_point("claim")
        lease, found = uuid4(), dict[int, Rows]()
        allowed = self.pacing.nearly_exhausted(FIRST_BATCH)
        params = message_claim.claim_params(FIRST_BATCH, self.settings.lease_seconds, allowed)
        until = now() + timedelta(seconds=self.settings.lane_lease_seconds)
        params |= {"lane": LANE, "lease": str(lease), "lane_until": until, "lanes": most}
        try:
            for tenant_id, *row in await self.pool.run(message_claim.LEASE_AND_CLAIM, params):
                found.setdefault(tenant_id, []).append(tuple(row))
        finally:
            self.slots.release((most - len(found)) * FIRST_BATCH)
        return [SendLane(self, tenant_id, lease, rows) for tenant_id, rows in found.items()]

    def publish_soon(self) -> None:
        self.outbox.flush_soon()

    async def end_presence(self) -> None:
        await self.outbox.flushed()
        await super().end_presence()
