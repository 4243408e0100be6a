"""Resetting a password by e-mail."""

from datetime import timedelta

import pytest

from core.clock import frozen, now
from core.db import global_scope
from tenants import people
from tests.factories import PASSWORD, Browser, make_person, unique_email
from tests.portal.emails import emails_to, link_to
from tests.portal.page_reader import text_of, title_of

NEW = "quite another phrase"


@pytest.fixture
def link(browser, restaurant):
    browser.post("/reset", email=restaurant.owner.email)
    return link_to(restaurant.owner.email, "/reset/")


def enters_with(browser, person, password):
    answer = browser.post("/signin", email=person.email, password=password)
    return answer.status_code == 302


def test_the_answer_is_the_same_for_known_and_unknown(browser, restaurant):
    stranger = unique_email()
    known = browser.post("/reset", email=restaurant.owner.email)
    unknown = browser.post("/reset", email=stranger)
    assert known.status_code == unknown.status_code == 200
    assert text_of(known).replace(restaurant.owner.email, "X") == text_of(unknown).replace(
        stranger, "X"
    )
    assert emails_to(restaurant.owner.email)[0].subject == "Choose a new password"
    assert not emails_to(stranger)


def test_asking_too_often_has_to_wait(browser, restaurant):
    """One mailbox receives few e-mails, no matter who requests them."""
    for _ in range(6):
        browser.post("/reset", email=restaurant.owner.email)
    answer = browser.post("/reset", email=restaurant.owner.email)
    assert "We have already sent many e-mails to this address. Try again in" in text_of(answer)
    assert len(emails_to(restaurant.owner.email)) == 6


def test_whoever_resets_a_password_can_sign_in_while_others_guess(app, browser, restaurant, link):
    """Wrong attempts elsewhere do not lock the owner out."""
    for number in range(11):
        guesser = Browser(app.test_client())
        guesser.client.environ_base["REMOTE_ADDR"] = f"192.0.2.{number}"
        guesser.post("/signin", email=restaurant.owner.email, password="not the password")
    assert not enters_with(browser, restaurant.owner, PASSWORD)
    assert browser.post(link, password=NEW).location == "/signin"
    assert enters_with(browser, restaurant.owner, NEW)


def test_the_link_sets_the_password_and_signs_everybody_out(
    browser, other_browser, restaurant, link
):
    other_browser.signs_in(restaurant.owner)
    assert title_of(browser.get(link)) == "Set a new password"
    assert browser.post(link, password=NEW).location == "/signin"
    assert other_browser.get("/account").status_code == 302, "signed out"
    assert not enters_with(browser, restaurant.owner, PASSWORD)
    assert enters_with(browser, restaurant.owner, NEW)
    assert emails_to(restaurant.owner.email)[0].subject == ("Your password was changed.")


def test_the_link_works_once(browser, restaurant, link):
    browser.post(link, password=NEW)
    assert title_of(browser.get(link)) == "This link has expired"
    browser.post(link, password="yet another phrase")
    assert enters_with(browser, restaurant.owner, NEW)


def test_a_refused_password_does_not_use_the_link_up(browser, restaurant, link):
    assert "at least 10 characters" in text_of(browser.post(link, password="short"))
    assert enters_with(browser, restaurant.owner, PASSWORD)
    browser.post("/signout")
    browser.post(link, password=NEW)
    assert enters_with(browser, restaurant.owner, NEW)


def test_the_link_works_for_an_hour(browser, restaurant, link):
    with frozen(now() + timedelta(minutes=61)):
        assert title_of(browser.get(link)) == "This link has expired"
        browser.post(link, password=NEW)
    assert enters_with(browser, restaurant.owner, PASSWORD)


def test_a_second_email_replaces_the_first(browser, restaurant, link):
    browser.post("/reset", email=restaurant.owner.email)
    browser.post(link, password=NEW)
    assert enters_with(browser, restaurant.owner, PASSWORD)


def test_a_confirming_link_sets_no_password(browser, restaurant):
    with global_scope():
        token = people.issue_token(restaurant.owner.id, "verify")
    assert title_of(browser.post(f"/reset/{token}", password=NEW)) == "This link has expired"
    assert enters_with(browser, restaurant.owner, PASSWORD)


def test_a_confirmed_email_proves_the_address(browser):
    person = make_person(verified=False)
    browser.post("/reset", email=person.email)
    browser.post(link_to(person.email, "/reset/"), password=NEW)
    assert enters_with(browser, person, NEW)
