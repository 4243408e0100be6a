"""Signing up and confirming the e-mail address."""

import re
from datetime import timedelta

import pytest

from core.clock import frozen, now
from core.db import global_scope
from tenants import people, signin
from tests.factories import PASSWORD, Browser, make_person, unique_email
from tests.portal.emails import emails_to, link_to, path_in
from tests.portal.page_reader import text_of, title_of

CHECK_MAIL = "Check your e-mail"


def sign_up(browser, email, **other):
    fields = {"business": "Café Sol", "name": "Nora Sol", "email": email, "password": PASSWORD}
    return browser.post("/signup", **{**fields, **other})


def person_with(email):
    with global_scope():
        return people.find(email)


def tenants_of(person):
    with global_scope():
        return [tenant.name for tenant in signin.tenants_of(person.id)]


def test_a_stranger_opens_an_account_and_gets_an_email(browser):
    email = unique_email()
    answer = sign_up(browser, email, time_zone="Europe/Istanbul")
    assert title_of(answer) == CHECK_MAIL
    person = person_with(email)
    assert (person.name, person.verified_at, person.time_zone) == (
        "Nora Sol",
        None,
        "Europe/Istanbul",
    )
    assert tenants_of(person) == ["Café Sol"]
    [letter] = emails_to(email)
    assert letter.subject == "Confirm your e-mail address"
    assert path_in(letter).startswith("/verify/")


def test_the_email_is_in_the_language_of_the_page(browser):
    email = unique_email()
    browser.post("/language", locale="tr")
    sign_up(browser, email)
    assert person_with(email).locale == "tr"
    assert emails_to(email)[0].subject != "Confirm your e-mail address"


def test_a_made_up_time_zone_becomes_utc(browser):
    email = unique_email()
    sign_up(browser, email, time_zone="../../etc/passwd")
    assert person_with(email).time_zone == "UTC"


def test_a_known_address_gets_an_email_and_the_stranger_the_same_page(browser, app, restaurant):
    stranger, known = unique_email(), restaurant.owner.email
    new, old = sign_up(browser, stranger), sign_up(browser, known.upper())
    assert text_of(new).replace(stranger, "X") == text_of(old).replace(
        known.upper().replace("EXAMPLE.COM", "example.com"), "X"
    )
    assert new.status_code == old.status_code == 200
    [letter] = emails_to(known)
    assert letter.subject == "You already have an account"
    assert "/verify/" not in letter.body
    assert tenants_of(restaurant.owner) == ["Lokanta Mavi"]
    assert person_with(known).name == restaurant.owner.name


@pytest.mark.parametrize(
    "wrong",
    [
        {"password": "short"},
        {"password": "1234567890"},
        {"business": "\u200b \0"},
        {"name": "  "},
        {"business": ""},
    ],
)
def test_a_wrong_field_shows_nothing_about_the_address(browser, restaurant, wrong):
    """Otherwise a weak password would reveal whether the address has an account."""
    stranger, known = unique_email(), restaurant.owner.email
    new, old = sign_up(browser, stranger, **wrong), sign_up(browser, known, **wrong)
    assert title_of(new) == title_of(old) == "Create account"
    assert text_of(new) == text_of(old)
    assert person_with(stranger) is None
    assert not emails_to(stranger)
    assert not emails_to(known)


def test_hashing_is_done_for_a_known_address_too(browser, restaurant, monkeypatch):
    """Otherwise the response time would reveal whether the address has an account."""
    hashed = []
    from tenants import passwords

    inner = passwords._hasher.hash
    monkeypatch.setattr(
        passwords,
        "_hasher",
        type("Counting", (), {"hash": lambda s, p: hashed.append(p) or inner(p)})(),
    )
    sign_up(browser, unique_email())
    assert len(hashed) == 1
    sign_up(browser, restaurant.owner.email)
    assert len(hashed) == 2


@pytest.mark.parametrize(
    "email", ["nobody", "a@b", "a b@example.com", "a@example.com\nBcc: x@y.com"]
)
def test_a_bad_address_is_shown_under_its_field(browser, email):
    answer = sign_up(browser, email)
    assert "This is not a valid e-mail address." in text_of(answer)


def test_a_refused_form_keeps_what_was_typed_but_not_the_password(browser):
    page = sign_up(browser, "nobody", business="Kept Café").get_data(as_text=True)
    assert "Kept Café" in page
    assert PASSWORD not in page


def test_many_sign_ups_from_one_address_have_to_wait(browser):
    for _ in range(10):
        assert title_of(sign_up(browser, unique_email())) == CHECK_MAIL
    late = unique_email()
    answer = sign_up(browser, late)
    assert "Too many attempts. Wait" in text_of(answer)
    assert person_with(late) is None


