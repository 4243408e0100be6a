"""One Redis subscription for a process, shared out to everybody who waits in it.

A room is a tenant somebody waits for: its last news, and its waiters. Nobody here touches the
database; a waiter that idles costs a little memory and nothing else.
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

from core.logs import logger
from core.news import KEPT, place_of, topic_of
from core.tasks import end

log = logger(__name__)

QUEUE = 100  # news a slow reader may be behind before it is let go
REMEMBERED = 200
AGAIN_SECONDS = 1.0
OVER = "start-over"
Cursor = tuple[int, int]


@dataclass(frozen=True)
class News:
    cursor: str
    facts: list[dict[str, Any]]

    def for_topics(self, topics: frozenset[str]) -> list[dict[str, Any]]:
        heard = {*topics, OVER}
        return [one for one in self.facts if topic_of(one["kind"]) in heard]


def start_over(at: Cursor) -> News:
    """The history has a hole: whoever shows something asks for it anew and goes on from `at`."""
    return News(f"{at[0]}-{at[1]}", [{"kind": OVER}])


class Away(Exception):
    """Redis does not answer: nobody can be told anything just now."""


@dataclass(eq=False, slots=True)
class Waiter:
    """`over` is set when the door closes, and instead of letting the queue of a slow one grow."""

    queue: asyncio.Queue[News | None] = field(default_factory=lambda: asyncio.Queue(QUEUE))
    over: bool = False

    def put(self, news: News) -> None:
        try:
            self.queue.put_nowait(news)
        except asyncio.QueueFull:
            self.over = True

    def dismiss(self) -> None:
        self.over = True
        if self.queue.empty():
            self.queue.put_nowait(None)

    async def next(self, seconds: float) -> News | None:
        """None: nothing came, or it is over."""
        try:
            return await asyncio.wait_for(self.queue.get(), max(seconds, 0.0))
        except TimeoutError:
            return None


@dataclass(eq=False)
class Room:
    place: str
    waiters: set[Waiter] = field(default_factory=set)
    recent: deque[News] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    last: Cursor = (0, 0)

    def tell(self, news: News) -> None:
        self.last = read_cursor(news.cursor)
        self.recent.append(news)
        for waiter in self.waiters:
            waiter.put(news)


class Hub:
    def __init__(self, redis: Redis) -> None:
        self._redis = redis
        self._rooms: dict[str, Room] = {}
        self._pubsub: PubSub | None = None
        self._reader: asyncio.Task[None] | None = None
        self._joining = asyncio.Lock()

    async def start(self) -> None:
        self._reader = asyncio.create_task(self._read())

    async def stop(self) -> None:
        if self._reader is not None:
            await end(self._reader)
        await self._redis.aclose()

    @property
    def live(self) -> bool:
        return self._pubsub is not None

    def dismiss(self) -> None:
        """Everybody goes, and comes back when there is news to be had again."""
        rooms, self._rooms = self._rooms, {}
        for room in rooms.values():
            for waiter in room.waiters:
                waiter.dismiss()

    async def join(self, tenant_id: int, after: str) -> tuple[Waiter, list[News]]:
        """A waiter for what comes, and what came since `after`; or the word to start over."""
        place, waiter = place_of(tenant_id), Waiter()
        try:
            room = self._rooms.get(place)
            if room is None:
                async with self._joining:
                    room = self._rooms.get(place) or await self._open(place)
            room.waiters.add(waiter)
            # From here on nothing passes by: what is read now may come twice, never not at all.
            missed = await self._missed(room, after)
        except RedisError as error:
            self.leave(tenant_id, waiter)
            raise Away from error
        if self._rooms.get(place) is not room:
            raise Away  # the connection broke while we asked
        return waiter, missed

    def leave(self, tenant_id: int, waiter: Waiter) -> None:
        room = self._rooms.get(place_of(tenant_id))
        if room is None:
            return
        room.waiters.discard(waiter)
        if not room.waiters:
            del self._rooms[room.place]
            asyncio.get_running_loop().create_task(self._unsubscribe(room.place))

    async def _open(self, place: str) -> Room:
        if self._pubsub is None:
            raise Away
        room = self._rooms[place] = Room(place)
        try:
            await self._pubsub.subscribe(place)
            room.last = max(room.last, await self._end(place))
        except RedisError:
            self._rooms.pop(place, None)
            raise
        return room

    async def _unsubscribe(self, place: str) -> None:
        try:
            if self._pubsub is not None and place not in self._rooms:
                await self._pubsub.unsubscribe(place)
        except RedisError:
            pass  # the reader finds out by itself

    async def _missed(self, room: Room, after: str) -> list[News]:
        if not is_cursor(after):
            return [start_over(room.last)]
        since = read_cursor(after)
        if since == room.last:
            return []
        if room.recent and read_cursor(room.recent[0].cursor) <= since:
            return [one for one in room.recent if read_cursor(one.cursor) > since]
        return await self._history(room.place, since)

    async def _history(self, place: str, since: Cursor) -> list[News]:
        first: Any = await self._redis.xrange(place, count=1)
        if not first:
            return [] if since == (0, 0) else [start_over((0, 0))]
        oldest, length = read_cursor(first[0][0]), await self._redis.xlen(place)
        if (since == (0, 0) and length >= KEPT) or (0, 0) < since < oldest:
            return [start_over(await self._end(place))]
        rows: Any = await self._redis.xrange(place, min=f"({since[0]}-{since[1]}")
        return [News(key.decode(), json.loads(row[b"n"])) for key, row in rows]

    async def _end(self, place: str) -> Cursor:
        newest: Any = await self._redis.xrevrange(place, count=1)
        return read_cursor(newest[0][0]) if newest else (0, 0)

    async def _read(self) -> None:
        while True:
            try:
                await self._listen()
            except (RedisError, OSError) as error:
                log.warning("live news are away", error=type(error).__name__)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _listen(self) -> None:
        pubsub = self._redis.pubsub()
        try:
            # A channel of its own, so that the connection is there before the first room is.
            await pubsub.subscribe("live:hello")
            self._pubsub = pubsub
            while True:
                heard = await pubsub.get_message(ignore_subscribe_messages=True, timeout=15.0)
                if heard is not None and heard["type"] == "message":
                    self._hear(heard["channel"].decode(), heard["data"])
                elif heard is None:
                    await pubsub.ping()
        finally:
            self._pubsub = None
            self.dismiss()
            await pubsub.aclose()  # type: ignore[no-untyped-call]

    def _hear(self, place: str, data: bytes) -> None:
        room = self._rooms.get(place)
        if room is None:
            return
        key, _, text = data.decode().partition(" ")
        if read_cursor(key) > room.last:
            room.tell(News(key, json.loads(text)))


def is_cursor(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,19}-[0-9]{1,19}", text) is not None


def read_cursor(text: str | bytes) -> Cursor:
    """Of something that Redis made, or that `is_cursor`."""
    millis, _, number = (text.decode() if isinstance(text, bytes) else text).partition("-")
    return int(millis), int(number)
