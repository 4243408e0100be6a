"""Gather what is added within a few milliseconds, and pass it on together in one thread."""

import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar
from weakref import WeakSet

from core.logs import logger

log = logger(__name__)

LONGEST_PAUSE = 4  # times the first one

T = TypeVar("T")

_all: "WeakSet[BatchingThread[object]]" = WeakSet()


class BatchingThread(Generic[T]):
    """``BatchingThread("wake-ups", 0.005, send_all).add([one])``

    While more arrives, the pauses become longer, so that a busy process passes on more at once.
    Nothing is lost when the process ends: Python waits for the thread, and what is added later is
    passed on at once. A forked process begins with nothing and starts a thread of its own.
    """

    _thread: ThreadPoolExecutor | None
    _running: bool

    def __init__(self, name: str, seconds: float, send: Callable[[list[T]], None]) -> None:
        """`send` is called `seconds` after the first item was added."""
        self._name, self._seconds, self._send = name, seconds, send
        self._begin()
        _all.add(self)  # type: ignore[arg-type]

    def add(self, items: Iterable[T]) -> None:
        with self._lock:
            self._waiting.extend(items)
            if self._running or not self._waiting:
                return
            self._running = True
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, self._name)
        try:
            self._thread.submit(self._run)
        except RuntimeError:  # the thread was stopped, or the process is ending
            self._run()

    def stop(self) -> None:
        """Return when everything that was added has been passed on."""
        if self._thread is not None:
            self._thread.shutdown()

    def _begin(self) -> None:
        self._lock = Lock()
        self._waiting: list[T] = []
        self._running = False
        self._thread = None

    def _run(self) -> None:
        pause = self._seconds
        while True:
            time.sleep(pause)
            with self._lock:
                items, self._waiting = self._waiting, []
                self._running = bool(items)
            if not items:
                return
            try:
                self._send(items)
            except Exception:
                log.exception("gathered work failed", thread=self._name)
            pause = min(pause * 2, self._seconds * LONGEST_PAUSE)


def _begin_all() -> None:
    for one in list(_all):
        one._begin()  # noqa: SLF001


os.register_at_fork(after_in_child=_begin_all)
