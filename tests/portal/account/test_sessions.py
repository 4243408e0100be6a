"""The list of a person's sessions, and ending them."""

from core.db import global_scope
from tenants import people, signin
from tests.factories import PASSWORD, Browser, make_person
from tests.portal.emails import emails_to
from tests.portal.page_reader import text_of, title_of


def is_in(browser):
    return browser.get("/account").status_code == 200


def sessions_of(person):
    with global_scope():
        return signin.sessions_of(person.id)


def test_the_list_shows_every_browser_and_marks_this_one(app, browser, other_browser, restaurant):
    browser.signs_in(restaurant.owner)
    phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605"
    other_browser.client.environ_base["HTTP_USER_AGENT"] = phone
    other_browser.signs_in(restaurant.owner)
    stranger = make_person("Somebody else")
    Browser(app.test_client()).signs_in(stranger)
    page = browser.get("/account/sessions")
    assert phone in page.get_data(as_text=True)
    assert text_of(page).count("this browser") == 1
    for one in sessions_of(restaurant.owner):
        assert (f"/account/sessions/{one.id}/end" in page.get_data(as_text=True)) is (
            one.agent == phone
        )
    assert sessions_of(stranger)[0].id not in page.get_data(as_text=True)


def test_one_other_browser_can_be_signed_out(browser, other_browser, restaurant):
    browser.signs_in(restaurant.owner)
    other_browser.signs_in(restaurant.owner)
    other = sessions_of(restaurant.owner)[0]
    assert title_of(browser.get(f"/account/sessions/{other.id}/end")) == "Sign out this browser?"
    assert is_in(other_browser), "asking alone changes nothing"
    browser.post(f"/account/sessions/{other.id}/end")
    assert not is_in(other_browser)
    assert is_in(browser)


def test_nobody_ends_the_session_of_somebody_else(browser, other_browser, restaurant):
    other_browser.signs_in(make_person())
    with other_browser.client.session_transaction() as held, global_scope():
        theirs = signin.load_session(held["_user_id"]).sign_in.id
    browser.signs_in(restaurant.owner)
    browser.post(f"/account/sessions/{theirs}/end")
    assert is_in(other_browser)


def test_signing_out_everywhere_else(browser, other_browser, restaurant):
    browser.signs_in(restaurant.owner)
    other_browser.signs_in(restaurant.owner)
    browser.get("/account/sessions/end-all")
    assert is_in(other_browser), "asking alone changes nothing"
    browser.post("/account/sessions/end-all")
    assert is_in(browser)
    assert not is_in(other_browser)
    with global_scope():
        acts = [event.act for event in people.recent_events(restaurant.owner.id)]
    assert acts[0] == "signed_out_everywhere"


def test_a_new_password_signs_the_others_out(browser, other_browser, restaurant):
    browser.signs_in(restaurant.owner)
    other_browser.signs_in(restaurant.owner)
    wrong = browser.post("/account/password", current="not it at all", password="a much newer one")
    assert "The password is incorrect." in text_of(wrong)
    assert is_in(other_browser)
    browser.post("/account/password", current=PASSWORD, password="a much newer one")
    assert is_in(browser)
    assert not is_in(other_browser)
    assert emails_to(restaurant.owner.email)[0].subject.startswith("Your password was changed.")
    again = other_browser.post("/signin", email=restaurant.owner.email, password="a much newer one")
    assert again.status_code == 302


def test_guessing_the_password_from_inside_has_to_wait(browser, restaurant):
    browser.signs_in(restaurant.owner)
    for _ in range(10):
        browser.post("/account/password", current="not it at all", password="a much newer one")
    answer = browser.post("/account/password", current=PASSWORD, password="a much newer one")
    assert "Too many attempts" in text_of(answer)
