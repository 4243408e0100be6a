"""Every process uses the database's time, so that all hosts agree on the order of events.

The database's time is read when a connection is taken from the pool, at most once a minute. A host
whose clock is off is corrected (`core.clock.set_correction`) and reports it in the log and in
`/readyz`: times that other systems check, such as those in signatures, still depend on the host's
own clock.
"""

import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Engine, event

from core import clock
from core.logs import logger

log = logger(__name__)

CHECK_EVERY_SECONDS = 60.0
TOLERATED_OFFSET = timedelta(seconds=3)
SMALLEST = timedelta(milliseconds=50)  # a smaller difference may come from the network
SLOWEST = timedelta(seconds=1)  # a slower answer is too imprecise


@dataclass(frozen=True)
class ClockMeasurement:
    offset: timedelta
    """The database's time minus the host's."""
    at: datetime


class _Watch:
    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.ask_at = 0.0
        self.last: ClockMeasurement | None = None
        self.warned = False


_watch = _Watch()


def watch(engine: Engine) -> None:
    event.listen(engine, "checkout", _checked_out)


def offset_seconds() -> float | None:
    """How far the host's clock is behind the database's; None before the first measurement."""
    return None if _watch.last is None else _watch.last.offset.total_seconds()


def clock_problem() -> str:
    """Empty when the host's clock is right, else a sentence for health checks."""
    offset = offset_seconds()
    if offset is None or abs(offset) <= TOLERATED_OFFSET.total_seconds():
        return ""
    side = "behind" if offset > 0 else "ahead of"
    return f"the host's clock is {abs(offset):.1f} s {side} the database's"


def measure(connection: Any) -> None:
    """Measure on an idle DBAPI connection and leave it without a transaction."""
    before = clock.host_now()
    began = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (theirs,) = cursor.fetchone()
    elapsed = timedelta(seconds=time.monotonic() - began)
    connection.rollback()
    if elapsed <= SLOWEST:
        _record_measurement(theirs - (before + elapsed / 2), elapsed)


def _record_measurement(offset: timedelta, elapsed: timedelta) -> None:
    known = abs(offset) > max(SMALLEST, elapsed)
    clock.set_correction(offset if known else timedelta(0))
    _watch.last = ClockMeasurement(offset, clock.host_now())
    off = abs(offset) > TOLERATED_OFFSET
    if off and not _watch.warned:
        log.warning("host clock differs from database", seconds=round(offset.total_seconds(), 3))
    elif _watch.warned and not off:
        log.info("host clock agrees with database", seconds=round(offset.total_seconds(), 3))
    _watch.warned = off


def _checked_out(connection: Any, _record: Any, _proxy: Any) -> None:
    if time.monotonic() < _watch.ask_at:
        return
    if not _watch.lock.acquire(blocking=False):
        return
    try:
        _watch.ask_at = time.monotonic() + CHECK_EVERY_SECONDS
        measure(connection)
    finally:
        _watch.lock.release()
