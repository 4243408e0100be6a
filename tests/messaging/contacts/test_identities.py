"""The people on the other side are found by any of their names, in any of its spellings."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from core.clock import now
from core.db import db
from messaging.contacts import duplicates
from messaging.contacts import identities as contact_identities
from messaging.models import Contact, Identity

MINUTE = timedelta(minutes=1)


@pytest.fixture
def scope(restaurant):
    with restaurant.scope():
        yield restaurant.tenant_id


def meet(phone="905321112233", network_id="", name="Ayşe", at=None):
    return contact_identities.find_or_create(phone, network_id, name, at or now() - MINUTE).id


def names(tenant_id):
    rows = db.session.execute(
        select(Identity.kind, Identity.value, Identity.spelling)
        .where(Identity.tenant_id == tenant_id)
        .order_by(Identity.kind, Identity.value)
    )
    return [tuple(row) for row in rows]


def contact(tenant_id, contact_id):
    found = select(Contact).where(Contact.tenant_id == tenant_id, Contact.id == contact_id)
    return db.session.scalars(found.execution_options(populate_existing=True)).one()


def test_the_same_phone_is_the_same_person(scope):
    assert meet() == meet()
    assert meet() != meet("905321112234")


@pytest.mark.parametrize(
    ("one", "other", "kept"),
    [
        ("5511987654321", "551187654321", "5511987654321"),
        ("5215512345678", "525512345678", "525512345678"),
        ("5491123456789", "541123456789", "5491123456789"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_national_variants_are_one_person_and_the_networks_spelling_is_kept(
    scope, one, other, kept, turned
):
    first, second = (other, one) if turned else (one, other)
    assert meet(first) == meet(second)
    assert names(scope) == [("phone", kept, second)]


def test_a_person_is_found_by_phone_or_by_the_networks_id(scope):
    both = meet(network_id="TR.991")
    assert meet(phone="", network_id="TR.991") == both
    assert meet() == both
    assert [kind for kind, *_ in names(scope)] == ["network_id", "phone"]


def test_a_phone_learned_later_belongs_to_the_person_known_by_id(scope):
    by_id = meet(phone="", network_id="TR.991")
    assert meet(network_id="TR.991") == by_id
    assert meet() == by_id


def test_a_lid_is_a_kind_of_its_own(scope):
    meet(phone="", network_id="12345@lid")
    assert names(scope) == [("lid", "12345@lid", "12345@lid")]


def test_a_contact_without_a_phone_joins_the_one_with_the_phone(scope):
    by_phone, by_id = meet(), meet(phone="", network_id="TR.5")
    assert by_phone != by_id
    assert meet(network_id="TR.5") == by_phone
    assert meet(phone="", network_id="TR.5") == by_phone


def test_where_both_have_a_phone_the_phone_decides_and_a_person_is_asked(scope):
    one, other = meet(network_id="TR.5"), meet("905321112244")
    assert meet("905321112244", network_id="TR.5") == other
    assert meet(phone="", network_id="TR.5") == one
    [case] = duplicates.list_cases()
    assert {case.contact.id, case.other.id} == {one, other}
    duplicates.dismiss(other, one)
    meet("905321112244", network_id="TR.5")
    assert duplicates.list_cases() == []


def test_nobody_is_not_a_contact(scope):
    with pytest.raises(ValueError, match="neither"):
        meet(phone="")


def test_the_newest_name_stays_whatever_comes_late(scope):
    at = now() - 10 * MINUTE
    person = meet(name="Ayşe", at=at)
    meet(name="Ayşe Yılmaz", at=at + MINUTE)
    meet(name="Ay", at=at - MINUTE)
    meet(name="", at=at + 2 * MINUTE)
    found = contact(scope, person)
    assert found.name == "Ayşe Yılmaz"
    assert (found.first_seen_at, found.last_seen_at) == (at - MINUTE, at + 2 * MINUTE)


def test_a_name_is_one_line_of_bearable_length(scope):
    person = meet(name="A\n\tB" + "x" * 5000)
    assert contact(scope, person).name.startswith("A Bx")
    assert len(contact(scope, person).name) == contact_identities.LONGEST_NAME


def test_find_does_not_make_anybody(scope):
    assert contact_identities.find_contact("905321112233") is None
    person = meet()
    assert contact_identities.find_contact("905321112233") == person
    assert contact_identities.find_contact() is None


def test_another_tenant_knows_its_own_people(restaurant, shop):
    with restaurant.scope():
        here = meet()
    with shop.scope():
        assert contact_identities.find_contact("905321112233") is None
        assert meet() != here


@pytest.mark.parametrize(
    "word", [word for words in contact_identities.OPT_OUT_WORDS.values() for word in words]
)
def test_every_word_of_the_table_is_understood_as_people_write_it(word):
    assert contact_identities.is_opt_out_request(word)
    assert contact_identities.is_opt_out_request(f"  {word}. ")
    assert contact_identities.is_opt_out_request(word.capitalize())
    assert contact_identities.is_opt_out_request(word.upper())


def test_opting_out_is_done_once_and_a_newer_wish_undoes_it(scope):
    person, at = meet(), now()
    assert contact_identities.record_opt_out(person, at)
    assert not contact_identities.record_opt_out(person, at + MINUTE)
    assert not contact_identities.record_opt_in(person, at - MINUTE)
    assert contact_identities.record_opt_in(person, at + MINUTE)
    assert contact(scope, person).opted_out_at is None
