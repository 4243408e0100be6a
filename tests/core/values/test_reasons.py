"""A reason is stored as a code with its values, and its sentence is made when it is shown."""

import pytest

from core.errors import Invalid
from core.values.reasons import (
    Reason,
    ReasonSentences,
    decode_reason,
    encode_error,
    encode_other,
    encode_reason,
    reason_code,
)

SENTENCES = ReasonSentences(
    {
        "late": "It came {minutes} minutes late.",
        "unreachable": "It could not be reached:",
        "closed": "It is closed.",
    }
)
GERMAN = {"It came {minutes} minutes late.": "Es kam {minutes} Minuten zu spät."}


@pytest.mark.parametrize(
    ("stored", "english"),
    [
        ("", ""),
        ("closed", "It is closed."),
        (encode_reason("late", minutes=5), "It came 5 minutes late."),
        (encode_reason("unreachable", detail="HTTP {503}"), "It could not be reached: HTTP {503}"),
        (
            encode_reason("closed", then=encode_reason("late", minutes=5)),
            "It is closed. It came 5 minutes late.",
        ),
        (encode_other("closed"), "closed"),
        (encode_other('He said "no"\n\\o/'), 'He said "no"\n\\o/'),
    ],
)
def test_a_stored_reason_is_shown_as_a_sentence(stored, english):
    assert SENTENCES.english(stored) == english


def test_values_are_put_into_the_translated_sentence():
    stored = encode_reason("late", minutes=5)
    assert SENTENCES.translated(stored, GERMAN.__getitem__) == "Es kam 5 Minuten zu spät."


def test_equal_reasons_are_stored_equally():
    assert encode_reason("x", a="1", b="2") == encode_reason("x", b="2", a="1")
    assert encode_reason("x", detail="") == "x"
    assert encode_other("") == ""


@pytest.mark.parametrize("text", ["An old sentence.", "code [1]", "code {half", "code 5"])
def test_text_in_no_known_form_stays_readable(text):
    assert decode_reason(text) == Reason("other", {"text": text})
    assert SENTENCES.english(text) == text


def test_an_unknown_code_is_shown_as_it_is():
    assert SENTENCES.english("from_a_newer_release") == "from_a_newer_release"


def test_the_code_is_compared_without_its_values():
    assert reason_code(encode_reason("late", minutes=5)) == "late"
    assert reason_code("") == ""


def test_a_refusal_keeps_its_code_and_its_sentence_is_translated():
    stored = encode_error(Invalid("late", "It came {minutes} minutes late.", minutes=5))
    assert decode_reason(stored).values["error"] == "late"
    assert SENTENCES.english(stored) == "It came 5 minutes late."
    assert SENTENCES.translated(stored, GERMAN.__getitem__) == "Es kam 5 Minuten zu spät."
    assert SENTENCES.english(encode_error(Invalid("closed", "It is closed."))) == "It is closed."
