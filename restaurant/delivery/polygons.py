"""Parses the corners of a zone as people draw, paste or post them. Raises Invalid on errors."""

import json
import re
from collections.abc import Sequence
from typing import Any

from core.errors import invalid
from core.values.geo import (
    BadCoordinates,
    Coordinates,
    distance_metres,
    make_coordinates,
    polygon_area,
    self_intersects,
)

MIN_CORNERS, MAX_CORNERS = 3, 200
SMALLEST_M2 = 1000
LARGEST_M = 200_000
_PAIR = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?:\s*[,;]\s*|\s+)(-?[0-9]+(?:\.[0-9]+)?)")


def parse_point(text: str, field: str = "position") -> Coordinates:
    """Parses `41.0284, 28.9737`, the format that map services show and copy."""
    found = _PAIR.fullmatch(text.strip().strip("()"))
    if found is None:
        raise invalid(
            field,
            "invalid_place",
            "Enter a location as latitude and longitude, such as 41.0284, 28.9737.",
        )
    return _place(found[1], found[2], field)


def parse_corners(text: str) -> list[Coordinates]:
    """One corner per line, latitude first; or GeoJSON, which has the longitude first."""
    text = text.strip()
    if text.startswith(("{", "[")):
        return check_corners(_geojson(text))
    lines = [line for line in text.splitlines() if line.strip()]
    return check_corners([parse_point(line, "corners") for line in lines[: MAX_CORNERS + 2]])


def check_pairs(pairs: Sequence[Any]) -> list[Coordinates]:
    """Checks [[latitude, longitude], …] as API callers send it."""
    found = []
    for pair in pairs[: MAX_CORNERS + 2]:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise invalid(
                "corners", "invalid_corners", "Enter each corner as latitude and longitude."
            )
        found.append(_place(pair[0], pair[1], "corners"))
    return check_corners(found)


def check_corners(corners: list[Coordinates]) -> list[Coordinates]:
    """The polygon is closed implicitly: a repeated first corner at the end is dropped."""
    if len(corners) > 1 and corners[0] == corners[-1]:
        corners = corners[:-1]
    corners = [one for at, one in enumerate(corners) if at == 0 or corners[at - 1] != one]
    if len(corners) < MIN_CORNERS:
        raise invalid("corners", "invalid_corners", "A zone needs at least three corners.")
    if len(corners) > MAX_CORNERS:
        raise invalid(
            "corners",
            "invalid_corners",
            "A zone can have at most {most} corners.",
            most=MAX_CORNERS,
        )
    if any(distance_metres(corners[0], corner) > LARGEST_M for corner in corners):
        raise invalid("corners", "invalid_corners", "The zone is too large. The limit is 200 km.")
    if self_intersects(corners):
        raise invalid(
            "corners",
            "invalid_corners",
            "The zone's border crosses itself. Enter the corners in order around the zone.",
        )
    if polygon_area(corners) < SMALLEST_M2:
        raise invalid(
            "corners",
            "invalid_corners",
            "The zone is too small. Its corners are almost on one line.",
        )
    return corners


def corners_json(corners: Sequence[Coordinates]) -> list[list[str]]:
    return [[str(corner.latitude), str(corner.longitude)] for corner in corners]


def _geojson(text: str) -> list[Coordinates]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise invalid(
            "corners", "invalid_corners", "This looks like GeoJSON but is not valid JSON."
        ) from None
    rings = _rings(value)
    if len(rings) != 1:
        raise invalid(
            "corners", "invalid_corners", "The GeoJSON must contain one polygon without holes."
        )
    found = []
    for point in rings[0][: MAX_CORNERS + 2]:
        if not isinstance(point, list) or len(point) < 2:
            raise invalid(
                "corners", "invalid_corners", "The GeoJSON must contain one polygon without holes."
            )
        found.append(_place(point[1], point[0], "corners"))
    return found


def _rings(value: Any) -> list[list[Any]]:
    """Every ring of every polygon; empty if `value` is not a polygon."""
    if isinstance(value, list):
        return [value] if value and isinstance(value[0], list) else []
    if not isinstance(value, dict):
        return []
    inner = value.get("coordinates")
    match value.get("type"):
        case "FeatureCollection":
            features = value.get("features")
            return [
                ring for one in (features if isinstance(features, list) else []) for ring in
                _rings(one if isinstance(one, dict) else None)
            ]  # fmt: skip
        case "Feature":
            return _rings(value.get("geometry") if isinstance(value.get("geometry"), dict) else 0)
        case "Polygon" if isinstance(inner, list):
            return [ring for ring in inner if isinstance(ring, list)]
        case "MultiPolygon" if isinstance(inner, list):
            return [
                ring for polygon in inner if isinstance(polygon, list)
                for ring in polygon if isinstance(ring, list)
            ]  # fmt: skip
    return []


def _place(latitude: Any, longitude: Any, field: str) -> Coordinates:
    try:
        return make_coordinates(latitude, longitude)
    except BadCoordinates:
        raise invalid(
            field,
            "invalid_place",
            "Latitude must be from -90 to 90 and longitude from -180 to 180.",
        ) from None
