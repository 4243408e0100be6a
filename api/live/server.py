"""The live server: an event stream and a long poll for pages that wait for updates.

It is a separate process because it holds thousands of idle connections, each of which would occupy
a thread of the web server.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.typedefs import Handler
from redis.asyncio import Redis
from redis.exceptions import RedisError

from api.live.hub import Hub, LiveUpdate, RedisUnavailable, Subscriber, read_cursor
from api.live.print_polling import PrintPolling
from core.asyncio_tools import cancel_and_wait
from core.redis import open_pages
from core.security.live_tokens import LiveToken, read_live_token
from core.security.signing import BadToken
from core.settings import Settings

HEARTBEAT_SECONDS = 20.0  # deploy/nginx.conf closes connections that are silent for 30
POLL_SECONDS = 25.0
LARGEST_BODY = 64 * 1024  # an agent may report many printers
WRITE_SECONDS = 10.0  # a reader that accepts nothing for this long is disconnected
MOST_CONNECTIONS, MOST_OF_TENANT, MOST_OF_MEMBER = 20_000, 500, 20
STREAM = {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    "X-Content-Type-Options": "nosniff",
}


@dataclass
class OpenConnections:
    """Open connections, counted so that no tenant and no member uses the share of others.

    A closed page is noticed at the next heartbeat. Until then it counts for the tenant but not for
    the member, so that a member who opens twenty pages in a row is not refused.
    """

    total: int = 0
    tenants: Counter[int] = field(default_factory=Counter)
    members: dict[tuple[int, str], dict[int, web.Request]] = field(default_factory=dict)

    def full_for(self, token: LiveToken) -> bool:
        own_streams = self.members.get((token.tenant_id, token.member), {}).values()
        return (
            self.total >= MOST_CONNECTIONS
            or self.tenants[token.tenant_id] >= MOST_OF_TENANT
            or sum(one.transport is not None for one in own_streams) >= MOST_OF_MEMBER
        )

    @contextmanager
    def counting(self, token: LiveToken, request: web.Request) -> Iterator[None]:
        member = (token.tenant_id, token.member)
        self.total += 1
        self.tenants[token.tenant_id] += 1
        self.members.setdefault(member, {})[id(request)] = request
        try:
            yield
        finally:
            self.total -= 1
            self.tenants[token.tenant_id] -= 1
            del self.members[member][id(request)]
            if not self.tenants[token.tenant_id]:
                del self.tenants[token.tenant_id]
            if not self.members[member]:
                del self.members[member]


class LiveServer:
    def __init__(self, settings: Settings) -> None:
        self._secret = settings.secret_key
        self._origin = settings.base_url
        self._redis = Redis.from_url(settings.redis_url, socket_connect_timeout=2)
        self._hub = Hub(self._redis)
        self._connections = OpenConnections()
        self._prints = PrintPolling(settings, self._hub)

    def app(self) -> web.Application:
        app = web.Application(middlewares=[self._check_origin], client_max_size=LARGEST_BODY)
        for prefix in ("/live", ""):  # behind nginx, and on its own port
            app.router.add_get(f"{prefix}/stream", self._stream)
            app.router.add_get(f"{prefix}/poll", self._poll)
        app.router.add_post("/print/v1/poll", self._prints.poll)
        app.router.add_get("/healthz", self._health)
        app.cleanup_ctx.append(self._run_hub)
        app.on_shutdown.append(self._end_streams)
        return app

    async def _run_hub(self, _app: web.Application) -> AsyncIterator[None]:
        await self._hub.start()
        reporting = asyncio.create_task(self._report_open_pages())
        yield
        await cancel_and_wait(reporting)
        self._prints.close()
        await self._hub.stop()

    async def _report_open_pages(self) -> None:
        """Report who has a page open, for the assignment of conversations."""
        while True:
            await asyncio.sleep(open_pages.REPORT_SECONDS)
            people: dict[int, list[str]] = {}
            for tenant_id, person_id in self._connections.members:
                people.setdefault(tenant_id, []).append(person_id)
            for tenant_id, present in people.items():
                await self._report(tenant_id, present)

    async def _report(self, tenant_id: int, people: list[str]) -> None:
        key = open_pages.key_of(tenant_id)
        with suppress(RedisError):
            await self._redis.zadd(key, open_pages.report_arguments(people))
            await self._redis.expire(key, open_pages.PRESENT_SECONDS * 2)

    async def _end_streams(self, _app: web.Application) -> None:
        """End all streams; their pages reconnect to the process that takes over."""
        self._hub.dismiss()

    @web.middleware
    async def _check_origin(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Allow the portal's own pages only: scripts of other sites cannot read a response."""
        origin = request.headers.get("Origin")
        if origin is not None and origin != self._origin:
            return web.json_response({"error": "another site"}, status=403)
        if request.method == "OPTIONS":
            return web.Response(status=204, headers=self._cors(request))
        try:
            answer = await handler(request)
        except web.HTTPException as refusal:
            refusal.headers.update(self._cors(request))
            raise
        if not answer.prepared:
            answer.headers.update(self._cors(request))
        return answer

    def _cors(self, request: web.Request) -> dict[str, str]:
        if "Origin" not in request.headers:
            return {}
        return {
            "Access-Control-Allow-Origin": self._origin,
            "Access-Control-Allow-Headers": "Authorization",
            "Access-Control-Max-Age": "3600",
            "Vary": "Origin",
        }

    async def _health(self, _request: web.Request) -> web.Response:
        """Return ok while the process runs.

        Without Redis the streams wait for it, and a restart would not help.
        """
        return web.json_response(
            {
                "status": "ok",
                "redis": self._hub.live,
                "waiting": self._connections.total,
                "agents": self._prints.waiting,
            }
        )

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        token = self._authenticate(request)
        after = request.query.get("after", "")
        with self._connections.counting(token, request):
            waiter, missed = await self._join(token, after)
            await self._report(token.tenant_id, [token.member])
            try:
                stream = web.StreamResponse(headers={**STREAM, **self._cors(request)})
                await stream.prepare(request)
                await self._write_updates(stream, token, waiter, missed)
            finally:
                self._hub.leave(token.tenant_id, waiter)
        return stream

    async def _write_updates(
        self,
        stream: web.StreamResponse,
        token: LiveToken,
        waiter: Subscriber,
        missed: list[LiveUpdate],
    ) -> None:
        """Write updates until the token expires, the reader is gone or slow, or we stop."""
        clock = asyncio.get_running_loop().time
        until, sent = clock() + token.seconds_left(), (0, 0)
        try:
            await _write(stream, b": hello\n\n")
            for update in missed:
                sent = await self._pass_on(stream, token, update, sent)
            while not waiter.over and (left := until - clock()) > 0:
                received = await waiter.next(min(HEARTBEAT_SECONDS, left))
                if received is None:
                    await _write(stream, _heartbeat(sent))
                else:
                    sent = await self._pass_on(stream, token, received, sent)
        except (ConnectionError, TimeoutError):
            pass

    async def _pass_on(
        self,
        stream: web.StreamResponse,
        token: LiveToken,
        update: LiveUpdate,
        sent: tuple[int, int],
    ) -> tuple[int, int]:
        cursor = read_cursor(update.cursor)
        if cursor <= sent and cursor > (0, 0):
            return sent
        if facts := update.for_topics(token.topics):
            await _write(stream, f"id: {update.cursor}\ndata: {json.dumps(facts)}\n\n".encode())
        return max(cursor, sent)

    async def _poll(self, request: web.Request) -> web.StreamResponse:
        token = self._authenticate(request)
        after = request.query.get("after", "")
        with self._connections.counting(token, request):
            waiter, missed = await self._join(token, after)
            await self._report(token.tenant_id, [token.member])
            try:
                return web.json_response(await self._gather(token, waiter, missed, after))
            finally:
                self._hub.leave(token.tenant_id, waiter)

    async def _gather(
        self, token: LiveToken, waiter: Subscriber, missed: list[LiveUpdate], after: str
    ) -> dict[str, object]:
        clock = asyncio.get_running_loop().time
        until, found, cursor = clock() + POLL_SECONDS, [], after
        while True:
            for update in missed:
                found += update.for_topics(token.topics)
                cursor = update.cursor
            left = until - clock()
            if found or left <= 0 or waiter.over:
                return {"news": found, "after": cursor}
            received = await waiter.next(left)
            missed = [] if received is None else [received]

    def _authenticate(self, request: web.Request) -> LiveToken:
        scheme, _, text = request.headers.get("Authorization", "").partition(" ")
        try:
            token = read_live_token(self._secret, text if scheme == "Bearer" else "")
        except BadToken as error:
            raise _http_error(web.HTTPUnauthorized, error.code) from None
        if self._connections.full_for(token):
            raise _http_error(web.HTTPTooManyRequests, "too_many_pages", after=30)
        return token

    async def _join(self, token: LiveToken, after: str) -> tuple[Subscriber, list[LiveUpdate]]:
        try:
            return await self._hub.join(token.tenant_id, after)
        except RedisUnavailable:
            raise _http_error(web.HTTPServiceUnavailable, "try_again", after=2) from None


def _http_error(kind: type[web.HTTPException], code: str, after: int = 0) -> web.HTTPException:
    headers = {"Retry-After": str(after)} if after else {}
    return kind(text=json.dumps({"error": code}), content_type="application/json", headers=headers)


def _heartbeat(sent: tuple[int, int]) -> bytes:
    """Moves the reader's cursor past updates that were not for it."""
    return f"id: {sent[0]}-{sent[1]}\n\n".encode() if sent > (0, 0) else b":\n\n"


async def _write(stream: web.StreamResponse, data: bytes) -> None:
    await asyncio.wait_for(stream.write(data), WRITE_SECONDS)
