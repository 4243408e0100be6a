"""Hot paths: the tenant and the statements in one string, one round trip, one transaction.

The server runs a string of several statements as one transaction: all of it or nothing.
"""

from collections.abc import Mapping
from typing import Any

import psycopg2
from sqlalchemy.exc import OperationalError

from core.db import db

SET_TENANT = "SELECT app.set_tenant(%(tenant_id)s); "


def run_as_tenant(tenant_id: int, sql: str, params: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """Run and commit, outside any open scope. Returns the rows of the last statement."""
    try:
        pooled = db.engine.raw_connection()
        connection = pooled.driver_connection
        if connection is None:
            raise psycopg2.InterfaceError("the pool gave no connection")
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(SET_TENANT + sql, {**params, "tenant_id": tenant_id})
                return cursor.fetchall() if cursor.description else []
        finally:
            if connection.closed:
                pooled.invalidate()
            else:
                connection.autocommit = False
            pooled.close()
    except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
        # As SQLAlchemy says it, so that the doors know an outage when they see one.
        raise OperationalError(None, None, error) from error
