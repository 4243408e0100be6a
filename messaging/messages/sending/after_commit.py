"""Publish what was settled, after the commit: gathered and sent in one call."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from redis import RedisError
from redis.asyncio import Redis as AsyncRedis

from core.live_updates import PUBLISH_SCRIPT as TELL_NEWS
from core.live_updates import update_args
from core.logs import logger
from core.queue.wakeups import WAKEUP_SCRIPT, WakeUp, enqueue_job, wakeup_keys
from messaging.messages.settle import MessageOutcome
from messaging.messages.sync_wait import PUBLISH_SCRIPT, publish_outcomes_args

log = logger(__name__)


@dataclass
class AfterCommitOutbox:
    told: list[MessageOutcome] = field(default_factory=list)
    """for callers that wait for the outcome"""
    news: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """live updates by tenant; each of these tenants has a webhook event to deliver as well"""
    publications: set[tuple[str, str]] = field(default_factory=set)
    """channels of Redis and what to publish there"""
    wakeups: set[WakeUp] = field(default_factory=set)
    task: "asyncio.Task[None] | None" = None

    def __bool__(self) -> bool:
        return bool(self.told or self.news or self.publications or self.wakeups)

    def add_live_updates(self, tenant_id: int, news: list[dict[str, Any]]) -> None:
        if news:
            self.news.setdefault(tenant_id, []).extend(news)

    def flush_soon(self, redis: "AsyncRedis") -> None:
        """Send everything: one call for all that is added during the call before."""
        if self and (self.task is None or self.task.done()):
            self.task = asyncio.create_task(self._flush(redis))

    async def flushed(self) -> None:
        if self.task is not None:
            await self.task

    async def _flush(self, redis: "AsyncRedis") -> None:
        while self:
            batch = AfterCommitOutbox(self.told, self.news, self.publications, self.wakeups)
            self.told, self.news, self.publications, self.wakeups = [], {}, set(), set()
            try:
                unheard = await batch.send(redis)
                if unheard:
                    await asyncio.to_thread(enqueue_missed_wakeups, unheard)
            except RedisError as error:
                log.warning("message outcome not published", error=type(error).__name__)

    async def send(self, redis: "AsyncRedis") -> list[WakeUp]:
        """Returns the wake-ups that no worker waits for: they must become jobs."""
        rings = [
            WakeUp("jobs.webhooks.worker.drain", (tenant_id, "messages.sent"))
            for tenant_id in self.news
        ]
        rings += self.wakeups
        async with redis.pipeline(transaction=False) as pipe:
            for ring in rings:
                keys, args = wakeup_keys(ring)
                pipe.eval(WAKEUP_SCRIPT, len(keys), *keys, *args)
            if self.told:
                ids, outcomes = publish_outcomes_args(self.told)
                pipe.eval(PUBLISH_SCRIPT, len(ids), *ids, *outcomes)
            for tenant_id, news in self.news.items():
                pipe.eval(TELL_NEWS, 1, *update_args(tenant_id, news))
            for channel, text in self.publications:
                pipe.publish(channel, text)
            answers = await pipe.execute(raise_on_error=False)
        for answer in answers:
            if isinstance(answer, RedisError):
                log.warning("message outcome not published", error=type(answer).__name__)
        return [ring for ring, rung in zip(rings, answers, strict=False) if rung == 1]


def enqueue_missed_wakeups(wakeups: list[WakeUp]) -> None:
    """Never raises: the sweep finds work whose wake-up was lost."""
    try:
        for ring in wakeups:
            enqueue_job(ring)
    except RedisError as error:
        log.warning("wake-up lost", error=type(error).__name__)
