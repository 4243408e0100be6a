"""A file of contacts: looked at before anything is written, then written once, whatever dies."""

import io
from pathlib import Path

import pytest
from sqlalchemy import func, select

from core.db import db
from core.errors import Conflict, Invalid, NotFound
from core.storage import spreadsheets
from messaging.contacts import cards as contact_cards
from messaging.contacts import consent as contact_consent
from messaging.contacts import custom_fields
from messaging.contacts import identities as contact_identities
from messaging.contacts import repository as contact_repository
from messaging.contacts import search as contact_search
from messaging.contacts.importing import batches as import_batches
from messaging.contacts.importing import csv_files
from messaging.contacts.importing import imports as contact_importing
from messaging.contacts.importing.imports import ImportOptions
from messaging.contacts.search import ContactFilters
from messaging.contacts.validation import ContactInput
from messaging.models import Contact, ContactImportPhone, ContactToken, Identity
from tenants import accounts, audit

ROOT = Path(__file__).parents[3]
PLAIN = "Phone,Name,Tags\n+90 532 111 22 33,Ayşe Yılmaz,vip;press\n0532 444 55 66,Mehmet,\n"


@pytest.fixture
def blobs(app):
    return app.extensions["blobs"]


@pytest.fixture
def place(app, restaurant):
    """A restaurant in Turkey."""
    with restaurant.scope():
        accounts.change_settings(
            name="Lokanta Mavi",
            locale="tr",
            time_zone="Europe/Istanbul",
            country="TR",
            currency="TRY",
        )
    return restaurant


def start_import(place, blobs, text, encoding="utf-8", name="people.csv"):
    body = text if isinstance(text, bytes) else text.encode(encoding)
    with place.scope():
        return contact_importing.upload_file(io.BytesIO(body), name, blobs)


def check_import(place, one, run_jobs, meanings=None, **options):
    with place.scope():
        contact_importing.start_check(
            one.id,
            meanings or one.columns["meanings"],
            ImportOptions(**{"country": "TR", **options}),
        )
    run_jobs()
    return now_of(place, one)


def write(place, one, run_jobs):
    with place.scope():
        contact_importing.start(one.id)
    run_jobs()
    return now_of(place, one)


def now_of(place, one):
    with place.scope():
        return contact_importing.get(one.id)


def contacts_of(place):
    with place.scope():
        return {
            card.contact.name: card
            for card in contact_cards.cards_of(
                contact_search.search_contacts(ContactFilters(), limit=1000)
            )
        }


def count(place, table):
    with place.scope():
        query = select(func.count()).where(table.tenant_id == place.tenant_id)
        return db.session.scalar(query)


def test_nothing_is_written_before_it_is_reported(place, blobs, run_jobs):
    one = start_import(place, blobs, PLAIN)
    assert one.columns["meanings"] == ["phone", "name", "tags"]
    assert one.columns["rows"][0] == ["+90 532 111 22 33", "Ayşe Yılmaz", "vip;press"]
    seen = check_import(place, one, run_jobs)
    assert (seen.state, seen.total, seen.created, seen.updated) == ("ready", 2, 2, 0)
    assert count(place, Contact) == count(place, ContactToken) == 0
    done = write(place, one, run_jobs)
    assert (done.state, done.created, done.rejected) == ("done", 2, 0)
    found = contacts_of(place)
    assert found["Ayşe Yılmaz"].phone == "905321112233"
    assert found["Ayşe Yılmaz"].contact.tags == ["vip", "press"]
    assert found["Mehmet"].phone == "905324445566"
    assert not blobs.exists(one.blob)
    assert count(place, ContactImportPhone) == 0
    with place.scope():
        assert audit.entries(act="contacts.imported")[0].detail["created"] == 2
        assert [
            c.name for c in contact_search.search_contacts(ContactFilters(search="#press"))
        ] == ["Ayşe Yılmaz"]


