"""What the service sets when it opens a connection to PostgreSQL.

A pooler in transaction mode (DATABASE_POOLER) gives the server's connection to another client after
each transaction, so it has to set these options itself. It has a second entry, with another name,
for the connections that call SQL functions: `deploy/pgbouncer/pgbouncer.ini`.
"""

from typing import Any

from sqlalchemy.engine import make_url

OPTIONS = {
    "timezone": "utc",
    "statement_timeout": "30000",
    "idle_in_transaction_session_timeout": "60000",
}
# The SQL functions keep their plans. A plan that was made while a table was empty must not cause a
# sequential scan later.
OPTIONS_OF_CALLS = OPTIONS | {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
}
CALLS_SUFFIX = "_calls"

_pooler = False


def use_pooler(pooler: bool) -> None:
    global _pooler
    _pooler = pooler


def connect_options(options: dict[str, str] = OPTIONS) -> dict[str, Any]:
    """The arguments of `psycopg2.connect` besides the address."""
    chosen: dict[str, Any] = {"connect_timeout": 5, "application_name": "comanda"}
    if not _pooler:
        chosen["options"] = " ".join(f"-c {name}={value}" for name, value in options.items())
    return chosen


def address_for_calls(url: str) -> str:
    """The address at which SQL functions are called, in the form that psycopg2 takes."""
    address = make_url(url).set(drivername="postgresql")
    if _pooler:
        address = address.set(database=f"{address.database}{CALLS_SUFFIX}")
    return address.render_as_string(hide_password=False)
