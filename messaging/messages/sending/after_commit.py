"""Publish what was settled, after the commit: gathered, and sent from a thread."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from redis import RedisError

from core.live_updates import send_updates_of
from core.logs import logger
from core.queue.wakeups import WakeUp, send_wakeups
from core.redis.client import redis_client
from messaging.messages.settle import MessageOutcome
from messaging.messages.sync_wait import publish_outcomes

log = logger(__name__)


@dataclass
class AfterCommitOutbox:
    outcomes: list[MessageOutcome] = field(default_factory=list)
    """for callers that wait for the outcome"""
    live_updates: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """live updates by tenant; each of these tenants has a webhook event to deliver as well"""
    publications: set[tuple[str, str]] = field(default_factory=set)
    """channels of Redis and what to publish there"""
    wakeups: set[WakeUp] = field(default_factory=set)
    task: "asyncio.Task[None] | None" = None

    def __bool__(self) -> bool:
        return bool(self.outcomes or self.live_updates or self.publications or self.wakeups)

    def add_live_updates(self, tenant_id: int, live_updates: list[dict[str, Any]]) -> None:
        if live_updates:
            self.live_updates.setdefault(tenant_id, []).extend(live_updates)

    def add(self, more: "AfterCommitOutbox") -> None:
        self.outcomes += more.outcomes
        self.publications |= more.publications
        self.wakeups |= more.wakeups
        for tenant_id, live_updates in more.live_updates.items():
            self.add_live_updates(tenant_id, live_updates)

    def flush_soon(self) -> None:
        """Send everything: once for all that is added while the last part is being sent."""
        if self and (self.task is None or self.task.done()):
            self.task = asyncio.create_task(self._flush())

    async def flushed(self) -> None:
        if self.task is not None:
            await self.task

    async def _flush(self) -> None:
        while self:
            batch = AfterCommitOutbox(
                self.outcomes, self.live_updates, self.publications, self.wakeups
            )
            self.outcomes, self.live_updates, self.publications, self.wakeups = [], {}, set(), set()
            # Blocking calls in a thread take a third of the time of an asyncio client.
            await asyncio.to_thread(batch.send)

    def send(self) -> None:
        """Never raises: pages reload, and the sweep finds work whose wake-up was lost."""
        if self.outcomes:
            publish_outcomes(self.outcomes, redis_client())
        deliveries = [
            WakeUp("jobs.webhooks.worker.drain", (tenant_id, "messages.sent"))
            for tenant_id in self.live_updates
        ]
        send_wakeups([*self.wakeups, *deliveries])
        if self.live_updates:
            send_updates_of(self.live_updates)
        try:
            for channel, text in self.publications:
                redis_client().publish(channel, text)
        except RedisError as error:
            log.warning("message outcome not published", error=type(error).__name__)