@pytest.mark.parametrize(
    ("encoding", "told"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("windows-1254", "windows-1254"),
    ],
)
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_encodings_and_delimiters_are_found_out(place, blobs, run_jobs, encoding, told, delimiter):
    rows = [["Telefon", "Ad", "Soyad"], ["05321112233", "Işık", "Çağrı Şen"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    one = start_import(place, blobs, text, encoding)
    assert (one.encoding, one.delimiter) == (told, delimiter)
    check_import(place, one, run_jobs)
    write(place, one, run_jobs)
    assert list(contacts_of(place)) == ["Işık Çağrı Şen"]


def test_western_letters_are_western(place, blobs):
    one = start_import(place, blobs, "phone,name\n34611222333,José Muñoz\n", "windows-1252")
    assert one.encoding == "windows-1252"
    assert one.columns["rows"][0][1] == "José Muñoz"
    with place.scope():
        again = contact_importing.reparse_file(one.id, blobs, "windows-1254", ";")
    assert (again.encoding, again.delimiter, len(again.columns["names"])) == (
        "windows-1254",
        ";",
        1,
    )


def test_a_file_without_a_header_is_guessed_by_its_numbers(place, blobs):
    one = start_import(place, blobs, "Ayşe,0532 111 22 33\nMehmet,0532 444 55 66\n")
    assert (one.has_header, one.columns["meanings"]) == (False, ["", "phone"])


@pytest.mark.parametrize(
    "body", [b"", b"\r\n\r\n", b"PK\x03\x04 a spreadsheet", b"%PDF-1.7", b"\0\0\0\0"]
)
def test_what_is_no_table_is_refused_and_not_kept(place, blobs, body):
    with pytest.raises(Invalid) as refusal:
        start_import(place, blobs, body)
    assert refusal.value.code == "unreadable_file"


def test_every_broken_row_is_named_with_its_line_and_cause(place, blobs, run_jobs):
    with place.scope():
        shoe = custom_fields.add("Shoe", "number", [])
    text = (
        "phone,name,language,birthday,Shoe\n"
        "905321112233,Good,tr,1990-04-23,42\n"
        ",No phone,,,\n"
        "12,Short,,,\n"
        '905324445566,"Two\nlines",turkish!,,\n'
        "905324445567,Bad day,,1990-13-45,\n"
        "905324445568,Big foot,,,big\n"
        "+90 532 111 2233,Again,,,\n"
        "\n"
        "905324445569,Last,,,\n"
    )
    one = start_import(place, blobs, text)
    assert one.columns["meanings"][-1] == f"field:{shoe.id}"
    seen = check_import(place, one, run_jobs)
    assert (seen.total, seen.created, seen.rejected, seen.repeated) == (8, 2, 5, 1)
    with place.scope():
        named = [
            (one.line, one.field, one.cause.format(**one.values))
            for one in contact_importing.list_rejects(one.id)
        ]
    assert [(line, field) for line, field, _ in named] == [
        (3, "phone"),
        (4, "phone"),
        (5, "language"),
        (7, "birthday"),
        (8, "fields"),
        (9, "phone"),
    ]
    assert named[0][2] == "The phone number is missing."
    assert named[4][2] == "“Shoe” must be a number."
    assert named[5][2] == "This number is already in row 2."
    done = write(place, one, run_jobs)
    assert (done.created, done.rejected, done.repeated) == (2, 5, 1)
    assert set(contacts_of(place)) == {"Good", "Last"}


def test_who_is_known_already_is_filled_in_and_nothing_is_emptied(place, blobs, run_jobs):
    with place.scope():
        card = contact_repository.create(
            ContactInput(name="Ana", phone="5511987654321", tags=["old"], language="pt")
        )
    text = "phone,name,tags,language\n551187654321,Ana Souza,new,\n905321112233,Can,,\n"
    one = start_import(place, blobs, text)
    seen = check_import(place, one, run_jobs)
    assert (seen.created, seen.updated) == (1, 1)
    write(place, one, run_jobs)
    known = contacts_of(place)["Ana Souza"]
    assert (known.id, known.contact.tags, known.contact.language) == (card.id, ["old", "new"], "pt")
    with place.scope():
        assert [c.id for c in contact_search.search_contacts(ContactFilters(search="souza"))] == [
            card.id
        ]
        assert [c.id for c in contact_search.search_contacts(ContactFilters(search="#new"))] == [
            card.id
        ]


def test_known_ones_can_be_left_alone(place, blobs, run_jobs):
    with place.scope():
        contact_repository.create(ContactInput(name="Ana", phone="905321112233"))
    one = start_import(place, blobs, "phone,name\n905321112233,Other\n")
    seen = check_import(place, one, run_jobs, update=False)
    assert (seen.created, seen.updated) == (0, 0)
    write(place, one, run_jobs)
    assert list(contacts_of(place)) == ["Ana"]


def test_tags_and_consent_for_all(place, blobs, run_jobs):
    one = start_import(place, blobs, PLAIN)
    check_import(place, one, run_jobs, tags=["fair 2026"], consent_source="paper form at the fair")
    write(place, one, run_jobs)
    with place.scope():
        both = contact_search.search_contacts(ContactFilters(tags=("fair 2026",), consent=True))
        assert len(both) == 2
        assert {c.consent_source for c in both} == {"paper form at the fair"}
        assert [w.source for w in contact_consent.consent_history(both[0].id)] == [
            "paper form at the fair"
        ]
        assert "fair 2026" in contact_repository.list_tags()


@pytest.mark.parametrize("heading", ["consent", "İzin", "Onay", "Opt-in"])
@pytest.mark.parametrize(
    ("given", "cells"),
    [
        (True, ["yes", "Yes", "TRUE", "1", "1.0", "evet", "EVET", "✓"]),
        (False, ["no", "No", "0", "hayır", "HAYIR", "false", "yok", "✗"]),
        (False, ["Hayır, istemiyorum", "opted out"]),
        (None, ["", "-", "–", "?", "maybe", "belki", "x", "2024-05-01"]),
    ],
)
def test_only_a_clear_yes_in_a_consent_column_is_consent(
    place, blobs, run_jobs, heading, given, cells
):
    rows = [f'9053211122{n:02d},Ana {n},"{cell}"\n' for n, cell in enumerate(cells)]
    one = start_import(place, blobs, "".join([f"phone,name,{heading}\n", *rows]))
    assert one.columns["meanings"] == ["phone", "name", "consent"]
    # Not even if the import says that all of them agreed.
    seen = check_import(place, one, run_jobs, consent_source="a list" if given is None else "")
    counts = {True: seen.agreed, False: seen.refused, None: seen.unclear}
    assert counts == {True: 0, False: 0, None: 0, given: len(cells)}
    write(place, one, run_jobs)
    found = contacts_of(place)
    for number, cell in enumerate(cells):
        contact = found[f"Ana {number}"].contact
        assert (contact.consent_at is not None) is (given is True), cell
        assert contact.consent_source == (f"people.csv · {heading}" if given else ""), cell


def test_how_they_agreed_stands_in_a_column_of_its_own(place, blobs, run_jobs):
    """An answer in that column is not taken for a way to agree."""
    text = (
        "phone,name,consent,consent source\n"
        "905321112201,Ana,yes,paper form no 12\n"
        "905321112202,Bora,no,paper form\n"
        "905321112203,Can,yes,no\n"
    )
    one = start_import(place, blobs, text)
    assert one.columns["meanings"][2:] == ["consent", "consent_source"]
    seen = check_import(place, one, run_jobs)
    assert (seen.agreed, seen.refused, seen.unclear) == (1, 1, 1)
    write(place, one, run_jobs)
    sources = {name: card.contact.consent_source for name, card in contacts_of(place).items()}
    assert sources == {"Ana": "paper form no 12", "Bora": "", "Can": ""}


@pytest.mark.parametrize("cell", ["no", "0", "hayır", "false", "-", ""])
def test_a_no_is_never_the_way_somebody_agreed(place, blobs, run_jobs, cell):
    """Also if a column of yes and no is mapped to “How they agreed” by hand."""
    one = start_import(place, blobs, f"phone,name,seen\n905321112233,Ana,{cell}\n")
    check_import(place, one, run_jobs, meanings=["phone", "name", "consent_source"])
    write(place, one, run_jobs)
    assert contacts_of(place)["Ana"].contact.consent_at is None


def test_a_no_in_the_file_withdraws_an_earlier_consent(place, blobs, run_jobs):
    with place.scope():
        card = contact_repository.create(ContactInput(name="Ana", phone="905321112233"))
        contact_repository.set_consent(card.id, "web form")
    one = start_import(place, blobs, "phone,izin\n905321112233,hayır\n")
    check_import(place, one, run_jobs)
    write(place, one, run_jobs)
    with place.scope():
        assert contact_search.search_contacts(ContactFilters(consent=True)) == []
        assert contact_consent.consent_history(card.id)[0].kind == "withdrawn"


@pytest.mark.parametrize(
    ("meanings", "code"),
    [
        (["", "name", ""], "no_phone"),
        (["phone", "phone", ""], "column_twice"),
        (["phone", "shoe", ""], "unknown_column"),
        (["phone", "field:fld_1", ""], "unknown_column"),
    ],
)
def test_columns_must_make_sense(place, blobs, meanings, code):
    one = start_import(place, blobs, PLAIN)
    with place.scope(), pytest.raises(Invalid) as refusal:
        contact_importing.start_check(one.id, meanings, ImportOptions())
    assert refusal.value.code == code


def test_each_step_is_taken_once(place, blobs, run_jobs):
    one = start_import(place, blobs, PLAIN)
    with place.scope(), pytest.raises(Conflict):
        contact_importing.start(one.id)
    check_import(place, one, run_jobs)
    write(place, one, run_jobs)
    with place.scope():
        for act in (contact_importing.start, contact_importing.cancel):
            with pytest.raises(Conflict):
                act(one.id)
        with pytest.raises(NotFound):
            contact_importing.get("imp_x")
    assert count(place, Contact) == 2


def test_an_unclosed_quote_ends_in_a_sentence(place, blobs, run_jobs):
    one = start_import(place, blobs, 'phone,name\n905321112233,"' + "x" * 200_000)
    seen = check_import(place, one, run_jobs)
    assert seen.state == "failed"
    sentence, values = contact_importing.failure_of(seen)
    assert "after row 2" in sentence.format(**values)


def test_a_batch_that_fails_half_way_is_done_whole_by_the_next_worker(
    place, blobs, run_jobs, monkeypatch
):
    rows = "".join(f"90532{number:07},Person {number}\n" for number in range(1200))
    one = start_import(place, blobs, "phone,name\n" + rows)
    check_import(place, one, run_jobs)
    with place.scope():
        contact_importing.start(one.id)
    real, calls = import_batches._insert_consents_and_notes, []

    def dies(*args):
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        real(*args)

    monkeypatch.setattr(import_batches, "_insert_consents_and_notes", dies)
    run_jobs()
    half = now_of(place, one)
    assert (half.state, half.position) == ("importing", 500)
    assert count(place, Contact) == 500
    monkeypatch.setattr(import_batches, "_insert_consents_and_notes", real)
    with place.scope():
        contact_importing.wake_importer()
    from core.db import global_scope
    from core.queue import lanes

    with global_scope():
        from sqlalchemy import update as change

        db.session.execute(
            change(lanes.Lane)
            .where(lanes.Lane.tenant_id == place.tenant_id)
            .values(leased_until=None)
        )
    run_jobs()
    done = now_of(place, one)
    assert (done.state, done.created, done.position) == ("done", 1200, 1200)
    assert count(place, Contact) == count(place, Identity) == 1200


def test_cancelled_in_the_middle_stays_as_it_is(place, blobs, run_jobs):
    one = start_import(place, blobs, PLAIN)
    check_import(place, one, run_jobs)
    with place.scope():
        contact_importing.start(one.id)
        contact_importing.cancel(one.id)
    run_jobs()
    assert now_of(place, one).state == "cancelled"
    assert count(place, Contact) == 0


def test_somebody_who_writes_meanwhile_is_not_doubled(place, blobs, run_jobs):
    from core.clock import now

    one = start_import(place, blobs, PLAIN)
    check_import(place, one, run_jobs)
    with place.scope():
        contact_identities.find_or_create("905321112233", "", "Ayşe", now())
    done = write(place, one, run_jobs)
    assert (done.created, done.updated) == (1, 1)
    assert count(place, Contact) == 2


def test_sheets_write_numbers_in_their_own_way(place, blobs, run_jobs):
    text = 'phone,name\n="905321112233",A\n905324445566.0,B\n\'905324445567,C\n'
    one = start_import(place, blobs, text)
    check_import(place, one, run_jobs)
    write(place, one, run_jobs)
    assert {c.phone for c in contacts_of(place).values()} == {
        "905321112233",
        "905324445566",
        "905324445567",
    }


def test_rows_come_one_at_a_time():
    """Bounded memory: the reader holds a line, not the file."""

    class Endless(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, into):
            line = b"905321112233,Ay\xc5\x9fe\n"
            into[: len(line)] = line
            return len(line)

    rows = csv_files.read_rows(io.BufferedReader(Endless()), "utf-8", ",", False)
    assert [next(rows).cells[1] for _ in range(1000)] == ["Ayşe"] * 1000


def test_a_spreadsheet_is_imported_like_a_csv(place, blobs, run_jobs):
    rows = [["0532 111 22 33", "Ayşe Kaya"], ["", ""], ["12", "Kim"]]
    data = spreadsheets.workbook(["telefon", "ad soyad"], rows, title="kişiler")
    table = contact_importing.as_table(io.BytesIO(data))
    one = check_import(
        place, start_import(place, blobs, table.read(), name="kişiler.xlsx"), run_jobs
    )
    assert one.columns["meanings"] == ["phone", "name"]
    assert (one.total, one.rejected) == (2, 1)
    with place.scope():
        assert [reject.line for reject in contact_importing.list_rejects(one.id)] == [4]


def test_a_csv_stays_as_it_is_and_an_archive_is_refused():
    text = b"phone\n905321112233\n"
    assert contact_importing.as_table(io.BytesIO(text)).read() == text
    with pytest.raises(Invalid) as refusal:
        contact_importing.as_table(io.BytesIO(b"PK\x03\x04 a picture"))
    assert refusal.value.code == "unreadable_file"
