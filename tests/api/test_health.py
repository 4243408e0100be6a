"""The health, readiness and metrics endpoints."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from api.health import current_head
from core.clock import now
from core.db import global_scope
from core.ids import dated_by
from core.queue import lanes
from core.queue.wakeups import queue_named
from core.storage.blobs import FolderBlobs
from jobs import health
from tests.messaging.message_factory import add_line, sent_message


def test_the_process_lives(client, app):
    assert client.get("/healthz").json == {"status": "ok"}


def test_it_is_ready_when_all_is_there(client, app):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert set(answer.json["checks"]) == {
        *("database", "redis", "migrations", "months", "days", "clock", "files")
    }
    assert set(answer.json["checks"].values()) == {"ok"}


def test_without_redis_it_is_ready_with_a_warning(client, no_redis):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json["checks"]["redis"] != "ok"


def test_a_schema_that_is_behind_the_code_is_not_ready(client, app, monkeypatch):
    monkeypatch.setattr("api.health.current_head", lambda: "9999")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "9999" in answer.json["checks"]["migrations"]


def test_a_schema_that_is_ahead_of_the_code_is_ready(client, app, superuser_connection):
    """Migrations run first: the processes of the release before must keep their traffic."""
    with superuser_connection.cursor() as cursor:
        cursor.execute("UPDATE alembic_version SET version_num = '9999' RETURNING version_num")
        superuser_connection.commit()
        answer = client.get("/readyz")
        cursor.execute("UPDATE alembic_version SET version_num = %s", [current_head_of(app)])
        superuser_connection.commit()
    assert answer.status_code == 200
    assert answer.json["checks"]["migrations"].startswith("database is at 9999, ahead of this code")


def current_head_of(app):
    with app.app_context():
        return current_head()


def test_a_host_with_its_own_folder_of_files_is_reported(client, app, redis, tmp_path, monkeypatch):
    def files_at(store):
        monkeypatch.setitem(app.extensions, "blobs", store)
        answer = client.get("/readyz")
        assert answer.status_code == 200
        return answer.json["checks"]["files"]

    shared = FolderBlobs(tmp_path / "shared")
    assert files_at(shared) == "ok"
    assert files_at(FolderBlobs(tmp_path / "shared")) == "ok"
    differs = "BLOB_URL of this host is not the store of the other hosts"
    assert files_at(FolderBlobs(tmp_path / "own")) == differs
    redis.delete("storage:id")  # as after 15 minutes in which no host used the old store
    assert files_at(FolderBlobs(tmp_path / "own")) == "ok"


@pytest.mark.parametrize(("ahead", "status"), [(2, 200), (1, 200), (0, 503)])
def test_without_a_partition_for_next_month_it_is_not_ready(
    client, app, monkeypatch, ahead, status
):
    monkeypatch.setattr("core.sql.partitions.months_ahead", lambda *_: ahead)
    answer = client.get("/readyz")
    assert answer.status_code == status
    assert (answer.json["checks"]["months"] == "ok") == (ahead >= 2)


def test_metrics_do_not_exist_without_the_token(client, app):
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Bearer "}):
        assert client.get("/metrics", headers=headers).status_code == 404


def test_metrics_count_answers_by_route_and_not_by_address(client, restaurant):
    client.get("/api/v1/me", headers=restaurant.bearer)
    client.get("/api/v1/no-such-thing-905321112233")
    answer = client.get("/metrics", headers={"Authorization": "Bearer metrics-token"})
    text = answer.get_data(as_text=True)
    assert answer.status_code == 200
    assert 'http_requests_total{route="/api/v1/me",status="200"}' in text
    assert "905321112233" not in text


def test_without_a_token_set_there_are_no_metrics(app, client, settings, monkeypatch):
    monkeypatch.setitem(
        app.extensions, "comanda", settings.model_copy(update={"metrics_token": ""})
    )
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


METRICS = {"Authorization": "Bearer metrics-token"}


def exported(client):
    text = client.get("/metrics", headers=METRICS).get_data(as_text=True)
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line and not line.startswith("#")
    }


def test_an_operator_sees_queues_lanes_partitions_and_pool(client, restaurant, redis):
    with global_scope():
        lanes.mark_due("hooks", restaurant.tenant_id, now() - timedelta(seconds=90))
    queue_named("hooks").enqueue("jobs.inbound.hooks.drain")
    found = exported(client)
    assert found["comanda_database_up"] == found["comanda_redis_up"] == 1
    assert found['comanda_lanes_due{kind="hooks"}'] == 1
    assert 89 < found['comanda_lane_oldest_seconds{kind="hooks"}'] < 300
    assert found['comanda_queue_jobs{queue="hooks"}'] == 1
    assert found['comanda_queue_oldest_seconds{queue="hooks"}'] < 60
    assert found['comanda_queue_workers{queue="hooks"}'] == 0
    assert found["comanda_partition_months_ahead"] >= 2
    assert found["comanda_pool_connections"] > 0
    assert abs(found["comanda_clock_offset_seconds"]) < 2


def test_figures_over_all_tenants_are_measured_once_a_minute(client, restaurant, shop):
    old = now() - timedelta(hours=2)
    line = add_line(restaurant)
    with restaurant.scope(), dated_by(lambda: old):
        sent_message(line, "unknown", created_at=old)
    health.measure()
    found = exported(client)
    assert found["comanda_messages_unknown"] == 1
    assert 7100 < found["comanda_messages_unknown_oldest_seconds"] < 7500
    assert found['comanda_lines{kind="cloud",state="connected"}'] >= 1
    assert found["comanda_measurement_age_seconds"] < 60


def test_metrics_answer_while_redis_or_the_database_is_down(client, no_redis):
    found = exported(client)
    assert found["comanda_redis_up"] == 0
    assert found["comanda_database_up"] == 1


def test_every_metric_that_an_alert_names_is_exported(client, restaurant):
    health.measure()
    page = Path("docs/operations/alerts.md").read_text()
    named = set(re.findall(r"\bcomanda_[a-z_]+", page))
    text = client.get("/metrics", headers=METRICS).get_data(as_text=True)
    known = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    stems = {re.sub(r"_(bucket|sum|count)$", "", one) for one in named}
    assert len(stems) > 10
    assert stems <= known, stems - known
