"""A revoked key or a suspended account is refused everywhere within five seconds."""

import time
from types import SimpleNamespace

from api import auth
from tenants import accounts, api_keys


def status(client, key):
    return client.get("/api/v1/me", headers={"Authorization": f"Bearer {key}"}).status_code


def revoke(business):
    with business.scope():
        api_keys.revoke(business.key_id)
    accounts.drop_tenant_cache(business.tenant_id)


def suspend(business):
    with business.scope():
        accounts.suspend("test")
    accounts.drop_tenant_cache(business.tenant_id)


def later(monkeypatch, seconds):
    monkeypatch.setattr(auth, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + seconds))


def test_a_key_is_remembered_between_requests(client, restaurant, monkeypatch):
    assert status(client, restaurant.key) == 200
    monkeypatch.setattr(auth, "_find_caller", None)
    assert status(client, restaurant.key) == 200


def test_a_revoked_key_is_refused_at_once(client, restaurant):
    assert status(client, restaurant.key) == 200
    revoke(restaurant)
    assert status(client, restaurant.key) == 401
    assert status(client, restaurant.test_key) == 200


def test_a_suspended_account_is_refused_at_once(client, restaurant):
    assert status(client, restaurant.key) == 200
    suspend(restaurant)
    assert status(client, restaurant.key) == 401


def test_new_scopes_hold_at_once(tried, restaurant):
    key = restaurant.makes_key("menus")
    bearer = {"Authorization": f"Bearer {key}"}
    assert tried.post("/api/v1/tried/orders", json={}, headers=bearer).status_code == 403
    with restaurant.scope():
        changed = next(k for k in api_keys.list_keys() if k.prefix == key[:12])
        api_keys.change(changed.id, "Key", ["orders"], None)
    accounts.drop_tenant_cache(restaurant.tenant_id)
    assert tried.post("/api/v1/tried/orders", json={}, headers=bearer).status_code == 201


def test_without_redis_it_takes_five_seconds_at_most(client, restaurant, no_redis, monkeypatch):
    assert status(client, restaurant.key) == 200
    revoke(restaurant)
    later(monkeypatch, 5.1)
    assert status(client, restaurant.key) == 401


def test_without_redis_a_suspension_is_seen_too(client, restaurant, no_redis, monkeypatch):
    assert status(client, restaurant.key) == 200
    suspend(restaurant)
    later(monkeypatch, 5.1)
    assert status(client, restaurant.key) == 401


def test_after_a_loss_of_all_redis_knew_a_revocation_is_still_seen(client, restaurant, redis):
    accounts.drop_tenant_cache(restaurant.tenant_id)
    assert status(client, restaurant.key) == 200
    redis.delete(f"generation:{restaurant.tenant_id}")
    assert status(client, restaurant.key) == 200
    revoke(restaurant)
    assert status(client, restaurant.key) == 401


def test_a_revocation_that_could_not_be_announced_holds_after_five_seconds(
    client, restaurant, monkeypatch
):
    """Redis responds, but the change was not published."""
    assert status(client, restaurant.key) == 200
    monkeypatch.setattr("core.db.bump_cache_generation", lambda _: None)
    with restaurant.scope():
        api_keys.revoke(restaurant.key_id)
    later(monkeypatch, 5.1)
    assert status(client, restaurant.key) == 401


def test_a_revocation_holds_after_five_seconds_when_redis_lost_everything(
    client, restaurant, redis, monkeypatch
):
    """The change counter restarts and reaches the cached value again."""
    assert status(client, restaurant.key) == 200
    revoke(restaurant)
    redis.flushdb()
    later(monkeypatch, 5.1)
    assert status(client, restaurant.key) == 401
