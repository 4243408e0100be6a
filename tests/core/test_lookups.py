"""Lookups made before the tenant is known."""

import pytest
from sqlalchemy.exc import IntegrityError

from core.db import global_scope
from core.lookups import add_lookup, find_lookup, remove_lookup, secret_digest


def look(kind, key):
    with global_scope():
        return find_lookup(kind, key)


def test_a_published_thing_is_found_with_its_tenant(restaurant):
    with restaurant.scope():
        add_lookup("host", "mavi.example", "site 1")
    assert look("host", "mavi.example") == (restaurant.tenant_id, "site 1")
    assert look("line", "mavi.example") is None
    assert look("host", "MAVI.example") is None


def test_a_key_belongs_to_one_tenant(restaurant, shop):
    with restaurant.scope():
        add_lookup("host", "one.example", "a")
    with pytest.raises(IntegrityError), shop.scope():
        add_lookup("host", "one.example", "b")
    assert look("host", "one.example") == (restaurant.tenant_id, "a")


def test_another_tenant_cannot_withdraw_it(restaurant, shop):
    with restaurant.scope():
        add_lookup("host", "mine.example", "a")
    with shop.scope():
        remove_lookup("host", "mine.example")
    assert look("host", "mine.example") == (restaurant.tenant_id, "a")
    with restaurant.scope():
        remove_lookup("host", "mine.example")
    assert look("host", "mine.example") is None


def test_publishing_needs_a_tenant(app):
    with pytest.raises(RuntimeError, match="tenant_scope"), global_scope():
        add_lookup("host", "nobody.example", "a")


def test_a_digest_is_sha256():
    assert (
        secret_digest("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
