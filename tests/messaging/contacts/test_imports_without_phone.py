"""Files of people whose phone number the network hides: a WhatsApp id beside or instead of it."""

import pytest

from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.contacts import search as contact_search
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.search import ContactFilters
from tests.messaging.contacts.test_imports import (  # noqa: F401
    blobs,
    check_import,
    place,
    start_import,
)

USER_ID, LID = "TR.13491208655302741918", "123456789012345@lid"


@pytest.fixture
def imports(place, blobs, run_jobs):  # noqa: F811
    def run(text):
        one = start_import(place, blobs, text)
        check_import(place, one, run_jobs, alone=True)
        with place.scope():
            rejects = contact_importing.list_rejects(one.id, 0, 50)
            return [(row.line, row.field, row.cause) for row in rejects]

    return run


def people(business):
    with business.scope():
        found = contact_search.search_contacts(ContactFilters())
        return {
            card.contact.name: (
                card.phone,
                {one.spelling for one in card.identities if one.kind in ("network_id", "lid")},
                card.contact.username,
            )
            for card in contact_cards.cards_of(found)
        }


def test_an_id_is_enough_and_a_phone_may_be_beside_it(place, imports):  # noqa: F811
    file = (
        f"Phone,WhatsApp ID,User name,Name\n,{USER_ID},@deniz.k,Deniz\n0532 111 22 33,{LID},,Can\n"
    )
    assert imports(file) == []
    assert people(place) == {
        "Deniz": ("", {USER_ID}, "deniz.k"),
        "Can": ("905321112233", {LID}, ""),
    }
    with place.scope():
        assert contact_identities.find_by_address(USER_ID)
        assert contact_search.search_contacts(ContactFilters(search="deniz.k"))


def test_each_wrong_row_has_its_reason(place, imports):  # noqa: F811
    file = (
        "Phone,WhatsApp ID,User name,Name\n"
        ",,,Nobody\n"
        ",,deniz,Only a name\n"
        ",12345,,Not an id\n"
        f",{USER_ID},,First\n"
        f",{USER_ID},,Second\n"
    )
    assert imports(file) == [
        (2, "phone", "The phone number and the WhatsApp ID are missing."),
        (
            3,
            "username",
            (
                "A user name alone is not enough, because it can change. Add the phone number or "
                "the WhatsApp ID."
            ),
        ),
        (
            4,
            "network_id",
            (
                "This is not a WhatsApp ID. It looks like TR.13491208655302741918 or "
                "123456789012345@lid."
            ),
        ),
        (6, "network_id", "This WhatsApp ID is already in row {line}."),
    ]


def test_known_people_are_updated_and_never_mixed_up(place, imports):  # noqa: F811
    imports(f"Phone,WhatsApp ID,Name\n,{USER_ID},Deniz\n0532 111 22 33,,Can\n")
    assert imports(f"Phone,WhatsApp ID,Name\n0532 111 22 33,{USER_ID},Both\n") == [
        (
            2,
            "network_id",
            (
                "The phone number and the WhatsApp ID belong to two contacts. Merge them, or leave "
                "one of the two cells empty."
            ),
        )
    ]
    assert imports(f"Phone,WhatsApp ID,Name\n0532 444 55 66,{USER_ID},Deniz K\n") == []
    assert people(place) == {
        "Deniz K": ("905324445566", {USER_ID}, ""),
        "Can": ("905321112233", set(), ""),
    }


def test_an_export_can_be_imported_again(place, imports, browser, restaurant):  # noqa: F811
    imports(
        "Phone,WhatsApp ID,User name,Name\n"
        f",{USER_ID},deniz.k,Deniz\n0532 111 22 33,{LID},can,Can\n"
    )
    before = people(place)
    browser.signs_in(place.owner)
    exported = browser.get("/contacts.csv").get_data(as_text=True)
    with place.scope():
        for contact in contact_search.search_contacts(ContactFilters()):
            contact.name = ""
    assert imports(exported) == []
    assert people(place) == before
