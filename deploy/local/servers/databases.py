"""Roles and databases: an owner that runs migrations, and an app role that owns nothing."""

import contextlib
import hashlib
import hmac
from collections.abc import Iterator
from urllib.parse import quote, unquote, urlsplit, urlunsplit

import psycopg2
import psycopg2.errors
from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812 - a class of theirs
from psycopg2.extensions import cursor as Cursor  # noqa: N812

from deploy.local.errors import CannotRun

OWNER, APP, DATABASE = "comanda_owner", "comanda_app", "comanda"
LINKED_HOST_ROLE, LINKED_STORE = "comanda_hosts", "comanda_linked"
DRIVER = "postgresql+psycopg2"


@contextlib.contextmanager
def autocommit_cursor(connection: Connection) -> Iterator[Cursor]:
    """A cursor outside a transaction, as CREATE DATABASE requires."""
    try:
        connection.autocommit = True
        with connection.cursor() as cursor:
            yield cursor
    finally:
        connection.close()


def make_roles_and_database(
    connection: Connection, *, owner_password: str, app_password: str, database: str = DATABASE
) -> None:
    """For our own server. Existing roles only get their passwords set."""
    with autocommit_cursor(connection) as cursor:
        _login_role(cursor, OWNER, owner_password)
        _login_role(cursor, APP, app_password)
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (database,))
        if cursor.fetchone() is None:
            cursor.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(
                    sql.Identifier(database), sql.Identifier(OWNER)
                )
            )


def make_linked_store(connection: Connection, password: str, database: str = LINKED_STORE) -> None:
    """The database of the linked hosts, which no other role can connect to."""
    with autocommit_cursor(connection) as cursor:
        _login_role(cursor, LINKED_HOST_ROLE, password)
        cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", (database,))
        if cursor.fetchone() is None:
            named, owner = sql.Identifier(database), sql.Identifier(LINKED_HOST_ROLE)
            cursor.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(named, owner))
            cursor.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(named))


def _login_role(cursor: Cursor, role: str, password: str) -> None:
    cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = %s", (role,))
    found = cursor.fetchone()
    if found and found[0]:
        raise CannotRun(f"The role {role} may pass row-level security; take that right from it.")
    verb = sql.SQL("ALTER" if found else "CREATE")
    cursor.execute(
        sql.SQL("{} ROLE {} LOGIN PASSWORD {}").format(
            verb, sql.Identifier(role), sql.Literal(password)
        )
    )


def prepare_external(database_url: str, app_password: str) -> tuple[str, str]:
    """Use an existing database as its owner. Returns the URLs of the app role and of the owner.

    If the owner has a password, the app's password is derived from it, so that two checkouts that
    share a server do not lock each other out.
    """
    owner_url = with_driver(database_url)
    owner_password = unquote(urlsplit(owner_url).password or "")
    if owner_password:
        app_password = hmac.digest(owner_password.encode(), APP.encode(), hashlib.sha256).hex()
    try:
        connection = psycopg2.connect(plain(owner_url), connect_timeout=5)
    except psycopg2.OperationalError as error:
        reason = str(error).strip().splitlines()[0]
        raise CannotRun(f"DATABASE_URL does not answer: {reason}") from None
    try:
        with autocommit_cursor(connection) as cursor:
            _login_role(cursor, APP, app_password)
    except psycopg2.errors.InsufficientPrivilege:
        raise CannotRun(
            f"The user of DATABASE_URL may not create the role {APP}: give it CREATEROLE, or make "
            "the role yourself and set DATABASE_URL to it and MIGRATION_DATABASE_URL to the owner."
        ) from None
    return with_login(owner_url, APP, app_password), owner_url


def with_driver(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if scheme not in ("postgres", "postgresql", DRIVER) or not rest:
        raise CannotRun("DATABASE_URL must look like postgresql://user:password@host:5432/name.")
    return f"{DRIVER}://{rest}"


def plain(url: str) -> str:
    return "postgresql://" + url.partition("://")[2]


def with_login(url: str, user: str, password: str) -> str:
    parts = urlsplit(url)
    address = parts.netloc.rpartition("@")[2]
    login = f"{quote(user, safe='')}:{quote(password, safe='')}@{address}"
    return urlunsplit(parts._replace(netloc=login))
