"""The demo's dishes have photos, drawn when the demo is loaded."""

from itertools import chain

from core.storage.blob_stores import blobs_at
from deploy.demo.restaurant import restaurants as demo_restaurants
from deploy.demo.restaurant.pictures.dishes import keep_pictures
from portal.diner.menu_cache import menu_cache
from restaurant.menus import menus
from restaurant.sites import sites


def test_every_dish_of_the_demo_has_its_own_photo(client, settings, restaurant):
    pictures = keep_pictures(blobs_at(settings.blob_url), restaurant.tenant_id)
    with restaurant.scope():
        demo_restaurants.add_bistro(pictures)
        demo_restaurants.add_second_restaurant(pictures)
        shown = {site.slug: menus.items(site.menu_id) for site in sites.listed()}
    photos = [item.photo for item in chain(*shown.values())]
    assert all(photos)
    assert len(set(photos)) == len(photos) == len(pictures)
    weights = [len(client.get(f"/photos/{key}").data) for key in photos]
    assert 0 < min(weights) <= max(weights) < 16_000
    menu_cache.forget()
    page = client.get("/r/lokanta-mavi/menu").text
    assert page.count("<img src=") == len(shown["lokanta-mavi"])
