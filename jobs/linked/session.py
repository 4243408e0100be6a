"""One linked line held by this host: connect, record its events, reconnect."""

import asyncio
import contextlib
import random
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from core.db import db
from core.logs import logger
from core.queue import leases
from core.queue.leases import HeldLease
from core.sql.db_errors import is_outage
from jobs.linked.events import EventRecorder
from jobs.linked.files import FileFetcher
from jobs.linked.logout import log_out_device
from jobs.linked.sender import LinkedSender
from messaging import reasons
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.linked import sessions as linked_sessions
from messaging.lines.drivers.linked.client import (
    LINKED_KIND,
    ClientDisconnected,
    ClientUnavailable,
    EchoReceived,
    LinkedClient,
    LinkedSession,
    MessageReceived,
)
from messaging.lines.drivers.linked.device_store import DeviceStore
from messaging.lines.drivers.linked.sessions import LeaseLost, RequestedSession
from messaging.models import Line

if TYPE_CHECKING:
    from jobs.linked.host import LinkedHost

log = logger(__name__)

T = TypeVar("T")

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
# tries before a line is shown as disconnected: most interruptions last a second or two
QUICK_RECONNECTS = 3
PAIRING_TRIES = 5
MAX_FAULTS = 5  # in a row; then the session is parked
STABLE_SECONDS = 30.0


