"""A map that needs no other host: the restaurant in the middle, zones, rings of distance, orders.

Flat around the middle, which is true enough for a town; what lies far outside sticks to the edge.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.places import EARTH_METRES, Place, metres
from restaurant import zones
from restaurant.models import DeliveryZone, Site

WIDTH, HEIGHT = 460, 350
EDGE = 20
TONES = 6
RINGS_M = (100, 250, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
LEAST_M = 700
LABEL_HIGH = 17
LETTER_WIDE = 7
DEGREE_M = math.radians(1) * EARTH_METRES


@dataclass(frozen=True)
class Dot:
    """Something to show at a place."""

    place: Place
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
    """Its words stand on the left, as there is no room on the right."""


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    r: float
    name: str
    tone: int
    label_y: float


@dataclass(frozen=True)
class Shape:
    points: str
    name: str
    tone: int
    x: float
    y: float


@dataclass(frozen=True)
class Map:
    middle: Place
    degree: float
    """Pixels for a degree to the north."""
    narrow: float
    """A degree to the east, seen from there, as a part of one to the north."""
    home: tuple[float, float] | None
    rings: list[tuple[float, str]]
    circles: list[Circle] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    pins: list[Pin] = field(default_factory=list)
    width: int = WIDTH
    height: int = HEIGHT

    def at(self, place: Place) -> tuple[float, float]:
        east = float(place.longitude - self.middle.longitude) * self.narrow
        north = float(place.latitude - self.middle.latitude)
        return WIDTH / 2 + east * self.degree, HEIGHT / 2 - north * self.degree


def draw(
    site: Site,
    known: Sequence[DeliveryZone],
    dots: Sequence[Dot] = (),
    *,
    least_m: float = LEAST_M,
    near: bool = False,
) -> Map | None:
    """None: nothing here says where on the earth it is. `near` shows no more than the dots need."""
    home = zones.position(site)
    corners = [corner for zone in known for corner in zones.corners_of(zone)]
    places = [*([home] if home else []), *corners, *(dot.place for dot in dots)]
    if not places:
        return None
    middle = home or places[0]
    seen = [dot.place for dot in dots]
    if near and seen:
        known_far = _reach(middle, known, corners, [])
        far = max(metres(middle, one) for one in seen) * 1.15
        reach = max(least_m, min(far, known_far * 1.5) if known_far else far)
    else:
        reach = max(least_m, _reach(middle, known, corners, seen))
    degree = (HEIGHT / 2 - EDGE) / reach * DEGREE_M
    narrow = max(math.cos(math.radians(float(middle.latitude))), 0.01)
    ring = next((one for one in RINGS_M if reach / one <= 3.2), RINGS_M[-1])
    pixel = degree / DEGREE_M
    made = Map(
        middle,
        degree,
        narrow,
        (WIDTH / 2, HEIGHT / 2) if home else None,
        [(ring * n * pixel, _far(ring * n)) for n in range(1, int(reach * 1.4 / ring) + 1)],
    )
    for number, zone in reversed(list(enumerate(known))):  # the smallest is drawn last, on top
        if zone.kind == "radius":
            r = (zone.radius_m or 0) * pixel
            y = HEIGHT / 2 - r
            made.circles.append(
                Circle(WIDTH / 2, HEIGHT / 2, r, zone.name, number % TONES, max(y + 15, 14))
            )
    for number, zone in reversed(list(enumerate(known))):
        if zone.kind != "radius":
            made.shapes.append(_shape(made, zone, number % TONES))
    made.pins.extend(_pins(made, dots))
    return made


def _reach(
    middle: Place, known: Sequence[DeliveryZone], corners: list[Place], dots: list[Place]
) -> float:
    """As far as the zones go; orders stretch it a little, the map stays readable."""
    radii = [float(zone.radius_m) for zone in known if zone.radius_m]
    zoned = max([*radii, *(metres(middle, one) for one in corners)], default=0.0)
    far = max((metres(middle, one) for one in dots), default=0.0)
    if not zoned:
        return far
    return max(zoned, min(far, zoned * 1.5))


def _shape(made: Map, zone: DeliveryZone, tone: int) -> Shape:
    ring = [made.at(corner) for corner in zones.corners_of(zone)]
    x = sum(point[0] for point in ring) / len(ring)
    y = sum(point[1] for point in ring) / len(ring)
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in ring)
    x = min(max(x, 40), WIDTH - 40)
    top, bottom = min(point[1] for point in ring), max(point[1] for point in ring)
    heights = [min(max(one, 16), HEIGHT - 8) for one in (y, top - 5, bottom + 14)]
    free = (one for one in heights if not _covered(made, zone.name, x, one))
    return Shape(points, zone.name, tone, x, next(free, heights[0]))


def _covered(made: Map, name: str, x: float, y: float) -> bool:
    """Whether a circle's name would stand under this one."""
    return any(
        abs(circle.label_y - y) < LABEL_HIGH
        and abs(circle.x - x) < (len(circle.name) + len(name)) * LETTER_WIDE / 2
        for circle in made.circles
    )


def _pins(made: Map, dots: Sequence[Dot]) -> list[Pin]:
    """Words never lie on each other: each takes the next free line below."""
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


def _far(distance: int) -> str:
    return f"{distance / 1000:g} km" if distance >= 1000 else f"{distance} m"
