"""An export is made in steps that others do not wait for."""

import csv
import io
import json
import subprocess
import sys
import zipfile
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from sqlalchemy import event

from core.clock import frozen, now
from core.db import db, global_scope
from core.queue.lanes import Lane
from core.queue.wakeups import WakeUp
from core.storage.blobs import BlobError
from core.storage.pending_deletions import PendingDeletion
from jobs import maintenance
from jobs.tenants import exports as tenant_exports
from tenants.data import export as data_export
from tenants.data.erasure import tenant_tables
from tests.conftest import ROOT
from tests.databases import admin_connection
from tests.sample_tenant import add_sample_messages, plant_changes


@pytest.fixture
def small_export(app, restaurant, monkeypatch):
    """An export of many small steps: one batch of one row each."""
    add_sample_messages(restaurant, "Mavi")
    monkeypatch.setattr(data_export, "BATCH", 1)
    monkeypatch.setattr(tenant_exports, "STEP_SECONDS", 0.0)
    with app.app_context(), restaurant.scope():
        data_export.request_export()
    with app.app_context():
        yield restaurant


def latest(business):
    with business.scope():
        return data_export.list_exports()[0]


def opened(app, one):
    with app.extensions["blobs"].open(one.blob_key) as file:
        return zipfile.ZipFile(io.BytesIO(file.read()))


def test_it_is_made_in_many_steps_and_is_whole(app, small_export, monkeypatch):
    monkeypatch.setattr(tenant_exports, "PIECE_BYTES", 1)
    monkeypatch.setattr(tenant_exports, "STEP_SECONDS", 60)
    steps = 0
    while tenant_exports.run_step(small_export.tenant_id):
        steps += 1
    one = latest(small_export)
    assert one.state == "ready"
    assert steps > 50
    with opened(app, one) as archive:
        assert archive.testzip() is None
        facts = json.loads(archive.read("account.json"))
        rows = 0
        for table in facts["tables"]:
            text = archive.read(f"{table}.csv").decode()
            rows += len(list(csv.reader(io.StringIO(text)))) - 1
        assert "Mavi" in archive.read("messages.csv").decode()
        assert archive.read("media.csv").startswith(b"table,column,file")
    assert rows == one.records > 0
    assert one.work is None


def test_the_pieces_are_removed_once_they_are_joined(app, small_export, monkeypatch):
    monkeypatch.setattr(tenant_exports, "PIECE_BYTES", 1)
    monkeypatch.setattr(tenant_exports, "STEP_SECONDS", 60)
    for _ in range(5):
        tenant_exports.run_step(small_export.tenant_id)
    parts = data_export.parts_of(latest(small_export).work)
    assert len(parts) >= 5
    while tenant_exports.run_step(small_export.tenant_id):
        pass
    with global_scope():
        doomed = set(db.session.scalars(db.select(PendingDeletion.blob_key)))
    assert set(parts) <= doomed
    assert latest(small_export).blob_key not in doomed


def test_a_worker_that_died_is_followed_by_one_that_continues(
    app, small_export, monkeypatch, redis
):
    monkeypatch.setattr(tenant_exports, "PIECE_BYTES", 1)
    monkeypatch.setattr(tenant_exports, "STEP_SECONDS", 60)
    put = type(app.extensions["blobs"]).put
    written = []

    def dies(self, key, data, content_type):
        written.append(key)
        if len(written) == 4:
            raise KeyboardInterrupt
        return put(self, key, data, content_type)

    monkeypatch.setattr(type(app.extensions["blobs"]), "put", dies)
    with pytest.raises(KeyboardInterrupt):
        tenant_exports.drain()
    assert latest(small_export).state == "working"
    assert latest(small_export).steps > 0
    redis.flushdb()
    with frozen(now() + timedelta(seconds=tenant_exports.LEASE_SECONDS + 1)):
        maintenance.sweep()
        assert redis.exists(WakeUp("jobs.tenants.exports.drain").mark)
        tenant_exports.drain()
    assert latest(small_export).state == "ready"
    assert written.count(written[3]) == 2, "the step was repeated under the same name"
    with opened(app, latest(small_export)) as archive:
        assert archive.testzip() is None


