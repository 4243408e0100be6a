"""Alive, ready, counted."""

import pytest


def test_the_process_lives(client, app):
    assert client.get("/healthz").json == {"status": "ok"}


def test_it_is_ready_when_all_is_there(client, app):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert set(answer.json["checks"]) == {"database", "redis", "migrations", "months", "days"}
    assert set(answer.json["checks"].values()) == {"ok"}


def test_without_redis_it_is_ready_and_says_so(client, no_redis):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json["checks"]["redis"] != "ok"


def test_a_schema_that_is_behind_the_code_is_not_ready(client, app, monkeypatch):
    monkeypatch.setattr("api.health.current_head", lambda: "9999")
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "9999" in answer.json["checks"]["migrations"]


@pytest.mark.parametrize(("ahead", "status"), [(2, 200), (1, 200), (0, 503)])
def test_without_a_partition_for_next_month_it_is_not_ready(
    client, app, monkeypatch, ahead, status
):
    """Review C1."""
    monkeypatch.setattr("core.partitions.months_ahead", lambda *_: ahead)
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
