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
def desk(browser, restaurant):
    return browser.signs_in(restaurant.hires("inbox", "Selin Kaya"))


def everybody(business):
    with business.scope():
        return contact_cards.cards_of(contact_search.search_contacts(ContactFilters(), limit=100))


def add(business, name="Ayşe Yılmaz", phone="905321112233", **more):
    with business.scope():
        return contact_repository.create(ContactInput(name=name, phone=phone, **more)).id


def test_an_empty_book_says_what_to_do(desk):
    assert "No contacts yet" in text_of(desk.get("/contacts"))


def test_somebody_is_added_changed_tagged_and_noted(desk, restaurant):
    desk.get("/contacts/new")
    done = desk.post(
        "/contacts/new", follow=True, name="Ayşe", phone="+90 532 111 22 33", tags="vip, press"
    )
    assert title_of(done) == "Ayşe"
    card = everybody(restaurant)[0]
    assert card.contact.tags == ["vip", "press"]
    path = f"/contacts/{card.id}"
    desk.post(f"{path}/edit", name="Ayşe Yılmaz", tags="vip", birthday="23.04.1990")
    desk.post(f"{path}/notes", text="Likes tea.")
    desk.post(f"{path}/consent", consent_source="form")
    desk.post(f"{path}/wish", act="opt_out")
    desk.post(f"{path}/phones", phone="+90 532 444 55 66")
    page = text_of(desk.get(path))
    for words in ("Ayşe Yılmaz", "Likes tea.", "Selin Kaya", "23 April 1990", "Opted out", "form"):
        assert words in page, words
    assert "+90 532 444 55 66" in page
    desk.post(f"{path}/identities/remove?kind=phone&value=905324445566")
    assert "+90 532 444 55 66" not in text_of(desk.get(path))


def test_a_refused_form_says_why_and_keeps_what_was_typed(desk, restaurant):
    add(restaurant)
    answer = desk.post("/contacts/new", name="Again", phone="0090 532 111 22 33")
    assert "This number is already in your contacts:" in text_of(answer)
    assert 'value="Again"' in answer.get_data(as_text=True)
    assert len(everybody(restaurant)) == 1


def test_search_filters_and_pages_stand_in_the_address(desk, restaurant):
    add(restaurant, tags=["vip"])
    add(restaurant, "Mehmet Kaya", "905324445566")
    for query, seen in (
        *(({"q": "ays"}, "Ayşe"), ({"q": "5566"}, "Mehmet"), ({"tag": "vip"}, "Ayşe")),
        *(({"q": "mehmet", "sort": "name"}, "Mehmet"), ({"mark": "open", "q": "kaya"}, "Mehmet")),
    ):
        page = text_of(desk.get("/contacts", query_string=query))
        other = {"Ayşe": "Mehmet Kaya", "Mehmet": "Ayşe Yılmaz"}[seen]
        assert seen in page, query
        assert other not in page, query
    assert "No matches" in text_of(desk.get("/contacts?q=nobody"))


def test_a_sender_without_a_phone_is_never_shown_as_one(desk, restaurant):
    with restaurant.scope():
        known = contact_identities.find_or_create("", "99127361827", "", now()).id
    for path in ("/contacts", f"/contacts/{known}"):
        page = text_of(desk.get(path))
        assert "99127361827" in page
        assert "+99" not in page
        assert "+9" not in page.replace("+90 532 111 22 33", "")


def test_the_export_is_the_filtered_list_and_no_formula(desk, restaurant):
    add(restaurant, "=HYPERLINK(1)", tags=["vip"])
    add(restaurant, "Mehmet", "905324445566")
    answer = desk.get("/contacts.csv?tag=vip")
    file = answer.get_data(as_text=True)
    assert file[0] == "\ufeff"  # Excel needs it to read UTF-8
    rows = list(csv.reader(io.StringIO(file[1:])))
    assert rows[0][:3] == ["id", "name", "phone"]
    assert [row[1:3] for row in rows[1:]] == [["'=HYPERLINK(1)", "905321112233"]]


def test_a_message_to_them_and_none_to_the_blocked(desk, restaurant):
    add_line(restaurant)
    path = f"/contacts/{add(restaurant)}"
    sent = desk.post(f"{path}/message", text="Your table is ready.")
    assert "/messages/msg_" in sent.location
    assert "Your table is ready." in text_of(desk.get(path))
    desk.post(f"{path}/wish", act="block")
    refused = desk.post(f"{path}/message", text="Hello?")
    assert refused.status_code == 200
    assert "This contact is blocked. No messages are sent to them" in text_of(refused)
    assert "Hello?" not in text_of(desk.get(f"{path}"))


def test_merging_shows_what_will_happen_first(desk, restaurant):
    one, other = add(restaurant), add(restaurant, "Ayşecik", "905324445566", tags=["x"])
    assert "Ayşecik" in text_of(desk.get(f"/contacts/{one}/merge?q=ayşecik"))
    look = text_of(desk.get(f"/contacts/{one}/merge?other={other}"))
    assert "Numbers and IDs to move: 1" in look
    assert len(everybody(restaurant)) == 2
    desk.post(f"/contacts/{one}/merge", other=other)
    assert [len(card.identities) for card in everybody(restaurant)] == [2]


