"""Direct sends: the web process that accepts a message makes its first attempt itself.

One event loop in a daemon thread of the process makes all attempts, over connections that it keeps
open. The steps and states are those of a worker (`attempt.py`), and so is what a process leaves
that dies: a lease that ends, and a message whose outcome is unknown until its receipt arrives.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from typing import Any, TypeVar

import psycopg2
from flask import Flask
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from core import chaos
from core.asyncio_tools import AppThreads
from core.clock import now
from core.concurrency_limits import ConcurrencyLimit
from core.http import Policy
from core.http.async_client import Client
from core.ids import new_uuid
from core.logs import bind_request, current_request_id, logger
from core.queue.wakeups import WakeUp
from core.settings import Settings
from core.sql.async_pool import AsyncPool
from core.sql.batching import Batcher
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.pacing import LOCAL_SHARE, MessagePacing, PacedMessage
from messaging.lines.repository import LineRoute
from messaging.lines.send_lane import LANE, wake_waiting_messages
from messaging.messages import claim as message_claim
from messaging.messages.accept import (
    ACCEPT_AND_BEGIN,
    IdempotencyRecord,
    PreparedMessage,
    accept_errors,
    accept_params,
    announce_usage,
)
from messaging.messages.claim import ClaimedMessage
from messaging.messages.sending import attempt as send_attempt
from messaging.messages.sending.after_commit import AfterCommitOutbox
from messaging.messages.settle import SETTLE_SENT_AND_MARK, MessageOutcome

log = logger(__name__)

CONNECTIONS = 4
ACCEPT_SECONDS = 45.0  # longer than a statement may take
STOP_SECONDS = 25.0
START_SECONDS = 10.0
REQUEUE_DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds between the tries while the database is down

T = TypeVar("T")


@dataclass(frozen=True)
class Accepted:
    used: int | None
    spent: Decimal | None
    begun: bool
    """False: the message is queued, and a worker sends it."""


@dataclass(eq=False)
class DirectSend:
    """A message on its way, as the thread of its request sees it."""

    ready: PreparedMessage
    params: dict[str, Any]
    paced: PacedMessage
    pacing: MessagePacing
    request_id: str | None = field(default_factory=current_request_id)
    accepted: "Future[Accepted]" = field(default_factory=Future)
    outcome: "Future[MessageOutcome | None]" = field(default_factory=Future)
    """None: the message is queued, and a worker sends it."""

    @property
    def tenant_id(self) -> int:
        return self.ready.facts.id

    def wait(self, seconds: float) -> tuple[bool, MessageOutcome | None]:
        """Wait for the outcome. Returns whether a worker sends the message, and the outcome.

        The outcome is None if it is not known in time. Raises what accepting the message raises.
        """
        told, queued = None, False
        try:
            with accept_errors(self.ready.facts), suppress(TimeoutError):
                told = self.outcome.result(seconds)
                queued = told is None
            accepted = self._accepted()
        except Exception:
            self.pacing.give_back(self.tenant_id, self.paced)
            raise
        if not accepted.begun:
            self.pacing.give_back(self.tenant_id, self.paced)
        announce_usage(self.ready, accepted.used, accepted.spent)
        return queued or not accepted.begun, told

    def _accepted(self) -> Accepted:
        try:
            with accept_errors(self.ready.facts):
                return self.accepted.result(ACCEPT_SECONDS)
        except TimeoutError as error:
            raise OperationalError(None, None, error) from error

    def fail(self, error: Exception) -> None:
        self.accepted.set_exception(error)
        self.outcome.set_exception(error)

    def give_up(self) -> None:
        """After an unexpected error the row of the message has its state."""
        if not self.accepted.done():
            self.fail(OperationalError(None, None, RuntimeError("the message was not accepted")))
        elif not self.outcome.done():
            told = MessageOutcome(self.ready.ticket.id, "sending", None, Decimal(0))
            self.outcome.set_result(told)


class DirectSender:
    """The direct sends of one process. A forked process gets a thread of its own."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._lock = threading.Lock()
        self._loop: _SendLoop | None = None
        self._pid = 0
        self._limit = ConcurrencyLimit(settings.direct_sends)
        self._pacing = MessagePacing(LOCAL_SHARE / settings.web_processes)

    def begin(
        self, ready: PreparedMessage, line: LineRoute, once: IdempotencyRecord | None
    ) -> DirectSend | None:
        """Accept the message and send it. None: nothing was done, and a worker has to send it."""
        if ready.draft.content.get("fallback") or DRIVERS[line.kind].send is None:
            return None
        loop = self._running()
        tenant_id = ready.facts.id
        if loop is None or not self._limit.take(tenant_id):
            return None
        paced = PacedMessage(line.id, ready.draft.phone, line.per_second)
        if self._pacing.take(tenant_id, paced) == 0:
            params = accept_params(ready, once) | _begin_params(self._settings.lease_seconds)
            send = DirectSend(ready, params, paced, self._pacing)
            if loop.submit(send, lambda: self._limit.give_back(tenant_id)):
                return send
            self._pacing.give_back(tenant_id, paced)
        self._limit.give_back(tenant_id)
        return None

    def stop(self) -> None:
        """Begin nothing more, and return when what is in flight has been settled."""
        if self._loop is not None and self._pid == os.getpid():
            self._loop.stop()

    def _running(self) -> "_SendLoop | None":
        if self._settings.direct_sends == 0:
            return None
        if self._pid != os.getpid():
            with self._lock:
                if self._pid != os.getpid():
                    self._start()
        return self._loop if self._loop is not None and self._loop.accepts else None

    def _start(self) -> None:
        self._limit = ConcurrencyLimit(self._settings.direct_sends)
        self._loop = _SendLoop(self._app, self._settings, self._pacing)
        # Not `atexit`: it does not run in a forked process, and in others it runs when threads can
        # no longer be started. Raises RuntimeError if the process is ending.
        with suppress(RuntimeError):
            threading._register_atexit(self.stop)  # type: ignore[attr-defined]  # noqa: SLF001
            self._loop.start()
        self._pid = os.getpid()


