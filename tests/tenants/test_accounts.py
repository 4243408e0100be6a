"""Tenants: create, set up, suspend, list, erase; and their audit entries."""

from datetime import timedelta
from decimal import Decimal

import pytest

from core.clock import advance, frozen
from core.db import global_scope
from core.errors import DomainError, Invalid, NotFound
from core.logs import bind_request
from core.queue.lanes import mark_due
from messaging import api_caller
from tenants import accounts, api_keys, audit, people, signin, team
from tenants.audit import Actor, acting_as
from tenants.data.erasure import erase_tenant, tenant_tables
from tenants.passwords import hash_password
from tests.architecture.tenancy import schema_rules
from tests.factories import make_business, unique_email
from tests.sample_tenant import make_sample_tenant, rows_of

OPERATOR = Actor("operator", "op 1", "Ada the operator", "192.0.2.9")


def acts(business):
    with business.scope():
        return [entry.act for entry in audit.entries()]


def settings(**more):
    return {
        "name": "Lokanta Mavi",
        "locale": "tr",
        "time_zone": "Europe/Istanbul",
        "country": "TR",
        "currency": "TRY",
        **more,
    }


def test_a_tenant_has_a_number_that_shows_nothing(restaurant, shop):
    for business in (restaurant, shop):
        assert 10**14 <= business.tenant_id < 10**15
    assert abs(restaurant.tenant_id - shop.tenant_id) > 1


def test_a_new_tenant_has_an_owner_and_an_account(restaurant):
    with restaurant.scope():
        assert [m.role for m in team.members()] == ["owner"]
        assert accounts.get(restaurant.tenant_id).state == "active"
        assert accounts.account().trial_used == 0


def test_settings_are_changed_and_the_change_is_reported(restaurant):
    with restaurant.scope():
        accounts.change_settings(**settings(name="Lokanta Yeni"))
    with restaurant.scope():
        (entry,) = audit.entries(act="settings.changed")
        assert accounts.get(restaurant.tenant_id).name == "Lokanta Yeni"
    assert entry.detail["changes"]["name"] == ["Lokanta Mavi", "Lokanta Yeni"]
    assert "name" in entry.detail["fields"]


def test_saving_without_a_change_shows_nothing(restaurant):
    for _ in range(2):
        with restaurant.scope():
            accounts.change_settings(**settings())
    assert acts(restaurant).count("settings.changed") == 1


@pytest.mark.parametrize("wrong", [{"locale": "xx"}, {"time_zone": "Mars/One"}, {"name": "\n"}])
def test_settings_that_make_no_sense_are_refused(restaurant, wrong):
    with pytest.raises(Invalid), restaurant.scope():
        accounts.change_settings(**settings(**wrong))


def test_suspended_and_resumed(restaurant):
    with frozen() as moment, acting_as(OPERATOR):
        with restaurant.scope():
            accounts.suspend("did not pay")
        with restaurant.scope():
            tenant = accounts.get(restaurant.tenant_id)
            assert (tenant.suspended, tenant.suspended_at) == (True, moment)
            assert tenant.suspended_because == "did not pay"
            accounts.suspend("again")
        with restaurant.scope():
            accounts.resume()
            accounts.resume()
        with restaurant.scope():
            assert not accounts.get(restaurant.tenant_id).suspended
    assert acts(restaurant)[:2] == ["account.resumed", "account.suspended"]
    assert acts(restaurant).count("account.suspended") == 1


def test_an_unknown_tenant_is_not_found(app):
    for number in (1, -1, 2**70):
        with pytest.raises(NotFound), global_scope():
            accounts.get(number)


def test_everything_that_changes_rights_keys_or_settings_is_in_the_audit(restaurant):
    password = hash_password("a fine password")
    with frozen(), acting_as(OPERATOR), restaurant.scope():
        key, _ = api_keys.create("Till", "live", ["orders"])
        api_keys.change(key.id, "Till 2", ["orders", "menus"], None)
        fresh, _ = api_keys.rotate(key.id, timedelta(hours=1))
        api_keys.revoke(fresh.id)
        invitation, _ = team.invite(unique_email(), "viewer", "owner", "Ada")
        team.revoke_invitation(invitation.id)
        second, _ = team.invite(unique_email(), "viewer", "owner", "Ada")
        newcomer = people.register(unique_email(), "Newcomer", password)
        member = team.accept_invitation(second.id, newcomer)
        team.change_role(member.id, "manager", "owner")
        team.remove_member(member.id, "owner")
        accounts.change_settings(**settings())
        accounts.change_limits(5, 5, 5, Decimal(5))
        accounts.change_plan("starter")
        accounts.suspend("test")
        accounts.resume()
    told = acts(restaurant)
    assert sorted(set(told)) == [
        "account.created",
        "account.limits_changed",
        "account.plan_changed",
        "account.resumed",
        "account.suspended",
        "keys.changed",
        "keys.created",
        "keys.revoked",
        "keys.rotated",
        "settings.changed",
        "team.invitation_revoked",
        "team.invited",
        "team.joined",
        "team.removed",
        "team.role_changed",
    ]


