"""Printer data, parsed by readers that are based only on the vendors' command lists."""

import subprocess
import sys
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pytest

from printing.rendering.banners import with_fallback_banner, with_reprint_banner
from printing.rendering.document import (
    BadDocument,
    Band,
    Columns,
    Cut,
    Document,
    Heading,
    Item,
    LargeText,
    Note,
    Option,
    Qr,
    Removal,
    Rule,
    Space,
    TextLine,
    Total,
)
from printing.rendering.escpos_library import printer_class, printer_table
from printing.rendering.profiles import UnsupportedFormat
from printing.rendering.render import (
    SAMPLES,
    PrintFormat,
    code_page_choices,
    code_page_samples,
    render,
    reprint_heading,
)
from tests.printing import byte_readers

# All letters of the Turkish alphabet, including the special capitals.
PANGRAM = "Pijamalı hasta yağız şoföre çabucak güvendi. ABCÇDEFGĞHIİJKLMNOÖPRSŞTUÜVYZ"
PRINTERS = {
    "epson": (PrintFormat("escpos", "epson-tm"), byte_readers.escpos, byte_readers.EPSON),
    "epson58": (PrintFormat("escpos", "epson-tm-t88", 58), byte_readers.escpos, byte_readers.EPSON),
    "pos5890": (PrintFormat("escpos", "pos-5890", 58), byte_readers.escpos, byte_readers.POS_5890),
    "star": (PrintFormat("starprnt", "star"), byte_readers.starprnt, byte_readers.STAR),
}
EVERYTHING = (
    Band("ALERJİ: fıstık"),
    Heading("MUTFAK"),
    LargeText("MASA 12"),
    Columns("LEM-1", "19:42", True),
    Rule(),
    Item(2, "Çift köfteli", large=True),
    Option("Peynir", True),
    Removal("Soğansız", True),
    Note("az pişmiş", True),
    Item(1, "Şalgam", "₺45,00"),
    Rule(True),
    Total("TOPLAM", "₺1.331,00"),
    Space(),
    Qr("https://pay.example/x"),
    TextLine("fiş 1/2 · ayrıca: BAR", "center"),
    Cut(),
)

WITHOUT_YAML = """
import os, yaml
def refuse(*_):
    raise AssertionError("the table was parsed as YAML")
yaml.safe_load = refuse
from printing.rendering.escpos_library import printer_class
printer = printer_class()(profile="TM-T88V")
printer.hw("INIT")
assert printer.output == b"\\x1b@", printer.output
assert "ESCPOS_CAPABILITIES_PICKLE_DIR" not in os.environ
"""


def read(name: str, *parts, language: str = "tr") -> byte_readers.Read:
    paper, reader, pages = PRINTERS[name]
    return reader(render(Document("t", parts, language), paper).data, pages)


@pytest.mark.parametrize("name", PRINTERS)
def test_turkish_comes_out_of_the_printer_as_it_went_in(name):
    done = read(name, TextLine(PANGRAM))
    assert " ".join(done.text.split()) == PANGRAM
    assert not done.pictures


@pytest.mark.parametrize("name", PRINTERS)
def test_a_whole_ticket_is_understood_to_the_last_byte(name):
    done = read(name, *EVERYTHING)
    for words in ("MUTFAK", "MASA 12", "Çift köfteli", "+ Peynir", "> az pişmiş", "Şalgam"):
        assert words in done.text
    assert "TL45,00" in done.text
    assert "TL1.331,00" in done.text
    white = "".join(done.inverse)
    assert "Soğansız" in white
    assert "ALERJİ" in white
    assert "MASA" not in white
    assert (done.codes == [b"https://pay.example/x"]) or len(done.pictures) == 1
    assert done.cuts == (0 if name == "pos5890" else 1)


@pytest.mark.parametrize("name", PRINTERS)
def test_no_line_is_wider_than_the_paper(name):
    long = "Gözlemeci Şükrü'nün ıspanaklı ve çökelekli özel gözlemesi " * 3
    done = read(
        name, TextLine(long), Item(2, long, "1.234,50"), Note(long, True), Columns(long, long)
    )
    columns = {"epson": 48, "epson58": 30, "pos5890": 32, "star": 48}[name]
    assert max(len(line) for line in done.text.split("\n")) <= columns


@pytest.mark.parametrize("name", PRINTERS)
def test_every_byte_in_a_note_gives_no_command(name):
    """Compared with a harmless note, a hostile one changes only the text."""
    all_bytes = "".join(chr(value) for value in range(256))
    hostile = [all_bytes, "\x1b@\x1dV\x00", "\x10\x04\x01", "\x9b2J", "a\x00b\x7fc\x85d\u2028e"]
    plain = read(name, Note("harmless", True), Cut())
    for words in hostile:
        done = read(name, Note(words, True), Cut())
        assert done.cuts == plain.cuts
        assert not done.codes
        kinds = {command for command in done.commands if not command.startswith("page")}
        assert kinds == {command for command in plain.commands if not command.startswith("page")}


