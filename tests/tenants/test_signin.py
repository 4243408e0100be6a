"""Signing in: uniform answers, throttling, sessions that end."""

from datetime import timedelta
from uuid import uuid4

import pytest

from core.clock import advance, frozen
from core.db import global_scope
from core.errors import Invalid, RateLimited
from core.http.client_address import client_network
from tenants import passwords, people, signin
from tests.factories import PASSWORD, make_business, make_person, unique_email


@pytest.fixture
def somewhere(app):
    """An IP address without earlier attempts."""
    return f"address {uuid4()}"


def check(email, password, address, device=""):
    signin.throttle_sign_in(email, address, device)
    with global_scope():
        known = signin.stored_hash(email)
    proven = signin.verify_password(known, password)
    with global_scope():
        return signin.complete_sign_in(proven)


def refusal(email, password, address):
    with pytest.raises(Invalid) as refused:
        check(email, password, address)
    return refused.value.code, refused.value.message


def open_session(person, **more):
    with global_scope():
        return signin.open_session(person, "192.0.2.1", "A browser", **more)


def visitor(token):
    with global_scope():
        return signin.load_session(token)


def test_the_right_password_lets_in(somewhere):
    person = make_person()
    assert check(f" {person.email.upper()} ", PASSWORD, somewhere).id == person.id


def test_a_wrong_password_and_an_unknown_person_are_told_the_same(somewhere, monkeypatch):
    person, verified = make_person(), []
    fits = passwords._hasher.verify
    monkeypatch.setattr(
        type(passwords._hasher),
        "verify",
        lambda self, known, given: verified.append(known) or fits(known, given),
    )
    wrong = refusal(person.email, "not the password", somewhere)
    unknown = refusal(unique_email(), "not the password", somewhere)
    assert wrong == unknown
    assert wrong[0] == "wrong_credentials"
    assert len(verified) == 2  # the same work was done for both


def test_an_account_is_throttled_wherever_the_tries_come_from(app):
    person = make_person()
    for number in range(10):
        refusal(person.email, "not the password", f"address {uuid4()} {number}")
    with pytest.raises(RateLimited) as refused:
        check(person.email.upper(), PASSWORD, f"address {uuid4()}")
    assert 1 <= refused.value.retry_after <= 30


def test_an_address_is_throttled_whoever_is_tried(somewhere):
    for _ in range(10):
        refusal(unique_email(), "not the password", somewhere)
    with pytest.raises(RateLimited):
        check(make_person().email, PASSWORD, somewhere)


def test_no_spelling_of_an_account_gets_tries_of_its_own(app):
    """For example, a NUL in the e-mail address does not bypass the limit."""
    person = make_person()
    local, _, domain = person.email.partition("@")
    spellings = [
        person.email, f"  {person.email}", f"{local}@{domain.upper()}", f"{person.email}\u3000",
    ]  # fmt: skip
    for number in range(10):
        refusal(spellings[number % 4], "not the password", f"address {uuid4()} {number}")
    for spelling in spellings:
        with pytest.raises(RateLimited):
            check(spelling, PASSWORD, f"address {uuid4()}")
    for place in range(len(local)):
        with_nul = f"{local[:place]}\0{local[place:]}@{domain}"
        assert refusal(with_nul, PASSWORD, f"address {uuid4()}")[0] == "wrong_credentials"


def test_an_ipv6_address_is_counted_by_its_64(app):
    """One customer of a provider has 2^64 addresses."""
    net = f"2001:db8:{uuid4().hex[:4]}:{uuid4().hex[:4]}"
    for number in range(10):
        refusal(unique_email(), "not the password", f"{net}::{number + 1:x}")
    with pytest.raises(RateLimited):
        check(make_person().email, PASSWORD, f"{net}:ffff::1")
    assert client_network("::ffff:192.0.2.7") == client_network("192.0.2.7") == "192.0.2.7"
    assert client_network("fe80::1%eth0") == "fe80::/64"


def test_a_known_browser_is_not_locked_out_by_tries_elsewhere(app):
    person = make_person()
    for number in range(10):
        refusal(person.email, "not the password", f"address {uuid4()} {number}")
    device = uuid4().hex
    assert check(person.email, PASSWORD, f"address {uuid4()}", device).id == person.id
    for _ in range(9):
        with pytest.raises(Invalid):
            check(person.email, "not the password", "", device)
    with pytest.raises(RateLimited):
        check(person.email, PASSWORD, "", device)


def test_a_password_that_changed_during_the_check_signs_nobody_in(app):
    person = make_person()
    with global_scope():
        known = signin.stored_hash(person.email)
    proven, new = (
        signin.verify_password(known, PASSWORD),
        passwords.hash_password("a whole new password"),
    )
    with global_scope():
        people.set_password(people.get(person.id), new)
    with pytest.raises(Invalid), global_scope():
        signin.complete_sign_in(proven)


