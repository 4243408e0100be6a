"""Write the events of a linked line's network to the database as they arrive."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from core.clock import now
from jobs.inbound import messages as inbound_messages
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import Receipt
from messaging.lines.drivers.linked import sessions as linked_sessions
from messaging.lines.drivers.linked.client import (
    ClientConnected,
    ClientEvent,
    DeviceLoggedOut,
    DevicePaired,
    EchoReceived,
    MessageChanged,
    MessageReceived,
    NumberRestricted,
    PairingCodeShown,
    PairingTimedOut,
    QrCodeShown,
    ReceiptReceived,
)
from messaging.messages import receipts
from messaging.messages.linked.choices import as_choice
from messaging.messages.linked.echoes import receive_echo
from messaging.messages.receive import receive_line_update
from messaging.models import Line

if TYPE_CHECKING:
    from jobs.linked.session import LineSession

HEARTBEAT_SECONDS, SEEN_SECONDS = 1.0, 30.0
CODE_GRACE_SECONDS = 10.0  # after a code expired without a next one, no further event comes
EARLY_RECEIPT_SECONDS, MAX_EARLY_RECEIPTS = 60.0, 500


class EventRecorder:
    """Belongs to one connection."""

    def __init__(self, session: "LineSession") -> None:
        self.session = session
        self.code_until: float | None = None
        self.early: deque[tuple[float, Receipt]] = deque(maxlen=MAX_EARLY_RECEIPTS)

    async def record(self, event: ClientEvent) -> None:
        """Returns after the rows of the event are committed."""
        if isinstance(event, MessageReceived):
            await self.session.apply(
                lambda line, tally: inbound_messages.receive_and_react(
                    line, as_choice(line, event.message), tally
                )
            )
        elif isinstance(event, ReceiptReceived):
            await self.receipt(event.receipt)
        elif isinstance(event, EchoReceived):
            await self.session.apply(lambda line, tally: receive_echo(line, event, tally))
        elif isinstance(event, MessageChanged):
            await self.session.apply(
                lambda line, tally: receive_line_update(line, event.update, tally)
            )
        else:
            await self.record_session_event(event)

    async def record_session_event(self, event: ClientEvent) -> None:
        """An event about the session itself."""
        note: Callable[[], object]
        if isinstance(event, QrCodeShown | PairingCodeShown):
            self.code_until = time.monotonic() + (event.until - now()).total_seconds()
            note = partial(linked_sessions.record_code_shown, self.session.line_id, event)
        elif isinstance(event, DevicePaired):
            # Store the device first: after a crash the line then reconnects without a new code.
            await self.session.in_store(lambda store: store.save(*self.session.key, event.device))
            self.code_until = None
            note = partial(linked_sessions.record_paired, self.session.line_id, event.phone)
        elif isinstance(event, ClientConnected):
            self.session.tries = 0
            self.code_until = None
            note = partial(linked_sessions.record_connected, self.session.line_id)
        elif isinstance(event, DeviceLoggedOut):
            await self.session.in_store(lambda store: store.forget(*self.session.key))
            note = partial(linked_sessions.record_logged_out, self.session.line_id, event.because)
        elif isinstance(event, NumberRestricted):
            note = partial(
                linked_sessions.record_restricted, self.session.line_id, event.because, event.until
            )
        elif isinstance(event, PairingTimedOut):
            note = partial(linked_sessions.record_pairing_timeout, self.session.line_id)
        else:
            self.session.because = getattr(event, "because", "")
            return
        await self.session.tenant(note)
        self.session.over = isinstance(event, DeviceLoggedOut | PairingTimedOut)
        if isinstance(event, ClientConnected):
            self.session.up.set()
        elif isinstance(event, NumberRestricted):
            self.session.up.clear()

    async def receipt(self, receipt: Receipt) -> None:
        """A receipt may arrive before the settling of its own message or before the echo; then it
        is tried again by `run_heartbeat`.
        """
        try:
            await self.session.apply(partial(_receive_receipt, receipt))
        except receipts.ReceiptTooEarly:
            self.early.append((time.monotonic(), receipt))

    async def run_heartbeat(self) -> None:
        seen_at = time.monotonic()
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            moment = time.monotonic()
            for _ in range(len(self.early)):
                came_at, receipt = self.early.popleft()
                try:
                    await self.session.apply(partial(_receive_receipt, receipt))
                except receipts.ReceiptTooEarly:
                    if moment - came_at < EARLY_RECEIPT_SECONDS:
                        self.early.append((came_at, receipt))
            if self.session.up.is_set() and moment - seen_at > SEEN_SECONDS:
                seen_at = moment
                await self.session.tenant(lambda: linked_sessions.record_seen(self.session.line_id))
            if self.code_until is not None and moment > self.code_until + CODE_GRACE_SECONDS:
                self.code_until = None
                await self.session.tenant(
                    lambda: linked_sessions.record_pairing_timeout(self.session.line_id)
                )
                self.session.over = True
                return


def _receive_receipt(receipt: Receipt, line: Line, tally: UsageTally) -> bool:
    return receipts.receive_receipt(line, receipt, tally)
