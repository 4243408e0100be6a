"""Checks a pooled connection before it is used again, unless it was in use a moment ago.

A request opens several short transactions one after the other. Checking the connection before each
of them would add one round trip to each.
"""

import time
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.exc import InvalidatePoolError

CHECK_AFTER_SECONDS = 1.0


def check_idle_connections(engine: Engine) -> None:
    """Replace connections that PostgreSQL has closed while they were idle in the pool."""
    dialect = engine.dialect

    def used(_connection: Any, record: Any) -> None:
        record.info["used_at"] = time.monotonic()

    def check(connection: Any, record: Any, _fairy: Any) -> None:
        if time.monotonic() - record.info["used_at"] < CHECK_AFTER_SECONDS:
            return
        try:
            dialect.do_ping(connection)
        except dialect.loaded_dbapi.Error as error:
            # The pool also replaces its other connections, and tries again.
            raise InvalidatePoolError from error

    event.listen(engine, "connect", used)
    event.listen(engine, "checkin", used)
    event.listen(engine, "checkout", check)
