"""Every error is JSON with a code, a message and the request id."""

import json
from datetime import timedelta

import pytest

from core.clock import advance, frozen, now
from tenants import accounts, api_keys
from tenants.api_keys import new_secret

HTML = ("<html", "<!doctype", "Traceback", "werkzeug")


def is_error(answer, status, code):
    assert (answer.status_code, answer.json["code"]) == (status, code), answer.json
    assert answer.json["status"] == "error"
    assert answer.json["message"]
    assert isinstance(answer.json["errors"], list)
    assert answer.json["request_id"] == answer.headers["X-Request-Id"]
    assert answer.json["request_id"].startswith("req_")
    assert answer.headers["API-Version"] == "1.4"
    assert answer.content_type == "application/json"
    assert not any(word in answer.get_data(as_text=True) for word in HTML)
    return answer


def is_401(answer, code):
    assert is_error(answer, 401, code).headers["WWW-Authenticate"] == "Bearer"


def me(client, key=None, header=None):
    value = header if header is not None else f"Bearer {key}"
    return client.get("/api/v1/me", headers={"Authorization": value} if value else {})


def test_no_key(client, app):
    is_401(client.get("/api/v1/me"), "invalid_key")


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic dXNlcjpwYXNz",
        "ck_live_abc",
        "Bearer nonsense",
        "Bearer \xfc",
    ],
)
def test_a_header_that_is_no_key(client, app, header):
    is_401(me(client, header=header), "invalid_key")


def test_a_key_in_the_address_is_not_looked_at(client, restaurant):
    is_401(client.get(f"/api/v1/me?api_key={restaurant.key}&key={restaurant.key}"), "invalid_key")


def test_a_mistyped_key_is_refused_without_the_database(client, restaurant, monkeypatch):
    monkeypatch.setattr("core.sql.pool.run_global", lambda *_: pytest.fail("asked the database"))
    last = "0" if restaurant.key[-1] != "0" else "1"
    is_401(me(client, restaurant.key[:-1] + last), "invalid_key")


def test_an_unknown_key(client, app):
    is_401(me(client, new_secret("live")), "invalid_key")


def test_a_revoked_key(client, restaurant):
    with restaurant.scope():
        api_keys.revoke(restaurant.key_id)
    is_401(me(client, restaurant.key), "invalid_key")


def test_an_expired_key(client, restaurant):
    with frozen():
        key = restaurant.makes_key(expires_at=now() + timedelta(hours=1))
        assert me(client, key).status_code == 200
        advance(3600)
        is_401(me(client, key), "key_expired")


def test_a_suspended_account(client, restaurant):
    with restaurant.scope():
        accounts.suspend("test")
    is_401(me(client, restaurant.key), "account_suspended")
    with restaurant.scope():
        accounts.resume()
    accounts.drop_tenant_cache(restaurant.tenant_id)
    assert me(client, restaurant.key).status_code == 200


@pytest.mark.parametrize("word", ["Bearer", "bearer", "BEARER"])
def test_the_word_bearer_may_be_written_in_any_case(client, restaurant, word):
    assert me(client, header=f"{word}  {restaurant.key} ").status_code == 200


def test_a_key_without_the_scope(tried, restaurant):
    key = restaurant.makes_key("menus", "usage")
    answer = tried.post("/api/v1/tried/orders", json={}, headers={"Authorization": f"Bearer {key}"})
    assert "orders" in is_error(answer, 403, "missing_scope").json["message"]
    with restaurant.scope():
        from tenants import audit

        assert audit.entries(act="tried.order") == []


def test_a_scope_that_does_not_exist_cannot_be_asked_for():
    from api.auth import key_may

    with pytest.raises(RuntimeError):
        key_may("everything")


@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/nothing", "/api", "/api/v1/me/", "/api/v2/me"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_address_where_nothing_is(client, app, path, method):
    is_error(client.open(path, method=method), 404, "not_found")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_a_method_that_is_not_answered(client, restaurant, method):
    answer = client.open("/api/v1/me", method=method, headers=restaurant.bearer)
    assert "GET" in is_error(answer, 405, "method_not_allowed").headers["Allow"]


def echo(tried, restaurant, data, content_type="application/json"):
    return tried.post(
        "/api/v1/tried/echo", data=data, content_type=content_type, headers=restaurant.bearer
    )


