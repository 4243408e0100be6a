"""The contact pages."""

import csv
import io

import pytest

from core.clock import now
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.search import ContactFilters
from messaging.contacts.validation import ContactInput
from messaging.lines import repository as line_repository
from tenants import accounts
from tests.messaging.message_factory import add_line
from tests.portal.page_reader import text_of, title_of


@pytest.fixture
def inbox_member(browser, restaurant):
    return browser.signs_in(restaurant.hires("inbox", "Selin Kaya"))


def everybody(business):
    with business.scope():
        return contact_cards.cards_of(contact_search.search_contacts(ContactFilters(), limit=100))


def add(business, name="Ayşe Yılmaz", phone="905321112233", **more):
    with business.scope():
        return contact_repository.create(ContactInput(name=name, phone=phone, **more)).id


def test_an_empty_contact_list_shows_what_to_do(inbox_member):
    assert "No contacts yet" in text_of(inbox_member.get("/contacts"))


def test_somebody_is_added_changed_tagged_and_noted(inbox_member, restaurant):
    inbox_member.get("/contacts/new")
    done = inbox_member.post(
        "/contacts/new", follow=True, name="Ayşe", phone="+90 532 111 22 33", tags="vip, press"
    )
    assert title_of(done) == "Ayşe"
    card = everybody(restaurant)[0]
    assert card.contact.tags == ["vip", "press"]
    path = f"/contacts/{card.id}"
    inbox_member.post(f"{path}/edit", name="Ayşe Yılmaz", tags="vip", birthday="23.04.1990")
    inbox_member.post(f"{path}/notes", text="Likes tea.")
    inbox_member.post(f"{path}/consent", consent_source="form")
    inbox_member.post(f"{path}/wish", act="opt_out")
    inbox_member.post(f"{path}/phones", phone="+90 532 444 55 66")
    page = text_of(inbox_member.get(path))
    for words in ("Ayşe Yılmaz", "Likes tea.", "Selin Kaya", "23 April 1990", "Opted out", "form"):
        assert words in page, words
    assert "+90 532 444 55 66" in page
    inbox_member.post(f"{path}/identities/remove?kind=phone&value=905324445566")
    assert "+90 532 444 55 66" not in text_of(inbox_member.get(path))


def test_a_refused_form_gives_the_reason_and_keeps_what_was_typed(inbox_member, restaurant):
    add(restaurant)
    answer = inbox_member.post("/contacts/new", name="Again", phone="0090 532 111 22 33")
    assert "This number is already in your contacts:" in text_of(answer)
    assert 'value="Again"' in answer.get_data(as_text=True)
    assert len(everybody(restaurant)) == 1


def test_search_filters_and_pages_are_in_the_url(inbox_member, restaurant):
    add(restaurant, tags=["vip"])
    add(restaurant, "Mehmet Kaya", "905324445566")
    for query, seen in (
        *(({"q": "ays"}, "Ayşe"), ({"q": "5566"}, "Mehmet"), ({"tag": "vip"}, "Ayşe")),
        *(({"q": "mehmet", "sort": "name"}, "Mehmet"), ({"mark": "open", "q": "kaya"}, "Mehmet")),
    ):
        page = text_of(inbox_member.get("/contacts", query_string=query))
        other = {"Ayşe": "Mehmet Kaya", "Mehmet": "Ayşe Yılmaz"}[seen]
        assert seen in page, query
        assert other not in page, query
    assert "No matches" in text_of(inbox_member.get("/contacts?q=nobody"))


def test_a_sender_without_a_phone_is_never_shown_as_one(inbox_member, restaurant):
    with restaurant.scope():
        known = contact_identities.find_or_create("", "99127361827", "", now()).id
    for path in ("/contacts", f"/contacts/{known}"):
        page = text_of(inbox_member.get(path))
        assert "99127361827" in page
        assert "+99" not in page
        assert "+9" not in page.replace("+90 532 111 22 33", "")


