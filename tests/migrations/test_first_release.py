"""A database of the first release with data is upgraded, and the service works on it.

`first_release.json` has the rows of a business with a row in almost every table, as the code at
migration 0064 wrote them, encrypted with the key below. It is never changed.
"""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from flask import Flask
from psycopg2 import sql

from core.db import db, tenant_scope
from core.sql import partitions
from messaging.models import Message
from tests.conftest import ROOT, _settings
from tests.databases import OWNER_ROLE, admin_connection, database_url
from tests.factories import PASSWORD, Browser, FreshClient
from tests.running_service import configured_for
from webhooks.models import Endpoint

FIRST, MADE_AT = "0064", datetime(2026, 11, 15, tzinfo=UTC)
KEYS = "k1:Y29tYW5kYSBmaXJzdCByZWxlYXNlIHRlc3Qga2V5ISE="
STORED = json.loads(Path(__file__).with_name("first_release.json").read_text())
FACTS, TABLES = STORED["facts"], STORED["tables"]
NAME = "comanda_first_release"
PAGES = (
    "/home", "/inbox", "/messages", "/contacts", "/campaigns", "/templates", "/automations",
    "/lines", "/orders", "/reports", "/webhooks", "/settings",
)  # fmt: skip
WITHOUT_DEFAULT = """
SELECT c.table_name, c.column_name FROM information_schema.columns AS c
 WHERE c.table_schema = 'public' AND c.is_nullable = 'NO' AND c.column_default IS NULL
   AND c.is_identity = 'NO' AND c.is_generated = 'NEVER'
"""
COLUMNS = """
SELECT table_name, column_name, data_type FROM information_schema.columns
 WHERE table_schema = 'public'
"""
CHECKS = """
SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint
 WHERE contype IN ('c', 'f', 'u') AND connamespace = 'public'::regnamespace
"""
VALUE = re.compile(r"'(\w+)'::text")
WIDENED = {
    "payment_links": "a table's tab can be paid with a link",
    "campaign_recipients": "contacts in the holdout group of a campaign get no message",
    "conversation_notes": "the team inbox records further kinds of changes",
}
FUNCTIONS = """
SELECT proname, pg_get_function_identity_arguments(oid), pg_get_function_result(oid) FROM pg_proc
 WHERE pronamespace::regnamespace::text IN ('public', 'app')
"""


@pytest.fixture(scope="module")
def schemas() -> dict[str, dict[str, set[tuple[str, ...]]]]:
    """What the catalog said before and after the upgrade."""
    return {}


@pytest.fixture(scope="module")
def app(worker_number: int, schemas) -> Iterator[Flask]:
    from wsgi import build_app

    name = f"{NAME}_{worker_number}"
    with closing(admin_connection()) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        cursor.execute(f"CREATE DATABASE {name} OWNER {OWNER_ROLE}")
    owner = database_url(OWNER_ROLE, name)
    settings = _settings(name, worker_number, owner).model_copy(update={"encryption_keys": KEYS})
    with configured_for(settings):
        made = build_app(settings)
        made.test_client_class = FreshClient
        config = Config()
        config.set_main_option("script_location", str(ROOT / "migrations"))
        with made.app_context():
            command.upgrade(config, FIRST)
            load(name)
            schemas["before"] = catalog(name)
            command.upgrade(config, "head")
            schemas["after"] = catalog(name)
        yield made
    with closing(admin_connection()) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(autouse=True)
def _buckets_are_full() -> None:
    """This database has no lanes to empty."""


def load(database: str) -> None:
    """As a superuser, without checking foreign keys row by row."""
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        for table in partitions.TABLES:
            for month in partitions.months(MADE_AT, 2):
                cursor.execute(partitions.create_statements(table, month))
        cursor.execute("SET session_replication_role = replica")
        for table, rows in TABLES.items():
            columns = sql.SQL(", ").join(map(sql.Identifier, rows[0]))
            cursor.execute(
                sql.SQL(
                    "INSERT INTO {0} ({1}) OVERRIDING SYSTEM VALUE"
                    " SELECT {1} FROM json_populate_recordset(NULL::{0}, %s)"
                ).format(sql.Identifier(table), columns),
                [json.dumps(rows)],
            )


