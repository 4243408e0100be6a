"""The team page: roles are changed, and owners are protected."""

import pytest

from tenants import audit, team
from tests.factories import Browser, unique_email
from tests.portal.page_reader import text_of, title_of


@pytest.fixture
def owners(browser, restaurant):
    return browser.signs_in(restaurant.owner)


@pytest.fixture
def admins(app, restaurant):
    return Browser(app.test_client()).signs_in(restaurant.hires("admin", "Ada Admin"))


def member_of(business, person):
    with business.scope():
        return team.find_by_person(person.id)


def role_of(business, person):
    member = member_of(business, person)
    return member and member.role


def acts(business):
    with business.scope():
        return [entry.act for entry in audit.entries(limit=5)]


def test_the_page_shows_members_and_open_invitations(owners, restaurant):
    restaurant.hires("waiter", "Jonas Weber")
    with restaurant.scope():
        team.invite("guest@example.com", "manager", "owner", "Derya Aksoy")
    page = text_of(owners.get("/team"))
    for words in ("Derya Aksoy", "you", "Jonas Weber", "Waiter", "guest@example.com"):
        assert words in page


def test_a_role_is_changed_and_noted(owners, restaurant):
    person = restaurant.hires("waiter", "Jonas Weber")
    path = f"/team/{member_of(restaurant, person).id}"
    assert title_of(owners.get(path)) == "Jonas Weber"
    owners.post(f"{path}/role", role="manager")
    assert role_of(restaurant, person) == "manager"
    assert acts(restaurant)[0] == "team.role_changed"


@pytest.mark.parametrize("role", ["king", "", "OWNER"])
def test_a_role_that_does_not_exist_changes_nothing(owners, restaurant, role):
    person = restaurant.hires("waiter")
    owners.post(f"/team/{member_of(restaurant, person).id}/role", role=role)
    assert role_of(restaurant, person) == "waiter"


def test_a_member_is_removed_after_a_question(owners, restaurant):
    person = restaurant.hires("waiter", "Jonas Weber")
    path = f"/team/{member_of(restaurant, person).id}/remove"
    assert title_of(owners.get(path)) == "Remove Jonas Weber from the team?"
    assert role_of(restaurant, person) == "waiter"
    answer = owners.post(path, follow=True)
    assert "Jonas Weber is no longer on the team." in text_of(answer)
    assert member_of(restaurant, person) is None
    assert acts(restaurant)[0] == "team.removed"


def test_an_admin_manages_everybody_but_owners(admins, restaurant):
    waiter = restaurant.hires("waiter")
    admins.post(f"/team/{member_of(restaurant, waiter).id}/role", role="admin")
    assert role_of(restaurant, waiter) == "admin"
    admins.post(f"/team/{member_of(restaurant, waiter).id}/remove")
    assert member_of(restaurant, waiter) is None


def test_an_admin_makes_no_owner(admins, restaurant):
    waiter = restaurant.hires("waiter")
    admins.post(f"/team/{member_of(restaurant, waiter).id}/role", role="owner")
    assert role_of(restaurant, waiter) == "waiter"
    admins.post("/team/invite", email=unique_email(), role="owner")
    with restaurant.scope():
        assert not team.invitations()
    assert 'value="owner"' not in admins.get("/team").get_data(as_text=True)


def test_an_admin_does_not_make_themselves_an_owner(app, restaurant):
    person = restaurant.hires("admin")
    browser = Browser(app.test_client()).signs_in(person)
    browser.post(f"/team/{member_of(restaurant, person).id}/role", role="owner")
    assert role_of(restaurant, person) == "admin"


def test_an_admin_neither_changes_nor_removes_an_owner(admins, restaurant):
    restaurant.hires("owner", "Second Owner")
    path = f"/team/{member_of(restaurant, restaurant.owner).id}"
    page = text_of(admins.get(path))
    assert "Only owners can change or remove an owner." in page
    refused = admins.post(f"{path}/role", role="viewer", follow=True)
    assert "Only an owner can add owners or change their role." in text_of(refused)
    refused = admins.post(f"{path}/remove", follow=True)
    assert "Only an owner can remove an owner." in text_of(refused)
    assert role_of(restaurant, restaurant.owner) == "owner"


def test_the_last_owner_stays(owners, restaurant):
    path = f"/team/{member_of(restaurant, restaurant.owner).id}"
    for answer in (
        owners.post(f"{path}/role", role="admin", follow=True),
        owners.post(f"{path}/remove", follow=True),
    ):
        assert (
            "An account needs at least one owner. Make another member an owner first."
            in text_of(answer)
        )
    assert role_of(restaurant, restaurant.owner) == "owner"


def test_one_of_two_owners_may_go(owners, restaurant):
    second = restaurant.hires("owner", "Second Owner")
    owners.post(f"/team/{member_of(restaurant, restaurant.owner).id}/role", role="viewer")
    assert role_of(restaurant, restaurant.owner) == "viewer"
    assert role_of(restaurant, second) == "owner"
    refused = owners.post(f"/team/{member_of(restaurant, second).id}/remove")
    assert refused.status_code == 403, "the one who stepped down manages no more"


@pytest.mark.parametrize("member_id", ["mem_00000000000000000000000000", "nonsense", "%00"])
def test_somebody_who_is_not_there_is_404(owners, member_id):
    assert owners.get(f"/team/{member_id}").status_code == 404
    assert owners.post(f"/team/{member_id}/role", role="viewer").status_code == 404
    assert owners.post(f"/team/{member_id}/remove").status_code == 404
