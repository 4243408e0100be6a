"""The clock of test mode: what waits in test mode gets older, and live data does not."""

from datetime import timedelta
from decimal import Decimal

import pytest
from sqlalchemy import select

from core.clock import now
from core.db import db
from core.ids import new_id
from messaging.models import Campaign, Conversation, HeldMessage, Message, TestClock
from messaging.simulator import remote_control
from restaurant.models import Cart, PaymentLink
from tests.line_factory import make_line
from tests.messaging.inbox.inbox_factory import writes
from tests.restaurant.bistro import open_bistro
from tests.restaurant.fake_provider import open_till

DAY = 86400


@pytest.fixture
def aged(monkeypatch):
    """The seconds by which the simulated network was asked to age its chats."""
    found = []
    monkeypatch.setattr(
        remote_control, "age_chats", lambda _settings, _line, seconds: found.append(seconds)
    )
    return found


@pytest.fixture
def ask(client, restaurant, aged):
    def call(method, body=None, key=None):
        headers = {"Authorization": f"Bearer {key or restaurant.test_key}"}
        return client.open("/api/v1/test/clock", method=method, json=body, headers=headers)

    return call


def rows_of(business, model):
    return db.session.scalars(select(model).where(model.tenant_id == business.tenant_id)).all()


def ahead(moment):
    """Hours from now, rounded."""
    return round((moment - now()).total_seconds() / 3600)


def schedule(client, key, phone="905321112233"):
    body = {
        "phone": phone,
        "message": "Later",
        "scheduled_at": (now() + timedelta(hours=30)).isoformat(),
    }
    headers = {"Authorization": f"Bearer {key}"}
    answer = client.post("/api/v1/messages/send", json=body, headers=headers)
    assert answer.status_code == 202, answer.json
    return answer.json["id"]


def test_the_clock_is_read_moved_and_reset(ask, restaurant):
    assert ask("GET").json["advanced_seconds"] == 0
    moved = ask("POST", {"advance_seconds": DAY})
    assert (moved.status_code, moved.json["advanced_seconds"], moved.json["test"]) == (
        200,
        DAY,
        True,
    )
    assert ask("POST", {"advance_seconds": 60}).json["advanced_seconds"] == DAY + 60
    shown = ask("GET").json
    assert shown["advanced_seconds"] == DAY + 60
    assert shown["now"][:10] == (now() + timedelta(days=1, seconds=60)).date().isoformat()
    assert ask("DELETE").json["advanced_seconds"] == 0
    with restaurant.scope():
        assert db.session.get(TestClock, restaurant.tenant_id).seconds_ahead == 0


def test_it_needs_a_test_key_and_a_sensible_time(ask, restaurant):
    for method, body in (("GET", None), ("POST", {"advance_seconds": 5}), ("DELETE", None)):
        refused = ask(method, body, key=restaurant.key)
        assert (refused.status_code, refused.json["code"]) == (403, "test_key_required")
    for seconds in (0, -5, 367 * DAY, "soon", None):
        assert ask("POST", {"advance_seconds": seconds}).status_code == 422
    for _ in range(10):
        assert ask("POST", {"advance_seconds": 366 * DAY}).status_code == 200
    too_far = ask("POST", {"advance_seconds": 366 * DAY})
    assert (too_far.status_code, too_far.json["code"]) == (422, "invalid_duration")


def test_scheduled_messages_of_test_mode_come_due_and_live_ones_wait(client, ask, restaurant):
    make_line(restaurant)
    make_line(restaurant, test=True)
    live = schedule(client, restaurant.key)
    test = schedule(client, restaurant.test_key)
    ask("POST", {"advance_seconds": DAY})
    with restaurant.scope():
        rows = {one.id: one.due_at for one in rows_of(restaurant, Message)}
    assert (ahead(rows[live]), ahead(rows[test])) == (30, 6)


def test_windows_close_on_the_test_line_only(ask, restaurant, aged):
    live, test = make_line(restaurant), make_line(restaurant, test=True)
    for line in (live, test):
        writes(restaurant, line.id)
    ask("POST", {"advance_seconds": DAY})
    with restaurant.scope():
        found = {one.line_id: ahead(one.window_until) for one in rows_of(restaurant, Conversation)}
    assert found == {live.id: 24, test.id: 0}
    assert aged == [DAY]


def test_held_messages_and_campaigns(ask, restaurant):
    line = make_line(restaurant, test=True)
    with restaurant.scope():
        for test in (False, True):
            db.session.add(
                Campaign(
                    tenant_id=restaurant.tenant_id,
                    name=str(test),
                    state="scheduled",
                    test=test,
                    scheduled_at=now() + timedelta(hours=30),
                    due_at=now() + timedelta(hours=30),
                )
            )
            db.session.add(
                HeldMessage(
                    tenant_id=restaurant.tenant_id,
                    id=new_id("msg"),
                    key_id=new_id("key"),
                    app_name="Agent",
                    for_person="Derya",
                    line_id=line.id,
                    kind="text",
                    phone="905321112233",
                    text="Hello",
                    content={},
                    category="service",
                    quoted_usd=Decimal(0),
                    test=test,
                    created_at=now(),
                    expires_at=now() + timedelta(hours=12),
                )
            )
    ask("POST", {"advance_seconds": DAY})
    with restaurant.scope():
        campaigns = {one.test: ahead(one.due_at) for one in rows_of(restaurant, Campaign)}
        held = {one.test: ahead(one.expires_at) for one in rows_of(restaurant, HeldMessage)}
    assert campaigns == {False: 30, True: 6}
    assert held == {False: 12, True: -12}


@pytest.mark.parametrize("test", [True, False])
def test_carts_of_a_site_on_the_test_line_expire(ask, restaurant, test):
    bistro = open_bistro(restaurant, test=test)
    cart = bistro.cart()
    ask("POST", {"advance_seconds": DAY})
    with restaurant.scope():
        kept = db.session.get(Cart, (restaurant.tenant_id, cart.id))
        assert (kept.expires_at <= now()) is test


def test_a_live_line_keeps_its_carts_when_there_is_a_test_line_too(ask, restaurant):
    bistro = open_bistro(restaurant)
    make_line(restaurant, test=True)
    cart = bistro.cart()
    ask("POST", {"advance_seconds": DAY})
    with restaurant.scope():
        assert db.session.get(Cart, (restaurant.tenant_id, cart.id)).expires_at > now()


def test_payment_links_of_test_mode_expire(ask, restaurant, monkeypatch):
    till = open_till(restaurant, monkeypatch)
    with restaurant.scope():
        moment = now()
        for test in (False, True):
            db.session.add(
                PaymentLink(
                    tenant_id=restaurant.tenant_id,
                    reference=f"r{test}",
                    account_id=till.account_id,
                    site_id=till.bistro.site_id,
                    amount=Decimal(10),
                    currency="TRY",
                    test=test,
                    state="open",
                    minutes=60,
                    expires_at=moment + timedelta(hours=1),
                    due_at=moment + timedelta(hours=1),
                    source="api",
                )
            )
    ask("POST", {"advance_seconds": 2 * 3600})
    with restaurant.scope():
        links = {one.test: ahead(one.expires_at) for one in rows_of(restaurant, PaymentLink)}
    assert links == {False: 1, True: -1}
