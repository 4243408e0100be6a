"""Open or closed, by the restaurant's own clock, also past midnight."""

from datetime import date

import pytest

from core.clock import parse_rfc3339
from core.errors import Invalid
from restaurant.hours import business_day, checked, is_open, next_opening

ISTANBUL = "Europe/Istanbul"
FRIDAY = {"4": [["18:00", "02:00"]], "5": [["12:00", "15:00"], ["18:00", "23:00"]]}


@pytest.mark.parametrize(
    ("at", "open_"),
    [
        ("2026-11-13T14:59:00Z", False),  # Friday 17:59
        ("2026-11-13T15:00:00Z", True),
        ("2026-11-13T22:59:00Z", True),  # Saturday 01:59, still Friday's evening
        ("2026-11-13T23:00:00Z", False),
        ("2026-11-14T10:00:00Z", True),
        ("2026-11-14T13:00:00Z", False),
        ("2026-11-15T10:00:00Z", False),
    ],
)
def test_hours(at, open_):
    assert is_open(FRIDAY, ISTANBUL, parse_rfc3339(at)) is open_


def test_no_hours_is_always():
    assert is_open({}, ISTANBUL, parse_rfc3339("2026-11-15T03:00:00Z"))
    assert is_open({"0": []}, ISTANBUL, parse_rfc3339("2026-11-15T03:00:00Z"))


def test_the_next_opening():
    at = next_opening(FRIDAY, ISTANBUL, parse_rfc3339("2026-11-14T13:30:00Z"))
    assert at == parse_rfc3339("2026-11-14T15:00:00Z")
    at = next_opening(FRIDAY, ISTANBUL, parse_rfc3339("2026-11-15T10:00:00Z"))
    assert at == parse_rfc3339("2026-11-20T15:00:00Z")
    assert next_opening({}, ISTANBUL, parse_rfc3339("2026-11-15T10:00:00Z")) is None


def test_a_late_dinner_belongs_to_the_evening_before():
    night = parse_rfc3339("2026-11-13T23:30:00Z")  # 02:30 in Istanbul
    assert business_day("04:00", ISTANBUL, night) == date(2026, 11, 13)
    assert business_day("02:00", ISTANBUL, night) == date(2026, 11, 14)


@pytest.mark.parametrize(
    "hours", [{"7": []}, {"0": [["25:00", "26:00"]]}, {"0": [["10:00"]]}, {"0": [["9:00", "9:00"]]},
              {"0": [["10:00", "10:00"]]}, {"0": "10-12"}]
)  # fmt: skip
def test_hours_that_make_no_sense_are_refused(hours):
    with pytest.raises(Invalid):
        checked(hours)