def test_the_export_is_the_filtered_list_and_no_formula(inbox_member, restaurant):
    add(restaurant, "=HYPERLINK(1)", tags=["vip"])
    add(restaurant, "Mehmet", "905324445566")
    answer = inbox_member.get("/contacts.csv?tag=vip")
    file = answer.get_data(as_text=True)
    assert file[0] == "\ufeff"  # Excel needs it to read UTF-8
    rows = list(csv.reader(io.StringIO(file[1:])))
    assert rows[0][:3] == ["id", "name", "phone"]
    assert [row[1:3] for row in rows[1:]] == [["'=HYPERLINK(1)", "905321112233"]]


def test_a_message_to_them_and_none_to_the_blocked(inbox_member, restaurant):
    add_line(restaurant)
    path = f"/contacts/{add(restaurant)}"
    sent = inbox_member.post(f"{path}/message", text="Your table is ready.")
    assert "/messages/msg_" in sent.location
    assert "Your table is ready." in text_of(inbox_member.get(path))
    inbox_member.post(f"{path}/wish", act="block")
    refused = inbox_member.post(f"{path}/message", text="Hello?")
    assert refused.status_code == 200
    assert "This contact is blocked. No messages are sent to them" in text_of(refused)
    assert "Hello?" not in text_of(inbox_member.get(f"{path}"))


def test_merging_shows_what_will_happen_first(inbox_member, restaurant):
    one, other = add(restaurant), add(restaurant, "Ayşecik", "905324445566", tags=["x"])
    assert "Ayşecik" in text_of(inbox_member.get(f"/contacts/{one}/merge?q=ayşecik"))
    look = text_of(inbox_member.get(f"/contacts/{one}/merge?other={other}"))
    assert "Numbers and IDs to move: 1" in look
    assert len(everybody(restaurant)) == 2
    inbox_member.post(f"/contacts/{one}/merge", other=other)
    assert [len(card.identities) for card in everybody(restaurant)] == [2]


def test_erasing_asks_then_shows_how_far_it_is(inbox_member, restaurant, run_jobs):
    path = f"/contacts/{add(restaurant)}"
    assert "cannot be undone" in text_of(inbox_member.get(f"{path}/erase"))
    assert len(everybody(restaurant)) == 1
    begun = inbox_member.post(f"{path}/erase")
    assert "data-live" in inbox_member.get(begun.location).get_data(as_text=True)
    run_jobs()
    assert "s data has been erased. Message costs are kept for your accounting." in text_of(
        inbox_member.get(begun.location)
    )
    assert inbox_member.get(path).status_code == 404


def upload(inbox_member, text, name="people.csv"):
    inbox_member.get("/contacts/import")
    file = (io.BytesIO(text.encode()), name)
    return inbox_member.post("/contacts/import", file=file).location


def test_a_file_is_looked_at_before_it_is_written(inbox_member, restaurant, run_jobs):
    rows = "Telefon;Ad\n+90 532 111 22 33;Ayşe\n12;<b>Kim</b>\n"
    place = upload(inbox_member, rows)
    columns = inbox_member.get(place)
    assert "Match columns" in title_of(columns)
    inbox_member.post(place, column=["phone", "name"], country="TR", tags="fair", update="y")
    assert "data-live" in inbox_member.get(place).get_data(as_text=True)
    run_jobs()
    ready = text_of(inbox_member.get(place))
    assert "Nothing has been imported yet" in ready
    assert "This is not a valid phone number" in ready
    assert everybody(restaurant) == []
    inbox_member.post(f"{place}/start")
    run_jobs()
    assert "were skipped" in text_of(inbox_member.get(place))
    assert [card.contact.tags for card in everybody(restaurant)] == [["fair"]]
    file = inbox_member.get(f"{place}/rejects.csv").get_data(as_text=True)
    assert list(csv.reader(io.StringIO(file)))[1][0] == "3"


