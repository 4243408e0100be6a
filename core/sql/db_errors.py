"""Tell an outage of the database from an error in the code."""

import traceback

import psycopg2
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

# SQLSTATE classes: connection failure, insufficient resources, operator intervention.
OUTAGE_CLASSES = ("08", "53", "57")


def sqlstate(error: BaseException) -> str:
    """The five-character SQLSTATE of a database error; empty if the database did not answer."""
    return getattr(getattr(error, "orig", error), "pgcode", None) or ""


def traceback_without_message(error: BaseException) -> str:
    """Where the error was raised and its type, for logs and for Redis.

    The text of an error may contain what customers wrote: parameters, the values of a key, an
    address. The lines of code and the SQLSTATE do not.
    """
    parts: list[str] = []
    seen: set[int] = set()
    following: BaseException | None = error
    while following is not None and id(following) not in seen:
        seen.add(id(following))
        state = sqlstate(following)
        kind = f"{type(following).__module__}.{type(following).__qualname__}"
        lines = "".join(traceback.format_tb(following.__traceback__))
        parts.append(f"{lines}{kind}{f' [{state}]' if state else ''}")
        hidden = None if following.__suppress_context__ else following.__context__
        following = following.__cause__ or hidden
    return "\ncaused\n".join(reversed(parts))


def is_database_error(error: BaseException | None) -> bool:
    """True for errors of SQLAlchemy or the driver, and for errors that they caused."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, SQLAlchemyError | psycopg2.Error):
            return True
        error = error.__cause__ or error.__context__
    return False


def is_outage(error: Exception) -> bool:
    """Decided by the type of the error and its SQLSTATE, not by its text."""
    if isinstance(error, OperationalError | PoolTimeout):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or sqlstate(error)[:2] in OUTAGE_CLASSES
    return False


def is_too_slow(error: Exception) -> bool:
    """True if a statement reached its time limit."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "pgcode", None) == "57014"