def test_erasing_asks_then_shows_how_far_it_is(desk, restaurant, run_jobs):
    path = f"/contacts/{add(restaurant)}"
    assert "cannot be undone" in text_of(desk.get(f"{path}/erase"))
    assert len(everybody(restaurant)) == 1
    begun = desk.post(f"{path}/erase")
    assert "data-live" in desk.get(begun.location).get_data(as_text=True)
    run_jobs()
    assert "s data has been erased. Message costs are kept for your accounting." in text_of(
        desk.get(begun.location)
    )
    assert desk.get(path).status_code == 404


def upload(desk, text, name="people.csv"):
    desk.get("/contacts/import")
    file = (io.BytesIO(text.encode()), name)
    return desk.post("/contacts/import", file=file).location


def test_a_file_is_looked_at_before_it_is_written(desk, restaurant, run_jobs):
    rows = "Telefon;Ad\n+90 532 111 22 33;Ayşe\n12;<b>Kim</b>\n"
    place = upload(desk, rows)
    columns = desk.get(place)
    assert "Match columns" in title_of(columns)
    desk.post(place, column=["phone", "name"], country="TR", tags="fair", update="y")
    assert "data-live" in desk.get(place).get_data(as_text=True)
    run_jobs()
    ready = text_of(desk.get(place))
    assert "Nothing has been imported yet" in ready
    assert "This is not a valid phone number" in ready
    assert everybody(restaurant) == []
    desk.post(f"{place}/start")
    run_jobs()
    assert "were skipped" in text_of(desk.get(place))
    assert [card.contact.tags for card in everybody(restaurant)] == [["fair"]]
    file = desk.get(f"{place}/rejects.csv").get_data(as_text=True)
    assert list(csv.reader(io.StringIO(file)))[1][0] == "3"


def test_a_no_in_a_consent_column_is_counted_as_refused_and_stores_nothing(
    desk, restaurant, run_jobs
):
    """Review 2."""
    rows = "Telefon;Ad;İzin\n+905321112233;Ayşe;hayır\n+905324445566;Can;Evet\n"
    place = upload(desk, rows + "+905324445577;Ece;-\n")
    assert "Marketing consent (yes or no)" in text_of(desk.get(place))
    desk.post(place, column=["phone", "name", "consent"], country="TR", update="y")
    run_jobs()
    ready = text_of(desk.get(place))
    for told in ("Consent given 1", "Rejected 1", "Unclear 1"):
        assert told in ready
    desk.post(f"{place}/start")
    run_jobs()
    agreed = {card.contact.name: card.contact.consent_at for card in everybody(restaurant)}
    assert {name for name, at in agreed.items() if at} == {"Can"}


def test_the_columns_of_a_checked_file_can_be_changed(desk, restaurant, run_jobs):
    """Review 20: going back, and an error that names the missing country."""
    place = upload(desk, "phone,name\n0532 444 11 22,Ayşe\n")
    desk.post(place, column=["phone", "name"], country="", update="y")
    run_jobs()
    ready = desk.get(place)
    assert "This number has no country code." in text_of(ready)
    assert "Change columns" in text_of(ready)
    assert "Match columns" in title_of(desk.get(f"{place}?columns=1"))
    desk.post(place, column=["phone", "name"], country="TR", update="y")
    run_jobs()
    assert "Import contacts (1)" in text_of(desk.get(place))


def test_an_import_proposes_the_country_of_the_time_zone(desk, restaurant):
    """Review 20."""
    with restaurant.scope():
        accounts.account().time_zone = "Europe/Istanbul"
    page = desk.get(upload(desk, "phone,name\n0532 444 11 22,Ayşe\n")).get_data(as_text=True)
    assert '<option selected value="TR">' in page


def test_consent_for_all_needs_its_source(desk, restaurant):
    place = upload(desk, "phone,name\n905321112233,Ayşe\n")
    answer = desk.post(place, column=["phone", "name"], country="", agreed="y", consent_source="")
    assert "cannot be proven" in text_of(answer)
    with restaurant.scope():
        assert contact_importing.list_imports()[0].state == "uploaded"


@pytest.mark.parametrize("text", ["", "PK\x03\x04"])
def test_a_file_that_is_no_table_is_refused_in_words(desk, text):
    desk.get("/contacts/import")
    answer = desk.post("/contacts/import", file=(io.BytesIO(text.encode()), "x.csv"))
    assert answer.status_code == 200
    assert "file" in text_of(answer)


def test_a_field_of_ones_own(desk, restaurant):
    desk.post("/contacts/fields", name="Seat", kind="choice", choices="Window\nBar")
    page = text_of(desk.get("/contacts/fields"))
    assert "Window, Bar" in page
    desk.post("/contacts/new", name="Ayşe", own_0="Bar")
    card = everybody(restaurant)[0]
    assert list(card.contact.fields.values()) == ["Bar"]
    assert "Bar" in text_of(desk.get(f"/contacts/{card.id}"))


def test_a_viewer_looks_and_changes_nothing(browser, restaurant):
    path = f"/contacts/{add(restaurant)}"
    browser.signs_in(restaurant.hires("viewer"))
    page = browser.get(path)
    assert page.status_code == 200
    assert "Erase permanently" not in text_of(page)
    assert browser.get(f"{path}/edit").status_code == 403


def test_a_default_line_is_not_needed_to_look(desk, restaurant):
    with restaurant.scope():
        assert line_repository.default_line(test=False) is None
    path = f"/contacts/{add(restaurant)}"
    assert desk.get(path).status_code == 200
