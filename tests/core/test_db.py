"""One transaction at a time, opened by an entry point, with its tenant set first."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, text

from core.db import (
    current_tenant_id,
    db,
    end_kept_transaction,
    global_scope,
    savepoint,
    tenant_scope,
)
from core.errors import NotFound
from tenants.models import Member, Tenant


def tenants_named(name):
    with global_scope():
        return list(db.session.scalars(select(Tenant).where(Tenant.name == name)))


def rename(tenant_id, name):
    db.session.get(Tenant, tenant_id).name = name


def test_what_a_scope_did_is_kept_at_its_end(restaurant):
    with restaurant.scope():
        rename(restaurant.tenant_id, "Kept at the end")
    assert tenants_named("Kept at the end")


def test_an_error_undoes_all_of_it(restaurant):
    with pytest.raises(ZeroDivisionError), restaurant.scope():
        rename(restaurant.tenant_id, "Never kept")
        db.session.flush()
        raise ZeroDivisionError
    assert not tenants_named("Never kept")


def test_the_database_cannot_be_used_outside_a_scope(app):
    with pytest.raises(RuntimeError, match="open tenant_scope"):
        db.session.execute(text("SELECT 1"))
    with pytest.raises(RuntimeError, match="open tenant_scope"):
        db.session.get(Tenant, 1)


def test_a_tenant_cannot_be_switched_inside_a_transaction(restaurant, shop):
    with restaurant.scope():
        with pytest.raises(RuntimeError, match="already open"), shop.scope():
            pytest.fail("opened")
        with pytest.raises(RuntimeError, match="already open"), global_scope():
            pytest.fail("opened")
        assert current_tenant_id() == restaurant.tenant_id


def test_a_failed_scope_leaves_the_next_one_clean(restaurant):
    with pytest.raises(ZeroDivisionError), restaurant.scope():
        raise ZeroDivisionError
    with global_scope():
        assert db.session.scalar(text("SELECT 1")) == 1


def test_the_tenant_does_not_stay_on_a_pooled_connection(restaurant):
    for _ in range(20):
        with restaurant.scope():
            found = db.session.scalars(
                select(Member).where(Member.tenant_id == restaurant.tenant_id)
            ).all()
            assert len(found) == 1
        with global_scope():
            query = select(Member).where(Member.tenant_id == restaurant.tenant_id)
            assert db.session.scalars(query).all() == []


def transaction_id():
    return db.session.scalar(text("SELECT txid_current()"))


def test_a_kept_transaction_is_continued_by_the_next_scope_of_the_tenant(restaurant):
    with tenant_scope(restaurant.tenant_id, keep_open=True):
        first = transaction_id()
        tenant = db.session.get(Tenant, restaurant.tenant_id)
        tenant.name = "Named in the first scope"
    with pytest.raises(RuntimeError, match="open tenant_scope"):
        transaction_id()
    with restaurant.scope():
        assert transaction_id() == first
        assert current_tenant_id() == restaurant.tenant_id
    assert tenants_named("Named in the first scope")
    with restaurant.scope():
        assert transaction_id() != first


def test_an_error_in_the_next_scope_undoes_both(restaurant):
    with tenant_scope(restaurant.tenant_id, keep_open=True):
        tenant = db.session.get(Tenant, restaurant.tenant_id)
        tenant.name = "Undone with the next scope"
    with pytest.raises(ZeroDivisionError), restaurant.scope():
        raise ZeroDivisionError
    assert not tenants_named("Undone with the next scope")
    assert tenant.plan  # not expired by the rollback


def test_a_scope_of_another_tenant_does_not_continue_it(restaurant, shop):
    for other in (shop.scope, global_scope):
        with tenant_scope(restaurant.tenant_id, keep_open=True):
            first = transaction_id()
            rename(restaurant.tenant_id, other.__name__)
        with other():
            assert transaction_id() != first
        assert tenants_named(other.__name__)


def test_a_kept_transaction_can_be_ended_without_another_scope(restaurant):
    with tenant_scope(restaurant.tenant_id, keep_open=True):
        rename(restaurant.tenant_id, "Ended alone")
        first = transaction_id()
    end_kept_transaction()
    with restaurant.scope():
        assert transaction_id() != first
    assert tenants_named("Ended alone")
    end_kept_transaction()  # nothing is left to end


def test_objects_can_be_read_after_the_scope(restaurant):
    with restaurant.scope():
        tenant = db.session.get(Tenant, restaurant.tenant_id)
    assert tenant.name == "Lokanta Mavi"


def test_a_global_scope_has_no_tenant(app):
    with global_scope(), pytest.raises(RuntimeError, match="needs tenant_scope"):
        current_tenant_id()


def test_a_savepoint_is_undone_alone(restaurant):
    with restaurant.scope():
        rename(restaurant.tenant_id, "Before the savepoint")
        with pytest.raises(ZeroDivisionError), savepoint():
            rename(restaurant.tenant_id, "Inside the savepoint")
            db.session.flush()
            raise ZeroDivisionError
    assert tenants_named("Before the savepoint")
    assert not tenants_named("Inside the savepoint")


@pytest.mark.parametrize("number", [0, -1, 2**63, 10**30])
def test_a_number_that_is_no_tenants_is_not_found(app, number):
    with pytest.raises(NotFound), tenant_scope(number):
        pytest.fail("opened")
    with global_scope():
        assert db.session.scalar(text("SELECT 1")) == 1


def test_many_threads_keep_their_tenants_apart(app, restaurant, shop):
    def sees(business):
        with app.app_context(), business.scope():
            db.session.execute(text("SELECT pg_sleep(0.01)"))
            query = select(Member.person_id).where(Member.tenant_id == business.tenant_id)
            return list(db.session.scalars(query)) == [business.owner.id]

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(sees, [restaurant, shop] * 20))


def test_a_statement_that_takes_too_long_is_stopped(app):
    with global_scope():
        assert db.session.scalar(text("SHOW statement_timeout")) == "30s"
        assert db.session.scalar(text("SHOW timezone")).upper() == "UTC"
