import csv
import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.values.text import BadText, csv_cell, fold_case, normalize_text, one_line


def test_text_is_composed_and_trimmed():
    assert normalize_text("  cafe\u0301\n") == "café"
    assert normalize_text("two\nlines") == "two\nlines"
    assert normalize_text("👩\u200d👩\u200d👧") == "👩\u200d👩\u200d👧"


@pytest.mark.parametrize("text", ["a\0b", "\0", "a\ud83d", "\ude00b", "\udfff"])
def test_what_cannot_be_stored_is_refused(text):
    with pytest.raises(BadText) as caught:
        normalize_text(text)
    assert caught.value.code == "invalid_text"
    str(caught.value).encode()


@given(st.text())
def test_clean_text_stays_clean(text):
    try:
        once = normalize_text(text)
    except BadText:
        return
    assert normalize_text(once) == once
    once.encode()


def test_one_line():
    assert one_line(" a\r\n\tb\u2028c \x07 d ") == "a b c d"
    assert one_line("abcdef", limit=6) == "abcdef"
    assert one_line("abcdefg", limit=6) == "abcde…"
    assert one_line("abcd fg", limit=6) == "abcd…"


@pytest.mark.parametrize(
    ("one", "other", "locale", "same"),
    [
        ("İSTANBUL", "istanbul", "tr", True),
        ("ISPARTA", "ısparta", "tr", True),
        ("ISPARTA", "isparta", "tr_TR", False),
        ("I\u0307zmir", "İZMİR", "tr-TR", True),
        ("ISPARTA", "isparta", "en", True),
        ("İzmir", "izmir", "en", True),
        ("STRASSE", "straße", "de", True),
        ("ŞİŞ KÖFTE", "şiş köfte", "tr", True),
        ("cafe\u0301", "CAFÉ", "en", True),
        ("QARABAĞ", "qarabağ", "az", True),
    ],
)
def test_case_folding_handles_the_two_turkish_letters(one, other, locale, same):
    assert (fold_case(one, locale) == fold_case(other, locale)) is same


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+90532",
        "-2",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "\uff1d1+1",
        "=cmd|' /C'!A0",
    ],
)
def test_formulas_do_not_run_in_a_spreadsheet(text):
    assert csv_cell(text) == "'" + text


def test_other_cells_are_left_alone():
    assert csv_cell(None) == ""
    assert csv_cell("a=b") == "a=b"
    assert csv_cell("") == ""
    assert csv_cell(-5) == "-5"
    assert csv_cell(Decimal("-1.50")) == "-1.50"
    assert csv_cell("a\0b") == "ab"


@given(st.text(alphabet=st.sampled_from("=+-@\t\r\n ab'\",;")))
def test_no_cell_that_leaves_us_begins_a_formula(text):
    sheet = io.StringIO(newline="")
    csv.writer(sheet).writerow([csv_cell(text)])
    (cell,) = next(csv.reader(io.StringIO(sheet.getvalue(), newline="")))
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert cell.removeprefix("'") == text.removeprefix("'")
