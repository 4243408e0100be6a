"""Everything works through PgBouncer in transaction mode, which shares the server's connections."""

import re
from concurrent.futures import ThreadPoolExecutor
from configparser import ConfigParser

import pytest
from sqlalchemy import text

from core.db import db, global_scope
from core.settings import load_settings
from core.sql.connect_options import OPTIONS, OPTIONS_OF_CALLS
from core.sql.pool import run_global
from tests.deploy.pgbouncer.conftest import CONFIGURATION
from tests.factories import make_business
from tests.line_factory import make_line


@pytest.mark.parametrize(
    ("entry", "options"), [("comanda", OPTIONS), ("comanda_calls", OPTIONS_OF_CALLS)]
)
def test_the_shipped_file_sets_what_the_service_would_set(entry, options):
    read = ConfigParser(interpolation=None)
    read.read(CONFIGURATION)
    [query] = re.findall(r"connect_query='(.+)'", read["databases"][entry])
    found = dict(re.findall(r"SET (\w+) = (\w+)", query))
    assert found == options
    assert read["pgbouncer"]["pool_mode"] == "transaction"


def test_no_statement_is_prepared_behind_a_pooler(settings):
    chosen = load_settings(
        database_url=settings.database_url,
        redis_url=settings.redis_url,
        secret_key=settings.secret_key,
        encryption_keys=settings.encryption_keys,
        database_pooler=True,
    )
    assert not chosen.database_prepare


def test_both_kinds_of_connections_have_their_options(app):
    with app.app_context():
        with global_scope():
            zone = db.session.scalar(text("SHOW timezone"))
            limit = db.session.scalar(text("SHOW statement_timeout"))
            scans = db.session.scalar(text("SHOW enable_seqscan"))
        assert (zone.lower(), limit, scans) == ("utc", "30s", "on")
        assert run_global("SHOW enable_seqscan", {}) == [("off",)]
        assert run_global("SHOW plan_cache_mode", {}) == [("force_generic_plan",)]


def test_a_message_is_sent_in_its_request(caller, network):
    status, body = caller.send("Hello through PgBouncer")
    assert (status, body["status_code"]) == (200, "sent"), body
    assert network.texts == ["Hello through PgBouncer"]


def test_workers_send_what_is_queued(caller, network, run_jobs):
    status, body = caller.send("For a worker", Prefer="respond-async")
    assert status == 202, body
    run_jobs()
    assert network.texts == ["For a worker"]


def test_the_most_used_pages_are_served(app, restaurant, browser):
    make_line(restaurant)
    browser.signs_in(restaurant.owner)
    for path in ("/home", "/inbox", "/messages", "/contacts", "/orders", "/campaigns", "/usage"):
        assert browser.get(path, follow_redirects=True).status_code == 200, path


def test_tenants_that_share_connections_see_only_their_own_contacts(app):
    businesses = [make_business(f"Lokanta {number}") for number in range(8)]

    def use(business):
        client = app.test_client()
        for number in range(6):
            body = {"phone": f"+90532{number:07}", "name": str(business.tenant_id)}
            added = client.post("/api/v1/contacts", json=body, headers=business.bearer)
            assert added.status_code == 201, added.get_json()
        return client.get("/api/v1/contacts", headers=business.bearer).get_json()["data"]

    with ThreadPoolExecutor(8) as threads:
        lists = list(threads.map(use, businesses))
    for business, found in zip(businesses, lists, strict=True):
        assert [one["name"] for one in found] == [str(business.tenant_id)] * 6
