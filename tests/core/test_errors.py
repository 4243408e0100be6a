"""Domain errors: a code, a message, and the values in it."""

import pytest

from core import errors
from core.errors import DomainError, FieldError, Invalid, NotFound, RateLimited, invalid
from core.i18n.plurals import Plural


def test_a_sentence_is_a_template_with_values():
    error = DomainError("too_many", "There are {count} of {name}.", count=3, name="them")
    assert error.message == str(error) == "There are 3 of them."
    assert error.template == "There are {count} of {name}."


@pytest.mark.parametrize(
    ("count", "sentence"), [(0, "0 rows."), (1, "1 row."), (2, "2 rows."), ("1", "1 row.")]
)
def test_a_number_decides_the_form(count, sentence):
    error = invalid("file", "odd", Plural("{count} row.", "{count} rows.", "count"), count=count)
    assert error.message == error.faults[0].message == sentence


def test_braces_in_a_value_stay_as_they_are():
    assert Invalid("odd", "Not {name}.", name="{count}").message == "Not {count}."


def test_braces_in_a_sentence_without_values_stay_as_they_are():
    assert Invalid("odd", "Write {name} there.").message == "Write {name} there."


def test_a_fault_names_its_field():
    error = invalid("phone", "invalid_phone", "{given} is no phone.", given="abc")
    assert error.faults == [FieldError("phone", "invalid_phone", "abc is no phone.")]
    assert error.faults[0].as_dict()["field"] == "phone"
    assert error.status == 422


def test_a_limit_shows_when_to_come_back():
    error = RateLimited("Wait {seconds} s.", retry_after=3, seconds=3)
    assert (error.code, error.status, error.retry_after) == ("rate_limited", 429, 3)


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("Malformed", 400),
        ("Unauthenticated", 401),
        ("PaymentRequired", 402),
        ("Forbidden", 403),
        ("Conflict", 409),
        ("Invalid", 422),
        ("TryAgain", 503),
    ],
)
def test_each_kind_has_its_status(kind, status):
    assert getattr(errors, kind)("code", "Sentence.").status == status
    assert NotFound().status == 404
