"""Telling an outage of the database from a fault of ours."""

from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# Classes of SQLSTATE: no connection, no resources, shut down by an operator.
AWAY = ("08", "53", "57")


def sqlstate(error: BaseException) -> str:
    """The five characters that tell what the database refused; empty if it did not answer."""
    return getattr(getattr(error, "orig", error), "pgcode", None) or ""


def is_outage(error: Exception) -> bool:
    """Told apart by the kind of error and its SQLSTATE, not by its words."""
    if isinstance(error, OperationalError | PoolTimeout):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or sqlstate(error)[:2] in AWAY
    return False
