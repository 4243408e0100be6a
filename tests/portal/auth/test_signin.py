"""Signing in, the redirect after it, and signing out."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Event, Semaphore

import pytest

from core.clock import frozen, now
from core.db import db, global_scope
from tenants import passwords, people, signin
from tests.factories import PASSWORD, Browser, make_business, make_person, unique_email
from tests.portal.emails import emails_to
from tests.portal.page_reader import text_of, title_of

# Redirect targets that must be refused: another host, another scheme, a broken header.
EVIL = [
    "//evil.example",
    "///evil.example",
    "//docs/quick-start",  # the router accepts it as a page of the portal
    "/docs//quick-start",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\r/evil.example",
    "/\r\nSet-Cookie: a=b",
    "\t//evil.example",
    " //evil.example",
    "/ /evil.example",
    "http://evil.example",
    "https:evil.example",
    "HTTPS://evil.example",
    "http:///evil.example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,hi",
    "evil.example",
    "@evil.example",
    "?next=//evil.example",
    "#//evil.example",
    "/%09/evil.example",
    "/%5cevil.example",
    "/%2f/evil.example",
    "//%65vil.example",
    "/.//evil.example",
    "/..//evil.example",
    "/home\\@evil.example",
    "/home\x00",
    "/\u2028/evil.example",
    "／／evil.example",
    "",
]
# A browser resolves each of these to one of our own hosts.
OURS = re.compile(r"^/(?![/\\\s])[^\\\s]*$")


def enter(browser, person, **more):
    return browser.post("/signin", email=person.email, password=PASSWORD, **more)


def is_in(browser):
    return browser.get("/account").status_code == 200


def test_a_person_comes_in_and_sees_home(browser, restaurant):
    answer = enter(browser, restaurant.owner)
    assert (answer.status_code, answer.location) == (302, "/home")
    assert "Lokanta Mavi" in text_of(browser.get("/home"))


def test_the_address_is_known_in_any_case(browser, restaurant):
    answer = browser.post("/signin", email=f" {restaurant.owner.email.upper()} ", password=PASSWORD)
    assert answer.status_code == 302


def test_a_wrong_password_and_an_unknown_person_get_the_same_answer(browser, restaurant):
    wrong = browser.post("/signin", email=restaurant.owner.email, password="not the password")
    unknown = browser.post("/signin", email="nobody@example.com", password="not the password")
    assert wrong.status_code == unknown.status_code == 200
    text = "The e-mail or password is incorrect."
    assert text in text_of(wrong)
    assert text_of(wrong) == text_of(unknown)
    assert not is_in(browser)


@pytest.mark.parametrize("password", ["", " ", PASSWORD + " ", PASSWORD.upper(), "x" * 1000])
def test_only_the_very_password_opens(browser, restaurant, password):
    browser.post("/signin", email=restaurant.owner.email, password=password)
    assert not is_in(browser)


def test_an_address_that_is_not_confirmed_gets_an_email_instead(browser):
    person = make_person(verified=False)
    answer = enter(browser, person)
    assert title_of(answer) == "Check your e-mail"
    assert not is_in(browser)
    assert "/verify/" in emails_to(person.email)[0].body


def test_a_wrong_password_sends_no_email(browser):
    person = make_person(verified=False)
    browser.post("/signin", email=person.email, password="not the password")
    assert not emails_to(person.email)


def test_trying_one_account_from_many_places_has_to_wait(app, restaurant):
    def attempt(number, password="not the password"):
        client = Browser(app.test_client())
        client.client.environ_base["REMOTE_ADDR"] = f"192.0.2.{number}"
        return client.post("/signin", email=restaurant.owner.email, password=password)

    for number in range(10):
        assert "The e-mail or password is incorrect." in text_of(attempt(number))
    assert "Too many attempts. Wait" in text_of(attempt(77))
    assert attempt(78, PASSWORD).status_code == 200, "not even the right one, while it lasts"


def test_trying_many_accounts_from_one_place_has_to_wait(browser, restaurant):
    for _ in range(10):
        browser.post("/signin", email=unique_email(), password="not the password")
    assert "Too many attempts. Wait" in text_of(enter(browser, restaurant.owner))
    assert not is_in(browser)


def test_spelling_an_account_differently_is_the_same_account(app, restaurant):
    spellings = (str.upper, str.lower, str.title, lambda text: f"  {text}")
    for number in range(10):
        client = Browser(app.test_client())
        client.client.environ_base["REMOTE_ADDR"] = f"198.51.100.{number}"
        email = spellings[number % 4](restaurant.owner.email)
        client.post("/signin", email=email, password="not the password")
    other = Browser(app.test_client())
    other.client.environ_base["REMOTE_ADDR"] = "198.51.100.99"
    assert "Too many attempts" in text_of(enter(other, restaurant.owner))


def test_a_browser_that_signed_in_before_is_not_locked_out(app, restaurant):
    """Ten wrong attempts elsewhere lock out only new browsers."""
    known = Browser(app.test_client())
    enter(known, restaurant.owner)
    known.post("/signout")
    for number in range(11):
        guesser = Browser(app.test_client())
        guesser.client.environ_base["REMOTE_ADDR"] = f"203.0.113.{number}"
        guesser.post("/signin", email=restaurant.owner.email, password="not the password")
    assert enter(known, restaurant.owner).status_code == 302
    stolen = Browser(app.test_client())
    stolen.client.environ_base["REMOTE_ADDR"] = "203.0.113.99"
    stolen.client.set_cookie("comanda_device", "made up")
    answer = text_of(enter(stolen, restaurant.owner))
    assert "or reset your password by e-mail" in answer


def test_passwords_are_compared_without_a_database_connection(app, restaurant, monkeypatch):
    """Otherwise requests that wait for a password check hold all connections of the pool."""
    with app.app_context():
        crowd = db.engine.pool.size() + 2
    waiting, go_on, compare = Semaphore(0), Event(), signin.password_matches

    def wait_for_a_turn(*given):
        waiting.release()
        assert go_on.wait(60)
        return compare(*given)

    monkeypatch.setattr(signin, "password_matches", wait_for_a_turn)

    def sign_in(number):
        client = Browser(app.test_client())
        client.client.environ_base["REMOTE_ADDR"] = f"198.18.0.{number}"
        return client.post("/signin", email=unique_email(), password=PASSWORD).status_code

    with ThreadPoolExecutor(crowd) as hands:
        try:
            tries = [hands.submit(sign_in, number) for number in range(crowd)]
            for _ in range(crowd):
                assert waiting.acquire(timeout=60), "some wait for a connection instead"
            with global_scope():
                assert people.get(restaurant.owner.id) is not None
        finally:
            go_on.set()
        assert {one.result(60) for one in tries} == {200}


def test_no_password_is_hashed_inside_a_transaction(app):
    """Checked at the hash function, so it covers every use of a password."""
    with global_scope(), pytest.raises(RuntimeError, match="before the transaction"):
        passwords.hash_password(PASSWORD)


@pytest.mark.parametrize("wanted", EVIL)
def test_signing_in_leads_to_no_other_host(browser, restaurant, wanted):
    answer = enter(browser, restaurant.owner, next=wanted)
    assert answer.status_code == 302
    assert OURS.match(answer.location), answer.location
    assert "evil" not in answer.location or answer.location.startswith("/home")


@pytest.mark.parametrize("wanted", EVIL)
def test_no_other_way_leads_to_another_host(app, browser, restaurant, wanted):
    browser.signs_in(restaurant.owner)
    seen = [
        browser.client.get("/signin", query_string={"next": wanted}),
        browser.post("/language", locale="en", next=wanted),
        browser.post("/theme", theme="dark", next=wanted),
        browser.post("/switch", tenant_id=restaurant.tenant_id, next=wanted),
    ]
    browser.get("/account")
    seen.append(browser.post("/signout", next=wanted))
    for answer in seen:
        assert answer.status_code == 302
        assert OURS.match(answer.location), answer.location
        assert answer.headers.get("a") is None


@pytest.mark.parametrize("wanted", ["/team", "/audit?area=keys", "/integrations/keys/new?a=b&c=d"])
def test_a_link_to_our_own_page_is_followed_after_sign_in(app, restaurant, wanted):
    browser = Browser(app.test_client())
    asked = browser.get(wanted)
    assert asked.location.startswith("/signin?next=")
    page = browser.get(asked.location)
    action = re.search(r'action="(/signin[^"]*)"', page.get_data(as_text=True))[1]
    answer = browser.post(
        action.replace("&amp;", "&"), email=restaurant.owner.email, password=PASSWORD
    )
    assert answer.location == wanted


@pytest.mark.parametrize("place", ["/team/invite", "/account/password", "/account/profile"])
def test_a_language_chosen_beside_a_refused_form_breaks_nothing(browser, restaurant, place):
    """A rejected form is displayed at a URL that may accept POST only."""
    browser.signs_in(restaurant.owner)
    assert browser.post(place, email="nobody").status_code == 200
    assert browser.post("/language", locale="en", next=place, follow=True).status_code == 200


def test_signing_in_asks_for_a_language_the_reader_has(app):
    client = app.test_client()
    page = client.get("/home", headers={"Accept-Language": "tr"}, follow_redirects=True)
    assert "Please log in" not in page.get_data(as_text=True)
    assert 'lang="tr"' in page.get_data(as_text=True)


def test_somebody_with_several_businesses_chooses(browser, restaurant):
    make_business("Zeytin", owner=restaurant.owner)
    assert enter(browser, restaurant.owner).location == "/choose"
    page = text_of(browser.get("/choose"))
    assert "Lokanta Mavi" in page
    assert "Zeytin" in page


def test_a_person_without_a_business_sees_a_notice(browser):
    browser.signs_in(make_person())
    answer = browser.get("/home", follow_redirects=True)
    assert title_of(answer) == "No business yet"


def test_every_sign_in_has_a_new_token(app, restaurant):
    tokens = set()
    for _ in range(3):
        browser = Browser(app.test_client()).signs_in(restaurant.owner)
        with browser.client.session_transaction() as held:
            tokens.add(held["_user_id"])
    assert len(tokens) == 3


def test_what_was_planted_before_signing_in_is_gone_after(browser, restaurant):
    browser.get("/signin")
    with browser.client.session_transaction() as held:
        held["planted"] = "yes"
        planted_token = held["csrf_token"]
    browser.signs_in(restaurant.owner).get("/account")
    with browser.client.session_transaction() as held:
        assert "planted" not in held
        assert held["csrf_token"] != planted_token


def test_a_stolen_cookie_is_useless_after_signing_out(app, browser, restaurant):
    browser.signs_in(restaurant.owner)
    cookie = browser.client.get_cookie("comanda").value
    assert browser.post("/signout").location == "/signin"
    assert not is_in(browser)
    thief = app.test_client()
    thief.set_cookie("comanda", cookie)
    assert thief.get("/account").status_code == 302


def test_signing_out_when_nobody_is_in_is_no_error(browser):
    assert browser.post("/signout").status_code == 302


def test_signing_out_by_a_link_does_nothing(browser, restaurant):
    browser.signs_in(restaurant.owner)
    assert browser.get("/signout").status_code == 405
    assert is_in(browser)


@pytest.mark.parametrize(("days", "works"), [(13, True), (15, False)])
def test_an_idle_browser_is_forgotten(browser, restaurant, days, works):
    browser.signs_in(restaurant.owner)
    with frozen(now() + timedelta(days=days)):
        assert is_in(browser) is works


def test_a_busy_browser_is_forgotten_in_the_end(browser, restaurant):
    browser.signs_in(restaurant.owner)
    start = now()
    for day in range(10, 95, 10):
        with frozen(start + timedelta(days=day)):
            assert is_in(browser) is (day < 90)
