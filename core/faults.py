"""Telling an outage of the database from a fault of ours."""

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# Classes of SQLSTATE: no connection, no resources, shut down by an operator.
AWAY = ("08", "53", "57")


def is_outage(error: Exception) -> bool:
    """Told apart by the kind of error and its SQLSTATE, not by its words."""
    if isinstance(error, OperationalError | PoolTimeout):
        return True
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "pgcode", None) or ""
        return error.connection_invalidated or state[:2] in AWAY
    return False


def is_too_slow(error: Exception) -> bool:
    """A statement reached its time limit."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "pgcode", None) == "57014"
