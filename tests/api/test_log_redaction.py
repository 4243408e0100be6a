"""Logs of many different requests contain no phone number, key, password or link."""

import asyncio
import logging

import psycopg2
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from core.db import db, global_scope, tenant_scope
from core.logs import logger
from core.mail import recent_emails
from core.sql import pool as sql_pool
from core.sql.async_pool import AsyncPool
from tests.factories import PASSWORD, Browser, unique_email

PHONE = "905321112233"


def test_nothing_private_is_logged(logged, tried_app, restaurant, run_jobs):
    client, browser = tried_app.test_client(), Browser(tried_app.test_client())
    bearer = {**restaurant.bearer, "Idempotency-Key": PHONE}
    order = {"what": f"call {PHONE}", "phone": PHONE}
    client.get("/api/v1/me", headers=restaurant.bearer)
    client.get(f"/api/v1/me?phone={PHONE}&key={restaurant.key}", headers=restaurant.bearer)
    client.post("/api/v1/tried/orders", json=order, headers=bearer)
    client.post("/api/v1/tried/orders", json={**order, "then": "crash"}, headers=restaurant.bearer)
    client.get("/api/v1/tried/crash", headers=restaurant.bearer)
    client.get(f"/api/v1/messages/{PHONE}", headers=restaurant.bearer)
    email = unique_email()
    browser.post("/signup", business="Pide", name="Ada", email=email, password="a private password")
    browser.post("/signin", email=restaurant.owner.email, password="a wrong private password")
    browser.signs_in(restaurant.owner)
    browser.post("/reset", email=restaurant.owner.email)
    run_jobs()
    with global_scope():
        bodies = " ".join(letter.body for letter in recent_emails(None, 4))
    text = logged()
    assert text.count("answered") >= 8
    assert "request failed" in text
    for secret in (restaurant.key, restaurant.key[12:], "private password", PASSWORD, PHONE[3:]):
        assert secret not in text, secret
    links = [word.rpartition("/")[2] for word in bodies.split() if "http" in word]
    tokens = [token for token in links if len(token) > 20]
    assert tokens
    assert not [token for token in tokens if token in text]


SAID = "SECRETWORD my child is allergic to nuts"
FAILS = "SELECT CAST(%(said)s AS integer)"
TWICE = """
INSERT INTO lookups (kind, key, tenant_id, target) VALUES ('quiet', :said, 1, ''),
                                                          ('quiet', :said, 1, '')
"""


def through_sqlalchemy(_app, tenant_id):
    with tenant_scope(tenant_id):
        db.session.execute(text("SELECT CAST(:said AS integer)"), {"said": SAID})


def through_a_key(_app, _tenant_id):
    with global_scope():
        db.session.execute(text(TWICE), {"said": SAID})


def through_the_sync_pool(_app, tenant_id):
    sql_pool.run_as_tenant(tenant_id, FAILS, {"said": SAID})


def through_the_async_pool(app, _tenant_id):
    async def run():
        async with AsyncPool(app.extensions["comanda"].database_url, 1) as pool:
            await pool.run(FAILS, {"said": SAID})

    asyncio.run(run())


@pytest.mark.allows_any_sql
@pytest.mark.parametrize(
    "way", [through_sqlalchemy, through_a_key, through_the_sync_pool, through_the_async_pool]
)
def test_a_statement_that_fails_leaves_no_customer_text(logged, app, restaurant, way):
    """Not in the service's logs, however the error is logged, and not in PostgreSQL's."""
    with app.app_context():
        try:
            way(app, restaurant.tenant_id)
        except (DBAPIError, psycopg2.Error) as error:
            logger("test").exception("failed by exception")
            logger("test").error("failed by name", exc_info=error)
            logging.getLogger("some.library").exception("failed elsewhere")
        else:
            pytest.fail("the statement did not fail")
    text = logged()
    assert "22P02" in text or "23505" in text
    assert "SECRETWORD" not in text
    assert "allergic" not in text


def test_postgresql_logs_no_statement_and_no_value(app, superuser_connection):
    with superuser_connection.cursor() as cursor:
        for name, value in (
            ("log_min_error_statement", "panic"),
            ("log_parameter_max_length", "0"),
            ("log_parameter_max_length_on_error", "0"),
            ("log_error_verbosity", "terse"),
        ):
            cursor.execute(f"SHOW {name}")
            assert cursor.fetchone() == (value,), name
