"""A database that was given is used as its owner; the app gets a role that owns nothing."""

from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from deploy.local.errors import CannotRun
from deploy.local.servers.databases import (
    make_linked_store,
    make_roles_and_database,
    plain,
    prepare_external,
    with_driver,
    with_login,
)
from deploy.local.servers.test_services import Services, start_test_services

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def own_services() -> Iterator[Services]:
    """Its own server, because roles are global to a server."""
    services = start_test_services(ROOT / ".data" / "test")
    yield services
    services.stop()


def ask(url: str, statement: str) -> list[tuple[object, ...]]:
    connection = psycopg2.connect(plain(url))
    connection.autocommit = True
    try:
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []
    finally:
        connection.close()


@pytest.fixture
def server(own_services) -> Iterator[str]:
    yield own_services.admin_url
    for statement in (
        "DROP DATABASE IF EXISTS comanda WITH (FORCE)",
        "DROP DATABASE IF EXISTS comanda_linked WITH (FORCE)",
        "DROP ROLE IF EXISTS comanda_app, comanda_owner, comanda_hosts, creator, plain_user",
    ):
        ask(own_services.admin_url, statement)


def test_our_own_server_gets_two_roles_and_a_database(server):
    for password in ("first", "second"):
        make_roles_and_database(
            psycopg2.connect(plain(server)), owner_password=password, app_password=password
        )
    database = server.rpartition("/")[0] + "/comanda"
    app = with_login(database, "comanda_app", "second")
    rights = "rolsuper, rolbypassrls, rolcreatedb, rolcreaterole"
    assert ask(app, f"SELECT {rights} FROM pg_roles WHERE rolname = current_user") == [
        (False, False, False, False)
    ]
    owner = with_login(database, "comanda_owner", "second")
    ask(owner, "CREATE TABLE of_the_owner (id int)")
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        ask(app, "SELECT * FROM of_the_owner")
    with pytest.raises(psycopg2.errors.InsufficientPrivilege):
        ask(app, "CREATE TABLE of_the_app (id int)")


def test_a_given_server_gets_the_app_role_and_two_checkouts_agree(server):
    ask(server, "CREATE ROLE creator LOGIN CREATEROLE PASSWORD 'p@ss/word'")
    given = plain(with_login(server, "creator", "p@ss/word"))
    app, owner = prepare_external(given, "of one checkout")
    assert ask(app, "SELECT current_user::text") == [("comanda_app",)]
    assert ask(owner, "SELECT current_user::text") == [("creator",)]
    assert prepare_external(given, "of another checkout") == (app, owner)


def test_missing_rights_are_one_sentence(server):
    ask(server, "CREATE ROLE plain_user LOGIN PASSWORD 'x'")
    with pytest.raises(CannotRun, match="give it CREATEROLE"):
        prepare_external(with_login(server, "plain_user", "x"), "y")


def test_an_app_role_that_sees_everything_is_refused(server):
    ask(server, "CREATE ROLE comanda_app LOGIN BYPASSRLS PASSWORD 'x'")
    with pytest.raises(CannotRun, match="row-level security"):
        prepare_external(server, "y")


@pytest.mark.parametrize("url", ["mysql://u@h/d", "postgresql:", "comanda", ""])
def test_what_is_no_postgresql_address_is_refused(url):
    with pytest.raises(CannotRun, match="must look like"):
        with_driver(url)


def test_a_login_is_put_into_an_address_without_losing_the_rest():
    url = with_driver("postgres://old:pw@db.example.org:6432/name?sslmode=require")
    assert with_login(url, "new", "a/b@c") == (
        "postgresql+psycopg2://new:a%2Fb%40c@db.example.org:6432/name?sslmode=require"
    )


def test_nobody_but_a_host_opens_the_sessions_of_linked_phones(server):
    make_roles_and_database(
        psycopg2.connect(plain(server)), owner_password="owner", app_password="app"
    )
    for password in ("first", "second"):
        make_linked_store(psycopg2.connect(plain(server)), password)
    store = server.rpartition("/")[0] + "/comanda_linked"
    host = with_login(store, "comanda_hosts", "second")
    assert ask(host, "CREATE TABLE made (id integer)") == []
    for role, password in (("comanda_app", "app"), ("comanda_owner", "owner")):
        with pytest.raises(psycopg2.OperationalError, match="permission denied"):
            ask(with_login(store, role, password), "SELECT 1")