class LineSession:
    def __init__(self, host: "LinkedHost", lease: HeldLease) -> None:
        self.host = host
        self.tenant_id, self.line_id, self.turn = lease.tenant_id, lease.thing, lease.turn
        self.generation = lease.asked
        self.up, self.woken, self.interrupted = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.lost = self.leaving = self.over = False
        self.tries = self.faults = 0
        self.because = ""
        self.task = asyncio.create_task(self.run())

    def on_lease_lost(self) -> None:
        """Another host holds the lease, or it no longer exists."""
        self.lost = True
        self.interrupted.set()

    def leave(self) -> None:
        self.leaving = True
        self.interrupted.set()

    def record_request(self, generation: int) -> None:
        if generation != self.generation:
            self.generation = generation
            self.tries = self.faults = 0
            self.interrupted.set()

    async def run(self) -> None:
        while not self.lost and not self.leaving:
            try:
                if not await self.connect_once():
                    return
            except LeaseLost:
                return
            except Exception as error:  # noqa: BLE001 - an error stays within its session
                self.record_fault(error)
            if self.interrupted.is_set():
                continue
            try:
                if not await self.pause():
                    return
            except LeaseLost:
                return
            except Exception as error:  # noqa: BLE001 - an error stays within its session
                self.record_fault(error)
                await asyncio.sleep(FIRST_PAUSE)
        if self.leaving and not self.lost:
            await self.release_lease()

    def record_fault(self, error: Exception) -> None:
        if is_outage(error):
            log.warning("database unavailable", line=self.line_id, error=type(error).__name__)
            return
        self.faults += 1
        log.warning("linked session failed", line=self.line_id, times=self.faults, exc_info=error)

    async def connect_once(self) -> bool:
        """One connection, from beginning to end. False: there is nothing more to do."""
        self.interrupted.clear()
        generation, self.over = self.generation, False
        requested = await self.tenant(lambda: linked_sessions.read_requested_session(self.line_id))
        if requested is None or requested.wanted == "nothing":
            return not await self.drop(generation)
        device = await self.host.in_thread(
            lambda: self.host.store.find(self.tenant_id, self.line_id)
        )
        session = LinkedSession(self.tenant_id, self.line_id, requested.name, device)
        try:
            client = self.host.open(requested.network, session)
        except ClientUnavailable as error:
            because = str(error)
            await self.tenant(
                lambda: linked_sessions.record_client_unavailable(self.line_id, because)
            )
            return not await self.drop(generation)
        if requested.wanted == "logout":
            await self.log_out(client, device)
        else:
            await self.tenant(lambda: linked_sessions.record_opened(self.line_id, self.host.name))
            await self.run_client(client, requested)
        return not (self.over and await self.drop(generation))

    async def run_client(self, client: LinkedClient, requested: RequestedSession) -> None:
        began = time.monotonic()
        sender = LinkedSender(self, client)
        recorder, files = EventRecorder(self), FileFetcher(self, client)
        parts = (
            self.handle_events(client, requested, recorder, files),
            recorder.run_heartbeat(),
            files.run(),
        )
        work = [asyncio.create_task(part) for part in parts]
        sending, interrupted = (
            asyncio.create_task(sender.run()),
            asyncio.create_task(self.interrupted.wait()),
        )
        try:
            await asyncio.wait({*work, sending, interrupted}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.up.clear()
            await sender.finish(sending)
            for task in (*work, interrupted):
                task.cancel()
            await client.close()
            ended = await asyncio.gather(*work, sending, interrupted, return_exceptions=True)
        if time.monotonic() - began > STABLE_SECONDS:
            self.tries = self.faults = 0
        for error in ended:
            if isinstance(error, Exception):
                raise error

    async def handle_events(
        self,
        client: LinkedClient,
        requested: RequestedSession,
        recorder: EventRecorder,
        files: FileFetcher,
    ) -> None:
        async with contextlib.aclosing(client.events(requested.code_phone)) as events:
            async for event in events:
                await recorder.record(event)
                if isinstance(event, MessageReceived | EchoReceived):
                    files.arrived.set()
                if self.over or isinstance(event, ClientDisconnected):
                    return

    async def log_out(self, client: LinkedClient, device: str) -> None:
        """Log out at the network if it can be reached, and here in any case."""
        if device:
            await log_out_device(client)
        else:
            await client.close()
        await self.in_store(lambda store: store.forget(*self.key))
        await self.tenant(
            lambda: linked_sessions.record_logged_out(self.line_id, reasons.LOGGED_OUT)
        )
        self.over = True

    async def pause(self) -> bool:
        """Wait between two connections, longer each time. False: the session is parked."""
        self.tries += 1
        if self.faults >= MAX_FAULTS:
            await self.tenant(lambda: linked_sessions.record_parked(self.line_id))
            return not await self.drop(self.generation)
        if self.tries >= QUICK_RECONNECTS or self.faults > 1:
            gave_up = self.tries >= PAIRING_TRIES
            because = self.because
            if await self.tenant(
                lambda: linked_sessions.record_down(self.line_id, because, gave_up)
            ):
                return not await self.drop(self.generation)
        longest = min(FIRST_PAUSE * 2 ** (self.tries - 1), LONGEST_PAUSE)
        with contextlib.suppress(TimeoutError):
            wait = random.uniform(0.5, 1.5) * longest  # noqa: S311 - no secret
            await asyncio.wait_for(self.interrupted.wait(), wait)
        return True

    async def drop(self, generation: int) -> bool:
        """True: no host has to hold the line. False: it was requested again meanwhile."""
        lease = (LINKED_KIND, self.tenant_id, self.line_id, self.turn)
        return await self.scoped(lambda: leases.remove(*lease, generation))

    async def release_lease(self) -> None:
        lease = (LINKED_KIND, self.tenant_id, self.line_id, self.turn)
        with contextlib.suppress(Exception):
            await self.scoped(lambda: leases.release(*lease))

    @property
    def key(self) -> tuple[int, int]:
        return self.tenant_id, self.line_id

    async def apply(self, work: Callable[[Line, UsageTally], T]) -> T:
        def inside() -> T:
            line = db.session.get(Line, self.key)
            if line is None:
                raise LeaseLost
            tally = UsageTally()
            done = work(line, tally)
            tally.write()
            return done

        return await self.tenant(inside)

    async def tenant(self, work: Callable[[], T]) -> T:
        """Run in one transaction of the tenant, with the lease locked. Raises LeaseLost."""

        def inside() -> T:
            linked_sessions.check_lease(self.line_id, self.turn)
            return work()

        return await self.scoped(inside)

    async def scoped(self, work: Callable[[], T]) -> T:
        return await self.host.tenant(self.tenant_id, work)

    async def in_store(self, work: Callable[[DeviceStore], T]) -> T:
        return await self.host.in_thread(lambda: work(self.host.store))