def test_an_entry_shows_who_from_where_and_in_which_request(restaurant):
    bind_request("req_audited")
    with acting_as(OPERATOR), restaurant.scope():
        api_keys.revoke(restaurant.key_id)
    with restaurant.scope():
        entry = audit.entries(act="keys.revoked")[0]
    assert (entry.actor_kind, entry.actor_name) == ("operator", "Ada the operator")
    assert (entry.address, entry.request_id) == ("192.0.2.9", "req_audited")
    assert restaurant.key[12:] not in str(entry.detail)


def test_a_change_that_failed_is_not_in_the_audit(restaurant):
    with pytest.raises(ZeroDivisionError), restaurant.scope():
        api_keys.revoke(restaurant.key_id)
        raise ZeroDivisionError
    assert "keys.revoked" not in acts(restaurant)


def test_the_audit_is_searched_and_read_in_pages(restaurant, shop):
    with acting_as(OPERATOR), restaurant.scope():
        for number in range(5):
            audit.record("keys.test", str(number))
    with restaurant.scope():
        first = audit.entries(act="keys.test", limit=3)
        rest = audit.entries(act="keys.test", after=first[-1].id)
        assert [e.subject for e in first + rest] == ["4", "3", "2", "1", "0"]
        assert len(audit.entries(actor="ada the OP")) == 5
        assert audit.entries(actor="%") == []
        assert len(audit.entries(actor="ada\0")) == 5
    with shop.scope():
        assert audit.entries(act="keys.test") == []


def test_every_tenant_is_visited_once(restaurant, shop):
    seen = list(accounts.every_tenant(because="a test counts them"))
    assert len(seen) == len(set(seen))
    assert {restaurant.tenant_id, shop.tenant_id} <= set(seen)


def test_operators_search_by_name_or_number(app):
    odd = make_business("100% _Pide_ Salonu")
    with global_scope():
        assert [t.id for t in accounts.search("100% _pide_")] == [odd.tenant_id]
        assert [t.id for t in accounts.search(str(odd.tenant_id))] == [odd.tenant_id]
        for nothing in ("%%%", "²", "9" * 30, "\0zzz", str(2**63)):
            assert accounts.search(nothing) == [], nothing
        newest = accounts.search(limit=2)
        assert accounts.search(after=newest[0].id, limit=1)[0].id == newest[1].id
        with pytest.raises(NotFound):
            accounts.search(after=10**30)


def test_the_code_and_the_catalog_agree_on_what_a_tenant_owns(app, superuser_connection):
    with superuser_connection.cursor() as cursor:
        assert sorted(tenant_tables()) == sorted(schema_rules.owned_tables(cursor))


def test_an_erased_tenant_leaves_nothing_and_others_are_untouched(app, superuser_connection):
    gone, stays = make_sample_tenant("Vanishing"), make_sample_tenant("Staying")
    with gone.business.scope():
        mark_due("sends", gone.tenant_id)
    with superuser_connection.cursor() as cursor:
        before = rows_of(cursor, stays.tenant_id)
        assert all(rows_of(cursor, gone.tenant_id).values())
    with gone.business.scope():
        erase_tenant()
    with superuser_connection.cursor() as cursor:
        assert not any(rows_of(cursor, gone.tenant_id).values())
        assert rows_of(cursor, stays.tenant_id) == before
        cursor.execute(
            "SELECT table_name FROM information_schema.columns WHERE table_schema = 'public'"
            " AND column_name = 'tenant_id'"
        )
        for (table,) in cursor.fetchall():
            cursor.execute(f"SELECT count(*) FROM {table} WHERE tenant_id = %s", (gone.tenant_id,))
            kept_by_law = 1 if table == "invoices" else 0
            assert cursor.fetchone() == (kept_by_law,), table
    with pytest.raises(NotFound), gone.business.scope():
        accounts.get(gone.tenant_id)
    assert api_caller.find_key_owner(gone.business.key) is None
    with global_scope():
        assert team.find_invitation(gone.invitation_token) is None
        assert people.get(gone.business.owner.id) is not None


def test_people_of_an_erased_tenant_can_still_sign_in(app):
    gone = make_business("Short-lived")
    second = make_business("Goes on", owner=gone.owner)
    with gone.scope():
        erase_tenant()
    with global_scope():
        token = signin.open_session(gone.owner, "", "")
        assert [t.id for t in signin.load_session(token).tenants] == [second.tenant_id]


def test_a_plan_that_is_not_there_cannot_be_chosen(restaurant):
    with pytest.raises(DomainError), restaurant.scope():
        accounts.change_plan("gold")
    with frozen():
        advance(1)
        with restaurant.scope():
            accounts.change_plan("growth")
    assert "account.plan_changed" not in acts(restaurant)
