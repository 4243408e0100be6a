"""The drawn map: zone names stay readable for any layout of the zones."""

from decimal import Decimal
from itertools import combinations

import pytest

from core.values.geo import make_coordinates
from portal.maps.local_map import HEIGHT, WIDTH, Box, Dot, draw_map
from restaurant.models import DeliveryZone, Site

HOME = Site(name="Lokanta Mavi", latitude=Decimal("41.0284"), longitude=Decimal("28.9737"))
SHORE = [["41.0365", "28.9885"], ["41.0432", "29.0098"], ["41.0522", "29.0052"]]
AROUND = [["41.020", "28.960"], ["41.020", "28.985"], ["41.036", "28.985"], ["41.036", "28.960"]]


def around(name, radius_m):
    return DeliveryZone(name=name, kind="radius", radius_m=radius_m, corners=[])


def outlined(name, corners):
    return DeliveryZone(name=name, kind="polygon", radius_m=None, corners=corners)


@pytest.mark.parametrize(
    "known",
    [
        [around("Beyoğlu", 1200), around("Şişhane ve Karaköy", 1300), around("Geniş çevre", 1400)],
        [around("Merkez", 150), around("Merkezin hemen yanı", 200), around("Uzak", 5000)],
        [outlined("Sahil", SHORE), outlined("Sahil, akşamları", SHORE), around("Çevre", 2500)],
        [
            outlined("Old town", AROUND),
            outlined("Old town by bike", AROUND),
            around("Zoom in", 900),
        ],
        [around(f"Zone number {number}", 1000) for number in range(9)],
    ],
)
def test_names_of_zones_lie_on_nothing_else(known):
    dots = [Dot(make_coordinates("41.0300", "28.9750"), "1", "Order", "riding", label="12 min")]
    for drawn in (draw_map(HOME, known), draw_map(HOME, known, dots)):
        assert [one.name for one in drawn.labels] == [zone.name for zone in known]
        for one, other in combinations(drawn.labels, 2):
            assert not one.box.overlaps(other.box), (one, other)
        for box in (one.box for one in drawn.labels):
            assert min(box.left, box.top) >= 0
            assert box.right <= WIDTH
            assert box.bottom <= HEIGHT
            assert not any(box.overlaps(Box(pin.x, pin.y, pin.x, pin.y)) for pin in drawn.pins)


def test_a_zone_with_room_is_named_at_its_rim():
    drawn = draw_map(HOME, [around("Zoom in", 1000), around("Far", 4000)])
    assert {one.x for one in drawn.labels} == {WIDTH / 2}
    near, far = (one.y for one in drawn.labels)
    assert far < near < HEIGHT / 2
