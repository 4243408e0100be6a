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

T = TypeVar("T")

_all: "WeakSet[BatchingThread[object]]" = WeakSet()


class BatchingThread(Generic[T]):
    """``BatchingThread("wake-ups", 0.005, send_all).add([one])``

    Nothing is lost when the process ends: Python waits for the thread, and what is added later is
    passed on at once. A forked process begins with nothing and starts a thread of its own.
    """

    _thread: ThreadPoolExecutor | None

    def __init__(self, name: str, seconds: float, send: Callable[[list[T]], None]) -> None:
        """`send` is called `seconds` after the first item was added."""
        self._name, self._seconds, self._send = name, seconds, send
        self._begin()
        _all.add(self)  # type: ignore[arg-type]

    def add(self, items: Iterable[T]) -> None:
        with self._lock:
            first = not self._waiting
            self._waiting.extend(items)
            if not first or not self._waiting:
                return
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, self._name)
        try:
            self._thread.submit(self._send_waiting)
        except RuntimeError:  # the thread was stopped, or the process is ending
            self._send_waiting()

    def stop(self) -> None:
        """Return when everything that was added has been passed on."""
        if self._thread is not None:
            self._thread.shutdown()

    def _begin(self) -> None:
        self._lock = Lock()
        self._waiting: list[T] = []
        self._thread = None

    def _send_waiting(self) -> None:
        time.sleep(self._seconds)
        with self._lock:
            items, self._waiting = self._waiting, []
        try:
            self._send(items)
        except Exception:
            log.exception("batch failed", thread=self._name)


def _begin_all() -> None:
    for one in list(_all):
        one._begin()  # noqa: SLF001


os.register_at_fork(after_in_child=_begin_all)
