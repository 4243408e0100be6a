"""Hosts with differing clocks use the database's time, and log the difference."""

import itertools
import time
from datetime import timedelta

import pytest
from sqlalchemy import text

from core import clock
from core.clock import now
from core.db import db, global_scope
from core.ids import new_uuid
from core.sql import database_clock

SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def _right_again(app):
    yield
    clock.set_correction(timedelta(0))
    database_clock._watch.last, database_clock._watch.warned = None, False


@pytest.fixture
def host_is_off(monkeypatch):
    """Set the host's clock wrong, then synchronise it with the database."""
    right = clock.host_now

    def turn(by: timedelta) -> None:
        monkeypatch.setattr(clock, "host_now", lambda: right() + by)
        raw = db.engine.raw_connection()
        try:
            database_clock.measure(raw.driver_connection)
        finally:
            raw.close()

    return turn


def database_now():
    with global_scope():
        return db.session.scalar(text("SELECT clock_timestamp()"))


@pytest.mark.parametrize("minutes", [15, -15])
def test_a_host_with_a_wrong_clock_keeps_the_databases_time(host_is_off, minutes, capsys):
    host_is_off(timedelta(minutes=minutes))
    assert abs(now() - database_now()) < SECOND
    side = "ahead of" if minutes > 0 else "behind"
    assert f"900.0 s {side}" in database_clock.clock_problem()
    assert database_clock.offset_seconds() == pytest.approx(-minutes * 60, abs=1)


def test_what_two_hosts_accept_stands_in_the_order_of_acceptance(host_is_off):
    times = []
    for minutes in (15, -15, 0):
        host_is_off(timedelta(minutes=minutes))
        times.append(now())
    # A measurement over the network differs by a few milliseconds.
    pairs = itertools.pairwise(times)
    assert all(later - earlier > -database_clock.SMALLEST for earlier, later in pairs)


def test_ids_follow_the_correction_at_once(monkeypatch):
    first = new_uuid()
    clock.set_correction(timedelta(minutes=-15))
    earlier = new_uuid()
    clock.set_correction(timedelta(0))
    time.sleep(0.002)  # ids from two corrections within one millisecond have no order
    assert earlier < first < new_uuid()


def test_a_clock_that_is_right_is_left_alone(host_is_off):
    host_is_off(timedelta(0))
    assert clock.correction() == timedelta(0)
    assert database_clock.clock_problem() == ""


def test_readiness_reports_a_wrong_clock(host_is_off, client):
    host_is_off(timedelta(minutes=15))
    answer = client.get("/readyz")
    assert "ahead of the database" in answer.json["checks"]["clock"]
    assert answer.status_code == 200
