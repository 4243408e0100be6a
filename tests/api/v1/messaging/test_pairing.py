"""Linked phones by API: requests are stored as rows; a host does the rest."""

from datetime import timedelta

import pytest

from core.clock import now
from core.db import db, global_scope
from core.queue import leases
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked import sessions as linked_sessions
from messaging.lines.drivers.linked.client import LINKED_KIND, QrCodeShown
from tests.line_factory import make_line


def call(client, key, method, path, body=None, **headers):
    given = {"Authorization": f"Bearer {key}", **headers}
    return client.open(f"/api/v1{path}", method=method, json=body, headers=given)


@pytest.fixture
def line_id(client, restaurant):
    answer = call(client, restaurant.key, "POST", "/instances", {"name": "Front desk"})
    assert answer.status_code == 201
    assert answer.headers["Location"].endswith(f"/instances/{answer.json['id']}")
    assert (answer.json["kind"], answer.json["state"]) == ("linked", "unpaired")
    assert answer.json["is_default"] is False
    return answer.json["id"]


def show(business, line_id, code="2@abc,def", seconds=20):
    with business.scope():
        linked_sessions.record_code_shown(
            line_id, QrCodeShown(code, now() + timedelta(seconds=seconds))
        )


def test_a_pairing_is_asked_for_and_its_code_read(client, restaurant, line_id):
    begun = call(client, restaurant.key, "POST", f"/instances/{line_id}/pairing")
    assert (begun.status_code, begun.json["state"], begun.json["qr"]) == (202, "pairing", None)
    with global_scope():
        held = leases.acquire(LINKED_KIND, "a host", 5, 10_000)
    assert (restaurant.tenant_id, line_id) in [(one.tenant_id, one.thing) for one in held]
    show(restaurant, line_id)
    read = call(client, restaurant.key, "GET", f"/instances/{line_id}/qr")
    assert (read.json["state"], read.json["qr"]) == ("pairing", "2@abc,def")
    assert read.json["expires_at"].endswith("Z")
    assert read.headers["Cache-Control"] == "no-store"
    assert call(client, restaurant.key, "GET", f"/instances/{line_id}/pairing").json == read.json


def test_the_code_as_a_picture(client, restaurant, line_id):
    path = f"/instances/{line_id}/qr"
    none = call(client, restaurant.key, "GET", path, Accept="image/png")
    assert (none.status_code, none.json["code"]) == (409, "no_qr")
    show(restaurant, line_id)
    drawn = call(client, restaurant.key, "GET", path, Accept="image/png")
    assert drawn.mimetype == "image/png"
    assert drawn.get_data().startswith(b"\x89PNG")


def test_a_code_that_expired_is_not_shown(client, restaurant, line_id):
    show(restaurant, line_id, seconds=-1)
    assert call(client, restaurant.key, "GET", f"/instances/{line_id}/qr").json["qr"] is None


def test_asking_twice_with_one_key_asks_once(client, restaurant, line_id):
    once = {"Idempotency-Key": f"link-{line_id}"}
    path = f"/instances/{line_id}/pairing"
    first = call(client, restaurant.key, "POST", path, {}, **once)
    second = call(client, restaurant.key, "POST", path, {}, **once)
    assert second.headers["Idempotent-Replayed"] == "true"
    assert second.json == first.json
    with global_scope():
        query = db.select(leases.Lease.asked).where(
            leases.Lease.tenant_id == restaurant.tenant_id, leases.Lease.thing == line_id
        )
        assert db.session.scalar(query) == 1


@pytest.mark.parametrize("phone", ["0532", "+905321112233", "abc"])
def test_a_phone_to_type_the_code_into_is_checked(client, restaurant, line_id, phone):
    path = f"/instances/{line_id}/pairing"
    answer = call(client, restaurant.key, "POST", path, {"phone": phone})
    assert (answer.status_code, answer.json["errors"][0]["field"]) == (422, "phone")
    with restaurant.scope():
        assert pairing.get_linked_line(line_id)[0].state == "unpaired"


def test_what_makes_no_sense_is_a_conflict_with_a_message(client, restaurant, line_id):
    cloud = make_line(restaurant).id
    for path in ("qr", "pairing"):
        answer = call(client, restaurant.key, "GET", f"/instances/{cloud}/{path}")
        assert (answer.status_code, answer.json["code"]) == (409, "not_linked")
    for path in ("pairing", "restart", "logout"):
        answer = call(client, restaurant.key, "POST", f"/instances/{cloud}/{path}", {})
        assert (answer.status_code, answer.json["code"]) == (409, "not_linked")
    answer = call(client, restaurant.key, "POST", f"/instances/{line_id}/logout", {})
    assert (answer.status_code, answer.json["code"]) == (409, "not_paired")
    with restaurant.scope():
        linked_sessions.record_connected(line_id)
    answer = call(client, restaurant.key, "POST", f"/instances/{line_id}/pairing", {})
    assert (answer.status_code, answer.json["code"]) == (409, "already_connected")


def test_a_connected_line_is_restarted_and_logged_out(client, restaurant, line_id):
    with restaurant.scope():
        linked_sessions.record_paired(line_id, "905321110000")
        linked_sessions.record_connected(line_id)
    for path, wanted in (("restart", "session"), ("logout", "logout")):
        answer = call(client, restaurant.key, "POST", f"/instances/{line_id}/{path}")
        assert (answer.status_code, answer.json["phone"]) == (202, "905321110000")
        with restaurant.scope():
            assert pairing.get_linked_line(line_id)[1].wanted == wanted


def test_keys_that_may_not(client, restaurant, shop, line_id):
    for method, path in (
        ("GET", "qr"),
        ("GET", "pairing"),
        ("POST", "pairing"),
        ("POST", "restart"),
        ("POST", "logout"),
    ):
        where, body = f"/instances/{line_id}/{path}", {} if method == "POST" else None
        assert call(client, shop.key, method, where, body).status_code == 404
        bare = restaurant.makes_key("messages:send")
        assert call(client, bare, method, where, body).json["code"] == "missing_scope"
        held = restaurant.makes_key("lines", line_ids=[make_line(restaurant).id])
        assert call(client, held, method, where, body).status_code == 404
    test = call(client, restaurant.test_key, "POST", "/instances", {"name": "x"})
    assert (test.status_code, test.json["code"]) == (403, "live_key_required")
    held = restaurant.makes_key("lines", line_ids=[line_id])
    answer = call(client, held, "POST", "/instances", {"name": "x"})
    assert (answer.status_code, answer.json["code"]) == (403, "line_not_allowed")


def test_an_account_has_only_so_many(client, restaurant, monkeypatch):
    monkeypatch.setattr(pairing, "MOST_LINES", 1)
    assert call(client, restaurant.key, "POST", "/instances", {"name": "1"}).status_code == 201
    answer = call(client, restaurant.key, "POST", "/instances", {"name": "2"})
    assert (answer.status_code, answer.json["code"]) == (422, "too_many_lines")
