"""One Redis subscription per process, shared by all its subscribers.

A TenantChannel holds a tenant's recent updates and its subscribers. Nothing here uses the database;
an idle subscriber costs only a little memory.
"""

import asyncio
import json
import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError

from core.asyncio_tools import cancel_and_wait
from core.live_updates import HISTORY_LENGTH, channel_key, topic_of
from core.logs import logger

log = logger(__name__)

QUEUE_SIZE = 100  # updates a slow reader may be behind before it is disconnected
RECENT_UPDATES = 200
RECONNECT_SECONDS = 1.0
START_OVER = "start-over"
Cursor = tuple[int, int]


@dataclass(frozen=True)
class LiveUpdate:
    cursor: str
    facts: list[dict[str, Any]]

    def for_topics(self, topics: frozenset[str]) -> list[dict[str, Any]]:
        accepted = {*topics, START_OVER}
        return [one for one in self.facts if topic_of(one["kind"]) in accepted]


def history_gap(at: Cursor) -> LiveUpdate:
    """The history has a gap: the page has to reload its data and continue from `at`."""
    return LiveUpdate(f"{at[0]}-{at[1]}", [{"kind": START_OVER}])


class RedisUnavailable(Exception):
    """Raised when Redis does not respond; no updates can be delivered."""


@dataclass(eq=False, slots=True)
class Subscriber:
    """`over` is set when the server stops, or when a slow reader's queue is full."""

    queue: asyncio.Queue[LiveUpdate | None] = field(
        default_factory=lambda: asyncio.Queue(QUEUE_SIZE)
    )
    over: bool = False

    def put(self, update: LiveUpdate) -> None:
        try:
            self.queue.put_nowait(update)
        except asyncio.QueueFull:
            self.over = True

    def dismiss(self) -> None:
        self.over = True
        if self.queue.empty():
            self.queue.put_nowait(None)

    async def next(self, seconds: float) -> LiveUpdate | None:
        """Return the next update; None on timeout or if the subscription is over."""
        try:
            return await asyncio.wait_for(self.queue.get(), max(seconds, 0.0))
        except TimeoutError:
            return None


@dataclass(eq=False)
class TenantChannel:
    place: str
    waiters: set[Subscriber] = field(default_factory=set)
    recent: deque[LiveUpdate] = field(default_factory=lambda: deque(maxlen=RECENT_UPDATES))
    last: Cursor = (0, 0)

    def publish(self, update: LiveUpdate) -> None:
        self.last = read_cursor(update.cursor)
        self.recent.append(update)
        for waiter in self.waiters:
            waiter.put(update)


class Hub:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._channels: dict[str, TenantChannel] = {}
        self._pubsub: PubSub | None = None
        self._reader: asyncio.Task[None] | None = None
        self._joining = asyncio.Lock()

    async def start(self) -> None:
        self._reader = asyncio.create_task(self._read())

    async def stop(self) -> None:
        if self._reader is not None:
            await cancel_and_wait(self._reader)
        await self._redis.aclose()

    @property
    def live(self) -> bool:
        return self._pubsub is not None

    def dismiss(self) -> None:
        """Disconnect all subscribers; they reconnect when updates are available again."""
        channels, self._channels = self._channels, {}
        for channel in channels.values():
            for waiter in channel.waiters:
                waiter.dismiss()

    async def join(self, tenant_id: int, after: str) -> tuple[Subscriber, list[LiveUpdate]]:
        """Subscribe. Returns the subscriber and the updates since `after`, or a history gap."""
        place, waiter = channel_key(tenant_id), Subscriber()
        try:
            channel = self._channels.get(place)
            if channel is None:
                async with self._joining:
                    channel = self._channels.get(place) or await self._open(place)
            channel.waiters.add(waiter)
            # From here on no update is lost: one that is read now may come twice.
            missed = await self._missed(channel, after)
        except RedisError as error:
            self.leave(tenant_id, waiter)
            raise RedisUnavailable from error
        if self._channels.get(place) is not channel:
            raise RedisUnavailable  # the connection broke in the meantime
        return waiter, missed

    def leave(self, tenant_id: int, waiter: Subscriber) -> None:
        channel = self._channels.get(channel_key(tenant_id))
        if channel is None:
            return
        channel.waiters.discard(waiter)
        if not channel.waiters:
            del self._channels[channel.place]
            asyncio.get_running_loop().create_task(self._unsubscribe(channel.place))

    async def _open(self, place: str) -> TenantChannel:
        if self._pubsub is None:
            raise RedisUnavailable
        channel = self._channels[place] = TenantChannel(place)
        try:
            await self._pubsub.subscribe(place)
            channel.last = max(channel.last, await self._end(place))
        except RedisError:
            self._channels.pop(place, None)
            raise
        return channel

    async def _unsubscribe(self, place: str) -> None:
        try:
            if self._pubsub is not None and place not in self._channels:
                await self._pubsub.unsubscribe(place)
        except RedisError:
            pass  # the reader task detects the failure

    async def _missed(self, channel: TenantChannel, after: str) -> list[LiveUpdate]:
        if not is_cursor(after):
            return [history_gap(channel.last)]
        since = read_cursor(after)
        if since == channel.last:
            return []
        if channel.recent and read_cursor(channel.recent[0].cursor) <= since:
            return [one for one in channel.recent if read_cursor(one.cursor) > since]
        return await self._history(channel.place, since)

    async def _history(self, place: str, since: Cursor) -> list[LiveUpdate]:
        first: Any = await self._redis.xrange(place, count=1)
        if not first:
            return [] if since == (0, 0) else [history_gap((0, 0))]
        oldest, length = read_cursor(first[0][0]), await self._redis.xlen(place)
        if (since == (0, 0) and length >= HISTORY_LENGTH) or (0, 0) < since < oldest:
            return [history_gap(await self._end(place))]
        rows: Any = await self._redis.xrange(place, min=f"({since[0]}-{since[1]}")
        return [LiveUpdate(key.decode(), json.loads(row[b"n"])) for key, row in rows]

    async def _end(self, place: str) -> Cursor:
        newest: Any = await self._redis.xrevrange(place, count=1)
        return read_cursor(newest[0][0]) if newest else (0, 0)

    async def _read(self) -> None:
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("live updates unavailable", error=type(error).__name__)
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> None:
        pubsub = self._redis.pubsub()
        try:
            # Its own channel, so that the connection is open before the first subscription.
            await pubsub.subscribe("live:hello")
            self._pubsub = pubsub
            while True:
                message = await pubsub.get_message(ignore_subscribe_messages=True, timeout=15.0)
                if message is not None and message["type"] == "message":
                    self._deliver(message["channel"].decode(), message["data"])
                elif message is None:
                    await pubsub.ping()
        finally:
            self._pubsub = None
            self.dismiss()
            await pubsub.aclose()  # type: ignore[no-untyped-call]

    def _deliver(self, place: str, data: bytes) -> None:
        channel = self._channels.get(place)
        if channel is None:
            return
        key, _, text = data.decode().partition(" ")
        if read_cursor(key) > channel.last:
            channel.publish(LiveUpdate(key, json.loads(text)))


def is_cursor(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,19}-[0-9]{1,19}", text) is not None


def read_cursor(text: str | bytes) -> Cursor:
    """Parse a cursor from Redis, or one that passed `is_cursor`."""
    millis, _, number = (text.decode() if isinstance(text, bytes) else text).partition("-")
    return int(millis), int(number)