def test_a_store_that_is_down_for_a_moment_does_not_fail_the_export(app, small_export, monkeypatch):
    def away(*_):
        raise BlobError("away")

    with monkeypatch.context() as patch:
        patch.setattr(type(app.extensions["blobs"]), "put", away)
        with pytest.raises(BlobError):
            tenant_exports.drain()
        assert latest(small_export).state == "waiting"
        with frozen(now() + tenant_exports.GIVE_UP_AFTER * 2):
            tenant_exports.run_step(small_export.tenant_id)
        assert latest(small_export).state == "failed"


def test_the_work_ends_after_a_while_and_asks_for_more(app, small_export, redis, monkeypatch):
    monkeypatch.setattr(tenant_exports, "PIECE_BYTES", 1)
    monkeypatch.setattr(tenant_exports, "WORK_SECONDS", 0.05)
    monkeypatch.setattr(tenant_exports, "TURN_SECONDS", 0.01)
    tenant_exports.drain()
    assert latest(small_export).state in data_export.UNDER_WAY
    assert redis.exists(WakeUp("jobs.tenants.exports.drain").mark)
    assert WakeUp("jobs.tenants.exports.drain").queue == "slow"


def test_a_step_that_another_worker_has_made_is_not_made_twice(app, small_export):
    with small_export.scope():
        first, second = data_export.next_unfinished(), data_export.next_unfinished()
        assert data_export.save_step(first, {"parts": [], "media_parts": []}, 1, 10)
        assert not data_export.save_step(second, {"parts": [], "media_parts": []}, 9, 90)
    assert latest(small_export).records == 10


def test_a_lost_lane_is_found_again(app, small_export):
    with global_scope():
        db.session.query(Lane).delete()
    tenant_exports.find_lost_work()
    tenant_exports.drain()
    assert latest(small_export).state in ("working", "ready")


@pytest.mark.parametrize("analyzed", ["before", "after"])
def test_every_batch_of_many_rows_costs_the_same(app, restaurant, database, monkeypatch, analyzed):
    """Also when the statistics are from before the rows came."""
    monkeypatch.setattr(data_export, "BATCH", 500)
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        if analyzed == "before":
            plant_changes(cursor, 7, 5_000)
            cursor.execute("ANALYZE message_changes")
        plant_changes(cursor, restaurant.tenant_id, 20_000)
        if analyzed == "after":
            cursor.execute("ANALYZE message_changes")
    with app.app_context(), restaurant.scope():
        sizes, pages = read_all("message_changes")
    assert sum(sizes) == 20_000
    assert len(pages) == 41
    assert max(pages) < 2 * pages[0], pages


def read_all(table):
    """How many rows each batch has, and how many pages of tables and indexes it looks at."""
    sizes, pages, last = [], [], None

    def explain(connection, cursor, statement, parameters, *_):
        if f"FROM {table}" in statement:
            cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}", parameters)
            plan = cursor.fetchone()[0][0]["Plan"]
            pages.append(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])

    event.listen(db.engine, "before_cursor_execute", explain)
    try:
        while last is not None or not sizes:
            rows, last = data_export.rows_after(table, last)
            sizes.append(len(rows))
    finally:
        event.remove(db.engine, "before_cursor_execute", explain)
    return sizes, pages


@pytest.mark.parametrize(
    "key",
    [
        None,
        (7, "text", uuid4()),
        (datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC), date(2026, 1, 2), Decimal("1.50")),
    ],
)
def test_a_cursor_survives_json(key):
    cursor = json.loads(json.dumps(data_export.as_cursor(key)))
    found = data_export.from_cursor(cursor)
    assert found == (None if key is None else list(key))


@pytest.mark.parametrize("module", ["jobs.tenants.exports", "jobs.tenants.account_closure"])
def test_a_worker_that_has_run_nothing_else_knows_every_table(module):
    """A worker of the queue `slow` loads no other job, and must not export or erase a part."""
    told = f"import {module}; from tenants.data import erasure; print(*erasure.tenant_tables())"
    found = subprocess.run(
        [sys.executable, "-c", told], cwd=ROOT, check=True, capture_output=True, text=True
    )
    assert set(found.stdout.split()) == set(tenant_tables())
