"""Dishes with pork are marked: in imports, on the menu and in its filter."""

import pytest

from printing.rendering.document import TextLine
from restaurant.menus import import_synonyms, menus, publishing
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import queries as order_queries
from restaurant.orders.printing import kitchen_tickets
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


def test_the_kitchen_ticket_marks_the_dish(restaurant):
    bistro = open_bistro(restaurant)
    with bistro.scope():
        menus.change_item(bistro.items["Pizza"], {"diets": ["pork"]})
        publishing.publish(bistro.site().menu_id)
    pizza = RequestedItem(bistro.items["Pizza"], 1, (bistro.options["Large"],))
    order = bistro.order(pizza)
    with bistro.scope():
        items = order_queries.items_of(order.id)
        assert [item.marks for item in items] == [["pork"]]
        [ticket] = kitchen_tickets.order_tickets(bistro.site(), order, items, {"kitchen": "Mutfak"})
    lines = [part.text for part in ticket.document.parts if isinstance(part, TextLine)]
    assert "DOMUZ ETİ" in lines
