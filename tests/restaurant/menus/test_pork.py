"""Dishes with pork are marked: in imports, on the menu and in its filter."""

import pytest

from restaurant.menus import import_synonyms, menus, publishing
from tests.restaurant.bistro import open_bistro


@pytest.mark.parametrize("word", ["pork", "Domuz eti", "Schweinefleisch", "cerdo", "PORC"])
def test_an_import_recognizes_pork_in_the_languages_of_menus(word):
    known = import_synonyms.build_lookup(import_synonyms.DIETS)
    assert known[import_synonyms.normalize(word)] == "pork"


def test_the_menu_marks_the_dish_and_guests_can_leave_it_out(restaurant, client):
    bistro = open_bistro(restaurant)
    with bistro.scope():
        menus.change_item(bistro.items["Pizza"], {"diets": ["pork"]})
        site = bistro.site()
        publishing.publish(site.menu_id)
        slug = site.slug
    page = client.get(f"/r/{slug}/menu?lang=en").text
    assert "Contains pork" in page
    assert 'name="allergen" value="pork"' in page
