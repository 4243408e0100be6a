"""Coordinates with 6 decimals (11 cm), distances, polygons and route links.

Corners are compared as whole millionths of a degree, so that borders are exact.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Any

ROUTE = "https://www.google.com/maps/dir/?api=1&destination={latitude},{longitude}"
EARTH_METRES = 6_371_008.8  # the mean radius of the WGS 84 ellipsoid
_STEP = Decimal("0.000001")
_EXACT = Context(prec=40, rounding=ROUND_HALF_EVEN)


class BadCoordinates(ValueError):
    code = "invalid_place"


@dataclass(frozen=True)
class Coordinates:
    latitude: Decimal
    longitude: Decimal

    @property
    def micro(self) -> tuple[int, int]:
        """Longitude and latitude in millionths of a degree."""
        return int(self.longitude.scaleb(6)), int(self.latitude.scaleb(6))

    @property
    def route_url(self) -> str:
        return route_url(self.latitude, self.longitude)

    def __str__(self) -> str:
        return f"{format_degrees(self.latitude)}, {format_degrees(self.longitude)}"


def make_coordinates(latitude: Any, longitude: Any) -> Coordinates:
    """From numbers or text. Raises BadCoordinates if they are not on the map."""
    return Coordinates(_degrees(latitude, 90), _degrees(longitude, 180))


def format_degrees(degrees: Decimal | float) -> str:
    """Up to 6 decimals after a dot, in any locale. No exponent: maps do not accept 1e-05."""
    rounded = Decimal(str(degrees)).quantize(_STEP, context=_EXACT)
    text = format(rounded, "f").rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def route_url(latitude: Decimal | float, longitude: Decimal | float) -> str:
    return ROUTE.format(latitude=format_degrees(latitude), longitude=format_degrees(longitude))


def distance_metres(one: Coordinates, other: Coordinates) -> float:
    """Along the great circle."""
    north, other_north = math.radians(one.latitude), math.radians(other.latitude)
    east = math.radians(other.longitude - one.longitude)
    half = (
        math.sin((other_north - north) / 2) ** 2
        + math.cos(north) * math.cos(other_north) * math.sin(east / 2) ** 2
    )
    return 2 * EARTH_METRES * math.asin(min(1.0, math.sqrt(half)))


def in_polygon(where: Coordinates, corners: Sequence[Coordinates]) -> bool:
    """True in the polygon and exactly on its border."""
    x, y = where.micro
    ring = [corner.micro for corner in corners]
    odd = False
    for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True):
        turn = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        if turn == 0 and min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2):
            return True
        if (y1 > y) != (y2 > y) and (turn > 0) == (y2 > y1):
            odd = not odd
    return odd


def polygon_area(corners: Sequence[Coordinates]) -> float:
    """In square metres, on a plane: exact enough for the area a courier covers in 15 minutes."""
    wide = math.cos(math.radians(float(corners[0].latitude)))
    ring = [corner.micro for corner in corners]
    twice = sum(
        x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in zip(ring, [*ring[1:], ring[0]], strict=True)
    )
    step = math.radians(1e-6) * EARTH_METRES
    return abs(twice) / 2 * step * step * wide


def self_intersects(corners: Sequence[Coordinates]) -> bool:
    ring = [corner.micro for corner in corners]
    sides = list(zip(ring, [*ring[1:], ring[0]], strict=True))
    for number, one in enumerate(sides):
        for other in range(number + 1, len(sides)):
            near = other == number + 1 or (number == 0 and other == len(sides) - 1)
            if not near and _segments_meet(*one, *sides[other]):
                return True
    return False


Point = tuple[int, int]


def _segments_meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    one, two = _side(a, b, c), _side(a, b, d)
    three, four = _side(c, d, a), _side(c, d, b)
    if one != two and three != four:
        return True
    touching = ((one, a, b, c), (two, a, b, d), (three, c, d, a), (four, c, d, b))
    return any(turn == 0 and _between(p, q, r) for turn, p, q, r in touching)


def _side(a: Point, b: Point, c: Point) -> int:
    turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (turn > 0) - (turn < 0)


def _between(a: Point, b: Point, c: Point) -> bool:
    return min(a[0], b[0]) <= c[0] <= max(a[0], b[0]) and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])


def _degrees(value: Any, most: int) -> Decimal:
    try:
        degrees = Decimal(str(value).strip())
        if not degrees.is_finite() or abs(degrees) > most:
            raise BadCoordinates(f"a coordinate is a number from -{most} to {most}")
        return degrees.quantize(_STEP, context=_EXACT)
    except InvalidOperation:
        raise BadCoordinates("a coordinate is a number with a dot, such as 41.0284") from None
