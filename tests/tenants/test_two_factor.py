"""The second step: each code works once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pyotp
import pytest

from core.clock import advance, frozen, now
from core.db import db, global_scope
from core.errors import Conflict, Invalid
from core.lookups import secret_digest
from tenants import people, two_factor
from tests.factories import make_person


@pytest.fixture
def clock():
    with frozen("2026-03-01T10:00:05Z"):
        yield


@pytest.fixture
def person(app, clock):
    """A person with the second step on, and their authenticator app."""
    made = make_person()
    made.phone_app = pyotp.TOTP(two_factor.new_secret())
    with global_scope():
        made.codes = two_factor.turn_on(
            people.get(made.id), made.phone_app.secret, made.phone_app.at(now())
        )
    advance(timedelta(minutes=5))
    return made


def code(person, seconds=0):
    return person.phone_app.at(now() + timedelta(seconds=seconds))


def check(person, given):
    with global_scope():
        return two_factor.check_code(people.get(person.id), given)


def test_a_code_works_once(person):
    given = code(person)
    assert check(person, given) is True
    assert check(person, given) is False
    advance(30)
    assert check(person, code(person)) is True


def test_a_code_may_be_written_in_two_groups(person):
    given = code(person)
    assert check(person, f" {given[:3]} {given[3:]} ") is True


@pytest.mark.parametrize("seconds", [-30, 30])
def test_a_phone_one_step_off_is_understood(person, seconds):
    assert check(person, code(person, seconds)) is True


@pytest.mark.parametrize("seconds", [-60, 60, -3600])
def test_a_phone_further_off_is_not(person, seconds):
    assert check(person, code(person, seconds)) is False


def test_an_earlier_code_is_refused_after_a_later_one(person):
    earlier = code(person, -30)
    assert check(person, code(person)) is True
    assert check(person, earlier) is False


def test_the_code_that_turned_it_on_is_used_up(app, clock):
    person, totp = make_person(), pyotp.TOTP(two_factor.new_secret())
    given = totp.at(now())
    with global_scope():
        two_factor.turn_on(people.get(person.id), totp.secret, given)
    assert check(person, given) is False


@pytest.mark.parametrize("given", ["", "000", "abcdef", "1234567", "١٢٣٤٥٦", "²²²²²²"])
def test_what_is_no_code_is_refused(person, given):
    assert check(person, given) is False


def test_of_two_tries_with_one_code_one_wins(app, person):
    given, barrier = code(person), Barrier(2)

    def try_it(_):
        with app.app_context():
            barrier.wait(10)
            return check(person, given)

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(try_it, range(2))) == [False, True]


def test_recovery_codes_work_once_each(person):
    assert len(set(person.codes)) == two_factor.RECOVERY_CODE_COUNT
    assert check(person, person.codes[0]) is True
    assert check(person, person.codes[0]) is False
    assert check(person, person.codes[1].lower()) is True
    with global_scope():
        assert two_factor.codes_left(person.id) == two_factor.RECOVERY_CODE_COUNT - 2


def test_of_two_tries_with_one_recovery_code_one_wins(app, person):
    barrier = Barrier(2)

    def try_it(_):
        with app.app_context():
            barrier.wait(10)
            return check(person, person.codes[0])

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(try_it, range(2))) == [False, True]


def test_recovery_codes_are_hashed_and_the_secret_sealed(person, superuser_connection):
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT string_agg(to_jsonb(r)::text, '') || max(p.totp_secret) FROM recovery_codes r"
            " JOIN people p ON p.id = r.person_id WHERE p.email = %s",
            (person.email,),
        )
        stored = cursor.fetchone()[0]
    assert not any(given in stored for given in person.codes)
    assert person.phone_app.secret not in stored


def test_somebody_elses_recovery_code_is_no_good(person):
    other = make_person()
    with global_scope():
        codes = two_factor.new_recovery_codes(people.get(other.id))
    assert check(person, codes[0]) is False


def test_new_recovery_codes_end_the_old_ones(person):
    with global_scope():
        fresh = two_factor.new_recovery_codes(people.get(person.id))
    assert check(person, person.codes[0]) is False
    assert check(person, fresh[0]) is True


def test_it_is_turned_on_only_with_a_good_code(app, clock):
    person, totp = make_person(), pyotp.TOTP(two_factor.new_secret())
    wrong = f"{(int(totp.at(now())) + 1) % 10**6:06}"
    with pytest.raises(Invalid), global_scope():
        two_factor.turn_on(people.get(person.id), totp.secret, wrong)
    with global_scope():
        assert people.get(person.id).two_step_since is None


def test_it_is_not_turned_on_twice(person):
    with pytest.raises(Conflict), global_scope():
        two_factor.turn_on(people.get(person.id), person.phone_app.secret, code(person))


def test_turned_off_it_leaves_nothing(person):
    with global_scope():
        two_factor.turn_off(people.get(person.id))
    with global_scope():
        known = people.get(person.id)
        assert (known.totp_secret, known.two_step_since) == (None, None)
        assert two_factor.codes_left(person.id) == 0
    assert check(person, code(person)) is False
    assert check(person, person.codes[0]) is False


def test_what_happened_is_remembered(person):
    check(person, person.codes[0])
    with global_scope():
        two_factor.turn_off(people.get(person.id))
        acts = [event.act for event in people.recent_events(person.id)]
    assert acts == ["two_step_off", "recovery_code_used", "recovery_codes_made", "two_step_on"]


def test_recovery_codes_cannot_be_searched_in_a_copy_of_the_table(app, superuser_connection):
    """Under a plain hash, 48 bits are found in hours. Older codes keep working."""
    person = make_person()
    with global_scope():
        codes = two_factor.new_recovery_codes(people.get(person.id))
        old = two_factor.RecoveryCode(
            person_id=person.id, code_hash=secret_digest(f"{person.id} ABCDEFGHJK")
        )
        db.session.add(old)
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT code_hash FROM recovery_codes")
        stored = {row[0] for row in cursor}
        cursor.execute("SELECT key FROM server_keys WHERE name = 'recovery codes'")
        assert cursor.fetchone()[0].startswith("v1.")
    assert not stored & {secret_digest(f"{person.id} {code.replace('-', '')}") for code in codes}
    for code in (codes[0], "abcde-fghjk"):
        with global_scope():
            assert two_factor.check_code(people.get(person.id), code)
        with global_scope():
            assert not two_factor.check_code(people.get(person.id), code)
