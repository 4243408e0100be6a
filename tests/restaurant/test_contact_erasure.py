"""Erasure removes a guest from orders and carts; the sales figures stay."""

from datetime import timedelta
from hashlib import sha256

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db, global_scope
from core.security.server_keys import ServerKey
from jobs import maintenance
from messaging.contacts import identities as contact_identities
from messaging.contacts.erasure import erasures as contact_erasures
from printing import printers
from restaurant.couriers import couriers
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Cart
from restaurant.orders import carts
from restaurant.orders import queries as order_queries
from restaurant.sites import sites
from tenants.models import AuditEntry
from tests.messaging.contacts.test_erasure import traces
from tests.restaurant.bistro import open_bistro

PHONE, NAME = (
    "5511987150771",
    "Zyxandra Quux",
)  # found like in tests.messaging.contacts.test_erasure
SAID = "quince marmalade please"


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def test_an_erased_guest_leaves_no_trace(bistro, run_jobs, superuser_connection):
    with bistro.scope():
        everywhere = {"stations": ["kitchen", "bar"]}
        printers.add(bistro.site_id, "Mutfak", "cloudprnt", everywhere)
    first = bistro.cart(notes=f"{SAID}, {NAME}")
    order = bistro.orders_by_chat(f"{first.text}\nmarmalade!", PHONE, NAME)
    more = bistro.cart(RequestedItem(bistro.items["Ayran"], 2, note="booth seven"))
    assert bistro.orders_by_chat(more.text, PHONE, NAME).id == order.id
    kept = bistro.order(phone="905321110001", table="3")
    with superuser_connection.cursor() as cursor:
        before = {table for table, _, _ in traces(cursor, bistro.business.tenant_id)}
    assert before >= {"orders", "order_lines", "carts", "print_jobs"}, before
    with bistro.scope():
        total = order_queries.get(order.number).total
        contact_erasures.start_erasure(contact_identities.find_contact(PHONE))
    run_jobs()
    with superuser_connection.cursor() as cursor:
        assert traces(cursor, bistro.business.tenant_id) == []
    with bistro.scope():
        blank = order_queries.get(order.number)
        assert (blank.total, blank.customer_phone, blank.contact_id) == (total, "", None)
        assert order_queries.get(kept.number).customer_phone == "905321110001"


def test_abandoned_carts_are_found_by_an_erasure_and_gone_after_a_day(bistro, run_jobs):
    """Regression: addresses and notes of unsent carts were never deleted."""
    with frozen(now()):
        bistro.orders_by_chat(bistro.cart().text, PHONE, NAME)
        theirs = bistro.cart(notes=f"call me, {NAME}")
        others = bistro.cart(notes="no onions")
        with bistro.scope():
            contact_erasures.start_erasure(contact_identities.find_contact(PHONE))
        run_jobs()
        assert codes(bistro) == {others.code}
        assert theirs.code not in codes(bistro)
        advance(timedelta(hours=20))
        maintenance.delete_expired()
        assert codes(bistro) == {others.code}
        advance(timedelta(hours=8))
        maintenance.delete_expired()
        assert codes(bistro) == set()


def codes(bistro):
    with bistro.scope():
        mine = select(Cart.code).where(Cart.tenant_id == bistro.business.tenant_id)
        return set(db.session.scalars(mine.where(Cart.order_id.is_(None))))


def test_a_visitor_is_counted_by_a_digest_whose_key_is_dropped(bistro):
    """An unsalted hash of an IPv4 address can be reversed in minutes."""
    with frozen(now().replace(hour=12)):
        first, again = (bistro.cart(visitor="192.0.2.7").visitor for _ in range(2))
        assert first == again
        assert first not in {sha256(b"192.0.2.7").hexdigest()[:32], ""}
        advance(timedelta(days=3))
        maintenance.delete_expired()
        assert bistro.cart(visitor="192.0.2.7").visitor != first
    with global_scope():
        days = select(ServerKey.name).where(ServerKey.name.startswith(carts.VISITOR_KEYS))
        assert len(db.session.scalars(days).all()) == 1


def test_an_erased_couriers_name_is_gone_from_the_audit(bistro, run_jobs):
    with bistro.scope():
        rider = couriers.add(sites.get(bistro.site_id), NAME, PHONE)
        couriers.remove(rider)
        contact_erasures.start_erasure(contact_identities.find_contact(PHONE))
    run_jobs()
    with bistro.scope():
        mine = select(AuditEntry).where(AuditEntry.tenant_id == bistro.business.tenant_id)
        entries = db.session.scalars(mine.where(AuditEntry.act.startswith("couriers."))).all()
    assert len(entries) == 2
    assert {entry.subject for entry in entries} == {"erased contact"}
