"""Gather what the threads of a process pass on, so that one thread passes it on together."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from core.logs import logger

log = logger(__name__)

LONGEST_PAUSE = 4  # times the first one

T = TypeVar("T")


class Gatherer(Generic[T]):
    """Passes things on a short time after the first of them, and while more arrive after longer
    pauses: a busy process then has more to pass on at once.
    """

    def __init__(self, name: str, seconds: float, pass_on: Callable[[list[T]], None]) -> None:
        self.seconds = seconds
        self._name = name
        self._pass_on = pass_on
        self.forget()

    def forget(self) -> None:
        """For a forked process, which has none of its parent's threads."""
        self._lock = threading.Lock()
        self._waiting: list[T] = []
        self._running = False
        self._thread: ThreadPoolExecutor | None = None

    def add(self, thing: T) -> None:
        with self._lock:
            self._waiting.append(thing)
            if self._running:
                return
            self._running = True
            if self._thread is None:
                # Python waits for the threads of an executor before the process ends.
                self._thread = ThreadPoolExecutor(1, self._name)
        try:
            self._thread.submit(self._run)
        except RuntimeError:  # the process is ending
            self._run()

    def stop(self) -> None:
        """Return when everything has been passed on."""
        if self._thread is not None:
            self._thread.shutdown()

    def _run(self) -> None:
        pause = self.seconds
        while True:
            time.sleep(pause)
            with self._lock:
                things, self._waiting = self._waiting, []
                self._running = bool(things)
            if not things:
                return
            try:
                self._pass_on(things)
            except Exception:
                log.exception("gathered work failed", thread=self._name)
            pause = min(pause * 2, self.seconds * LONGEST_PAUSE)
