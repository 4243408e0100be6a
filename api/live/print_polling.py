"""The long poll of print agents, served next to the live updates of pages.

The database is queried when a poll starts and when an update announces work. Queries run in a
thread pool, so that they do not block the event loop.
"""

import asyncio
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from aiohttp import web
from flask import Flask

from api.live.hub import START_OVER, Hub, RedisUnavailable, Subscriber
from api.print_agents import find_agent
from core.app_setup import configure_app
from core.asyncio_tools import AppThreads
from core.errors import DomainError, RateLimited
from core.http.client_address import client_network
from core.logs import logger
from core.settings import Settings
from core.sql.db_errors import is_outage
from printing import agent_polling, agents, spool
from printing.agent_polling import AgentReport, PollAnswer

log = logger(__name__)

THREADS = 8
LONGEST_WAIT = 30.0  # deploy/nginx.conf times out after 60
POLL_WITHOUT_REDIS_SECONDS = 2.0
SHORTEST_RECHECK = 0.2
LATE_WORKER_SECONDS = spool.RENDER_GRACE.total_seconds() + 0.05
MOST_POLLS = 5_000
MOST_WRONG_TOKENS, WRONG_TOKEN_SECONDS = 20, 60  # per address
MOST_TRACKED_ADDRESSES = 10_000
Answer = TypeVar("Answer")


@dataclass
class WrongTokens:
    """Recent polls with a wrong token from one address."""

    count: int = 0
    until: float = 0.0

    def note(self, clock: float) -> None:
        self.count = self.count + 1 if clock < self.until else 1
        self.until = clock + WRONG_TOKEN_SECONDS

    def allows(self, clock: float) -> bool:
        return clock >= self.until or self.count < MOST_WRONG_TOKENS


