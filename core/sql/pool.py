"""Connections for frequent SQL calls: the tenant and the statements in one string, sent in one
round trip.

The server runs a string of several statements as one transaction. These connections are separate
from SQLAlchemy's and run nothing else.
"""

from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import psycopg2
import psycopg2.extensions
from flask import current_app
from sqlalchemy.exc import OperationalError

from core.db import db
from core.http.kept_connections import is_closed_by_peer
from core.sql.connect_options import OPTIONS_OF_CALLS, address_for_calls, connect_options

SET_TENANT = "SELECT app.set_tenant(%(tenant_id)s); "
WAIT_SECONDS = 5.0


def connect(url: str, **more: Any) -> psycopg2.extensions.connection:
    """Connect to the service's database as its role."""
    made: psycopg2.extensions.connection = psycopg2.connect(
        address_for_calls(url), **connect_options(OPTIONS_OF_CALLS), **more
    )
    return made


class Pool:
    """Connections that are opened when first needed and kept as long as the process runs."""

    def __init__(self, url: str, size: int) -> None:
        self._url = url
        self._room: SimpleQueue[None] = SimpleQueue()  # as a semaphore, but without Python code
        for _ in range(size):
            self._room.put(None)
        self._free: list[psycopg2.extensions.connection] = []

    def run(self, sql: str, params: Mapping[str, object]) -> list[tuple[Any, ...]]:
        try:
            self._room.get(timeout=WAIT_SECONDS)
        except Empty:
            raise psycopg2.OperationalError("no connection was free in time") from None
        try:
            connection = self._get()
            try:
                with connection.cursor() as cursor:
                    cursor.execute(sql, params)
                    return cursor.fetchall() if cursor.description else []
            finally:
                if not connection.closed:
                    self._free.append(connection)
        finally:
            self._room.put(None)

    def _get(self) -> psycopg2.extensions.connection:
        while self._free:
            try:
                connection = self._free.pop()
            except IndexError:  # another thread has taken it
                break
            if not is_closed_by_server(connection):
                return connection
            with suppress(psycopg2.Error):
                connection.close()
        connection = connect(self._url)
        connection.autocommit = True
        return connection


def is_closed_by_server(connection: psycopg2.extensions.connection) -> bool:
    """True if the server has closed the connection, on which no query is running."""
    return bool(connection.closed) or is_closed_by_peer(connection.fileno())


def run_as_tenant(tenant_id: int, sql: str, params: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """Run and commit, outside any open scope. Returns the rows of the last statement."""
    return run_global(SET_TENANT + sql, {**params, "tenant_id": tenant_id})


def run_global(sql: str, params: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """The same on the global tables, without a tenant."""
    try:
        return _pool().run(sql, params)
    except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
        # The same type as from SQLAlchemy, so that the entry points recognize an outage.
        raise OperationalError(None, None, error) from error


def _pool() -> Pool:
    """One pool for each app, because tests have several apps."""
    known: dict[str, Any] = current_app.extensions
    pool: Pool | None = known.get("hot")
    if pool is None:
        settings = known["comanda"]
        pool = known.setdefault("hot", Pool(settings.database_url, db.engine.pool.size()))  # type: ignore[attr-defined]
    return pool