def test_other_people_elsewhere_are_not_held_up(somewhere):
    for _ in range(10):
        refusal("victim@example.com", "not the password", somewhere)
    person = make_person()
    assert check(person.email, PASSWORD, f"elsewhere {uuid4()}").id == person.id


def test_throttles_for_other_acts_do_not_mix(somewhere):
    for _ in range(10):
        signin.throttle("reset", somewhere)
    signin.throttle("signin", somewhere)
    with pytest.raises(RateLimited):
        signin.throttle("reset", somewhere)


def test_an_old_hash_is_renewed_at_sign_in(somewhere, monkeypatch):
    person = make_person()
    monkeypatch.setattr(
        passwords, "_hasher", passwords.PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)
    )
    check(person.email, PASSWORD, somewhere)
    with global_scope():
        renewed = people.get(person.id).password_hash
    assert renewed != person.password_hash
    assert "t=2" in renewed


def test_a_session_is_found_by_its_token_only(app, superuser_connection):
    person = make_person()
    token = open_session(person)
    assert visitor(token).person.id == person.id
    assert visitor(token + "x") is None
    assert visitor("") is None
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sign_ins WHERE token_hash = %s", (token,))
        assert cursor.fetchone() == (0,)


def test_every_sign_in_has_a_token_of_its_own(app):
    person = make_person()
    assert open_session(person) != open_session(person)


def test_a_session_that_was_ended_is_over(app):
    person = make_person()
    token, other = open_session(person), open_session(person)
    ends = visitor(token).sign_in.id
    with global_scope():
        assert signin.end_session(person.id, ends) is True
        assert signin.end_session(person.id, ends) is False
    assert visitor(token) is None
    assert visitor(other) is not None


def test_nobody_ends_another_persons_session(app):
    token, eve = open_session(make_person()), make_person("Eve")
    with global_scope():
        assert signin.end_session(eve.id, visitor_id(token)) is False
    assert visitor(token) is not None


def visitor_id(token):
    return signin.load_session(token).sign_in.id


def test_signing_out_everywhere_keeps_this_browser(app):
    person = make_person()
    tokens = [open_session(person) for _ in range(3)]
    here = visitor(tokens[0]).sign_in.id
    with global_scope():
        assert signin.end_all_sessions(person.id, but=here) == 2
    assert [visitor(token) is not None for token in tokens] == [True, False, False]
    with global_scope():
        assert signin.end_all_sessions(person.id) == 1
    assert visitor(tokens[0]) is None


def test_an_idle_session_ends_after_two_weeks(app):
    with frozen():
        token = open_session(make_person())
        advance(timedelta(days=13))
        assert visitor(token) is not None
        advance(timedelta(days=13))
        assert visitor(token) is not None  # it was used in the meantime
        advance(signin.IDLE_TIMEOUT)
        assert visitor(token) is None


def test_no_session_lives_longer_than_ninety_days(app):
    person = make_person()
    with frozen():
        token = open_session(person)
        for _ in range(9):
            advance(timedelta(days=9))
            assert visitor(token) is not None
        advance(timedelta(days=9))
        assert visitor(token) is None
        with global_scope():
            assert signin.sessions_of(person.id) == []


def test_a_person_sees_their_own_sessions(app):
    person = make_person()
    with frozen():
        open_session(person)
        advance(60)
        open_session(person)
        open_session(make_person())
        with global_scope():
            listed = signin.sessions_of(person.id)
    assert len(listed) == 2
    assert listed[0].seen_at > listed[1].seen_at


def test_a_person_of_two_tenants_is_in_the_one_they_chose(restaurant):
    second = make_business("Annexe", owner=restaurant.owner)
    token = open_session(restaurant.owner, tenant_id=restaurant.tenant_id)
    seen = visitor(token)
    assert seen.tenant.id == restaurant.tenant_id
    assert {tenant.id for tenant in seen.tenants} == {restaurant.tenant_id, second.tenant_id}
    with global_scope():
        signin.switch_tenant(seen.sign_in.id, second.tenant_id)
    assert visitor(token).tenant.id == second.tenant_id


def test_a_session_in_a_tenant_one_does_not_belong_to_is_not_in_it(restaurant, shop):
    token = open_session(restaurant.owner, tenant_id=shop.tenant_id)
    assert visitor(token).tenant.id == restaurant.tenant_id


def test_somebody_without_a_tenant_is_in_none(app):
    assert visitor(open_session(make_person())).tenant is None
