"""Transactions of other connections, for tests of races."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from typing import Any

from core.db import db
from tests.timeouts import allow_for_load


@contextmanager
def open_transaction(app: Any, business: Any, work: Callable[[], Any]) -> Iterator[None]:
    """Another connection has done `work` and commits at the end of the block."""
    done, commit = Event(), Event()

    def run() -> None:
        with app.app_context(), business.scope():
            try:
                work()
                db.session.flush()
            finally:
                done.set()
            commit.wait(allow_for_load(20))

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        assert done.wait(allow_for_load(20))
        try:
            yield
        finally:
            commit.set()
        running.result()


def in_context(app: Any, work: Callable[..., Any], *args: Any) -> Any:
    """For another thread, which then has connections of its own."""
    with app.app_context():
        return work(*args)
