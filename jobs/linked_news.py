"""What a linked line's network tells, written down as it comes."""

import asyncio
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from core.clock import now
from jobs import inbound
from messaging import receipts
from messaging.lines import Receipt
from messaging.linked import (
    CodeShown,
    Connected,
    Echoed,
    Event,
    LoggedOut,
    Paired,
    PairingTimedOut,
    QrShown,
    Receipted,
    Received,
    Restricted,
    sessions,
)
from messaging.linked.echoes import receive_echo
from messaging.models import Line
from messaging.usage import Tally

if TYPE_CHECKING:
    from jobs.linked_session import LineSession

PULSE_SECONDS, SEEN_SECONDS = 1.0, 30.0
CODE_LATE_SECONDS = 10.0  # after a code ran out without a next one, nothing comes any more
EARLY_SECONDS, MOST_EARLY = 60.0, 500


class News:
    """Of one connection."""

    def __init__(self, session: "LineSession") -> None:
        self.session = session
        self.code_until: float | None = None
        self.early: deque[tuple[float, Receipt]] = deque(maxlen=MOST_EARLY)

    async def take(self, event: Event) -> None:
        """An event is taken when its rows are written."""
        if isinstance(event, Received):
            await self.session.apply(
                lambda line, tally: inbound.receive(line, event.message, tally)
            )
        elif isinstance(event, Receipted):
            await self.receipt(event.receipt)
        elif isinstance(event, Echoed):
            await self.session.apply(lambda line, tally: receive_echo(line, event, tally))
        else:
            await self.take_word(event)

    async def take_word(self, event: Event) -> None:
        """The network's word on the session itself."""
        note: Callable[[], object]
        if isinstance(event, QrShown | CodeShown):
            self.code_until = time.monotonic() + (event.until - now()).total_seconds()
            note = partial(sessions.shown, self.session.line_id, event)
        elif isinstance(event, Paired):
            # First where it is needed: a crash after this line goes on without a new code.
            await self.session.in_store(lambda store: store.keep(*self.session.key, event.device))
            self.code_until = None
            note = partial(sessions.paired, self.session.line_id, event.phone)
        elif isinstance(event, Connected):
            self.session.tries = 0
            self.code_until = None
            note = partial(sessions.connected, self.session.line_id)
        elif isinstance(event, LoggedOut):
            await self.session.in_store(lambda store: store.forget(*self.session.key))
            note = partial(sessions.logged_out, self.session.line_id, event.because)
        elif isinstance(event, Restricted):
            note = partial(sessions.restricted, self.session.line_id, event.because, event.until)
        elif isinstance(event, PairingTimedOut):
            note = partial(sessions.timed_out, self.session.line_id)
        else:
            self.session.because = getattr(event, "because", "")
            return
        await self.session.tenant(note)
        self.session.over = isinstance(event, LoggedOut | PairingTimedOut)
        if isinstance(event, Connected):
            self.session.up.set()
        elif isinstance(event, Restricted):
            self.session.up.clear()

    async def receipt(self, receipt: Receipt) -> None:
        """A receipt may be faster than our own note of the sending, or the echo."""
        try:
            await self.session.apply(partial(_receive, receipt))
        except receipts.TooEarly:
            self.early.append((time.monotonic(), receipt))

    async def pulse(self) -> None:
        seen_at = time.monotonic()
        while True:
            await asyncio.sleep(PULSE_SECONDS)
            moment = time.monotonic()
            for _ in range(len(self.early)):
                came_at, receipt = self.early.popleft()
                try:
                    await self.session.apply(partial(_receive, receipt))
                except receipts.TooEarly:
                    if moment - came_at < EARLY_SECONDS:
                        self.early.append((came_at, receipt))
            if self.session.up.is_set() and moment - seen_at > SEEN_SECONDS:
                seen_at = moment
                await self.session.tenant(lambda: sessions.seen(self.session.line_id))
            if self.code_until is not None and moment > self.code_until + CODE_LATE_SECONDS:
                self.code_until = None
                await self.session.tenant(lambda: sessions.timed_out(self.session.line_id))
                self.session.over = True
                return


def _receive(receipt: Receipt, line: Line, tally: Tally) -> bool:
    return receipts.receive_receipt(line, receipt, tally)