def test_opening_the_link_needs_a_click(browser):
    email = unique_email()
    sign_up(browser, email)
    path = link_to(email, "/verify/")
    page = browser.get(path)
    assert title_of(page) == "Confirm your e-mail address"
    assert email in text_of(page)
    browser.client.head(path)
    assert person_with(email).verified_at is None
    assert browser.post(path).location == "/home"
    assert person_with(email).verified_at is not None


def test_whoever_signed_up_here_is_signed_in_when_the_address_is_confirmed(app, browser):
    """Another browser must sign in because it has not shown the password."""
    for elsewhere in (False, True):
        email = unique_email()
        sign_up(browser, email)
        desk = Browser(app.test_client()) if elsewhere else browser
        answer = desk.post(link_to(email, "/verify/"))
        assert (desk.get("/home").status_code == 200) is not elsewhere
        assert (title_of(answer) == "E-mail address confirmed") is elsewhere
        browser = Browser(app.test_client())


def test_every_fault_of_a_sign_up_is_reported_at_once(browser):
    page = browser.post("/signup", business="", name="Nora", email="nora", password="password12")
    text = text_of(page)
    assert "Fill in this field." in text
    assert "This password is too easy to guess. Choose another one." in text
    assert "address" in text.partition("E-mail")[2].lower()
    markup = page.get_data(as_text=True)
    assert markup.count("field-error") >= 3
    assert "password12" not in markup
    page = sign_up(browser, "nora", password="password12").get_data(as_text=True)
    assert re.search(r"<input[^>]*autofocus[^>]*name=\"email\"", page)


@pytest.mark.parametrize("poor", ["password12", "Password2026!", "qwertyqwerty", "parola1234"])
def test_a_common_password_is_refused(browser, poor):
    email = unique_email()
    assert "This password is too easy to guess. Choose another one." in text_of(
        sign_up(browser, email, password=poor)
    )
    assert person_with(email) is None


def test_a_link_confirms_once(browser):
    email = unique_email()
    sign_up(browser, email)
    path = link_to(email, "/verify/")
    browser.post(path)
    assert title_of(browser.get(path)) == "This link has expired"
    assert title_of(browser.post(path)) == "This link has expired"


def test_a_link_is_over_after_three_days(browser):
    email = unique_email()
    sign_up(browser, email)
    path = link_to(email, "/verify/")
    with frozen(now() + timedelta(days=3, seconds=1)):
        assert title_of(browser.post(path)) == "This link has expired"
    assert person_with(email).verified_at is None


def test_a_made_up_link_is_over(browser):
    assert title_of(browser.get("/verify/nothing")) == "This link has expired"
    assert title_of(browser.post("/verify/%00")) == "This link has expired"


def test_a_reset_link_does_not_confirm(browser, restaurant):
    with global_scope():
        token = people.issue_token(restaurant.owner.id, "reset")
    assert title_of(browser.post(f"/verify/{token}")) == "This link has expired"


def test_the_email_can_be_sent_again_and_replaces_the_first(browser):
    email = unique_email()
    sign_up(browser, email)
    first = link_to(email, "/verify/")
    answer = browser.post("/verify/resend", email=email)
    assert "Sent again." in text_of(answer)
    second = link_to(email, "/verify/")
    assert first != second
    assert title_of(browser.get(first)) == "This link has expired"
    assert browser.post(second).location == "/home"


@pytest.mark.parametrize("who", ["a stranger", "somebody confirmed"])
def test_sending_again_says_the_same_and_writes_to_nobody_else(browser, restaurant, who):
    email = unique_email() if who == "a stranger" else restaurant.owner.email
    waiting = make_person(verified=False).email
    same = text_of(browser.post("/verify/resend", email=waiting)).replace(waiting, "X")
    assert text_of(browser.post("/verify/resend", email=email)).replace(email, "X") == same
    assert not emails_to(email)


def test_sending_again_has_to_wait_too(browser):
    email = make_person(verified=False).email
    """However the address is typed, one mailbox gets few e-mails."""
    for spaces in range(10):
        browser.post("/verify/resend", email=email + " " * spaces)
    assert "Too many attempts." in text_of(browser.post("/verify/resend", email=email))
    assert len(emails_to(email)) == 6


def test_one_mailbox_is_not_flooded_by_sign_ups(app):
    """Sign-up e-mails are limited for each mailbox, not only for each IP address."""
    email = unique_email()
    for number in range(8):
        stranger = Browser(app.test_client())
        stranger.client.environ_base["REMOTE_ADDR"] = f"192.0.2.{number}"
        answer = sign_up(stranger, email)
    assert "We have already sent many e-mails to this address. Try again in" in text_of(answer)
    assert len(emails_to(email)) == 6
