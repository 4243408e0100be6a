"""Accepting an invitation: signed in, signed out, or as a new person."""

from datetime import timedelta

import pytest

from core.clock import frozen, now
from core.db import global_scope
from tenants import people, team
from tests.factories import PASSWORD, Browser, make_person, unique_email
from tests.portal.emails import emails_to, link_to
from tests.portal.page_reader import text_of, title_of


@pytest.fixture
def owners_browser(app, restaurant):
    return Browser(app.test_client()).signs_in(restaurant.owner)


@pytest.fixture
def invite(owners_browser):
    def send(email, role="inbox"):
        answer = owners_browser.post("/team/invite", email=email, role=role)
        assert answer.location == "/team", text_of(answer)
        return link_to(email, "/invitations/")

    return send


def members(business):
    with business.scope():
        return {member.email: member.role for member in team.members()}


def test_a_new_person_joins_with_a_name_and_a_password(browser, restaurant, invite):
    email = unique_email()
    link = invite(email)
    page = browser.get(link)
    assert title_of(page) == "Join Lokanta Mavi"
    assert "Derya Aksoy invited you as Inbox." in text_of(page)
    answer = browser.post(link, name="Selin Kaya", password=PASSWORD)
    assert answer.location == "/home"
    assert "Welcome to Lokanta Mavi." in text_of(browser.get("/home"))
    assert members(restaurant)[email] == "inbox"
    with global_scope():
        assert people.find(email).verified_at is not None, "the link came by that address"


def test_a_poor_password_is_refused_and_the_link_still_works(browser, restaurant, invite):
    email = unique_email()
    link = invite(email)
    assert "at least 10" in text_of(browser.post(link, name="Selin", password="short"))
    assert email not in members(restaurant)
    assert browser.post(link, name="Selin", password=PASSWORD).status_code == 302


def test_opening_the_link_alone_joins_nothing(browser, restaurant, invite):
    email = unique_email()
    link = invite(email)
    browser.get(link)
    browser.client.head(link)
    assert email not in members(restaurant)


def test_somebody_with_an_account_signs_in_and_joins_with_a_click(browser, restaurant, invite):
    person = make_person()
    link = invite(person.email, "manager")
    assert f"{person.email} already has an account." in text_of(browser.get(link))
    browser.post(link, name="Somebody else", password="a password of a thief")
    assert person.email not in members(restaurant), "not by making a new password"
    browser.post("/signin", email=person.email, password=PASSWORD, next=link)
    page = browser.get(link)
    assert f"Join as {person.email}" in text_of(page)
    assert person.email not in members(restaurant), "not without a click"
    assert browser.post(link).location == "/home"
    assert members(restaurant)[person.email] == "manager"
    assert "Lokanta Mavi" in text_of(browser.get("/home"))


def test_somebody_else_who_is_signed_in_cannot_join(browser, restaurant, shop, invite):
    email = unique_email()
    link = invite(email)
    browser.signs_in(shop.owner)
    page = browser.get(link)
    assert f"The invitation is for {email}, but you are signed in as" in text_of(page)
    browser.post(link, name="Thief", password=PASSWORD)
    assert shop.owner.email not in members(restaurant)
    assert email not in members(restaurant)
    assert browser.post("/signout", next=link).location == link


def test_an_invitation_is_good_once(app, browser, restaurant, invite):
    email = unique_email()
    link = invite(email)
    browser.post(link, name="Selin", password=PASSWORD)
    late = Browser(app.test_client())
    assert title_of(late.get(link)) == "This invitation is no longer valid"
    late.post(link, name="Again", password=PASSWORD)
    assert late.get("/account").status_code == 302


def test_an_invitation_is_over_after_a_week(browser, restaurant, invite):
    email = unique_email()
    link = invite(email)
    with frozen(now() + timedelta(days=7, seconds=1)):
        assert title_of(browser.get(link)) == "This invitation is no longer valid"
        browser.post(link, name="Late", password=PASSWORD)
    assert email not in members(restaurant)


def test_an_invitation_sent_again_replaces_the_first(owners_browser, browser, restaurant, invite):
    email = unique_email()
    first = invite(email)
    with restaurant.scope():
        pending = team.invitations()[0]
    owners_browser.post(f"/team/invitations/{pending.id}/resend")
    second = link_to(email, "/invitations/")
    assert first != second
    assert title_of(browser.get(first)) == "This invitation is no longer valid"
    assert title_of(browser.get(second)) == "Join Lokanta Mavi"
    with restaurant.scope():
        assert [(i.email, i.role) for i in team.invitations()] == [(email, "inbox")]


def test_a_second_invitation_with_another_role_replaces_the_first(browser, restaurant, invite):
    email = unique_email()
    first, second = invite(email, "viewer"), invite(email.replace("person", "Person"), "admin")
    assert title_of(browser.get(first)) == "This invitation is no longer valid"
    browser.post(second, name="Selin", password=PASSWORD)
    assert set(members(restaurant).values()) == {"owner", "admin"}


def test_a_withdrawn_invitation_is_over(owners_browser, browser, restaurant, invite):
    email = unique_email()
    link = invite(email)
    with restaurant.scope():
        pending = team.invitations()[0]
    path = f"/team/invitations/{pending.id}/withdraw"
    assert title_of(owners_browser.get(path)) == "Withdraw this invitation?"
    assert title_of(browser.get(link)) == "Join Lokanta Mavi", "asking alone changes nothing"
    owners_browser.post(path)
    assert title_of(browser.get(link)) == "This invitation is no longer valid"


@pytest.mark.parametrize("token", ["nothing", "%00", "a" * 400, "..%2f..%2fhome"])
def test_a_made_up_invitation_is_over(browser, token):
    answer = browser.get(f"/invitations/{token}")
    assert answer.status_code in (200, 404)
    assert "Join" not in title_of(answer)


def test_a_member_is_not_invited_again(owners_browser, restaurant):
    person = restaurant.hires("waiter", "Jonas Weber")
    answer = owners_browser.post("/team/invite", email=person.email.upper(), role="viewer")
    assert "Jonas Weber is already in the team." in text_of(answer)
    assert not emails_to(person.email)


def test_a_bad_address_is_shown_under_its_field(owners_browser):
    answer = owners_browser.post("/team/invite", email="nobody", role="viewer")
    assert "This is not a valid e-mail address." in text_of(answer)


def test_the_email_is_in_the_language_of_the_business(owners_browser, restaurant, invite):
    from tenants import accounts

    with restaurant.scope():
        accounts.account().locale = "tr"
    email = unique_email()
    invite(email)
    assert "invited you" not in emails_to(email)[0].subject


def test_joining_a_second_business_leaves_the_first_as_it_is(browser, restaurant, shop, invite):
    link = invite(shop.owner.email, "viewer")
    browser.signs_in(shop.owner)
    browser.get(link)
    browser.post(link)
    assert members(shop)[shop.owner.email] == "owner"
    assert members(restaurant)[shop.owner.email] == "viewer"
