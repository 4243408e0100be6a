"""People: one person per e-mail address; links that work once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from core.clock import advance, frozen
from core.db import db, global_scope
from core.errors import DomainError, Invalid
from tenants import people
from tenants.models import Person
from tenants.passwords import hash_password, password_matches
from tests.factories import PASSWORD, make_person, unique_email


def register(email, name="Ada", password=PASSWORD):
    hashed = hash_password(password, email)
    with global_scope():
        return people.register(email, name, hashed)


def issue(person, purpose):
    with global_scope():
        return people.issue_token(person.id, purpose)


def use(token, purpose):
    with global_scope():
        return people.use_token(token, purpose)


def test_an_address_belongs_to_one_person_however_it_is_written(app):
    email = unique_email("Ada")
    register(email)
    for spelling in (
        email,
        email.upper(),
        f" {email} ",
        email.replace("example.com", "EXAMPLE.COM"),
    ):
        with pytest.raises(Invalid) as refusal:
            register(spelling)
        assert refusal.value.code == "email_taken"


def test_a_refused_registration_leaves_the_transaction_usable(app):
    email = unique_email()
    register(email)
    password = hash_password(PASSWORD)
    with global_scope():
        with pytest.raises(Invalid):
            people.register(email, "Ada", password)
        other = people.register(unique_email(), "Eve", password)
    with global_scope():
        assert people.get(other.id).name == "Eve"


def test_of_two_who_register_at_once_one_wins(app):
    email, barrier, password = unique_email(), Barrier(2), hash_password(PASSWORD)

    def try_it(_):
        with app.app_context():
            try:
                with global_scope():
                    barrier.wait(10)
                    people.register(email, "Ada", password)
                return "registered"
            except Invalid as refusal:
                return refusal.code

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(try_it, range(2))) == ["email_taken", "registered"]


def test_a_person_is_found_by_any_spelling(app):
    person = make_person()
    with global_scope():
        assert people.find(person.email.upper()).id == person.id
        assert people.find(f"  {person.email}\n").id == person.id
        assert people.find("nobody@example.com") is None


@given(st.text(max_size=50))
@hypothesis_settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_no_text_breaks_the_search_for_a_person(app, text):
    with global_scope():
        assert people.find(text.encode("utf-8", "replace").decode()) is None


@pytest.mark.parametrize(
    "email", ["", "ada", "ada@", "@example.com", "a b@example.com", "a@b\0.com"]
)
def test_what_is_no_address_is_refused(app, email):
    with pytest.raises(DomainError) as refusal:
        register(email)
    assert refusal.value.code == "invalid_email"


@pytest.mark.parametrize(
    ("password", "code"),
    [
        ("short", "weak_password"),
        ("1234567890", "weak_password"),
        ("aaaaaaaaaaaaaa", "weak_password"),
        ("x" * 257, "long_password"),
    ],
)
def test_a_poor_password_is_refused(app, password, code):
    with pytest.raises(DomainError) as refusal:
        register(unique_email(), password=password)
    assert refusal.value.code == code


def test_the_address_is_no_password(app):
    email = unique_email()
    with pytest.raises(DomainError):
        register(email, password=email.upper())


def test_a_password_is_hashed_with_argon2id(app):
    person = make_person()
    assert person.password_hash.startswith("$argon2id$")
    assert password_matches(PASSWORD, person.password_hash)
    assert not password_matches(PASSWORD + " ", person.password_hash)
    assert not password_matches(PASSWORD, None)
    assert not password_matches(PASSWORD, "not a hash")


@pytest.mark.parametrize(("purpose", "life"), [("verify", {"days": 3}), ("reset", {"hours": 1})])
def test_a_link_works_once_and_for_its_time(app, purpose, life):
    person = make_person(verified=False)
    with frozen():
        first = issue(person, purpose)
        assert use(first, purpose).person_id == person.id
        with pytest.raises(Invalid, match="already used"):
            use(first, purpose)
        second = issue(person, purpose)
        advance(timedelta(**life) - timedelta(seconds=1))
        with global_scope():
            assert people.peek_token(second, purpose) is not None
        advance(1)
        with global_scope():
            assert people.peek_token(second, purpose) is None
        with pytest.raises(Invalid):
            use(second, purpose)


def test_a_newer_link_ends_the_older_one(app):
    person = make_person()
    old, new = issue(person, "reset"), issue(person, "reset")
    with pytest.raises(Invalid):
        use(old, "reset")
    use(new, "reset")


def test_a_link_for_one_thing_does_not_do_another(app):
    person = make_person()
    token = issue(person, "verify")
    with pytest.raises(Invalid):
        use(token, "reset")
    use(token, "verify")


def test_of_two_clicks_at_once_one_wins(app):
    token, barrier = issue(make_person(), "reset"), Barrier(2)

    def click(_):
        with app.app_context():
            barrier.wait(10)
            try:
                use(token, "reset")
                return True
            except Invalid:
                return False

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(click, range(2))) == [False, True]


def test_a_token_is_not_stored(app, superuser_connection):
    token = issue(make_person(), "reset")
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM person_tokens WHERE token_hash = %s", (token,))
        assert cursor.fetchone() == (0,)


def test_a_reset_sets_the_password_and_proves_the_address(app):
    person = make_person(verified=False)
    token, password = issue(person, "reset"), hash_password("a whole new password")
    with global_scope():
        people.reset_password(token, password, "192.0.2.1")
    with global_scope():
        known = people.get(person.id)
        assert known.verified_at is not None
        assert [event.act for event in people.recent_events(person.id)] == ["password_changed"]
    assert password_matches("a whole new password", known.password_hash)


def test_an_address_is_verified_once(app):
    person = make_person(verified=False)
    with frozen() as moment:
        token = issue(person, "verify")
        with global_scope():
            assert people.verify_email(token).verified_at == moment
        again = issue(person, "verify")
        advance(60)
        with global_scope():
            assert people.verify_email(again).verified_at == moment


def test_old_links_are_forgotten(app):
    person = make_person()
    with frozen() as began:
        old = issue(person, "reset")
        fresh = issue(person, "verify")
        with global_scope():
            assert people.delete_old_tokens(began + timedelta(hours=2)) >= 1
        with global_scope():
            assert people.peek_token(old, "reset") is None
            assert people.peek_token(fresh, "verify") is not None


def test_deleting_a_person_deletes_their_data(app, superuser_connection):
    person = make_person()
    issue(person, "reset")
    with global_scope():
        people.record_event(person.id, "signed_in")
        db.session.flush()
        db.session.delete(db.session.get(Person, person.id))
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM person_tokens t JOIN person_events e ON true"
            " WHERE t.person_id NOT IN (SELECT id FROM people)"
        )
        assert cursor.fetchone() == (0,)
