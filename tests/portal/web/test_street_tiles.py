"""Street tiles behind the delivery map come only from the operator's tile server."""

from decimal import Decimal

import pytest

from core.settings import SettingsError, load_settings
from portal.maps.local_map import HEIGHT, WIDTH, draw_map
from portal.maps.street_tiles import tiles
from restaurant.models import DeliveryZone, Site
from tests.restaurant.bistro import open_bistro

URL = "https://tiles.example.com/{z}/{x}/{y}.png"


@pytest.fixture
def tile_server(app, monkeypatch):
    monkeypatch.setattr(app.extensions["comanda"], "map_tile_url", URL)


def drawn(latitude, longitude, radius_m):
    site = Site(name="Here", latitude=Decimal(latitude), longitude=Decimal(longitude))
    zone = DeliveryZone(name="Zoom in", kind="radius", radius_m=radius_m, corners=[])
    return draw_map(site, [zone])


@pytest.mark.parametrize("spread", [1, 4])
@pytest.mark.parametrize("radius_m", [200, 3000, 40_000])
@pytest.mark.parametrize(
    ("latitude", "longitude"), [("41.0284", "28.9737"), ("-33.9", "18.4"), ("64.1", "-21.9")]
)
def test_tiles_cover_the_map_without_gaps(latitude, longitude, radius_m, spread):
    """Pages review 32."""
    found = tiles(drawn(latitude, longitude, radius_m), URL, spread)
    assert len({tile.url for tile in found}) == len(found) <= 42
    assert min(tile.x for tile in found) <= WIDTH / 2 * (1 - spread)
    assert min(tile.y for tile in found) <= HEIGHT / 2 * (1 - spread)
    assert max(tile.x + tile.width for tile in found) >= WIDTH / 2 * (1 + spread)
    assert max(tile.y + tile.height for tile in found) >= HEIGHT / 2 * (1 + spread)
    for tile in found:  # nearly square: the drawn map is as accurate as the tiles
        assert tile.width / tile.height == pytest.approx(1, abs=0.12 if radius_m > 9000 else 0.02)


def test_the_tile_of_a_known_place_is_asked_for():
    """Pages review 32: Galata, in the numbering that all tile servers share."""
    map_ = drawn("41.0256", "28.9741", 500)
    (middle,) = [
        tile.url
        for tile in tiles(map_, URL)
        if tile.x <= WIDTH / 2 < tile.x + tile.width and tile.y <= HEIGHT / 2 < tile.y + tile.height
    ]
    assert middle == "https://tiles.example.com/16/38042/24564.png"


def test_without_a_tile_server_nothing_is_asked_elsewhere(browser, restaurant):
    bistro = open_bistro(restaurant)
    bistro.delivers()
    page = browser.signs_in(restaurant.owner).get(f"/restaurants/{bistro.site_id}/delivery")
    assert "<svg" in page.text
    assert "<image" not in page.text
    assert "img-src 'self' data:;" in page.headers["Content-Security-Policy"]


def test_a_tile_server_is_allowed_named_and_credited(browser, restaurant, tile_server):
    """Pages review 32."""
    bistro = open_bistro(restaurant)
    bistro.delivers()
    manager = browser.signs_in(restaurant.owner)
    for path in ("delivery", "delivery/zones/new"):
        page = manager.get(f"/restaurants/{bistro.site_id}/{path}")
        assert '<image href="https://tiles.example.com/' in page.text
        assert "© OpenStreetMap contributors" in page.text
        policy = page.headers["Content-Security-Policy"]
        assert "img-src 'self' data: https://tiles.example.com;" in policy


@pytest.mark.parametrize(
    "url",
    [
        "https://tiles.example.com/",
        "https://tiles.example.com/{z}/{x}.png",
        "//tiles.example.com/{z}/{x}/{y}.png",
        "https://tiles.example.com/{z}/{x}/{y}.png; script-src *",
        "https://*/{z}/{x}/{y}.png",
        "https://{s}.tiles.example.com/{z}/{x}/{y}.png",
    ],
)
def test_an_address_of_tiles_that_cannot_work_is_refused(settings, url):
    with pytest.raises(SettingsError):
        load_settings(**settings.model_dump() | {"map_tile_url": url})
