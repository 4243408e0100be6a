"""Street tiles behind the drawn map, from the operator's tile server."""

import math
from dataclasses import dataclass

from flask import Flask

from core.settings import Settings
from core.values.geo import make_coordinates
from portal.maps.local_map import Map

TILE = (
    190  # the widest a tile is drawn; the map is shown half as large again, a tile has 256 pixels
)
DEEPEST = 19
EDITOR_SPREAD = 4  # the editor can zoom out: four times the width, in less detail
MOST_LATITUDE = 85.0511  # where the square tile map ends


@dataclass(frozen=True)
class Tile:
    url: str
    x: float
    y: float
    width: float
    height: float


def install(app: Flask, settings: Settings) -> None:
    """Add `map_tiles(map)` for templates; it returns nothing without MAP_TILE_URL."""

    def map_tiles(map_: Map, editor: bool = False) -> list[Tile]:
        if not settings.map_tile_url:
            return []
        spreads = (EDITOR_SPREAD, 1) if editor else (1,)
        return [tile for spread in spreads for tile in tiles(map_, settings.map_tile_url, spread)]

    app.add_template_global(map_tiles)
    app.add_template_global(lambda: settings.map_attribution, "map_attribution")


def tiles(map_: Map, url: str, spread: int = 1) -> list[Tile]:
    """The tiles that cover the map, or `spread` times its width and height around the centre."""
    world = 360 * map_.degree * map_.narrow  # the width of the whole earth on this map
    zoom = min(max(math.ceil(math.log2(world / TILE / spread)), 0), DEEPEST)
    count = 2**zoom
    east = map_.width / 2 * spread / map_.degree / map_.narrow
    north = map_.height / 2 * spread / map_.degree
    latitude, longitude = float(map_.middle.latitude), float(map_.middle.longitude)
    first_x, last_x = (_column(longitude + side, count) for side in (-east, east))
    first_y, last_y = (_row(latitude + side, count) for side in (north, -north))
    found = []
    for row in range(max(first_y, 0), min(last_y, count - 1) + 1):
        for column in range(max(first_x, 0), min(last_x, count - 1) + 1):
            left, top = map_.at(make_coordinates(_north(row, count), column / count * 360 - 180))
            right, bottom = map_.at(
                make_coordinates(_north(row + 1, count), (column + 1) / count * 360 - 180)
            )
            address = url.format(z=zoom, x=column, y=row)
            found.append(Tile(address, left, top, right - left, bottom - top))
    return found


def _column(longitude: float, count: int) -> int:
    return math.floor((longitude + 180) / 360 * count)


def _row(latitude: float, count: int) -> int:
    angle = math.radians(min(max(latitude, -MOST_LATITUDE), MOST_LATITUDE))
    return min(math.floor((1 - math.asinh(math.tan(angle)) / math.pi) / 2 * count), count - 1)


def _north(row: int, count: int) -> float:
    """The latitude of the row's upper edge."""
    return math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * row / count))))
