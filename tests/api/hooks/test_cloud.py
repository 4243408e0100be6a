"""The endpoint for cloud API hooks: verify the signature, store the body, answer at once."""

import json

import pytest
from sqlalchemy import select

from api.hooks.cloud import line_addresses
from api.hooks.receive import HOOKS_REFUSED
from core.db import db, global_scope, tenant_scope
from core.queue.lanes import Lane
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.models import Contact, Message
from tests.messaging.message_factory import add_line, cloud_body, signed, status_value, text_value
from webhooks.inbound.models import ReceivedHook


@pytest.fixture(autouse=True)
def _forgetful(app):
    line_addresses.forget()


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def post(client, line):
    def send(body, headers=None, token=None):
        return client.post(
            f"/hooks/cloud/{token or line.hook_token}",
            data=body,
            headers=signed(body) if headers is None else headers,
        )

    return send


def stored(line):
    with tenant_scope(line.tenant_id):
        query = select(ReceivedHook).where(ReceivedHook.tenant_id == line.tenant_id)
        return db.session.scalars(query.order_by(ReceivedHook.id)).all()


def shake(client, line, **changes):
    asked = {
        "hub.mode": "subscribe",
        "hub.verify_token": line.verify_token,
        "hub.challenge": "1158201444",
        **changes,
    }
    return client.get(f"/hooks/cloud/{line.hook_token}", query_string=asked)


def test_the_handshake_echoes_the_challenge(client, line):
    answer = shake(client, line)
    assert (answer.status_code, answer.get_data(as_text=True)) == (200, "1158201444")
    assert answer.mimetype == "text/plain"


@pytest.mark.parametrize(
    "changes",
    [
        {"hub.verify_token": "guessed"},
        {"hub.verify_token": ""},
        {"hub.mode": "unsubscribe"},
        {"hub.challenge": "x" * 5000},
        {"hub.verify_token": "şifre"},
    ],
)
def test_a_wrong_handshake_is_refused(client, line, changes):
    answer = shake(client, line, **changes)
    assert answer.status_code == 403
    assert answer.json["code"] == "wrong_verify_token"


def test_a_signed_body_is_stored_as_it_came_and_its_lane_is_marked(post, line, redis):
    body = cloud_body(line, text_value("Merhaba"))
    answer = post(body)
    assert (answer.status_code, answer.json) == (200, {"status": "ok"})
    (hook,) = stored(line)
    assert bytes(hook.body) == body
    assert (hook.kind, hook.target, hook.state, hook.tries) == ("cloud", str(line.id), "waiting", 0)
    with global_scope():
        assert db.session.get(Lane, ("hooks", line.tenant_id)) is not None
    assert list(redis.scan_iter("ring:jobs.inbound.hooks.drain:*"))


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"X-Hub-Signature-256": ""},
        {"X-Hub-Signature-256": "sha256="},
        {"X-Hub-Signature-256": "sha256=" + "0" * 64},
        {"X-Hub-Signature-256": "sha256=ğ"},
        {"X-Hub-Signature": "sha1=" + "0" * 40},
    ],
)
def test_a_body_without_its_signature_is_refused_counted_and_not_stored(post, line, headers):
    before = HOOKS_REFUSED.labels("cloud")._value.get()
    answer = post(cloud_body(line, text_value("Merhaba")), headers)
    assert (answer.status_code, answer.json["code"]) == (401, "invalid_signature")
    assert "WWW-Authenticate" not in answer.headers
    assert stored(line) == []
    assert HOOKS_REFUSED.labels("cloud")._value.get() == before + 1


def test_the_signature_is_over_the_raw_bytes(post, line):
    body = cloud_body(line, text_value("Merhaba"))
    same_json = json.dumps(json.loads(body), indent=1).encode()
    assert post(same_json, signed(body)).status_code == 401
    assert post(body, signed(body, "another secret")).status_code == 401


@pytest.mark.parametrize("token", ["no-such-token-at-all", "x", "%00" * 20, "a" * 500])
def test_an_unknown_token_is_not_there(client, app, token):
    for method in ("GET", "POST"):
        answer = client.open(f"/hooks/cloud/{token}", method=method, data=b"{}")
        assert answer.status_code == 404
        assert answer.json["code"] == "not_found"


def test_a_removed_line_is_not_there(post, restaurant, line):
    body = cloud_body(line, text_value("Merhaba"))
    with restaurant.scope():
        line_removal.remove(line.id)
    assert post(body).status_code == 404


def test_a_body_that_is_too_large_is_refused_unread(post, line):
    answer = post(b"x" * (10 * 1024 * 1024))
    assert (answer.status_code, answer.json["code"]) == (413, "body_too_large")
    assert stored(line) == []


def test_a_new_secret_is_known_at_its_first_hook(post, line, monkeypatch):
    """The old one is cached for half a minute."""
    body = cloud_body(line, text_value("Merhaba"))
    assert post(body).status_code == 200
    with tenant_scope(line.tenant_id):
        line_repository.get(line.id).app_secret = "a new secret"
    monkeypatch.setattr("api.hooks.receive.CHANGED_SECONDS", 0.0)
    assert post(body, signed(body, "a new secret")).status_code == 200
    assert post(body, signed(body, "another secret")).status_code == 401
    assert len(stored(line)) == 2