class _SendLoop:
    """The event loop, its thread and what it works with."""

    _pool: AsyncPool
    _client: Client
    _accepts: Batcher
    _settles: Batcher

    def __init__(self, app: Flask, settings: Settings, pacing: MessagePacing) -> None:
        self._threads = AppThreads(app)
        self._settings = settings
        self._pacing = pacing
        self._lock = threading.Lock()
        self._stopping = True
        self._stop: asyncio.Event
        self._loop: asyncio.AbstractEventLoop
        self._thread = threading.Thread(target=self._run, name="direct-sends", daemon=True)
        self._started = threading.Event()
        self._in_flight: set[asyncio.Task[None]] = set()
        self._outbox = AfterCommitOutbox()

    @property
    def accepts(self) -> bool:
        return not self._stopping

    def start(self) -> None:
        self._thread.start()
        self._started.wait(START_SECONDS)

    def submit(self, send: DirectSend, done: Callable[[], None]) -> bool:
        """False: the process is stopping."""
        with self._lock:
            if self._stopping:
                return False
            # Without the context of the request, which the send outlives.
            self._loop.call_soon_threadsafe(self._begin, send, done, context=Context())
            return True

    def stop(self) -> None:
        with self._lock:
            if self._stopping:
                return
            self._stopping = True
            # After the sends that were submitted: callbacks run in order.
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STOP_SECONDS)

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except Exception:
            self._stopping = True
            log.exception("direct sends stopped")
        finally:
            self._started.set()

    async def _serve(self) -> None:
        url = self._settings.database_url
        # The network's address is the operator's own setting, and may be on this machine.
        async with (
            AsyncPool(url, CONNECTIONS) as pool,
            Client(Policy(allow_loopback=True)) as client,
        ):
            self._pool, self._client = pool, client
            self._accepts = Batcher(pool, ACCEPT_AND_BEGIN, 2)
            self._settles = Batcher(pool, SETTLE_SENT_AND_MARK, 2)
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            self._stopping = False
            self._started.set()
            await self._stop.wait()
            while self._in_flight:
                await asyncio.wait(self._in_flight)
            await self._outbox.flushed()

    def _begin(self, send: DirectSend, done: Callable[[], None]) -> None:
        task = self._loop.create_task(self._attempt(send))
        self._in_flight.add(task)

        def ended(task: "asyncio.Task[None]") -> None:
            self._in_flight.discard(task)
            done()
            if task.exception() is not None:
                log.error("direct send failed", exc_info=task.exception())
                send.give_up()

        task.add_done_callback(ended)

    async def _attempt(self, send: DirectSend) -> None:
        if send.request_id:
            bind_request(send.request_id)
        tenant_id = send.tenant_id
        try:
            rows = await self._accepts.run(tenant_id, send.params)
        except psycopg2.Error as error:
            await self._not_accepted(send, error)
            return
        used, spent, begun, *line = rows[0]
        send.accepted.set_result(Accepted(used, spent, begun))
        if not begun:
            send.outcome.set_result(None)
            return
        await self._send(send, _claimed(send, line))

    async def _send(self, send: DirectSend, one: ClaimedMessage) -> None:
        tenant_id = send.tenant_id
        accepted, others = await send_attempt.send_claimed(self._client, self._settings, [one])
        if accepted:
            told, [held_back] = await send_attempt.settle_accepted(
                self._settles, tenant_id, accepted, self._outbox, _mark_params(one)
            )
            if held_back:
                self._outbox.wakeups.add(WakeUp("jobs.sending.worker.drain"))
        else:
            told = await self._threads.tenant(
                tenant_id, lambda: self._settle_others(tenant_id, others)
            )
        chaos.fault_point("after_settle_commit")
        send.outcome.set_result(told[0] if told else None)
        self._outbox.flush_soon()

    def _settle_others(self, tenant_id: int, others: send_attempt.Results) -> list[MessageOutcome]:
        """A worker tries again, and sends what was held back behind this message."""
        told = send_attempt.settle_others(tenant_id, others, self._pacing)
        wake_waiting_messages()
        return told

    async def _not_accepted(self, send: DirectSend, error: psycopg2.Error) -> None:
        """The database refused the message, or it is not known whether it was stored."""
        if error.pgcode is not None:
            send.fail(error)
        else:
            # The same type as from SQLAlchemy, so that the entry points recognize an outage.
            send.fail(OperationalError(None, None, error))
            await self._requeue(send)

    async def _requeue(self, send: DirectSend) -> None:
        """If the message was stored after all, leave it to a worker: nothing has been sent."""
        tenant_id, line = send.tenant_id, ["", "", "", None, 1.0]

        def inside() -> None:
            message_claim.requeue_messages([_claimed(send, line)], 0)
            wake_waiting_messages()

        for pause in REQUEUE_DELAYS:
            await asyncio.sleep(pause)
            with suppress(SQLAlchemyError):
                await self._threads.tenant(tenant_id, inside)
                return
        log.warning("message not requeued", message=send.ready.ticket.id)


def _begin_params(lease: float) -> dict[str, Any]:
    moment = now()
    return {
        "begin_change_id": str(new_uuid()),
        "until": moment + timedelta(seconds=lease),
        "oldest": message_claim.pending_id_range(moment)["oldest"],
        "down": message_claim.DOWN_STATES,
    }


def _claimed(send: DirectSend, line: list[Any]) -> ClaimedMessage:
    """The message as a worker would have claimed it."""
    draft, ticket, params = send.ready.draft, send.ready.ticket, send.params
    message = (
        *("message", params["id"], 1, ticket.line_id, draft.phone, draft.kind, draft.text),
        *(draft.content, draft.reference, ticket.quoted_usd, ticket.test),
    )
    row = (*message, *line, params["due_at"])
    return message_claim.messages_from_rows(send.tenant_id, [row])[0]


def _mark_params(one: ClaimedMessage) -> dict[str, Any]:
    return {
        "lane": LANE,
        "oldest": message_claim.pending_id_range(now())["oldest"],
        "lines": [one.envelope.line_id],
        "phones": [one.envelope.phone],
    }
