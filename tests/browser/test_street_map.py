"""Street tiles behind the delivery map, in a browser that enforces the content policy."""

import io
import threading

import pytest
from PIL import Image
from werkzeug.serving import make_server

from tests.browser.driver import sign_in
from tests.factories import PASSWORD
from tests.restaurant.bistro import open_bistro

pytestmark = pytest.mark.browser

TILES = "http://tiles.example.com"


@pytest.fixture
def portal(app, monkeypatch):
    """The portal with a tile server configured."""
    monkeypatch.setattr(app.extensions["comanda"], "map_tile_url", TILES + "/{z}/{x}/{y}.png")
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()


def test_streets_are_loaded_from_the_tile_server_and_no_other_host(chromium, portal, restaurant):
    bistro = open_bistro(restaurant)
    bistro.delivers()
    drawing = io.BytesIO()
    Image.new("RGB", (256, 256), "#aad3df").save(drawing, "PNG")
    context = chromium.new_context(base_url=portal, viewport={"width": 1440, "height": 900})
    context.set_default_timeout(20_000)
    asked, refused = [], []

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(body=drawing.getvalue(), content_type="image/png")

    context.route(f"{TILES}/**", answer)
    page = context.new_page()
    page.on("console", lambda message: refused.append(message.text))
    sign_in(page, restaurant.owner.email, PASSWORD)
    page.goto(f"/restaurants/{bistro.site_id}/delivery", wait_until="load")
    tiles = page.locator(".map-tiles image")
    shown = [tile.get_attribute("href") for tile in tiles.all()]
    assert shown
    assert set(asked) == set(shown)
    assert page.get_by_text("© OpenStreetMap contributors").is_visible()
    before = len(refused)
    page.evaluate("() => { new Image().src = 'http://elsewhere.example.com/1.png' }")
    page.wait_for_timeout(200)
    assert any("Content Security Policy" in text for text in refused[before:])
