"""The second step: setup, sign-in, and codes that work once."""

import html
import re
from datetime import timedelta

import pyotp
import pytest

from core.clock import advance, frozen
from core.db import global_scope
from tenants import people, two_factor
from tests.factories import PASSWORD, Browser
from tests.portal.emails import emails_to
from tests.portal.page_reader import text_of, title_of


@pytest.fixture(autouse=True)
def _clock():
    """Codes depend on the clock, so it must not cross a half minute during a test."""
    with frozen():
        yield


@pytest.fixture
def owner(restaurant):
    return restaurant.owner


@pytest.fixture
def app_of_phone(owner):
    """The second step is on; this is the authenticator app, at a later time."""
    secret = two_factor.new_secret()
    with global_scope():
        person = people.get(owner.id)
        codes = two_factor.turn_on(person, secret, code_of(secret))
    advance(timedelta(seconds=60))
    return Phone(secret, codes)


class Phone:
    def __init__(self, secret, codes):
        self.secret, self.codes = secret, codes

    @property
    def code(self):
        return code_of(self.secret)


def code_of(secret, steps=0):
    from core.clock import now

    return pyotp.TOTP(secret).at(now(), steps)


def half_way(browser, person, **more):
    answer = browser.post("/signin", email=person.email, password=PASSWORD, **more)
    assert answer.location == "/signin/two-step"
    assert browser.get("/account").status_code == 302, "not in yet"
    return browser


def is_in(browser):
    return browser.get("/account").status_code == 200


def secret_on(page):
    return re.search(r'data-copy="([A-Z2-7]{32})"', page.get_data(as_text=True))[1]


def test_it_is_turned_on_with_a_code_of_the_app(browser, owner):
    browser.signs_in(owner)
    page = browser.get("/account/two-step")
    secret = secret_on(page)
    assert "<svg" in page.get_data(as_text=True)
    wrong = browser.post("/account/two-step", code="000000")
    assert "This code is not correct. Check that the clock on your phone is right." in text_of(
        wrong
    )
    assert secret_on(wrong) == secret, "the same picture, or the app would be set up in vain"
    done = browser.post("/account/two-step", code=code_of(secret))
    assert title_of(done) == "Your account"
    codes = re.findall(r"<li>([A-Z0-9]{5}-[A-Z0-9]{5})</li>", done.get_data(as_text=True))
    assert len(set(codes)) == 10
    assert emails_to(owner.email)[0].subject == (
        "Two-step verification was turned on for your account."
    )
    later = browser.get("/account/two-step").get_data(as_text=True)
    assert secret not in later
    assert not [code for code in codes if code in later]


def test_the_secret_is_not_readable_in_the_cookie_or_the_database(
    browser, owner, superuser_connection
):
    browser.signs_in(owner)
    secret = secret_on(browser.get("/account/two-step"))
    with browser.client.session_transaction() as held:
        assert secret not in str(dict(held))
    browser.post("/account/two-step", code=code_of(secret))
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT to_jsonb(p)::text FROM people p WHERE email = %s", (owner.email,))
        assert secret not in cursor.fetchone()[0]


def test_the_app_is_asked_for_and_lets_in(browser, owner, app_of_phone):
    half_way(browser, owner)
    assert title_of(browser.get("/signin/two-step")) == "Two-step verification"
    assert browser.post("/signin/two-step", code=app_of_phone.code).location == "/home"
    assert is_in(browser)


def test_spaces_in_a_code_do_not_matter(browser, owner, app_of_phone):
    code = app_of_phone.code
    half_way(browser, owner).post("/signin/two-step", code=f" {code[:3]} {code[3:]} ")
    assert is_in(browser)


def test_where_one_wanted_to_go_is_not_forgotten(browser, owner, app_of_phone):
    half_way(browser, owner, next="/team")
    assert browser.post("/signin/two-step", code=app_of_phone.code).location == "/team"


@pytest.mark.parametrize("wanted", ["//evil.example", "https://evil.example", "/\t/evil.example"])
def test_another_host_is_not_where_one_goes_then(browser, owner, app_of_phone, wanted):
    half_way(browser, owner, next=wanted)
    assert browser.post("/signin/two-step", code=app_of_phone.code).location == "/home"


def test_a_code_opens_once(app, browser, owner, app_of_phone):
    code = app_of_phone.code
    half_way(browser, owner).post("/signin/two-step", code=code)
    assert is_in(browser)
    other = half_way(Browser(app.test_client()), owner)
    assert "already used" in text_of(other.post("/signin/two-step", code=code))
    assert not is_in(other)


def test_the_code_that_turned_it_on_does_not_open(browser, owner):
    secret = two_factor.new_secret()
    with global_scope():
        two_factor.turn_on(people.get(owner.id), secret, code_of(secret))
    half_way(browser, owner).post("/signin/two-step", code=code_of(secret))
    assert not is_in(browser)