def test_a_body_that_is_too_large(tried, restaurant):
    is_error(echo(tried, restaurant, b'{"a": "' + b"x" * 10_000_000 + b'"}'), 413, "body_too_large")
    inside = b'{"a": "' + b"x" * (1024 * 1024 - 9) + b'"}'
    assert len(inside) == 1024 * 1024
    assert echo(tried, restaurant, inside).status_code == 200
    is_error(echo(tried, restaurant, inside + b" "), 413, "body_too_large")


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/xml"]
)
def test_a_body_that_is_not_json(tried, restaurant, kind):
    is_error(echo(tried, restaurant, b'{"a": 1}', kind), 415, "unsupported_media_type")


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
def test_a_body_that_is_json(tried, restaurant, kind):
    assert echo(tried, restaurant, '{"a": "ü"}'.encode(), kind).json == {"got": {"a": "ü"}}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"nonsense",
        b'{"a": 1,}',
        b"1e400",
        b'{"a": 1e400}',
        b'{"a": -1e999}',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b'{"a": "\xff\xfe"}',
        b"\x00",
        b'{"a": "\x00"}',
    ],
)
def test_json_that_is_none_or_a_trap(tried, restaurant, body):
    is_error(echo(tried, restaurant, body), 400, "malformed_json")


@pytest.mark.parametrize(
    "body",
    [
        b"[1, 2]",
        b'"text"',
        b"null",
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b"[" * 10_000,
        b'{"a":' * 100 + b"1" + b"}" * 100,
    ],
)
def test_json_that_is_no_object_or_too_deep(tried, restaurant, body):
    is_error(echo(tried, restaurant, body), 422, "invalid_body")


@pytest.mark.parametrize(
    "body",
    [
        r'{"a": "\u0000"}',
        r'{"a": "x\ud800y"}',
        r'{"a": {"b": ["\udfff"]}}',
        r'{"a\ud800": 1}',
        r'{"\u0000": 1}',
    ],
)
def test_text_that_no_database_holds(tried, restaurant, body):
    is_error(echo(tried, restaurant, body.encode()), 422, "invalid_text")


def test_a_pair_of_surrogates_is_a_sign_like_any_other(tried, restaurant):
    assert echo(tried, restaurant, rb'{"a": "\ud83d\ude00"}').json == {"got": {"a": "😀"}}


@pytest.mark.parametrize("depth", [1, 10, 32, 33, 60, 200, 400, 600, 900, 980, 1500])
def test_no_depth_of_nesting_breaks_anything(tried, restaurant, depth):
    body = b'{"a":' * depth + b"1" + b"}" * depth
    headers = {**restaurant.bearer, "Idempotency-Key": f"depth-{depth}"}
    answer = tried.post(
        "/api/v1/tried/orders", data=body, content_type="application/json", headers=headers
    )
    assert answer.status_code in (201, 422)
    assert answer.status_code == (201 if depth <= 32 else 422)


def test_an_internal_error_shows_nothing_inside(tried, restaurant, caplog):
    answer = tried.get("/api/v1/tried/crash", headers=restaurant.bearer)
    is_error(answer, 500, "internal_error")
    assert "inner workings" not in answer.get_data(as_text=True)


def test_an_empty_body_is_no_fault(tried, restaurant):
    assert tried.post("/api/v1/tried/echo", headers=restaurant.bearer).json == {"got": {}}


def test_every_answer_has_an_id_of_its_own(client, restaurant):
    ids = {me(client, restaurant.key).headers["X-Request-Id"] for _ in range(5)}
    assert len(ids) == 5
    answer = client.get("/api/v1/me", headers={**restaurant.bearer, "X-Request-Id": "mine"})
    assert answer.headers["X-Request-Id"] != "mine"


def test_answers_are_not_kept_by_caches(client, restaurant):
    assert me(client, restaurant.key).headers["Cache-Control"] == "no-store"


def test_a_database_failure_is_503_and_reports_that_nothing_was_done(settings, app):
    from wsgi import build_app

    dead = "postgresql+psycopg2://nobody:nothing@127.0.0.1:1/nowhere"
    away = build_app(settings.model_copy(update={"database_url": dead}))
    answer = away.test_client().get(
        "/api/v1/me", headers={"Authorization": f"Bearer {new_secret('live')}"}
    )
    is_error(answer, 503, "try_again")
    assert int(answer.headers["Retry-After"]) >= 1
    assert "127.0.0.1" not in json.dumps(answer.json)
    ready = away.test_client().get("/readyz")
    assert (ready.status_code, ready.json["status"]) == (503, "not ready")
    assert away.test_client().get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "moment",
    ["2000-01-01T00:00:00+16:00", "0001-01-01T00:00:00+23:00", "9999-12-31T23:59:59-23:00"],
)
def test_moments_no_database_knows_are_no_crash(client, restaurant, moment):
    listed = client.get(
        "/api/v1/messages", query_string={"since": moment}, headers=restaurant.bearer
    )
    assert listed.status_code in (200, 422)
    body = {"phone": "905321112233", "message": "x", "scheduled_at": moment}
    sent = client.post("/api/v1/messages/send", json=body, headers=restaurant.bearer)
    assert sent.status_code == 422
