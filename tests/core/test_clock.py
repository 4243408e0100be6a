from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.clock import BadTime, advance, frozen, now, parse_rfc3339, rfc3339, time_zones, today


def test_the_time_is_aware_and_utc():
    assert now().utcoffset() == timedelta(0)
    assert abs(now() - datetime.now(UTC)) < timedelta(seconds=5)


def test_a_frozen_clock_stands_and_moves_only_when_told():
    with frozen("2026-03-01T10:00:00Z") as start:
        assert now() == start == now()
        advance(90)
        advance(timedelta(hours=1))
        assert now() == start + timedelta(hours=1, seconds=90)
        with frozen(datetime(2030, 1, 1, tzinfo=UTC)):
            assert now().year == 2030
        assert now().year == 2026
    assert now() != start


def test_the_clock_runs_again_after_a_failure():
    with pytest.raises(KeyError), frozen("2001-01-01T00:00:00Z"):
        raise KeyError
    assert now().year > 2001


def test_a_running_clock_cannot_be_moved():
    with pytest.raises(RuntimeError):
        advance(1)


def test_today_depends_on_the_place():
    with frozen("2026-03-01T22:30:00Z"):
        assert today() == date(2026, 3, 1)
        assert today("Europe/Istanbul") == date(2026, 3, 2)
        assert today(timezone(timedelta(hours=-5))) == date(2026, 3, 1)
        for wrong in ("Mars/Olympus", "../../etc/passwd", ""):
            with pytest.raises(BadTime):
                today(wrong)


def test_times_are_written_in_utc():
    istanbul = timezone(timedelta(hours=3))
    assert rfc3339(datetime(2026, 3, 1, 13, 0, tzinfo=istanbul)) == "2026-03-01T10:00:00Z"
    assert rfc3339(datetime(2026, 3, 1, 1, 2, 3, 40, tzinfo=UTC)) == "2026-03-01T01:02:03.000040Z"
    with pytest.raises(BadTime):
        rfc3339(datetime(2026, 3, 1))  # noqa: DTZ001
    with pytest.raises(BadTime), frozen(datetime(2026, 3, 1)):  # noqa: DTZ001
        pass


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-03-01T10:00:00Z", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01t10:00:00z", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01T13:00:00+03:00", datetime(2026, 3, 1, 10, tzinfo=UTC)),
        ("2026-03-01T00:30:00-01:30", datetime(2026, 3, 1, 2, tzinfo=UTC)),
        ("2026-03-01T10:00:00.5Z", datetime(2026, 3, 1, 10, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-03-01T10:00:00.123456789Z", datetime(2026, 3, 1, 10, 0, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_good_times_are_read(text, moment):
    assert parse_rfc3339(text) == moment
    assert parse_rfc3339(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-03-01",
        "2026-03-01T10:00:00",
        "2026-03-01 10:00:00Z",
        "2026-03-01T10:00Z",
        "2026-03-01T10:00:00+0300",
        "2026-03-01T10:00:00+03",
        "2026-03-01T10:00:00+24:00",
        "2026-02-30T10:00:00Z",
        "2026-03-01T24:00:00Z",
        "2026-03-01T10:00:60Z",
        "2026-03-01T10:00:00,5Z",
        "20260301T100000Z",
        "٢٠٢٦-03-01T10:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+10:00",
        "9999-12-31T23:59:59-10:00",
        " 2026-03-01T10:00:00Z",
        "2026-03-01T10:00:00Z\n",
        "1700000000",
    ],
)
def test_other_times_are_refused(text):
    with pytest.raises(BadTime):
        parse_rfc3339(text)


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_moment_survives_writing_and_reading(moment):
    assert parse_rfc3339(rfc3339(moment)) == moment


def test_time_zones_are_read_once_and_are_all_there():
    assert {"UTC", "Europe/Istanbul", "America/New_York"} <= time_zones()
    assert "Europe/Nowhere" not in time_zones()
    assert time_zones() is time_zones()