def test_a_note_in_every_part_and_language_carries_no_command():
    evil = "\x1bp\x00\x19\xfa\x1d(A\x02\x00\x00\x02\x1b=\x00</text><pulse/>&#27;"
    parts = (
        Band(evil),
        Heading(evil),
        LargeText(evil),
        TextLine(evil),
        Item(1, evil, evil),
        Option(evil),
        Removal(evil),
        Columns(evil, evil),
        Total(evil, evil),
        Qr(evil),
        Cut(),
    )
    for name in PRINTERS:
        read(name, *parts)
    tree = ET.fromstring(  # noqa: S314 - our own
        render(Document("t", parts), PrintFormat("epos", "epson-tm")).data.decode()
    )
    names = {element.tag.partition("}")[2] for element in tree}
    assert names <= {"text", "command", "image", "feed", "symbol", "cut"}
    for element in tree:
        if element.tag.endswith("command"):
            byte_readers.escpos(bytes.fromhex(element.text), byte_readers.EPSON)


def test_arabic_and_chinese_are_pictures_between_lines_of_text():
    done = read(
        "epson", TextLine("önce"), TextLine("مرحبا بالعالم"), TextLine("你好"), TextLine("sonra")
    )
    assert [word for word in done.text.split("\n") if word] == ["önce", "sonra"]
    assert len(done.pictures) == 2
    assert all(width == 576 for width, _ in done.pictures)


def test_emoji_are_named_and_joiners_are_gone():
    done = read("epson", Note("no 🥜 please 👍🏽 ❤️", True))
    assert "no [peanuts] please [thumbs up sign] [heavy black heart]" in " ".join(done.text.split())


def test_a_page_that_staff_chose_is_used_under_its_number():
    paper = PrintFormat("escpos", "generic", 80, "61:cp857")
    data = render(Document("t", (TextLine(PANGRAM),)), paper).data
    assert b"\x1bt\x3d" in data
    assert " ".join(byte_readers.escpos(data, byte_readers.POS_5890).text.split()) == PANGRAM


@pytest.mark.parametrize("name", PRINTERS)
def test_the_strip_shows_each_choice_above_its_sample(name):
    paper, reader, pages = PRINTERS[name]
    choices = code_page_choices(paper)
    assert choices[0].endswith(":cp857")
    every = {int(choice.split(":")[0]): choice.split(":")[1] for choice in choices}
    text = reader(code_page_samples(paper).data, pages | every).text
    lines = [line for line in text.split("\n") if line]
    for choice in choices:
        page = choice.partition(":")[2]
        assert lines[lines.index(choice) + 1] == SAMPLES[page]
        assert PrintFormat(paper.language, paper.profile, paper.width_mm, choice)


def test_the_agents_heading_is_printed_before_a_ticket_that_may_be_a_copy():
    paper, reader, pages = PRINTERS["epson"]
    at = datetime(2026, 11, 15, 16, 42, 7, tzinfo=UTC)
    heading = reprint_heading(paper, at, language="tr", time_zone="Europe/Istanbul")
    done = reader(heading + render(Document("t", EVERYTHING, "tr"), paper).data, pages)
    assert "TEKRAR BASKI" in "".join(done.inverse)
    assert "19:42:07" in done.text
    assert done.cuts == 1
    assert reprint_heading(PrintFormat("png"), at) == b""


def test_second_tickets_are_marked_at_the_top():
    ticket = Document("t", EVERYTHING, "tr")
    at = datetime(2026, 11, 15, 16, 42, 7, tzinfo=UTC)
    for changed, words in (
        (with_reprint_banner(ticket, at, time_zone="Europe/Istanbul"), "TEKRAR BASKI"),
        (with_fallback_banner(ticket, "MUTFAK"), "YEDEK – asıl yazıcıda da olabilir: MUTFAK"),
    ):
        assert changed.parts[0] == Band(words)
        assert changed.parts[-len(EVERYTHING) :] == EVERYTHING


def test_a_document_comes_back_from_its_json_and_renders_the_same():
    ticket = Document("t", EVERYTHING, "tr")
    again = Document.from_json(ticket.as_json())
    assert again == ticket
    for paper, _, _ in PRINTERS.values():
        assert render(again, paper) == render(ticket, paper)
    with pytest.raises(BadDocument):
        Document.from_json({**ticket.as_json(), "version": 9})
    with pytest.raises(BadDocument):
        Document.from_json({**ticket.as_json(), "parts": [{"kind": "bomb"}]})


def test_paper_that_no_printer_has_is_refused_with_a_message():
    for wrong in (
        {"profile": "toaster"},
        {"width_mm": 210},
        {"code_page": "utf-16"},
        {"code_page": "999:cp857"},
        {"language": "latin"},
    ):
        with pytest.raises(UnsupportedFormat):
            PrintFormat(**wrong)


def test_plain_text_and_media_types():
    ticket = Document("t", EVERYTHING, "tr")
    text = render(ticket, PrintFormat("text"))
    assert text.media_type == "text/plain; charset=utf-8"
    assert "*** Soğansız ***" in text.data.decode()
    assert render(ticket, PrintFormat("starprnt")).media_type == "application/vnd.star.starprnt"
    assert render(ticket, PrintFormat("png")).data.startswith(b"\x89PNG")
    assert render(ticket, PrintFormat("escpos")).media_type == "application/octet-stream"


def test_the_first_ticket_of_a_process_does_not_wait_for_a_parser():
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_YAML], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


def test_the_library_has_the_same_table():
    printer_class()
    from escpos.capabilities import CAPABILITIES

    assert printer_table() == CAPABILITIES
    assert {"default", "TM-T88V"} <= printer_table()["profiles"].keys()