def catalog(database: str) -> dict[str, set[tuple[str, ...]]]:
    found = {}
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        for name, query in (
            ("required", WITHOUT_DEFAULT),
            ("columns", COLUMNS),
            ("checks", CHECKS),
            ("functions", FUNCTIONS),
        ):
            cursor.execute(query)
            found[name] = set(cursor.fetchall())
    return found


def test_the_release_before_can_write_to_the_new_schema(app, schemas):
    """Old processes run until they are replaced: they do not fill in the new columns."""
    before, after = schemas["before"], schemas["after"]
    old_tables = {table for table, _, _ in before["columns"]}
    required = {one for one in after["required"] - before["required"] if one[0] in old_tables}
    assert not required, "a new column without a default breaks the inserts of the release before"
    assert not before["columns"] - after["columns"], "a column was renamed, changed or dropped"
    assert not before["functions"] - after["functions"], "a function was changed or dropped"


def test_new_constraints_allow_what_the_release_before_writes(app, schemas):
    """A check may become wider: it allows the values that it allowed before, and further ones."""
    before, after = schemas["before"], schemas["after"]
    old_tables = {table for table, _, _ in before["columns"]}
    new = {one for one in after["checks"] - before["checks"] if one[0] in old_tables}
    allowed = {
        (table, frozenset(VALUE.findall(text)))
        for table, text in before["checks"] - after["checks"]
    }
    for table, text in new:
        values = set(VALUE.findall(text))
        assert any(one == table and old and old < values for one, old in allowed), (table, text)
    assert {table for table, _ in new} == set(WIDENED), new


def test_every_row_is_still_there(app):
    database = app.extensions["comanda"].database_url.rpartition("/")[2]
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        for table, rows in TABLES.items():
            cursor.execute(f"SELECT row_to_json(t) FROM {table} AS t")
            stored = [{name: row[name] for name in rows[0]} for (row,) in cursor.fetchall()]
            assert sorted(map(as_text, stored)) == sorted(map(as_text, rows)), table


def as_text(row: dict[str, object]) -> str:
    return json.dumps(row, sort_keys=True)


def test_secrets_are_still_readable(app):
    with app.app_context(), tenant_scope(FACTS["tenant_id"]):
        found = db.session.get_one(Endpoint, (FACTS["tenant_id"], FACTS["endpoint_id"]))
        assert found.secret.startswith("whsec_")


def test_people_sign_in_and_see_their_pages(app):
    browser = Browser(app.test_client())
    fields = {"email": FACTS["email"], "password": PASSWORD}
    assert browser.post("/signin", **fields).status_code == 302
    for page in PAGES:
        answer = browser.get(page)
        assert answer.status_code in (200, 302), (page, answer.status_code)
    assert FACTS["tenant"] in browser.get("/home").get_data(as_text=True)


def test_keys_read_old_messages_and_send_new_ones(app):
    client = app.test_client()
    bearer = {"Authorization": f"Bearer {FACTS['key']}"}
    old = client.get(f"/api/v1/messages/{FACTS['message_id']}", headers=bearer)
    assert old.status_code == 200, old.json
    for path in ("messages", "contacts", "conversations", "orders", "campaigns", "events"):
        answer = client.get(f"/api/v1/{path}", headers=bearer)
        assert answer.status_code == 200, (path, answer.json)
    body = {"phone": "905321112233", "message": "Hello again"}
    answer = client.post(
        "/api/v1/messages/send", json=body, headers={**bearer, "Prefer": "respond-async"}
    )
    assert answer.status_code == 202, answer.json
    with app.app_context(), tenant_scope(FACTS["tenant_id"]):
        message = db.session.get_one(Message, (FACTS["tenant_id"], answer.json["id"]))
        assert message.state == "queued"


def test_nightly_work_understands_old_rows(app):
    from jobs import maintenance
    from jobs.tenants import retention

    with app.app_context():
        maintenance.sweep()
        maintenance.delete_expired()
        retention.delete_expired_data()
