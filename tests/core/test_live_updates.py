"""Live updates are sent after the commit, as ids, once per transaction; they never fail."""

import json

import pytest

from core import live_updates
from core.db import tenant_scope
from core.redis.client import connect_redis

TENANT = 812345678901234


@pytest.fixture
def received(app, redis):
    """The updates that a subscriber receives, and an empty history."""
    redis.delete(live_updates.channel_key(TENANT))
    ear = redis.pubsub(ignore_subscribe_messages=True)
    ear.subscribe(live_updates.channel_key(TENANT))
    ear.get_message(timeout=1)

    def listen():
        message = ear.get_message(timeout=0.3)
        return message and json.loads(message["data"].decode().partition(" ")[2])

    yield listen
    ear.close()


def test_live_updates_leave_after_the_commit_in_one_piece(received):
    with tenant_scope(TENANT):
        live_updates.publish_update("messages.received", id="msg_1")
        live_updates.publish_update("conversations.changed", id="cnv_1")
        assert received() is None
    assert received() == [
        {"kind": "messages.received", "id": "msg_1"},
        {"kind": "conversations.changed", "id": "cnv_1"},
    ]
    assert received() is None


def test_a_rollback_sends_no_live_updates(received, redis):
    with pytest.raises(ZeroDivisionError), tenant_scope(TENANT):
        live_updates.publish_update("messages.received", id="msg_1")
        raise ZeroDivisionError
    assert received() is None
    assert not redis.exists(live_updates.channel_key(TENANT))


def test_a_campaign_is_one_live_update(received):
    with tenant_scope(TENANT):
        live_updates.publish_update("messages.received", id="msg_1")
        for number in range(live_updates.MAX_OF_ONE_KIND + 1):
            live_updates.publish_update("messages.changed", id=f"msg_{number}")
    assert received() == [
        {"kind": "messages.received", "id": "msg_1"},
        {"kind": "messages.changed", "many": True},
    ]


def test_the_history_is_short_and_expires(received, redis):
    place = live_updates.channel_key(TENANT)
    for number in range(live_updates.HISTORY_LENGTH * 2):
        live_updates.send_updates(TENANT, [{"kind": "messages.changed", "id": str(number)}])
    assert live_updates.HISTORY_LENGTH <= redis.xlen(place) < live_updates.HISTORY_LENGTH + 200
    assert 0 < redis.ttl(place) <= live_updates.HISTORY_SECONDS
    assert live_updates.history_cursor(TENANT) == redis.xrevrange(place, count=1)[0][0].decode()


def test_without_redis_the_work_is_done_all_the_same(app, settings):
    connect_redis("redis://127.0.0.1:1/0")
    try:
        with tenant_scope(TENANT):
            live_updates.publish_update("messages.received", id="msg_1")
        assert live_updates.history_cursor(TENANT) == ""
    finally:
        connect_redis(settings.redis_url)


def test_live_updates_need_a_tenant(app):
    from core.db import global_scope

    with pytest.raises(RuntimeError), global_scope():
        live_updates.publish_update("messages.received", id="msg_1")
