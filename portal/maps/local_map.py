"""A map drawn without an external service: restaurant, zones, distance rings and orders.

It is a flat projection around the centre, which is accurate enough for a town. Points far outside
are shown at the edge.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.values.geo import EARTH_METRES, Coordinates, distance_metres
from restaurant.delivery import zones
from restaurant.models import DeliveryZone, Site

WIDTH, HEIGHT = 460, 350
EDGE = 20
TONES = 6
DISTANCE_RINGS_M = (100, 250, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
LEAST_M = 700
LABEL_HIGH = 17
GAP = 6  # between two labels on a line
LETTER_WIDTH = 6.6  # of one letter, at map.css's size and weight; slightly more than most
DEGREE_M = math.radians(1) * EARTH_METRES


@dataclass(frozen=True)
class Dot:
    """A marker at a place."""

    place: Coordinates
    mark: str
    name: str
    tone: str
    anchor: str = ""
    label: str = ""


@dataclass(frozen=True)
class Pin:
    x: float
    y: float
    dot: Dot
    outside: bool
    label_y: float
    left: bool
    """The label is on the left because there is no room on the right."""


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    r: float
    tone: int


@dataclass(frozen=True)
class Shape:
    points: str
    tone: int


@dataclass(frozen=True)
class Box:
    """The area that a text covers."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: "Box") -> bool:
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


@dataclass(frozen=True)
class Label:
    """The name of a zone, placed around its centre."""

    x: float
    y: float
    name: str
    tone: int

    @property
    def box(self) -> Box:
        return _text_box(self.x, self.y, self.name)


@dataclass(frozen=True)
class Map:
    middle: Coordinates
    degree: float
    """Pixels per degree of latitude."""
    narrow: float
    """The length of a degree of longitude there, as a fraction of a degree of latitude."""
    home: tuple[float, float] | None
    wakeups: list[tuple[float, str]]
    circles: list[Circle] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    pins: list[Pin] = field(default_factory=list)
    width: int = WIDTH
    height: int = HEIGHT

    def at(self, place: Coordinates) -> tuple[float, float]:
        east = float(place.longitude - self.middle.longitude) * self.narrow
        north = float(place.latitude - self.middle.latitude)
        return WIDTH / 2 + east * self.degree, HEIGHT / 2 - north * self.degree


def draw_map(
    site: Site,
    known: Sequence[DeliveryZone],
    dots: Sequence[Dot] = (),
    *,
    least_m: float = LEAST_M,
    near: bool = False,
) -> Map | None:
    """Draw the map; None if no coordinates are known. `near` zooms in on the dots."""
    home = zones.site_position(site)
    corners = [corner for zone in known for corner in zones.corners_of(zone)]
    places = [*([home] if home else []), *corners, *(dot.place for dot in dots)]
    if not places:
        return None
    middle = home or places[0]
    shown_places = [dot.place for dot in dots]
    if near and shown_places:
        known_far = _visible_metres(middle, known, corners, [])
        far = max(distance_metres(middle, one) for one in shown_places) * 1.15
        reach = max(least_m, min(far, known_far * 1.5) if known_far else far)
    else:
        reach = max(least_m, _visible_metres(middle, known, corners, shown_places))
    degree = (HEIGHT / 2 - EDGE) / reach * DEGREE_M
    narrow = max(math.cos(math.radians(float(middle.latitude))), 0.01)
    ring = next((one for one in DISTANCE_RINGS_M if reach / one <= 3.2), DISTANCE_RINGS_M[-1])
    pixel = degree / DEGREE_M
    made = Map(
        middle,
        degree,
        narrow,
        (WIDTH / 2, HEIGHT / 2) if home else None,
        [
            (ring * n * pixel, _distance_label(ring * n))
            for n in range(1, int(reach * 1.4 / ring) + 1)
        ],
    )
    for number, zone in reversed(list(enumerate(known))):  # the smallest is drawn last, on top
        if zone.kind == "radius":
            r = (zone.radius_m or 0) * pixel
            made.circles.append(Circle(WIDTH / 2, HEIGHT / 2, r, number % TONES))
        else:
            drawn = [made.at(corner) for corner in zones.corners_of(zone)]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in drawn)
            made.shapes.append(Shape(points, number % TONES))
    made.pins.extend(_pins(made, dots))
    made.labels.extend(_labels(made, known, site.name))
    return made


