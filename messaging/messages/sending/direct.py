"""Direct sends: the web process that accepts a message makes its first attempt itself.

The thread of the request accepts, sends and settles, over connections that stay open. If the
network has not answered when the caller's time is over, another thread goes on. The steps and
states are those of a worker (`attempt.py`), and so is what a process leaves that dies: a lease that
ends, and a message whose outcome is unknown until its receipt arrives.
"""

import os
import threading
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import psycopg2
from flask import Flask
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from core import chaos
from core.asyncio_tools import ContinueLater, run_blocking
from core.clock import now
from core.concurrency_limits import ConcurrencyLimit
from core.db import tenant_scope
from core.http import Policy
from core.http.keep_alive_client import KeepAliveClient
from core.ids import new_uuid_text
from core.logs import bind_request, current_request_id, logger
from core.queue.batching_thread import BatchingThread
from core.settings import Settings
from core.sql.batching import BlockingCalls
from core.sql.pool import Pool
from messaging.lines.drivers.registry import DRIVERS
from messaging.lines.pacing import LOCAL_SHARE, MessagePacing, PacedMessage
from messaging.lines.repository import LineRoute
from messaging.lines.send_lane import wake_waiting_messages
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
from messaging.messages.settle import SETTLE_ONE, MessageOutcome

log = logger(__name__)

CONNECTIONS = 8
STOP_SECONDS = 25.0
GATHER_SECONDS = 0.01  # live updates and wake-ups of several sends go out together
REQUEUE_DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0)  # seconds between the tries while the database is down


@dataclass(frozen=True)
class DirectResult:
    queued: bool
    """Whether a worker sends the message, or tries it again."""
    outcome: MessageOutcome | None = None
    """None: it is not known yet."""


class DirectSender:
    """The direct sends of one process. A forked process gets connections of its own."""

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._app = app
        self._settings = settings
        self._pacing = MessagePacing(LOCAL_SHARE / settings.web_processes)
        self._lock = threading.Lock()
        self._process: _Process | None = None

    def send(
        self, ready: PreparedMessage, line: LineRoute, once: IdempotencyRecord | None, until: float
    ) -> DirectResult | None:
        """Accept the message, send it, and wait for the outcome until this moment of
        `time.monotonic`.

        None: nothing was done, and a worker has to send it. Raises what accepting it raises.
        """
        process = self._running()
        if process is None or ready.draft.content.get("fallback"):
            return None
        if ready.draft.counts_recipient:
            return None
        tenant_id = ready.facts.id
        if DRIVERS[line.kind].send is None or not process.take_slot(tenant_id):
            return None
        paced = PacedMessage(line.id, ready.draft.phone, line.per_second)
        begun = wait = None
        try:
            wait = self._pacing.take(tenant_id, paced)
            if wait == 0:
                begun = self._accept(process, ready, once)
        finally:
            if begun is None:
                process.give_slot_back(tenant_id)
                if wait == 0:
                    self._pacing.give_back(tenant_id, paced)
        if begun is None:
            return None if wait else DirectResult(queued=True)
        return self._run(process, tenant_id, self._attempt(process, begun, until))

    def stop(self) -> None:
        """Begin nothing more, and return when what is in flight has been settled."""
        if self._process is not None and self._process.pid == os.getpid():
            self._process.stop()

    def _running(self) -> "_Process | None":
        if self._settings.direct_sends == 0:
            return None
        if self._process is None or self._process.pid != os.getpid():
            with self._lock:
                if self._process is None or self._process.pid != os.getpid():
                    self._process = _Process(self._settings)
        return self._process

    def _accept(
        self, process: "_Process", ready: PreparedMessage, once: IdempotencyRecord | None
    ) -> ClaimedMessage | None:
        """Store the message. None: it is queued, and a worker sends it."""
        tenant_id = ready.facts.id
        params = accept_params(ready, once) | _begin_params(self._settings.lease_seconds)
        try:
            with accept_errors(ready.facts):
                [(used, spent, begun, *line)] = process.accepts.run_now(tenant_id, params)
        except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
            if error.pgcode is None:
                one = _claimed(ready, params, ["", "", "", None, 1.0])
                process.later(partial(self._requeue, one))
            # The same type as from SQLAlchemy, so that the entry points recognize an outage.
            raise OperationalError(None, None, error) from error
        announce_usage(ready, used, spent)
        return _claimed(ready, params, line) if begun else None

    def _requeue(self, one: ClaimedMessage) -> None:
        """It is not known whether the message was stored. If so, leave it to a worker: nothing has
        been sent.
        """
        for pause in REQUEUE_DELAYS:
            time.sleep(pause)
            with suppress(SQLAlchemyError), self._app.app_context():
                with tenant_scope(one.envelope.tenant_id):
                    message_claim.requeue_messages([one], 0)
                    wake_waiting_messages()
                return
        log.warning("message not requeued", message=one.envelope.message_id)

    def _run(
        self, process: "_Process", tenant_id: int, work: Coroutine[Any, Any, DirectResult]
    ) -> DirectResult:
        """Run the attempt in this thread, and from the caller's last moment on in another one.

        The message is stored, so an unexpected error is no reason to refuse it: its row has its
        state.
        """
        try:
            result = run_blocking(work)
        except ContinueLater:
            process.later(partial(self._finish, process, tenant_id, work))
            return DirectResult(queued=False)
        except Exception:
            log.exception("direct send failed")
            result = DirectResult(queued=False)
        process.give_slot_back(tenant_id)
        return result

    def _finish(
        self, process: "_Process", tenant_id: int, work: Coroutine[Any, Any, DirectResult]
    ) -> None:
        try:
            with self._app.app_context():
                run_blocking(work)
        except Exception:
            log.exception("direct send failed")
        finally:
            process.give_slot_back(tenant_id)

    async def _attempt(
        self, process: "_Process", one: ClaimedMessage, until: float
    ) -> DirectResult:
        tenant_id = one.envelope.tenant_id
        accepted, others = await send_attempt.send_claimed(
            process.client.until(until), self._settings, [one]
        )
        if accepted:
            outbox = AfterCommitOutbox()
            [(_, answer)] = accepted
            outcomes = [
                await send_attempt.settle_one_accepted(
                    process.settles, tenant_id, one, answer, outbox
                )
            ]
            process.publish(outbox)
        else:
            with tenant_scope(tenant_id):
                outcomes = send_attempt.settle_others(tenant_id, others, self._pacing)
                # A worker tries again, and sends what was held back behind this message.
                wake_waiting_messages()
        chaos.fault_point("after_settle_commit")
        return DirectResult(False, outcomes[0]) if outcomes else DirectResult(queued=True)


