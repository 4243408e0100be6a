"""Every call with a tenant's key is logged, masked, and written outside the request."""

import threading
from datetime import timedelta

import psycopg2
import pytest
from sqlalchemy.exc import OperationalError

from api import request_log as module
from core.clock import now
from core.db import tenant_scope
from tenants import request_log as tenant_request_log
from tenants.request_log import RequestFilters
from tests.databases import OWNER_ROLE, database_url


@pytest.fixture
def log(app):
    found = app.extensions["request_log"]
    found.write()
    return found


def stored_calls(business, **filters):
    with business.scope():
        return tenant_request_log.list_requests(
            RequestFilters(**filters), None, 50, timedelta(days=7)
        )


def send(client, business, **body):
    return client.post("/api/v1/messages/send", json=body, headers=business.bearer)


def test_a_call_is_found_by_its_request_id_with_what_was_asked_and_answered(
    client, restaurant, log
):
    answer = send(client, restaurant, phone="0532 111 22 33", message="Masanız hazır.")
    assert log.write() == 1
    with restaurant.scope():
        call = tenant_request_log.get(answer.headers["X-Request-Id"])
    assert (call.method, call.path, call.status) == ("POST", "/api/v1/messages/send", 422)
    assert (call.call, call.code) == ("POST /messages/send", "invalid_phone")
    assert (call.key_id, call.key_name) == (restaurant.key_id, "Live key")
    assert call.duration_ms >= 0
    assert '"message": "… 14 characters"' in call.asked
    assert "22 33" not in call.asked + call.answered
    assert "digits" in call.answered


def test_every_outcome_is_kept_newest_first_and_can_be_filtered(client, restaurant, shop, log):
    client.get("/api/v1/me", headers=restaurant.bearer)
    send(client, restaurant, phone="x", message="")
    client.get("/api/v1/messages/msg_nothing?phone=905321112233", headers=restaurant.bearer)
    client.get("/api/v1/me", headers=shop.bearer)
    client.get("/api/v1/me")  # belongs to no tenant
    assert log.write() == 4
    assert [one.status for one in stored_calls(restaurant)] == [404, 422, 200]
    assert [one.call for one in stored_calls(restaurant, outcome="ok")] == ["GET /me"]
    assert [one.status for one in stored_calls(restaurant, outcome="refused")] == [404, 422]
    assert stored_calls(restaurant, outcome="broken") == []
    assert [one.status for one in stored_calls(restaurant, call="POST /messages/send")] == [422]
    assert len(stored_calls(restaurant, key_id=restaurant.key_id)) == 3
    assert stored_calls(restaurant, key_id="key_other") == []
    assert stored_calls(restaurant)[0].query == "phone=**********33"
    assert [one.tenant_id for one in stored_calls(shop)] == [shop.tenant_id]


def test_a_call_that_was_too_fast_is_kept_with_its_key(client, restaurant, log):
    key = restaurant.makes_key("messages:read", rate_per_second=1)
    for _ in range(4):
        client.get("/api/v1/me", headers={"Authorization": f"Bearer {key}"})
    log.write()
    newest = stored_calls(restaurant)[0]
    assert (newest.status, newest.code) == (429, "rate_limited")
    assert {one.key_name for one in stored_calls(restaurant)} == {"Key"}


def test_odd_calls_do_not_stop_the_ones_beside_them(client, restaurant, log):
    client.get("/api/v1/messages/%00%ff?%00=%00", headers=restaurant.bearer)
    client.post("/api/v1/messages/send", data=b"[" * 5000, headers=restaurant.bearer)
    client.post(
        "/api/v1/messages/send",
        data=b'{"\\ud800": "\\u0000"}',
        headers=restaurant.bearer,
        content_type="application/json",
    )
    client.get("/api/v1/me", headers=restaurant.bearer)
    assert log.write() == 4


def test_without_a_database_calls_are_dropped_and_counted(client, restaurant, log, monkeypatch):
    before = module.DROPPED._value.get()
    client.get("/api/v1/me", headers=restaurant.bearer)

    def away(_by_tenant):
        raise OperationalError("INSERT", {}, Exception("gone"))

    monkeypatch.setattr(tenant_request_log, "write_requests", away)
    assert log.write() == 0
    assert module.DROPPED._value.get() == before + 1
    monkeypatch.undo()
    assert log.write() == 0  # dropped, not kept for later


def test_one_row_that_cannot_be_stored_costs_no_other_tenant_its_log(client, restaurant, shop, log):
    before = module.DROPPED._value.get()
    client.get("/api/v1/me", headers=restaurant.bearer)
    client.get("/api/v1/me", headers=shop.bearer)
    log._waiting[0].status = 70_000  # more than the column holds
    assert log.write() == 1
    assert module.DROPPED._value.get() == before + 1
    assert [stored_calls(restaurant), len(stored_calls(shop))] == [[], 1]


def test_what_waits_is_bounded(client, restaurant, log, monkeypatch):
    monkeypatch.setattr(module, "QUEUE_SIZE", 2)
    for _ in range(5):
        assert client.get("/api/v1/me", headers=restaurant.bearer).status_code == 200
    assert log.write() == 2


def test_a_large_body_is_reported_by_its_size(client, restaurant, log):
    send(client, restaurant, phone="905321112233", message="x" * 9000)
    log.write()
    assert stored_calls(restaurant)[0].asked.startswith("… 90")


def test_the_request_log_is_written_in_the_background(app, client, restaurant, log, monkeypatch):
    monkeypatch.setattr(module, "EVERY_SECONDS", 0.05)
    written = threading.Event()
    real = tenant_request_log.write_requests

    def seen(by_tenant):
        real(by_tenant)
        written.set()

    monkeypatch.setattr(tenant_request_log, "write_requests", seen)
    monkeypatch.setattr(log, "runs", True)
    client.get("/api/v1/me", headers=restaurant.bearer)
    assert written.wait(10)


def test_nothing_is_kept_where_the_operator_wants_none(client, restaurant, log, monkeypatch):
    monkeypatch.setattr(log, "on", False)
    client.get("/api/v1/me", headers=restaurant.bearer)
    assert log.write() == 0


def test_days_are_made_ahead_and_dropped_whole(app, database, restaurant, log, client):
    from sqlalchemy import create_engine, text
    from sqlalchemy.pool import NullPool

    from core.sql import partitions
    from jobs.maintenance import rotate_day_partitions

    engine = create_engine(
        "postgresql+psycopg2://",
        creator=lambda: psycopg2.connect(database_url(OWNER_ROLE, database)),
        poolclass=NullPool,
    )
    old = now() - timedelta(days=9)
    with engine.begin() as connection:
        connection.execute(text(partitions.create_day("api_calls", old)))
        last = partitions.day_name("api_calls", now() + timedelta(days=partitions.DAYS_AHEAD))
        connection.execute(text(f"DROP TABLE IF EXISTS {last}"))
    client.get("/api/v1/me", headers=restaurant.bearer)
    log.write()
    with app.app_context():
        assert rotate_day_partitions() == [partitions.day_name("api_calls", old)]
        assert rotate_day_partitions() == []
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT to_regclass(:name)"), {"name": last}) is not None
    with tenant_scope(restaurant.tenant_id):
        assert tenant_request_log.list_requests(RequestFilters(), None, 5, timedelta(days=7))