def test_a_no_in_a_consent_column_is_counted_as_refused_and_stores_nothing(
    inbox_member, restaurant, run_jobs
):
    rows = "Telefon;Ad;İzin\n+905321112233;Ayşe;hayır\n+905324445566;Can;Evet\n"
    place = upload(inbox_member, rows + "+905324445577;Ece;-\n")
    assert "Marketing consent (yes or no)" in text_of(inbox_member.get(place))
    inbox_member.post(place, column=["phone", "name", "consent"], country="TR", update="y")
    run_jobs()
    ready = text_of(inbox_member.get(place))
    for told in ("Consent given 1", "Consent refused 1", "Unclear 1"):
        assert told in ready
    inbox_member.post(f"{place}/start")
    run_jobs()
    agreed = {card.contact.name: card.contact.consent_at for card in everybody(restaurant)}
    assert {name for name, at in agreed.items() if at} == {"Can"}


def test_the_columns_of_a_checked_file_can_be_changed(inbox_member, restaurant, run_jobs):
    """Going back, and an error that names the missing country."""
    place = upload(inbox_member, "phone,name\n0532 444 11 22,Ayşe\n")
    inbox_member.post(place, column=["phone", "name"], country="", update="y")
    run_jobs()
    ready = inbox_member.get(place)
    assert "This number has no country code." in text_of(ready)
    assert "Change columns" in text_of(ready)
    assert "Match columns" in title_of(inbox_member.get(f"{place}?columns=1"))
    inbox_member.post(place, column=["phone", "name"], country="TR", update="y")
    run_jobs()
    assert "Import contacts (1)" in text_of(inbox_member.get(place))


def test_an_import_proposes_the_country_of_the_time_zone(inbox_member, restaurant):
    with restaurant.scope():
        accounts.account().time_zone = "Europe/Istanbul"
    page = inbox_member.get(upload(inbox_member, "phone,name\n0532 444 11 22,Ayşe\n")).get_data(
        as_text=True
    )
    assert '<option selected value="TR">' in page


def test_consent_for_all_needs_its_source(inbox_member, restaurant):
    place = upload(inbox_member, "phone,name\n905321112233,Ayşe\n")
    answer = inbox_member.post(
        place, column=["phone", "name"], country="", agreed="y", consent_source=""
    )
    assert "cannot be proven" in text_of(answer)
    with restaurant.scope():
        assert contact_importing.list_imports()[0].state == "uploaded"


@pytest.mark.parametrize("text", ["", "PK\x03\x04"])
def test_a_file_that_is_no_table_is_refused_with_a_message(inbox_member, text):
    inbox_member.get("/contacts/import")
    answer = inbox_member.post("/contacts/import", file=(io.BytesIO(text.encode()), "x.csv"))
    assert answer.status_code == 200
    assert "file" in text_of(answer)


def test_a_field_of_ones_own(inbox_member, restaurant):
    inbox_member.post("/contacts/fields", name="Seat", kind="choice", choices="Window\nBar")
    page = text_of(inbox_member.get("/contacts/fields"))
    assert "Window, Bar" in page
    inbox_member.post("/contacts/new", name="Ayşe", own_0="Bar")
    card = everybody(restaurant)[0]
    assert list(card.contact.fields.values()) == ["Bar"]
    assert "Bar" in text_of(inbox_member.get(f"/contacts/{card.id}"))


def test_a_viewer_looks_and_changes_nothing(browser, restaurant):
    path = f"/contacts/{add(restaurant)}"
    browser.signs_in(restaurant.hires("viewer"))
    page = browser.get(path)
    assert page.status_code == 200
    assert "Erase permanently" not in text_of(page)
    assert browser.get(f"{path}/edit").status_code == 403


def test_a_default_line_is_not_needed_to_look(inbox_member, restaurant):
    with restaurant.scope():
        assert line_repository.default_line(test=False) is None
    path = f"/contacts/{add(restaurant)}"
    assert inbox_member.get(path).status_code == 200