class _Process:
    """What the direct sends of one process share."""

    def __init__(self, settings: Settings) -> None:
        self.pid = os.getpid()
        # The network's address is the operator's own setting, and may be on this machine.
        self.client = KeepAliveClient(Policy(allow_loopback=True))
        pool = Pool(settings.database_url, CONNECTIONS)
        self.accepts = BlockingCalls(pool, ACCEPT_AND_BEGIN)
        self.settles = BlockingCalls(pool, SETTLE_ONE)
        self._limit = ConcurrencyLimit(settings.direct_sends)
        self._changed = threading.Condition()
        self._in_flight = 0
        self._stopping = False
        # Python waits for the threads of an executor before the process ends.
        self._later = ThreadPoolExecutor(settings.direct_sends, "direct-sends")
        self._publisher = BatchingThread("direct-sends-publish", GATHER_SECONDS, _merge_and_send)

    def take_slot(self, tenant_id: int) -> bool:
        with self._changed:
            if self._stopping or not self._limit.take(tenant_id):
                return False
            self._in_flight += 1
            return True

    def give_slot_back(self, tenant_id: int) -> None:
        with self._changed:
            self._limit.give_back(tenant_id)
            self._in_flight -= 1
            if self._stopping:
                self._changed.notify_all()

    def later(self, work: "partial[None]") -> None:
        """Do it in another thread, or in this one if the process is ending."""
        request_id = current_request_id()

        def inside() -> None:
            bind_request(request_id or "")
            work()

        try:
            self._later.submit(inside)
        except RuntimeError:
            work()

    def publish(self, outbox: AfterCommitOutbox) -> None:
        """Soon, together with what other sends add until then."""
        self._publisher.add([outbox])

    def stop(self) -> None:
        with self._changed:
            self._stopping = True
            self._changed.wait_for(lambda: self._in_flight == 0, STOP_SECONDS)
        self._later.shutdown()
        self._publisher.stop()
        self.client.close()


def _merge_and_send(outboxes: list[AfterCommitOutbox]) -> None:
    first, *others = outboxes
    for one in others:
        first.add(one)
    first.send()


def _begin_params(lease: float) -> dict[str, Any]:
    moment = now()
    return {
        "begin_change_id": new_uuid_text(),
        "until": moment + timedelta(seconds=lease),
        "oldest": message_claim.pending_id_range(moment)["oldest"],
        "down": message_claim.DOWN_STATES,
    }


def _claimed(ready: PreparedMessage, params: dict[str, Any], line: list[Any]) -> ClaimedMessage:
    """The message as a worker would have claimed it."""
    draft, ticket = ready.draft, ready.ticket
    message = (
        *("message", params["id"], 1, ticket.line_id, draft.phone, draft.kind, draft.text),
        *(draft.content, draft.reference, ticket.quoted_usd, ticket.test),
    )
    row = (*message, *line, params["due_at"])
    return message_claim.messages_from_rows(ready.facts.id, [row])[0]
