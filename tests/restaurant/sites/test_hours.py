"""Opening hours in the restaurant's time zone, also past midnight."""

from datetime import date

import pytest

from core.clock import parse_rfc3339
from core.errors import Invalid
from restaurant.sites.hours import (
    business_day,
    check_hours,
    checked_special_days,
    coming,
    is_open,
    next_opening,
)

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
        check_hours(hours)


def special(starts_on, ends_on="", hours=(), name=""):
    (day,) = checked_special_days(
        [{"starts_on": starts_on, "ends_on": ends_on, "hours": list(hours), "name": name}]
    )
    return day


@pytest.mark.parametrize(
    ("at", "open_"),
    [
        ("2026-11-13T15:00:00Z", True),  # Friday 18:00, an ordinary evening
        ("2026-11-13T22:59:00Z", True),  # Saturday 01:59: that evening ends as usual
        ("2026-11-14T10:00:00Z", False),  # Saturday 13:00, closed on this date
        ("2026-11-15T09:00:00Z", True),  # Sunday 12:00, open on this date only
        ("2026-11-15T22:30:00Z", True),  # Monday 01:30: its evening goes past midnight
        ("2026-11-21T10:00:00Z", True),  # the next Saturday
        ("2026-11-22T09:00:00Z", False),  # the next Sunday
    ],
)
def test_a_special_day_replaces_the_hours_of_its_weekday(at, open_):
    days = [special("2026-11-14"), special("2026-11-15", hours=[["11:00", "02:00"]])]
    assert is_open(FRIDAY, ISTANBUL, parse_rfc3339(at), days) is open_


def test_a_restaurant_that_never_closes_is_closed_on_its_special_days():
    days = [special("2026-12-24", "2026-12-26")]
    christmas = parse_rfc3339("2026-12-25T10:00:00Z")
    assert not is_open({}, ISTANBUL, christmas, days)
    assert is_open({}, ISTANBUL, parse_rfc3339("2026-12-27T10:00:00Z"), days)
    opens = next_opening({}, ISTANBUL, christmas, days)
    assert opens == parse_rfc3339("2026-12-26T21:00:00Z")  # 27 December, 00:00 in Istanbul


def test_the_next_opening_is_after_the_holidays():
    days = [special("2026-11-20", "2026-12-03")]
    at = next_opening(FRIDAY, ISTANBUL, parse_rfc3339("2026-11-20T15:30:00Z"), days)
    assert at == parse_rfc3339("2026-12-04T15:00:00Z")


def test_special_days_that_are_over_are_not_shown():
    """By the date in the restaurant's time zone."""
    days = [special("2026-11-14"), special("2026-11-15"), special("2026-11-10", "2026-11-16")]
    shown = coming(days, ISTANBUL, parse_rfc3339("2026-11-14T21:30:00Z"))  # 15 November there
    assert [day["starts_on"] for day in shown] == ["2026-11-15", "2026-11-10"]


@pytest.mark.parametrize(
    "days",
    [
        [{"starts_on": ""}],
        [{"starts_on": "2026-02-30"}],
        [{"starts_on": "20261231"}],
        [{"starts_on": "2026-12-31", "ends_on": "2026-12-30"}],
        [{"starts_on": "2026-01-01", "ends_on": "2026-12-31"}],
        [{"starts_on": "2026-12-31", "hours": [["10:00"]]}],
        [{"starts_on": "2026-12-31", "hours": "10-12"}],
        ["2026-12-31"],
        [{"starts_on": "2026-12-24", "ends_on": "2026-12-26"}, {"starts_on": "2026-12-26"}],
        [{"starts_on": f"2026-{month:02}-{day:02}"} for month in (1, 3, 5) for day in range(1, 32)],
    ],
)
def test_special_days_that_make_no_sense_are_refused(days):
    with pytest.raises(Invalid):
        checked_special_days(days)
