"""Members, roles and invitations."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest

from core.clock import advance, frozen
from core.db import global_scope
from core.errors import Conflict, DomainError, Forbidden, Invalid, NotFound
from tenants import people, signin, team
from tenants.rights import RIGHTS, ROLES, may_assign_role, role_may
from tests.factories import make_person, unique_email


def member_of(business, person):
    with business.scope():
        return team.find_by_person(person.id)


def invite(business, email=None, role="viewer", by="owner"):
    with business.scope():
        return team.invite(email or unique_email(), role, by, "Derya")


def accept(business, invitation, person):
    with business.scope():
        return team.accept_invitation(invitation.id, person)


def at_once(app, *acts):
    """Run each in its own thread, started together; return the error code or None."""
    barrier = Barrier(len(acts))

    def run(act):
        with app.app_context():
            barrier.wait(10)
            try:
                act()
            except DomainError as refusal:
                return refusal.code
            return None

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_every_role_may_look_at_home_and_only_an_owner_may_close():
    assert all(role_may(role, "home.view") for role in ROLES)
    assert [role for role in ROLES if role_may(role, "account.close")] == ["owner"]
    assert ROLES["owner"] == set(RIGHTS)


def test_rights_that_manage_are_for_owners_and_admins():
    # Rights for daily work rather than for the account.
    daily = {f"{work}.manage" for work in ("contacts", "orders")}
    place = {f"{work}.manage" for work in ("restaurant", "printing", "payments")}
    place |= {"campaigns.manage", "loyalty.manage"}
    for right in set(RIGHTS) - daily:
        if right.endswith((".manage", ".close", ".set_up")):
            runs = {"manager"} if right in place else set()
            assert {role for role in ROLES if role_may(role, right)} <= {"owner", "admin"} | runs


def test_an_unknown_right_is_a_mistake_and_not_a_no():
    with pytest.raises(RuntimeError):
        role_may("owner", "everything")


def test_only_an_owner_gives_ownership():
    assert may_assign_role("owner", "owner")
    assert may_assign_role("admin", "admin")
    assert not may_assign_role("admin", "owner")
    assert not any(
        may_assign_role(role, "viewer") for role in ROLES if role not in ("owner", "admin")
    )


def test_a_role_is_changed_by_somebody_who_may(restaurant):
    member = member_of(restaurant, restaurant.hires("viewer"))
    with restaurant.scope():
        team.change_role(member.id, "manager", "admin")
    with restaurant.scope():
        assert {m.role for m in team.members()} == {"owner", "manager"}


@pytest.mark.parametrize(
    ("was", "wanted", "by"), [("viewer", "owner", "admin"), ("owner", "viewer", "admin")]
)
def test_an_admin_neither_makes_nor_unmakes_owners(restaurant, was, wanted, by):
    member = member_of(restaurant, restaurant.hires(was))
    with pytest.raises(Forbidden), restaurant.scope():
        team.change_role(member.id, wanted, by)
    if was == "owner":
        with pytest.raises(Forbidden), restaurant.scope():
            team.remove_member(member.id, by)


def test_an_unknown_role_is_refused(restaurant):
    member = member_of(restaurant, restaurant.owner)
    with pytest.raises(Invalid), restaurant.scope():
        team.change_role(member.id, "king", "owner")


def test_the_last_owner_stays(restaurant):
    owner = member_of(restaurant, restaurant.owner)
    for act in (
        lambda: team.remove_member(owner.id, "owner"),
        lambda: team.change_role(owner.id, "admin", "owner"),
    ):
        with pytest.raises(Conflict), restaurant.scope():
            act()
    assert member_of(restaurant, restaurant.owner).role == "owner"


@pytest.mark.parametrize("how", ["remove", "change"])
def test_two_owners_cannot_remove_each_other_at_once(app, restaurant, how):
    first = member_of(restaurant, restaurant.owner)
    second = member_of(restaurant, restaurant.hires("owner"))

    def act(member):
        def run():
            with restaurant.scope():
                if how == "remove":
                    team.remove_member(member.id, "owner")
                else:
                    team.change_role(member.id, "viewer", "owner")

        return run

    assert sorted(at_once(app, act(first), act(second)), key=str) == [None, "last_owner"]
    with restaurant.scope():
        assert len([m for m in team.members() if m.role == "owner"]) == 1


def test_a_removed_member_is_out_at_once(restaurant):
    person = restaurant.hires("admin")
    with global_scope():
        token = signin.open_session(person, "", "", tenant_id=restaurant.tenant_id)
    with restaurant.scope():
        team.remove_member(team.find_by_person(person.id).id, "owner")
    assert member_of(restaurant, person) is None
    with global_scope():
        assert signin.load_session(token).tenants == []


def test_another_tenants_member_is_not_there(restaurant, shop):
    member = member_of(restaurant, restaurant.hires("viewer"))
    for act in (
        lambda: team.remove_member(member.id, "owner"),
        lambda: team.change_role(member.id, "owner", "owner"),
    ):
        with pytest.raises(NotFound), shop.scope():
            act()


def test_joining_twice_keeps_the_first_role(restaurant):
    person = restaurant.hires("viewer")
    with restaurant.scope():
        assert team.add_member(person, "owner").role == "viewer"


def test_an_invitation_is_found_by_its_link_and_accepted_once(restaurant):
    invitation, token = invite(restaurant, role="manager")
    with global_scope():
        assert team.find_invitation(token) == (restaurant.tenant_id, invitation.id)
    person = make_person()
    assert accept(restaurant, invitation, person).role == "manager"
    with pytest.raises(Invalid):
        accept(restaurant, invitation, make_person())
    with global_scope():
        assert team.find_invitation(token) is None


def test_of_two_people_with_one_link_one_joins(app, restaurant):
    invitation, _ = invite(restaurant)
    people_ = [make_person(), make_person()]
    acts = [lambda p=person: accept(restaurant, invitation, p) for person in people_]
    assert sorted(at_once(app, *acts), key=str) == [None, "link_over"]
    with restaurant.scope():
        assert len(team.members()) == 2


def test_a_second_invitation_replaces_the_first(restaurant):
    email = unique_email()
    first, old_token = invite(restaurant, email)
    second, new_token = invite(restaurant, email.upper(), role="admin")
    with restaurant.scope():
        assert [i.id for i in team.invitations()] == [second.id]
    with global_scope():
        assert team.find_invitation(old_token) is None
        assert team.find_invitation(new_token) is not None
    with pytest.raises(Invalid):
        accept(restaurant, first, make_person())


def test_an_invitation_ends_after_a_week(restaurant):
    with frozen():
        invitation, _ = invite(restaurant)
        advance(timedelta(days=7))
        with restaurant.scope():
            assert team.invitations() == []
        with pytest.raises(Invalid):
            accept(restaurant, invitation, make_person())


def test_a_withdrawn_invitation_cannot_be_accepted(restaurant):
    invitation, token = invite(restaurant)
    with restaurant.scope():
        team.revoke_invitation(invitation.id)
    with pytest.raises(Invalid):
        accept(restaurant, invitation, make_person())
    with global_scope():
        assert team.find_invitation(token) is None


def test_an_invitation_is_either_accepted_or_withdrawn(app, restaurant):
    for _ in range(5):
        invitation, _ = invite(restaurant)
        person = make_person()

        def withdraw(invitation=invitation):
            with restaurant.scope():
                team.revoke_invitation(invitation.id)

        at_once(app, lambda i=invitation, p=person: accept(restaurant, i, p), withdraw)
        joined = member_of(restaurant, person) is not None
        with restaurant.scope():
            assert invitation.id not in [i.id for i in team.invitations()]
        if not joined:
            with pytest.raises(Invalid):
                accept(restaurant, invitation, person)


def test_another_tenants_invitation_is_not_there(restaurant, shop):
    invitation, _ = invite(restaurant)
    for act in (team.revoke_invitation, team.open_invitation):
        with pytest.raises(NotFound), shop.scope():
            act(invitation.id)
    with pytest.raises(NotFound):
        accept(shop, invitation, make_person())


def test_a_member_is_not_invited_again(restaurant):
    with pytest.raises(Invalid, match="already"):
        invite(restaurant, restaurant.owner.email.upper())


def test_an_admin_cannot_invite_an_owner(restaurant):
    with pytest.raises(Forbidden):
        invite(restaurant, role="owner", by="admin")
    with pytest.raises(Forbidden):
        invite(restaurant, role="viewer", by="manager")


def test_open_invitations_have_an_end(restaurant, monkeypatch):
    monkeypatch.setattr(team, "MAX_PENDING", 3)
    for _ in range(3):
        invite(restaurant)
    with pytest.raises(Conflict):
        invite(restaurant)


def test_somebody_may_belong_to_two_tenants(restaurant, shop):
    person = restaurant.hires("viewer")
    with shop.scope():
        team.add_member(people.get(person.id), "owner")
    assert member_of(restaurant, person).role == "viewer"
    assert member_of(shop, person).role == "owner"
