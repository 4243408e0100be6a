"""The list of changes before publishing."""

from restaurant.menus import menus, publishing
from restaurant.menus.version_diff import diff_versions
from tests.restaurant.bistro import open_bistro


def diff(bistro):
    with bistro.scope():
        menu = menus.get(bistro.menu_id)
        before = publishing.published_version(menu.id)
        return {
            (one.what, one.name, one.before, one.after)
            for one in diff_versions(before.content, publishing.draft_content(menu))
        }


def test_nothing_changed_is_nothing_to_say(app, restaurant):
    bistro = open_bistro(restaurant)
    assert diff(bistro) == set()
    with bistro.scope():
        first = diff_versions(None, publishing.draft_content(menus.get(bistro.menu_id)))
    assert [one.what for one in first] == ["first"]


def test_each_change_has_its_word(app, restaurant):
    bistro = open_bistro(restaurant)
    with bistro.scope():
        menu = menus.get(bistro.menu_id)
        food, _ = menus.categories(menu.id)
        menus.change_item(bistro.items["Menemen"], {"price": "275"})
        menus.change_item(bistro.items["Pizza"], {"allergens": ["gluten"], "photo": "1/a.webp"})
        menus.change_item(bistro.items["Hamburger"], {"texts": {"tr": {"name": "Burger"}}})
        menus.remove_item(bistro.items["Ayran"])
        texts = {"tr": {"name": "Çay"}}
        menus.add_item(menu, {"category_id": food.id, "texts": texts, "price": "30"})
    assert diff(bistro) == {
        ("price", "Menemen", "250", "275"),
        ("details", "Pizza", "", ""),
        ("photo", "Pizza", "", ""),
        ("renamed", "Burger", "Hamburger", "Burger"),
        ("removed", "Ayran", "", ""),
        ("category_removed", "İçecekler", "", ""),
        ("added", "Çay", "", "30"),
    }


def test_another_order_is_a_change(app, restaurant):
    bistro = open_bistro(restaurant)
    with bistro.scope():
        menus.reorder(menus.get(bistro.menu_id), "items", [bistro.items["Pizza"]])
    assert {what for what, *_ in diff(bistro)} == {"order"}
