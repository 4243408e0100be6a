"""Coordinates, the route link, and tests for points inside areas."""

import os
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.values.geo import (
    BadCoordinates,
    distance_metres,
    format_degrees,
    in_polygon,
    make_coordinates,
    polygon_area,
    route_url,
    self_intersects,
)

ROUTE = "https://www.google.com/maps/dir/?api=1&destination="
SQUARE = [
    make_coordinates(0, 0),
    make_coordinates(0, 2),
    make_coordinates(2, 2),
    make_coordinates(2, 0),
]


@pytest.mark.parametrize(
    ("latitude", "longitude", "written"),
    [
        (41.0284, 28.9737, "41.0284,28.9737"),
        (0, 0, "0,0"),
        (0.0, -0.0, "0,0"),
        (0.00001, -0.00001, "0.00001,-0.00001"),
        (0.0000004, -0.0000004, "0,0"),
        (1e-05, 5e-06, "0.00001,0.000005"),
        (-33.865143, 151.2099, "-33.865143,151.2099"),
        (-90, -180, "-90,-180"),
        (90.0, 180.0, "90,180"),
        (10, 100, "10,100"),
        (41.123456789, 28.987654321, "41.123457,28.987654"),
        (Decimal("41.100000"), Decimal("-0.000001"), "41.1,-0.000001"),
    ],
)
def test_the_route_link_is_exactly_this(latitude, longitude, written):
    assert route_url(latitude, longitude) == ROUTE + written


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_every_place_is_written_in_plain_decimals(latitude, longitude):
    written = route_url(latitude, longitude).removeprefix(ROUTE)
    north, east = written.split(",")
    for text, value in ((north, latitude), (east, longitude)):
        assert set(text) <= set("0123456789.-"), text
        assert len(text.partition(".")[2]) <= 6
        assert abs(Decimal(text) - Decimal(value)) <= Decimal("0.0000005")
        assert not text.startswith("-0") or text.startswith("-0.")


def test_a_comma_locale_changes_nothing(tmp_path):
    """Uses a locale that writes 3,14; compiled here because the machine may not have one."""
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / "de_DE.UTF-8")],
        capture_output=True,
        check=False,
    )
    if not (tmp_path / "de_DE.UTF-8").is_dir():
        pytest.skip(f"no locale can be made here: {made.stderr!r}")
    code = (
        "import locale; locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8');"
        "assert locale.format_string('%.1f', 1.5) == '1,5';"
        "from core.values.geo import route_url; print(route_url(-0.5, 28.97))"
    )
    completed = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LOCPATH": str(tmp_path), "LC_ALL": "de_DE.UTF-8"},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stdout.strip() == f"{ROUTE}-0.5,28.97"


@pytest.mark.parametrize("wrong", ["", "x", "nan", "inf", "91", None, "1,5", [], "٤١x"])
def test_what_is_nowhere_is_refused(wrong):
    with pytest.raises(BadCoordinates):
        make_coordinates(wrong, 0)


def test_distances_are_those_of_the_earth():
    galata, taksim = make_coordinates("41.0256", "28.9741"), make_coordinates("41.0370", "28.9850")
    assert 1540 < distance_metres(galata, taksim) < 1580
    assert distance_metres(galata, galata) == 0
    assert (
        19_900_000 < distance_metres(make_coordinates(0, 0), make_coordinates(0, 180)) < 20_100_000
    )


@pytest.mark.parametrize(
    ("where", "held"),
    [
        ((1, 1), True),
        ((0, 1), True),
        ((2, 2), True),
        ((2.000001, 1), False),
        ((1, -0.000001), False),
    ],
)
def test_a_border_belongs_to_its_zone(where, held):
    assert in_polygon(make_coordinates(*where), SQUARE) is held


def test_a_bay_is_outside():
    bay = [
        make_coordinates(0, 0),
        make_coordinates(0, 4),
        make_coordinates(4, 4),
        make_coordinates(1, 2),
        make_coordinates(4, 0),
    ]
    assert in_polygon(make_coordinates(1, 2), bay)
    assert not in_polygon(make_coordinates(3, 2), bay)
    assert in_polygon(make_coordinates(3, "0.5"), bay)


@given(st.integers(-3_000_000, 5_000_000), st.integers(-3_000_000, 5_000_000), st.integers(0, 3))
def test_it_does_not_matter_where_a_zone_begins(north, east, turn):
    where = make_coordinates(Decimal(north).scaleb(-6), Decimal(east).scaleb(-6))
    expected = 0 <= north <= 2_000_000 and 0 <= east <= 2_000_000
    ring = SQUARE[turn:] + SQUARE[:turn]
    assert in_polygon(where, ring) is expected
    assert in_polygon(where, ring[::-1]) is expected


def test_sizes_and_crossings():
    assert not self_intersects(SQUARE)
    assert self_intersects([SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]])
    near = polygon_area(
        [
            make_coordinates(0, 0),
            make_coordinates(0, "0.01"),
            make_coordinates("0.01", "0.01"),
            make_coordinates("0.01", 0),
        ]
    )
    assert 1_230_000 < near < 1_240_000
    assert format_degrees(Decimal("0E-10")) == "0"