class PrintPolling:
    def __init__(self, settings: Settings, hub: Hub) -> None:
        self._settings = settings
        self._hub = hub
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="prints")
        self._app_threads: AppThreads | None = None
        self._wrong: dict[str, WrongTokens] = {}
        self.waiting = 0

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def poll(self, request: web.Request) -> web.StreamResponse:
        try:
            owner = await self._owner(request)
            if self.waiting >= MOST_POLLS:
                return _error_response(503, "try_again", "Too many agents are waiting. Try again.")
            parsed = _parse_poll(await request.json())
            self.waiting += 1
            try:
                return await self._serve(request, owner, parsed)
            finally:
                self.waiting -= 1
        except RateLimited as error:
            return _error_response(429, error.code, error.message, error.retry_after)
        except (ValueError, TypeError, KeyError, ConnectionResetError):  # or the caller hung up
            return _error_response(400, "malformed_json", "The body is not a valid poll request.")
        except DomainError as error:
            return _error_response(error.status, error.code, error.message)
        except Exception as error:
            if not is_outage(error):
                raise
            return _error_response(
                503, "try_again", "The service cannot reach its database just now."
            )

    async def _owner(self, request: web.Request) -> tuple[int, str]:
        """Authenticate before the poll counts. Returns tenant and agent.

        An address that keeps sending wrong tokens is refused without a query, so that it takes
        neither slots nor threads.
        """
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        token = token.strip() if kind == "Bearer" else ""
        peer = client_network(_peer(request, self._settings.trusted_proxies))
        wrong = self._wrong.get(peer)
        if wrong is not None and not wrong.allows(asyncio.get_running_loop().time()):
            raise RateLimited(
                "Too many polls with an invalid token.", retry_after=WRONG_TOKEN_SECONDS
            )
        owner = await self._run(lambda: find_agent(token)) if token else None
        if owner is None:
            self._record_wrong_token(peer)
            raise agents.agent_revoked()
        return owner

    def _record_wrong_token(self, peer: str) -> None:
        clock = asyncio.get_running_loop().time()
        if len(self._wrong) >= MOST_TRACKED_ADDRESSES:
            current = {name: one for name, one in self._wrong.items() if one.until > clock}
            self._wrong = current if len(current) < MOST_TRACKED_ADDRESSES else {}
        self._wrong.setdefault(peer, WrongTokens()).note(clock)

    async def _serve(
        self, request: web.Request, owner: tuple[int, str], parsed: tuple[float, AgentReport]
    ) -> web.StreamResponse:
        tenant_id, agent_id = owner
        waiter = await self._join(tenant_id)
        try:
            body = await self._hold(request, tenant_id, agent_id, parsed, waiter)
        finally:
            if waiter is not None:
                self._hub.leave(tenant_id, waiter)
        return web.json_response(body, headers={"Cache-Control": "no-store"})

    async def _hold(
        self,
        request: web.Request,
        tenant_id: int,
        agent_id: str,
        parsed: tuple[float, AgentReport],
        waiter: Subscriber | None,
    ) -> dict[str, Any]:
        """Answer a poll. Subscribes before it queries the database, so that no update is lost."""
        wait, report = parsed
        clock = asyncio.get_running_loop().time
        until = clock() + wait
        turn, knows_little = await self._in_tenant(
            tenant_id, lambda: agent_polling.begin_poll(agent_id, report)
        )
        reported = {printer_id for printer_id, _, _ in report.states}
        while True:
            answer = knows_little or until <= clock()
            claim = partial(
                agent_polling.claim_jobs, agent_id, turn, reported=reported, answer=answer
            )
            handed: PollAnswer = await self._in_tenant(tenant_id, claim)
            if handed.body is not None:
                return handed.body
            if request.transport is None or request.transport.is_closing():
                return agent_polling.NOTHING
            changed = await self._wait(waiter, agent_id, until - clock(), handed.recheck_after)
            knows_little = changed == "printers"

    async def _wait(
        self, waiter: Subscriber | None, agent_id: str, left: float, recheck_after: float | None
    ) -> str:
        """Wait for an update of this agent, or until the next check is due."""
        clock = asyncio.get_running_loop().time
        soonest = left if recheck_after is None else min(left, max(recheck_after, SHORTEST_RECHECK))
        if waiter is None or waiter.over:
            await asyncio.sleep(min(soonest, POLL_WITHOUT_REDIS_SECONDS))
            return "time"
        until = clock() + soonest
        while (rest := until - clock()) > 0:
            came = await waiter.next(rest)
            if came is None:
                return "time"
            for fact in came.facts:
                if fact["kind"] != START_OVER and (
                    fact["kind"] != "prints.agent" or fact.get("agent", agent_id) != agent_id
                ):
                    continue
                if not fact.get("soon"):
                    return "printers" if fact.get("printers") else "jobs"
                # A worker is rendering and will publish an update; if it does not, we check
                # ourselves.
                until = min(until, clock() + LATE_WORKER_SECONDS)
        return "time"

    async def _join(self, tenant_id: int) -> Subscriber | None:
        """Subscribe. Returns None without Redis; the database is then polled every few seconds."""
        try:
            waiter, _missed = await self._hub.join(tenant_id, "")
        except RedisUnavailable:
            return None
        return waiter

    async def _in_tenant(self, tenant_id: int, act: Callable[[], Answer]) -> Answer:
        return await (await self._work()).tenant(tenant_id, act)

    async def _run(self, act: Callable[[], Answer]) -> Answer:
        return await (await self._work()).in_thread(act)

    async def _work(self) -> AppThreads:
        """The app is built when the first agent polls."""
        if self._app_threads is None:
            loop = asyncio.get_running_loop()
            app = await loop.run_in_executor(self._threads, self._build_app)
            self._app_threads = AppThreads(app, self._threads)
        return self._app_threads

    def _build_app(self) -> Flask:
        app = Flask("comanda.prints")
        configure_app(app, self._settings)
        return app


def _parse_poll(body: Any) -> tuple[float, AgentReport]:
    if not isinstance(body, dict):
        raise TypeError
    states = [
        (str(one["id"]), str(one.get("state", ""))[:20], str(one.get("detail", ""))[:200])
        for one in _list(body, "printers")
    ]
    found = [one for one in _list(body, "found") if isinstance(one, dict)]
    report = AgentReport(
        have=[str(one) for one in _list(body, "have")],
        states=[_without_nul(state) for state in states],
        found=found if "found" in body else None,
    )
    return min(max(float(body.get("wait", 0)), 0.0), LONGEST_WAIT), report


def _without_nul(state: tuple[str, str, str]) -> tuple[str, str, str]:
    one, two, three = (text.replace("\0", "") for text in state)
    return one, two, three


def _list(body: dict[str, Any], name: str) -> list[Any]:
    given = body.get(name) or []
    if not isinstance(given, list):
        raise TypeError
    return given[:300]


def _peer(request: web.Request, proxies: int) -> str:
    """Return the caller's address as the last trusted proxy reported it."""
    came = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    if proxies and len(came) >= proxies and came[-proxies]:
        return came[-proxies]
    return request.remote or ""


def _error_response(status: int, code: str, message: str, retry_after: int = 2) -> web.Response:
    return web.json_response(
        {
            "status": "error",
            "code": code,
            "message": message,
            "error": {"code": code, "message": message},
        },
        status=status,
        headers={
            "Cache-Control": "no-store",
            **({"Retry-After": str(retry_after)} if status in (429, 503) else {}),
        },
        dumps=json.dumps,
    )
