"""A person with several tenants: a form opened in one never acts in another."""

import pytest

from tenants import accounts, team
from tests.factories import Browser, make_business, unique_email
from tests.portal.emails import link_to
from tests.portal.page_reader import text_of

TOO_OLD = "This page was open for too long. Nothing was changed. Try again."
SETTINGS = {"locale": "en", "time_zone": "UTC", "country": "", "currency": "USD"}


@pytest.fixture
def second(restaurant):
    return make_business("Zeytin", owner=restaurant.owner)


@pytest.fixture
def in_the_first(browser, restaurant, second):
    """A browser in the first tenant with its settings open, and that form's token."""
    browser.signs_in(restaurant.owner)
    browser.post("/switch", tenant_id=restaurant.tenant_id)
    browser.token = ""
    browser.get("/settings")
    return browser, browser.token


def name_of(business):
    with business.scope():
        return accounts.get(business.tenant_id).name


def save_with(browser, token, name="Written in the old tab"):
    browser.token = token
    return browser.post("/settings", name=name, follow=True, **SETTINGS)


def test_switching_shows_the_other_business(in_the_first, second):
    browser, _ = in_the_first
    assert browser.post("/switch", tenant_id=second.tenant_id).location == "/home"
    assert "what is happening at Zeytin." in text_of(browser.get("/home"))


def test_a_form_of_the_old_business_changes_nothing(in_the_first, restaurant, second):
    browser, token = in_the_first
    browser.post("/switch", tenant_id=second.tenant_id)
    assert TOO_OLD in text_of(save_with(browser, token))
    assert TOO_OLD in text_of(save_with(browser, token)), "nor at a second try"
    assert name_of(restaurant) == "Lokanta Mavi"
    assert name_of(second) == "Zeytin"


def test_a_form_of_the_new_business_works(in_the_first, second):
    browser, _ = in_the_first
    browser.post("/switch", tenant_id=second.tenant_id)
    browser.get("/settings")
    save_with(browser, browser.token, "Zeytin 2")
    assert name_of(second) == "Zeytin 2"


def test_joining_another_business_is_a_switch_too(app, in_the_first, restaurant):
    browser, token = in_the_first
    third = make_business("Marti")
    host = Browser(app.test_client()).signs_in(third.owner)
    host.post("/team/invite", email=restaurant.owner.email, role="admin")
    link = link_to(restaurant.owner.email, "/invitations/")
    browser.get(link)
    browser.post(link)
    assert TOO_OLD in text_of(save_with(browser, token))
    assert name_of(third) == "Marti"


def test_losing_a_business_is_a_switch_too(in_the_first, restaurant, second):
    """A person who is removed from one tenant is moved to their other one."""
    browser, token = in_the_first
    heir = restaurant.hires("owner")
    assert heir.email
    with restaurant.scope():
        mine = team.find_by_person(restaurant.owner.id)
        team.remove_member(mine.id, "owner")
    assert TOO_OLD in text_of(save_with(browser, token))
    assert TOO_OLD in text_of(save_with(browser, token)), "nor at a second try"
    assert name_of(second) == "Zeytin"


def test_a_key_is_not_made_in_the_wrong_business(in_the_first, second):
    browser, token = in_the_first
    browser.post("/switch", tenant_id=second.tenant_id)
    browser.token = token
    answer = browser.post("/integrations/keys/new", name="Wrong", mode="live", scopes="orders")
    assert "ck_live_" not in answer.get_data(as_text=True)


def test_two_browsers_of_one_person_are_in_two_businesses(
    in_the_first, other_browser, restaurant, second
):
    browser, token = in_the_first
    other_browser.signs_in(restaurant.owner)
    other_browser.post("/switch", tenant_id=second.tenant_id)
    assert "Zeytin." in text_of(other_browser.get("/home"))
    save_with(browser, token, "Still the first")
    assert name_of(restaurant) == "Still the first"


@pytest.mark.parametrize("number", ["", "x", "0", "-1", "99999999999999999999", "123456789012345"])
def test_a_business_that_is_not_theirs_cannot_be_chosen(in_the_first, number):
    browser, _ = in_the_first
    answer = browser.post("/switch", tenant_id=number, follow=True)
    assert "You are no longer a member of this business." in text_of(answer)
    assert "at Lokanta Mavi." in text_of(browser.get("/home"))


def test_somebody_removed_is_out_at_once(browser, restaurant):
    person = restaurant.hires("admin")
    browser.signs_in(person)
    assert browser.get("/team").status_code == 200
    with restaurant.scope():
        team.remove_member(team.find_by_person(person.id).id, "owner")
    assert browser.get("/team").location == "/choose"
    browser.get("/choose")
    assert browser.post("/team/invite", email=unique_email(), role="viewer").location == "/choose"
