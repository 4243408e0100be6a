"""What is told once it is committed, by whoever settles messages: gathered, sent in one call."""

from dataclasses import dataclass, field
from typing import Any

from redis import RedisError
from redis.asyncio import Redis as AsyncRedis

from core.logs import logger
from core.news import TELL as TELL_NEWS
from core.news import news_args
from core.rings import RING, Ring, ring_keys, send_job
from jobs.linked import CHANNEL
from messaging.settling import Told
from messaging.waiting import TELL, tell_args

log = logger(__name__)


@dataclass
class Outbox:
    told: list[Told] = field(default_factory=list)
    """for callers who wait"""
    news: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    """for open pages, by tenant; each of them has an event to deliver as well"""
    linked: set[int] = field(default_factory=set)
    """tenants whose hosts of linked lines may have work"""

    def __bool__(self) -> bool:
        return bool(self.told or self.news or self.linked)

    def add_news(self, tenant_id: int, news: list[dict[str, Any]]) -> None:
        if news:
            self.news.setdefault(tenant_id, []).extend(news)

    async def send(self, redis: "AsyncRedis") -> list[Ring]:
        """Returns the rings that nobody is awake to hear: they have to become jobs."""
        rings = [Ring("jobs.deliveries.drain", (tenant_id,)) for tenant_id in self.news]
        async with redis.pipeline(transaction=False) as pipe:
            for ring in rings:
                keys, args = ring_keys(ring)
                pipe.eval(RING, len(keys), *keys, *args)
            if self.told:
                ids, outcomes = tell_args(self.told)
                pipe.eval(TELL, len(ids), *ids, *outcomes)
            for tenant_id, news in self.news.items():
                pipe.eval(TELL_NEWS, 1, *news_args(tenant_id, news))
            for tenant_id in self.linked:
                pipe.publish(CHANNEL, str(tenant_id))
            answers = await pipe.execute(raise_on_error=False)
        for answer in answers:
            if isinstance(answer, RedisError):
                log.warning("not told", error=type(answer).__name__)
        return [ring for ring, rung in zip(rings, answers, strict=False) if rung == 1]


def send_jobs(rings: list[Ring]) -> None:
    """A ring that is lost is found by the clock."""
    try:
        for ring in rings:
            send_job(ring)
    except RedisError as error:
        log.warning("ring lost", error=type(error).__name__)