def _visible_metres(
    middle: Coordinates,
    known: Sequence[DeliveryZone],
    corners: list[Coordinates],
    dots: list[Coordinates],
) -> float:
    """As far as the zones reach; orders extend it only a little, so the map stays readable."""
    radii = [float(zone.radius_m) for zone in known if zone.radius_m]
    zoned = max([*radii, *(distance_metres(middle, one) for one in corners)], default=0.0)
    far = max((distance_metres(middle, one) for one in dots), default=0.0)
    if not zoned:
        return far
    return max(zoned, min(far, zoned * 1.5))


def _labels(made: Map, known: Sequence[DeliveryZone], home_name: str) -> list[Label]:
    """Place labels so that they overlap neither each other nor a marker."""
    used = [_text_box(pin.x, pin.y + 5, "oo") for pin in made.pins]
    for pin in made.pins:
        long = len(pin.dot.label) * LETTER_WIDTH
        left = pin.x - 16 - long if pin.left else pin.x + 16
        used.append(Box(left, pin.label_y - 11, left + long, pin.label_y + 4))
    used.append(Box(WIDTH - 34, 12, WIDTH - 14, 52))  # the north arrow
    for r, far in made.wakeups:
        right = WIDTH / 2 + r - 4
        used.append(Box(right - len(far) * LETTER_WIDTH, HEIGHT / 2 - 14, right, HEIGHT / 2 - 2))
    if made.home:
        x, y = made.home
        used += [Box(x - 13, y - 13, x + 13, y + 13), _text_box(x, y + 26, home_name)]
    found: list[Label] = []
    for number, zone in enumerate(known):
        spots = [_inside(x, y, zone.name) for x, y in _label_positions(made, zone)]
        free = [one for one in spots if not _overlaps_any(_text_box(*one, zone.name), used)]
        x, y = free[0] if free else spots[0]
        found.append(Label(x, y, zone.name, number % TONES))
        used.append(found[-1].box)
    return found


def _label_positions(made: Map, zone: DeliveryZone) -> list[tuple[float, float]]:
    """Possible positions of a zone's name, best first; at the end anywhere, row by row."""
    if zone.kind == "radius":
        r = (zone.radius_m or 0) * made.degree / DEGREE_M
        rim = max(r - 11, 0)
        x, y = WIDTH / 2, HEIGHT / 2 - r + 15
        good = [(x, y), (x, HEIGHT / 2 + r - 7)]
        for turn in (45, -45, 135, -135, 70, -70, 110, -110):
            angle = math.radians(turn)
            good.append((x + rim * math.sin(angle), HEIGHT / 2 - rim * math.cos(angle) + 4))
    else:
        ring = [made.at(corner) for corner in zones.corners_of(zone)]
        x = sum(point[0] for point in ring) / len(ring)
        y = sum(point[1] for point in ring) / len(ring)
        good = [(x, y)]
    lines = range(1, HEIGHT // LABEL_HIGH)
    good += [(x, y + sign * LABEL_HIGH * n) for n in lines for sign in (1, -1)]
    return good + [(across, LABEL_HIGH * n) for across in (0.0, float(WIDTH)) for n in (1, *lines)]


def _inside(x: float, y: float, text: str) -> tuple[float, float]:
    half = len(text) * LETTER_WIDTH / 2 + 3
    return min(max(x, half), max(WIDTH - half, half)), min(max(y, 14), HEIGHT - 6)


def _text_box(x: float, y: float, text: str) -> Box:
    half = len(text) * LETTER_WIDTH / 2
    return Box(x - half, y - 11, x + half, y + 4)


def _overlaps_any(box: Box, used: Sequence[Box]) -> bool:
    around = Box(box.left - GAP, box.top, box.right + GAP, box.bottom)
    return any(around.overlaps(one) for one in used)


def _pins(made: Map, dots: Sequence[Dot]) -> list[Pin]:
    """Place labels so that they do not overlap: each takes the next free row below."""
    placed: list[tuple[float, float]] = []
    found = []
    for dot in sorted(dots, key=lambda one: -one.place.latitude):
        x, y = made.at(dot.place)
        edge_x, edge_y = min(max(x, 14.0), WIDTH - 14.0), min(max(y, 14.0), HEIGHT - 14.0)
        label_y = edge_y + 5
        while dot.label and any(
            abs(edge_x - px) < 45 and abs(label_y - py) < LABEL_HIGH for px, py in placed
        ):
            label_y += LABEL_HIGH
        if dot.label:
            placed.append((edge_x, label_y))
        outside = (edge_x, edge_y) != (x, y)
        found.append(Pin(edge_x, edge_y, dot, outside, label_y, edge_x > WIDTH * 0.84))
    return found


def _distance_label(distance: int) -> str:
    return f"{distance / 1000:g} km" if distance >= 1000 else f"{distance} m"
