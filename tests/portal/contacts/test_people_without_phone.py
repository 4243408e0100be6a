"""People whose phone number is hidden, in the portal: contacts, inbox, possible duplicates."""

import csv
import io
from datetime import timedelta

import pytest

from core.clock import now
from core.db import db
from messaging.contacts import cards as contact_cards
from messaging.contacts import duplicates
from messaging.contacts import identities as contact_identities
from messaging.contacts.address_changes import AddressChange, record_change
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.inbox import thread
from messaging.models import FormerIdentity, Message
from tests.messaging.inbox.inbox_factory import add_line, talk_with, writes
from tests.portal.page_reader import text_of

MINUTE = timedelta(minutes=1)
USER_ID, PHONE, OTHER = "TR.13491208655302741918", "905321112233", "905321112244"


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def member(browser, restaurant):
    return browser.signs_in(restaurant.hires("inbox", "Selin Kaya"))


@pytest.fixture
def guest(restaurant, line):
    writes(restaurant, line, phone="", network_id=USER_ID, name="Zeynep")
    with restaurant.scope():
        known = contact_identities.find_or_create("", USER_ID, "Zeynep", now(), username="zeynep.k")
        return known.id


def sent(business):
    with business.scope():
        query = db.session.query(Message).filter_by(tenant_id=business.tenant_id, direction="out")
        return query.order_by(Message.id).all()


def meet(business):
    """Two contacts with a number each that WhatsApp has linked."""
    with business.scope():
        one = contact_identities.find_or_create(PHONE, USER_ID, "Ayşe", now()).id
        other = contact_identities.find_or_create(OTHER, "", "Ayşe K.", now()).id
        contact_identities.find_or_create(OTHER, USER_ID, "Ayşe K.", now())
    return one, other


def test_the_user_name_is_shown_in_the_list_and_on_the_page(member, guest):
    assert "@zeynep.k" in text_of(member.get("/contacts"))
    assert "@zeynep.k" in text_of(member.get("/contacts?q=@zeynep"))
    assert "@zeynep.k" in text_of(member.get(f"/contacts/{guest}"))


def test_the_export_has_the_user_name(member, guest):
    rows = list(csv.DictReader(io.StringIO(member.get("/contacts.csv").get_data(as_text=True))))
    assert [(row["username"], row["other_identities"]) for row in rows] == [("zeynep.k", USER_ID)]


def test_a_message_is_written_from_the_contact_page(member, restaurant, guest):
    member.post(f"/contacts/{guest}/message", text="Hello")
    assert [(one.phone, one.text) for one in sent(restaurant)] == [(USER_ID, "Hello")]


def test_the_inbox_answers_and_asks_for_the_number(member, restaurant, line, guest):
    talk = talk_with(restaurant, USER_ID)
    page = text_of(member.get(f"/inbox/{talk.id}"))
    assert "@zeynep.k" in page
    assert "Ask for phone number" in page
    member.post(f"/inbox/{talk.id}/answer", mode="reply", text="Hi")
    member.post(f"/inbox/{talk.id}/ask-phone")
    assert [(one.kind, one.phone) for one in sent(restaurant)] == [
        ("text", USER_ID),
        ("contact_request", USER_ID),
    ]
    shared = [{"name": "Zeynep", "phones": [PHONE]}]
    writes(
        restaurant, line, "", "Zeynep", network_id=USER_ID, kind="contacts",
        contacts=shared, origin="contact_request",
    )  # fmt: skip
    with restaurant.scope():
        assert contact_cards.get(guest).phone == PHONE
    assert "Ask for phone number" not in text_of(member.get(f"/inbox/{talk.id}"))


def test_a_number_that_is_known_is_not_asked_for(member, restaurant, line):
    writes(restaurant, line, phone=PHONE)
    talk = talk_with(restaurant, PHONE)
    assert "Ask for phone number" not in text_of(member.get(f"/inbox/{talk.id}"))
    member.post(f"/inbox/{talk.id}/ask-phone")
    assert sent(restaurant) == []


def test_possible_duplicates_are_shown_and_merged(member, restaurant):
    assert "No possible duplicates" in text_of(member.get("/contacts/duplicates"))
    one, other = meet(restaurant)
    assert "Possible duplicates: 1" in text_of(member.get("/contacts"))
    assert "Ayşe K." in text_of(member.get("/contacts/duplicates"))
    for contact_id in (one, other):
        assert "This may be the same person" in text_of(member.get(f"/contacts/{contact_id}"))
    member.post(f"/contacts/{one}/merge", other=other)
    with restaurant.scope():
        assert contact_identities.find_contact(OTHER) == one
        assert duplicates.list_cases() == []


def test_possible_duplicates_are_kept_separate(member, restaurant):
    one, other = meet(restaurant)
    member.post(f"/contacts/{other}/duplicates/dismiss", other=one)
    assert "This may be the same person" not in text_of(member.get(f"/contacts/{one}"))
    with restaurant.scope():
        assert contact_identities.find_contact(OTHER) == other


def test_only_members_who_manage_contacts_decide(browser, restaurant):
    one, other = meet(restaurant)
    reader = browser.signs_in(restaurant.hires("waiter", "Deniz"))
    answer = reader.post(f"/contacts/{one}/duplicates/dismiss", other=other)
    assert answer.status_code == 403
    with restaurant.scope():
        assert len(duplicates.list_cases()) == 1


def test_former_numbers_stay_visible_and_their_messages_too(member, restaurant, line):
    writes(restaurant, line, phone=PHONE, text="From the old number")
    with restaurant.scope():
        contact_id = contact_identities.find_contact(PHONE)
        record_change(AddressChange(PHONE, OTHER, (), ""), now(), line)
        assert contact_cards.get(contact_id).phone == OTHER
    page = text_of(member.get(f"/contacts/{contact_id}"))
    assert "+90 532 111 22 33" in page
    assert "From the old number" in page
    talk = talk_with(restaurant, OTHER)
    assert "From the old number" in text_of(member.get(f"/inbox/{talk.id}"))


def test_the_next_owner_of_a_number_does_not_see_the_messages_before(member, restaurant, line):
    writes(restaurant, line, phone=PHONE, text="From the old number", at=now() - 2 * MINUTE)
    with restaurant.scope():
        record_change(AddressChange(PHONE, OTHER, (), ""), now() - MINUTE, line)
    writes(restaurant, line, phone=PHONE, text="Somebody else", name="Kemal")
    with restaurant.scope():
        kemal = contact_identities.find_contact(PHONE)
    page = text_of(member.get(f"/contacts/{kemal}"))
    assert "Somebody else" in page
    assert "From the old number" not in page
    talk = talk_with(restaurant, PHONE)
    with restaurant.scope():
        entries = thread.newest_entries(talk).entries
        assert [one.text for one in entries] == ["Somebody else"]


def test_erasure_removes_ids_and_former_ids(restaurant, line, guest):
    with restaurant.scope():
        record_change(AddressChange("", "", (USER_ID,), "TR.2"), now(), line)
        begun = contact_erasures.start_erasure(guest)
        assert set(begun.names["names"]) >= {USER_ID, "TR.2"}
        assert "zeynep.k" in begun.names["titles"]
    with restaurant.scope():
        left = db.session.query(FormerIdentity).filter_by(tenant_id=restaurant.tenant_id).count()
        assert left == 0
        assert contact_identities.find_contact(network_id=USER_ID, at=now()) is None
