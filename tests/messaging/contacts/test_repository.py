"""The book of contacts: written into, found again, blocked, agreed, merged."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from core.clock import now
from core.db import db
from core.errors import Conflict, DomainError, Invalid, NotFound
from messaging.contacts import cards as contact_cards
from messaging.contacts import consent as contact_consent
from messaging.contacts import custom_fields, merging
from messaging.contacts import identities as contact_identities
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.search import ContactFilters
from messaging.contacts.validation import ContactInput
from messaging.costs.usage import UsageTally
from messaging.messages.receive import receive_message
from messaging.models import BlockedPhone, ContactToken, Conversation, Message
from tenants import audit
from tests.messaging.message_factory import add_line, wrote
from webhooks.models import Event


@pytest.fixture
def scope(restaurant):
    with restaurant.scope():
        yield restaurant.tenant_id


def found(search="", sort="newest", country="TR", **filters):
    rows = contact_search.search_contacts(
        ContactFilters(search=search, **filters), sort=sort, country=country
    )
    return [row.name for row in rows]


def person(name="Ayşe Yılmaz", phone="+90 532 111 22 33", **more):
    return contact_repository.create(ContactInput(name=name, phone=phone, **more))


def tokens_left(tenant_id, contact_id):
    query = select(ContactToken.token).where(
        ContactToken.tenant_id == tenant_id, ContactToken.contact_id == contact_id
    )
    return set(db.session.scalars(query))


@pytest.mark.parametrize(
    "search",
    [
        *("ayşe", "AYŞE", "ayse", "Ays", "ay", "a", "yıl", "YIL", "yil", "yılmaz ay", "ayşe y"),
        *("905321112233", "+90 532 111", "0532 111 22", "532", "2233", "111 22 33", "1112233"),
        *("#vip", "# VIP"),
    ],
)
def test_somebody_is_found_however_it_is_typed(scope, search):
    person(tags=["VIP"])
    person("Mehmet Kaya", "905449998877")
    assert found(search) == ["Ayşe Yılmaz"]


@pytest.mark.parametrize(
    "search", ["ayşen", "maz", "ayşe kaya", "9053211122334", "0533", "#vi", "%", "_", "321x"]
)
def test_what_is_not_there_is_not_found(scope, search):
    person(tags=["VIP"])
    assert found(search) == []


@pytest.mark.parametrize("name", ["IŞIK İnci", "ışık inci", "Isik Inci"])
def test_turkish_letters_need_not_be_typed_exactly(scope, name):
    person(name)
    for search in ("ışık", "IŞIK", "isik", "İNCİ", "inci", "ıncı"):
        assert found(search) == [name]


def test_a_change_is_found_under_its_new_words_only(scope):
    card = person(tags=["vip", "press"], language="tr")
    contact_repository.change(
        card.id, ContactInput(name="Fatma Demir", tags=["vip"], language="de")
    )
    assert (found("ayşe"), found("#press"), found(language="tr")) == ([], [], [])
    assert found("fatma") == found("#vip") == found(language="de") == ["Fatma Demir"]


def test_the_networks_name_is_found_until_a_person_gives_another(scope):
    met = contact_identities.find_or_create(
        "905321112233", "", "Ayşe", now() - timedelta(hours=2)
    ).id
    assert found("ayşe") == ["Ayşe"]
    contact_identities.find_or_create("905321112233", "", "Fatma", now() - timedelta(hours=1))
    assert (found("ayşe"), found("fatma")) == ([], ["Fatma"])
    contact_repository.change(met, ContactInput(name="Dr. Fatma Demir"))
    contact_identities.find_or_create("905321112233", "", "Fatoş", now())
    card = contact_cards.get(met)
    assert (card.title, card.contact.profile_name) == ("Dr. Fatma Demir", "Fatoş")


def test_filters_and_marks(scope):
    quiet, gone, plain_one = person(), person("Mehmet", "905449998877"), person("Can", "")
    contact_repository.set_opted_out(quiet.id, True)
    contact_repository.set_blocked(gone.id, True)
    contact_repository.set_consent(plain_one.id, "form on the web site")
    assert found(opted_out=True) == ["Ayşe Yılmaz"]
    assert found(opted_out=False) == ["Can", "Mehmet"]
    assert found(blocked=True) == ["Mehmet"]
    assert found(consent=True) == found(has_phone=False) == ["Can"]
    assert found(has_phone=True, blocked=False) == ["Ayşe Yılmaz"]
    contact_repository.set_blocked(gone.id, False)
    contact_repository.set_consent(plain_one.id, None)
    contact_repository.set_opted_out(quiet.id, False)
    assert found(opted_out=True) == found(blocked=True) == found(consent=True) == []


def test_seen_since_and_the_order_of_last_sight(scope):
    for minutes, name in ((30, "Old"), (10, "New"), (20, "Middle")):
        phone = f"9053211122{minutes}"
        contact_identities.find_or_create(phone, "", name, now() - timedelta(minutes=minutes))
    person("Never", "")
    assert found(sort="seen") == ["New", "Middle", "Old"]
    assert found(sort="seen", seen_since=now() - timedelta(minutes=25)) == ["New", "Middle"]
    assert found() == ["Never", "Middle", "New", "Old"]


@pytest.mark.parametrize("sort", contact_search.SORTS)
@pytest.mark.parametrize("search", ["", "al"])
def test_pages_follow_each_other_without_a_gap_or_a_repeat(scope, sort, search):
    for number in range(25):
        contact_identities.find_or_create(f"90532111{number:04}", "", f"Ali {number % 7}", now())
    seen, after = [], None
    while True:
        page = contact_search.search_contacts(
            ContactFilters(search=search), sort=sort, after=after, limit=4
        )
        seen += [row.id for row in page]
        if len(page) < 4:
            break
        after = contact_search.cursor_of(page[-1], sort)
    assert len(seen) == len(set(seen)) == 25
    if sort == "newest":
        assert seen == sorted(seen, reverse=True)


@pytest.mark.parametrize("after", ["x", "con_1", "W10=", "eyJhIjoxfQ==", "\0"])
@pytest.mark.parametrize("sort", contact_search.SORTS)
def test_a_cursor_that_is_none_is_refused(scope, after, sort):
    with pytest.raises(Invalid):
        contact_search.search_contacts(ContactFilters(), sort=sort, after=after)


def test_who_has_no_phone_is_called_by_name_or_id_and_never_by_a_phone(scope):
    by_id = contact_cards.get(contact_identities.find_or_create("", "TR.99127361827", "", now()).id)
    assert (by_id.title, by_id.phone) == ("TR.99127361827", "")
    assert found("tr.99127361827") == [""]
    digits = contact_cards.get(
        contact_identities.find_or_create("", "99127361827@lid", "", now()).id
    )
    assert (digits.title, digits.phone) == ("99127361827@lid", "")
    named = contact_cards.get(contact_identities.find_or_create("", "TR.7", "Lena", now()).id)
    assert named.title == "Lena"


def test_a_number_has_one_owner_in_all_its_spellings(scope):
    card = person("Ana", "+55 11 98765-4321")
    with pytest.raises(Invalid) as refusal:
        person("Ana again", "551187654321")
    assert refusal.value.code == "phone_taken"
    assert refusal.value.more == {"contact_id": card.id}


@pytest.mark.parametrize(
    ("entry", "code"),
    [
        (ContactInput(), "empty_contact"),
        (ContactInput(name="  "), "empty_contact"),
        (ContactInput(phone="12"), "invalid_phone"),
        (ContactInput(phone="letters"), "invalid_phone"),
        (ContactInput(name="A", language="turkish!"), "invalid_language"),
        (ContactInput(name="A", birthday="31.02.2000"), "invalid_birthday"),
        (ContactInput(name="A", birthday="2999-01-01"), "invalid_birthday"),
        (ContactInput(name="A", tags=["x" * 41]), "long_tag"),
        (ContactInput(name="A", tags=[str(n) for n in range(31)]), "too_many_tags"),
        (ContactInput(name="A", tags=["a\0b"]), "invalid_tag"),
        (ContactInput(name="A\0"), "invalid_name"),
        (ContactInput(name="A", fields={"Shoe": "42"}), "unknown_field"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(scope, entry, code):
    with pytest.raises(DomainError) as refusal:
        contact_repository.create(entry)
    assert refusal.value.code == code


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("1990-04-23", "1990-04-23"),
        ("23.04.1990", "1990-04-23"),
        ("23/4/1990", "1990-04-23"),
        ("--04-23", "--04-23"),
        ("29.2", "--02-29"),
        ("", ""),
    ],
)
def test_birthdays_with_and_without_a_year(scope, said, kept):
    assert person(birthday=said).birthday == kept


def test_own_fields_are_checked_by_their_kind(scope):
    shoe = custom_fields.add("Shoe size", "number", [])
    seat = custom_fields.add("Seat", "choice", ["Window", "Bar"])
    since = custom_fields.add("Since", "date", [])
    card = person(fields={"shoe size": "42,50", seat.id: "window", "Since": "1.3.2020"})
    assert card.contact.fields == {shoe.id: "42.5", seat.id: "Window", since.id: "2020-03-01"}
    for bad in ({shoe.id: "big"}, {seat.id: "Roof"}, {since.id: "soon"}, {shoe.id: "NaN"}):
        with pytest.raises(Invalid) as refusal:
            contact_repository.change(card.id, ContactInput(fields=bad))
        assert refusal.value.code == "invalid_value"
    contact_repository.change(card.id, ContactInput(fields={shoe.id: ""}))
    custom_fields.remove(since.id)
    assert set(
        contact_repository.change(card.id, ContactInput(fields={seat.id: "Bar"})).contact.fields
    ) == {seat.id}
    with pytest.raises(Invalid):
        custom_fields.add("SEAT", "text", [])


def test_opting_out_by_hand_is_told_to_the_tenants_own_server(scope):
    card = person()
    contact_repository.set_opted_out(card.id, True)
    contact_repository.set_opted_out(card.id, True)
    published = db.session.scalars(select(Event).where(Event.tenant_id == scope)).all()
    assert [event.type for event in published] == ["contacts.opted_out"]
    assert published[0].body["data"]["contact_id"] == card.id
    assert [one.kind for one in contact_consent.consent_history(card.id)] == ["opted_out"]
    assert [one.act for one in audit.entries(act="contacts.opted_out")] == ["contacts.opted_out"]


def test_a_consent_without_a_source_proves_nothing(scope):
    card = person()
    with pytest.raises(Invalid, match="consent source"):
        contact_repository.set_consent(card.id, "  ")
    contact_repository.set_consent(card.id, "form", now() - timedelta(days=3))
    contact_repository.set_consent(card.id, None)
    kinds = [(one.kind, one.source) for one in contact_consent.consent_history(card.id)]
    assert kinds == [("withdrawn", "person"), ("consent", "form")]


def test_every_spelling_of_a_blocked_phone_is_blocked(scope):
    card = person("Ana", "5511987654321")
    contact_repository.set_blocked(card.id, True)
    assert contact_identities.blocked_phones(["551187654321", "5511987654321", "905321112233"]) == {
        "551187654321",
        "5511987654321",
    }
    with pytest.raises(Invalid) as refusal:
        contact_identities.check_not_blocked("551187654321")
    assert refusal.value.code == "contact_blocked"
    contact_repository.add_phone(card.id, "+90 532 111 22 33")
    assert contact_identities.blocked_phones(["905321112233"])
    contact_repository.remove_identity(card.id, "phone", "905321112233")
    assert not contact_identities.blocked_phones(["905321112233"])
    contact_repository.set_blocked(card.id, False)
    assert not list(db.session.scalars(select(BlockedPhone).where(BlockedPhone.tenant_id == scope)))


def test_notes_show_who_and_when_and_can_be_taken_away(scope):
    card = person()
    note = contact_repository.add_note(card.id, "  Likes the window.\nAllergic to nuts. ")
    assert [(one.text, one.author) for one in contact_repository.list_notes(card.id)] == [
        ("Likes the window.\nAllergic to nuts.", "Comanda")
    ]
    other = person("Can", "")
    with pytest.raises(NotFound):
        contact_repository.delete_note(other.id, note.id)
    contact_repository.delete_note(card.id, note.id)
    assert not contact_repository.list_notes(card.id)


def test_the_last_way_to_somebody_without_a_name_stays(scope):
    card = contact_cards.get(contact_identities.find_or_create("905321112233", "", "", now()).id)
    with pytest.raises(Conflict):
        contact_repository.remove_identity(card.id, "phone", "905321112233")


def test_two_that_are_one_become_one(restaurant):
    line, other_line = add_line(restaurant), add_line(restaurant, default=False)
    with restaurant.scope():
        tally = UsageTally()
        receive_message(line, wrote("one", sender_name="Ayşe"), tally)
        receive_message(
            line,
            wrote("two", sender_phone="", sender_network_id="TR.9", sender_name="Ayşecik"),
            tally,
        )
        receive_message(
            other_line,
            wrote("three", sender_phone="", sender_network_id="TR.9", sender_name="Ayşecik"),
            tally,
        )
        kept, gone = (
            contact_identities.find_contact("905321112233"),
            contact_identities.find_contact("", "TR.9"),
        )
        contact_repository.change(kept, ContactInput(tags=["vip"]))
        contact_repository.change(
            gone, ContactInput(name="Ayşe Yılmaz", tags=["press"], birthday="--04-23")
        )
        contact_repository.add_note(gone, "Met at the fair.")
        contact_repository.set_opted_out(gone, True)
        look = merging.preview_merge(kept, gone)
        assert (look.identities, look.notes, look.stays_opted_out) == (1, 1, True)
        card = merging.merge(kept, gone)
        assert card.title == "Ayşe Yılmaz"
        assert card.contact.tags == ["press", "vip"]
        assert card.contact.opted_out_at is not None
        assert [one.kind for one in card.identities] == ["phone", "network_id"]
        assert [one.text for one in contact_repository.list_notes(kept)] == ["Met at the fair."]
        mine = Message.tenant_id == restaurant.tenant_id
        assert set(db.session.scalars(select(Message.contact_id).where(mine))) == {kept}
        talks = db.session.scalars(
            select(Conversation).where(Conversation.tenant_id == restaurant.tenant_id)
        ).all()
        assert {(one.contact_id, one.line_id) for one in talks} == {
            (kept, line.id),
            (kept, other_line.id),
        }
        assert sum(one.unread for one in talks) == 3
        assert tokens_left(restaurant.tenant_id, gone) == set()
        assert found("ayşe yıl") == found("#press") == found("tr.9") == ["Ayşe Yılmaz"]
        assert contact_identities.find_or_create("", "TR.9", "", now()).id == kept
        with pytest.raises(NotFound):
            contact_cards.get(gone)
        with pytest.raises(Invalid):
            merging.merge(kept, kept)
        assert audit.entries(act="contacts.merged")[0].detail["gone"] == gone


def test_another_tenants_contact_is_not_there(restaurant, shop):
    with restaurant.scope():
        card = person()
    with shop.scope():
        for act in (
            lambda: contact_cards.get(card.id),
            lambda: contact_repository.change(card.id, ContactInput(name="Taken")),
            lambda: contact_repository.add_note(card.id, "x"),
            lambda: contact_repository.set_blocked(card.id, True),
        ):
            with pytest.raises(NotFound):
                act()
        assert found() == []