@pytest.mark.parametrize(("steps", "opens"), [(-2, False), (-1, True), (1, True), (2, False)])
def test_a_phone_may_be_half_a_minute_wrong_but_not_more(browser, owner, steps, opens):
    secret = two_factor.new_secret()
    with global_scope():
        two_factor.turn_on(people.get(owner.id), secret, code_of(secret))
    advance(timedelta(minutes=5))
    half_way(browser, owner).post("/signin/two-step", code=code_of(secret, steps))
    assert is_in(browser) is opens


def test_an_older_code_does_not_open_after_a_newer_one(app, browser, owner, app_of_phone):
    older = app_of_phone.code
    advance(timedelta(seconds=30))
    half_way(browser, owner).post("/signin/two-step", code=app_of_phone.code)
    other = half_way(Browser(app.test_client()), owner)
    other.post("/signin/two-step", code=older)
    assert not is_in(other)


def test_a_recovery_code_opens_once_and_is_reported_by_email(app, browser, owner, app_of_phone):
    code = app_of_phone.codes[0]
    half_way(browser, owner)
    assert "recovery codes" in text_of(browser.get("/signin/two-step?recovery=1"))
    browser.post("/signin/two-step?recovery=1", code=code.lower())
    assert is_in(browser)
    assert emails_to(owner.email)[0].subject.startswith("A recovery code was used")
    other = half_way(Browser(app.test_client()), owner)
    assert "already used" in text_of(other.post("/signin/two-step", code=code))
    other.post("/signin/two-step", code=app_of_phone.codes[1])
    assert is_in(other)
    assert "8" in text_of(browser.get("/account/two-step"))


def test_a_recovery_code_of_somebody_else_does_not_open(browser, owner, app_of_phone, shop):
    with global_scope():
        person, secret = people.get(shop.owner.id), two_factor.new_secret()
        theirs = two_factor.turn_on(person, secret, code_of(secret))
    half_way(browser, owner).post("/signin/two-step", code=theirs[0])
    assert not is_in(browser)


def test_guessing_codes_has_to_wait(browser, owner, app_of_phone):
    half_way(browser, owner)
    for number in range(10):
        browser.post("/signin/two-step", code=f"{number:06}")
    answer = browser.post("/signin/two-step", code=app_of_phone.code)
    assert "Too many attempts" in text_of(answer)
    assert not is_in(browser)


def test_the_second_step_alone_is_nothing(browser, app_of_phone):
    assert browser.get("/signin/two-step").location == "/signin"
    assert browser.post("/signin/two-step", code=app_of_phone.code).location == "/signin"
    assert not is_in(browser)


def test_half_way_does_not_last(browser, owner, app_of_phone):
    half_way(browser, owner)
    advance(timedelta(minutes=11))
    assert browser.post("/signin/two-step", code=app_of_phone.code).location == "/signin"
    assert not is_in(browser)


def test_turning_it_off_needs_the_password(app, browser, owner, app_of_phone):
    half_way(browser, owner).post("/signin/two-step", code=app_of_phone.code)
    browser.get("/account/two-step")
    wrong = browser.post("/account/two-step/off", password="not the password")
    assert "The password is incorrect." in text_of(wrong)
    browser.post("/account/two-step/off", password=PASSWORD)
    assert emails_to(owner.email)[0].subject == (
        "Two-step verification was turned off for your account."
    )
    assert Browser(app.test_client()).signs_in(owner)


def test_new_recovery_codes_need_the_password_and_replace_the_old(
    app, browser, owner, app_of_phone
):
    half_way(browser, owner).post("/signin/two-step", code=app_of_phone.code)
    browser.get("/account/two-step")
    wrong = browser.post("/account/recovery-codes", password="not the password")
    assert "The password is incorrect." in text_of(wrong)
    page = html.unescape(
        browser.post("/account/recovery-codes", password=PASSWORD).get_data(as_text=True)
    )
    fresh = re.findall(r"<li>([A-Z0-9]{5}-[A-Z0-9]{5})</li>", page)
    assert len(fresh) == 10
    # The recovery codes can be printed and saved.
    assert "data-print" in page
    assert 'data-save-as="comanda-recovery-codes.txt"' in page
    other = half_way(Browser(app.test_client()), owner)
    other.post("/signin/two-step", code=app_of_phone.codes[0])
    assert not is_in(other)
    other.post("/signin/two-step", code=fresh[0])
    assert is_in(other)


def test_a_new_password_by_email_does_not_skip_the_second_step(browser, owner, app_of_phone):
    with global_scope():
        token = people.issue_token(owner.id, "reset")
    browser.post(f"/reset/{token}", password="another fine one")
    answer = browser.post("/signin", email=owner.email, password="another fine one")
    assert answer.location == "/signin/two-step"
