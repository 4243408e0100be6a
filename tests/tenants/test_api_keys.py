"""API keys: their format, scopes and revocation."""

import string
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import advance, frozen, now
from core.errors import Conflict, DomainError, NotFound
from messaging import api_caller
from tenants import api_keys
from tenants.api_keys import ALPHABET, checksum, is_well_formed, new_secret
from tenants.rights import SCOPES

# CRC32 of thirty "A" is 0x317f6a1b = 830433819, in base62 uCPlr, padded to six.
THIRTY_A = "A" * 30


def base62(number):
    digits = ""
    while number:
        number, rest = divmod(number, 62)
        digits = (string.digits + string.ascii_uppercase + string.ascii_lowercase)[rest] + digits
    return digits.rjust(6, "0")


def crc32_by_hand(data):
    """The textbook algorithm, bit by bit, so that the check does not depend on zlib."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_the_checksum_is_crc32_in_base62():
    assert checksum(THIRTY_A) == "0uCPlr"
    for body in (THIRTY_A, "0" * 30, "z" * 30, "q7Zt0" * 6):
        assert checksum(body) == base62(crc32_by_hand(body.encode()))


@pytest.mark.parametrize("mode", ["live", "test"])
def test_a_key_has_the_form_it_is_promised_to_have(mode):
    secret = new_secret(mode)
    assert len(secret) == 8 + 30 + 6
    assert secret.startswith(f"ck_{mode}_")
    assert set(secret[8:]) <= set(string.ascii_letters + string.digits)
    assert secret[38:] == checksum(secret[8:38])
    assert is_well_formed(secret)
    assert new_secret(mode) != secret


@given(st.integers(0, 43), st.sampled_from(ALPHABET + " -_é"), st.sampled_from(["live", "test"]))
def test_one_changed_character_is_noticed(place, other, mode):
    secret = new_secret(mode)
    changed = secret[:place] + other + secret[place + 1 :]
    assert is_well_formed(changed) == (changed == secret)


@given(st.text(max_size=60))
def test_any_other_text_is_no_key(text):
    assert not is_well_formed(text)


@pytest.mark.parametrize("change", [str.upper, str.strip, lambda s: s[:-1], lambda s: s + "0"])
def test_a_key_copied_badly_is_no_key(change):
    secret = new_secret("live")
    changed = change(secret)
    assert is_well_formed(changed) == (changed == secret)


def test_a_body_outside_the_alphabet_is_no_key():
    body = "-" * 30
    assert not is_well_formed(f"ck_live_{body}{checksum(body)}")


def test_the_secret_is_not_stored(restaurant, superuser_connection):
    with superuser_connection.cursor() as cursor:
        cursor.execute(
            "SELECT to_jsonb(k)::text FROM api_keys k WHERE tenant_id = %s UNION ALL"
            " SELECT to_jsonb(l)::text FROM lookups l WHERE tenant_id = %s UNION ALL"
            " SELECT to_jsonb(a)::text FROM audit_entries a WHERE tenant_id = %s",
            (restaurant.tenant_id,) * 3,
        )
        stored = "".join(row for (row,) in cursor.fetchall())
    assert restaurant.key[:12] in stored
    assert restaurant.key[12:] not in stored
    assert restaurant.key not in stored


def test_a_key_is_found_by_its_secret_alone(restaurant):
    assert api_caller.find_key_owner(restaurant.key) == (restaurant.tenant_id, restaurant.key_id)
    assert api_caller.find_key_owner(new_secret("live")) is None


def make(business, *scopes, **more):
    with business.scope():
        return api_keys.create("Key", "live", list(scopes or SCOPES), **more)


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"name": "  "}, "empty_name"),
        ({"mode": "production"}, "invalid_mode"),
        ({"scopes": []}, "invalid_scopes"),
        ({"scopes": ["orders", "everything"]}, "invalid_scopes"),
        ({"rate_per_second": 0}, "invalid_rate"),
        ({"rate_per_second": -5}, "invalid_rate"),
        ({"expires_at": now() - timedelta(seconds=1)}, "expires_in_past"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(restaurant, more, code):
    wanted = {"name": "Key", "mode": "live", "scopes": ["orders"], **more}
    with pytest.raises(DomainError) as refusal, restaurant.scope():
        api_keys.create(**wanted)
    assert refusal.value.code == code


def test_a_key_has_the_scopes_ticked_in_their_order(restaurant):
    key, _ = make(restaurant, "usage", "orders")
    assert key.scopes == ["orders", "usage"]


def test_a_key_can_be_changed_but_not_into_nonsense(restaurant):
    with restaurant.scope():
        api_keys.change(restaurant.key_id, "Renamed", ["orders"], 3)
    facts = api_caller.read_caller(restaurant.tenant_id, restaurant.key_id).key
    assert (facts.name, facts.scopes, facts.rate_per_second) == ("Renamed", {"orders"}, 3)
    for scopes, rate in (([], 3), (["everything"], 3), (["orders"], 0), (["orders"], -1)):
        with pytest.raises(DomainError), restaurant.scope():
            api_keys.change(restaurant.key_id, "Renamed", scopes, rate)


def test_a_key_ends_at_the_given_time(restaurant):
    with frozen():
        key, _ = make(restaurant, expires_at=now() + timedelta(days=30))
        assert api_keys.state_of(key) == "active"
        advance(timedelta(days=30))
        assert api_keys.state_of(key) == "expired"


def test_a_rotated_key_overlaps_with_its_successor(restaurant):
    with frozen():
        with restaurant.scope():
            fresh, secret = api_keys.rotate(restaurant.key_id, api_keys.OVERLAPS["day"])
            old = api_keys.get(restaurant.key_id)
            assert (fresh.replaces, fresh.scopes) == (old.id, old.scopes)
            assert fresh.expires_at is None
        assert api_caller.find_key_owner(secret)
        assert api_caller.find_key_owner(restaurant.key)
        assert api_keys.state_of(old) == "active"
        advance(timedelta(days=1))
        assert (api_keys.state_of(old), api_keys.state_of(fresh)) == ("expired", "active")


def test_rotating_now_ends_the_old_key_now(restaurant):
    with restaurant.scope():
        _, secret = api_keys.rotate(restaurant.key_id, api_keys.OVERLAPS["now"])
        assert api_keys.state_of(api_keys.get(restaurant.key_id)) == "revoked"
    assert api_caller.find_key_owner(restaurant.key) is None
    assert api_caller.find_key_owner(secret) is not None


def test_an_overlap_does_not_lengthen_a_short_life(restaurant):
    with frozen():
        end = now() + timedelta(hours=1)
        key, _ = make(restaurant, expires_at=end)
        with restaurant.scope():
            fresh, _ = api_keys.rotate(key.id, api_keys.OVERLAPS["week"])
            assert api_keys.get(key.id).expires_at == end
            assert fresh.expires_at == end


def test_only_a_key_that_works_can_be_rotated(restaurant):
    with restaurant.scope():
        api_keys.revoke(restaurant.key_id)
    with pytest.raises(Conflict), restaurant.scope():
        api_keys.rotate(restaurant.key_id, api_keys.OVERLAPS["day"])


def test_a_revoked_key_is_found_no_more_and_stays_revoked(restaurant):
    with frozen():
        with restaurant.scope():
            first = api_keys.revoke(restaurant.key_id).revoked_at
        advance(60)
        with restaurant.scope():
            assert api_keys.revoke(restaurant.key_id).revoked_at == first
    assert api_caller.find_key_owner(restaurant.key) is None


def test_keys_that_work_are_listed_first(restaurant):
    with restaurant.scope():
        api_keys.revoke(restaurant.key_id)
        assert [api_keys.state_of(key) for key in api_keys.list_keys()] == ["active", "revoked"]


def test_another_tenants_key_is_not_there(restaurant, shop):
    for act in (api_keys.get, api_keys.revoke, lambda i: api_keys.rotate(i, timedelta(0))):
        with pytest.raises(NotFound), shop.scope():
            act(restaurant.key_id)
    assert api_caller.read_caller(shop.tenant_id, restaurant.key_id) is None


def test_use_is_noted_once_a_minute(restaurant):
    with frozen() as began:
        for seconds, seen in ((0, 0), (30, 0), (31, 61)):
            advance(seconds)
            api_caller.read_caller(restaurant.tenant_id, restaurant.key_id)
            with restaurant.scope():
                used = api_keys.get(restaurant.key_id).last_used_at
            assert (used - began).total_seconds() == seen