def test_wrong_signatures_do_not_query_the_database(post, line, monkeypatch):
    body = cloud_body(line, text_value("Merhaba"))
    assert post(body).status_code == 200
    monkeypatch.setattr(line_addresses, "_find", None)
    assert post(body, signed(body, "another secret")).status_code == 401


def test_a_line_whose_secret_is_empty_accepts_nobody(client, restaurant):
    with restaurant.scope():
        line = line_repository.add_cloud_line(
            "A", "905321112201", "77", "t", "", network="simulator"
        )
    body = cloud_body(line, text_value("Merhaba"))
    answer = client.post(f"/hooks/cloud/{line.hook_token}", data=body, headers=signed(body, ""))
    assert answer.status_code == 401


def test_a_database_that_is_down_is_reported_and_the_network_tries_again(post, line, monkeypatch):
    from psycopg2 import OperationalError

    body = cloud_body(line, text_value("Merhaba"))
    assert post(body).status_code == 200  # the line is cached now

    def away(*_):
        raise OperationalError("no server")

    monkeypatch.setattr("core.sql.pool.Pool.run", away)
    answer = post(body)
    assert (answer.status_code, answer.json["code"]) == (503, "try_again")


def texts(line):
    with tenant_scope(line.tenant_id):
        query = select(Message.text).where(Message.tenant_id == line.tenant_id)
        return sorted(db.session.scalars(query))


def test_every_entry_of_a_body_is_taken(post, line, run_jobs):
    post(cloud_body(line, text_value("one"), text_value("two"), text_value("three")))
    run_jobs()
    assert texts(line) == ["one", "three", "two"]
    assert [hook.state for hook in stored(line)] == ["done"]


def test_repeated_bodies_do_nothing(post, line, run_jobs):
    body = cloud_body(line, text_value("once"))
    assert [post(body).status_code for _ in range(4)] == [200] * 4
    run_jobs()
    assert texts(line) == ["once"]
    assert {hook.state for hook in stored(line)} == {"done"}


DEEP = b'{"entry": ' + b"[" * 10_000 + b"]" * 10_000 + b"}"
POISON = {
    "not JSON": b"\xff\xfe{",
    "empty": b"",
    "a list": b"[]",
    "depth 10,000": DEEP,
    "1e400": b'{"entry": 1e400}',
    "NUL byte": b'{"entry": "\x00"}',
    "a large heap": b'{"entry": "' + b"x" * (2 * 1024 * 1024) + b'"}',
}


@pytest.mark.parametrize("body", POISON.values(), ids=POISON)
def test_a_failing_hook_is_stored_with_its_error_and_the_others_continue(
    post, line, run_jobs, body
):
    post(cloud_body(line, text_value("before")))
    assert post(body).status_code == 200
    post(cloud_body(line, text_value("after")))
    run_jobs()
    assert texts(line) == ["after", "before"]
    first, poison, last = stored(line)
    assert (first.state, last.state) == ("done", "done")
    assert (poison.state, poison.tries) == ("waiting", 1)
    assert poison.error
    assert bytes(poison.body) == body


@pytest.mark.parametrize("text", ["a\x00b", "half \ud83d of it", "1e400"])
def test_a_message_with_unstorable_characters_is_stored_with_the_others(post, line, run_jobs, text):
    body = cloud_body(line, text_value(text), text_value("neighbour"))
    if text == "1e400":
        body = body.replace(b'"1e400"', b"1e400")
    post(body)
    run_jobs()
    assert "neighbour" in texts(line)
    assert len(texts(line)) == 2
    (hook,) = stored(line)
    assert hook.state == "done"
    with tenant_scope(line.tenant_id):
        query = select(Contact.name).where(Contact.tenant_id == line.tenant_id)
        assert db.session.scalars(query).all() == ["Ayşe"]


def test_a_receipt_finds_its_message_through_the_endpoint(post, line, run_jobs):
    from tests.messaging.message_factory import message_row, sent_message

    with tenant_scope(line.tenant_id):
        message_id, network_id = sent_message(line)
    post(cloud_body(line, status_value(network_id, "read"), status_value(network_id, "delivered")))
    run_jobs()
    with tenant_scope(line.tenant_id):
        assert message_row(line.tenant_id, message_id).state == "read"


def test_the_connection_of_a_hook_serves_ordinary_transactions_after(post, line):
    """It was used with autocommit on; a later transaction on it must still roll back."""
    body = cloud_body(line, text_value("Merhaba"))
    for _ in range(3):
        assert post(body).status_code == 200
    with pytest.raises(ZeroDivisionError), tenant_scope(line.tenant_id):
        db.session.add(ReceivedHook(tenant_id=line.tenant_id, kind="x", target="", body=b""))
        db.session.flush()
        raise ZeroDivisionError
    assert {hook.kind for hook in stored(line)} == {"cloud"}
