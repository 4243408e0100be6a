"""Takeaway prices, happy hours and set menus are priced by the server, in one place."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from core.clock import frozen
from core.errors import DomainError
from restaurant.menus import happy_hours, menu_import, menus, publishing, stock, version_diff
from restaurant.menus.pricing import NotEnoughLeft, NotOnMenu, RequestedItem
from restaurant.orders import placing
from restaurant.orders import queries as order_queries
from tests.restaurant.bistro import lira, open_bistro

MONDAY_NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
HAPPY = MONDAY_NOON.replace(hour=14, minute=30)  # 17:30
TAKEAWAY = {"table": "", "order_type": "takeaway", "payment_method": "cash"}


@pytest.fixture
def bistro(restaurant):
    with frozen(MONDAY_NOON):
        yield open_bistro(restaurant, later_days=1)


def change(bistro, item, **values):
    with bistro.scope():
        menus.change_item(bistro.items[item], values)
        publishing.publish(bistro.menu_id)


def happy_hour(bistro, **values):
    with bistro.scope():
        menu = menus.get(bistro.menu_id)
        drinks = next(one for one in menus.categories(menu.id) if one.texts["tr"]["name"][0] == "İ")
        rule = {
            "texts": {"tr": {"name": "Mutlu saatler"}, "en": {"name": "Happy hour"}},
            "hours": {"0": [["17:00", "19:00"]]},
            "categories": [drinks.id],
            **values,
        }
        made = happy_hours.save(menu, rule)
        publishing.publish(menu.id)
        return made


def total(bistro, *wishes, **more):
    return bistro.cart(*wishes, **more).total


def test_takeaway_and_delivery_have_their_own_price_and_tax(bistro):
    change(bistro, "Menemen", prices={"takeaway": {"price": "220", "tax": "1"}})
    wish = RequestedItem(bistro.items["Menemen"], 2)
    assert total(bistro, wish) == lira("500")
    cart = bistro.cart(wish, **TAKEAWAY)
    assert cart.total == lira("440")
    assert cart.sums["taxes"] == [["1", "4.36"]]
    with bistro.scope():
        (item,) = placing.price_requested(bistro.site(), [wish], "takeaway")
    assert (item.unit_price, item.tax_percent) == (Decimal(220), Decimal(1))


def test_a_happy_hour_lowers_the_price_in_its_hours_only(bistro):
    happy_hour(bistro, percent="30")
    wish = RequestedItem(bistro.items["Ayran"], 2)
    assert total(bistro, wish) == lira("90")
    with frozen(HAPPY):
        cart = bistro.cart(wish)
        assert cart.total == lira("63")
        order = bistro.orders_by_chat(cart.text)
    with bistro.scope():
        (line,) = order_queries.items_of(order.id)
    assert (line.unit_price, line.regular_price) == (lira("31.5"), lira("45"))
    assert line.offer == "Mutlu saatler"
    (event,) = bistro.events("order_created")
    assert (event["items"][0]["unit_price"], event["items"][0]["regular_price"]) == (31.5, 45)


def test_the_price_is_that_of_the_time_for_which_it_is_ordered(bistro):
    happy_hour(bistro, price="20")
    wish = RequestedItem(bistro.items["Ayran"], 1)
    assert total(bistro, wish, due_at=HAPPY, **TAKEAWAY) == lira("20")
    with frozen(HAPPY):
        assert total(bistro, wish, due_at=HAPPY + timedelta(hours=2), **TAKEAWAY) == lira("45")


def test_the_lowest_price_applies_and_never_a_higher_one(bistro):
    happy_hour(bistro, price="60")
    happy_hour(bistro, percent="10", categories=[], items=[bistro.items["Ayran"]])
    happy_hour(bistro, percent="50", order_types=["delivery"])
    with frozen(HAPPY):
        assert total(bistro, RequestedItem(bistro.items["Ayran"], 1)) == lira("40.5")


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"percent": "10", "price": "5"},
        {"percent": "101"},
        {"percent": "10", "hours": {}},
        {"percent": "10", "categories": []},
        {"percent": "10", "items": ["itm_unknown"]},
    ],
)
def test_an_incomplete_happy_hour_is_refused(bistro, values):
    with pytest.raises(DomainError):
        happy_hour(bistro, **values)
    with bistro.scope():
        assert menus.get(bistro.menu_id).happy_hours == []


def set_menu(bistro, price="400"):
    """A set with a choice of two main dishes and a drink."""
    with bistro.scope():
        menu = menus.get(bistro.menu_id)
        texts = lambda tr, en: {"tr": {"name": tr}, "en": {"name": en}}  # noqa: E731
        dishes = [bistro.items["Menemen"], bistro.items["Hamburger"]]
        main = menus.add_group(
            menu,
            {"texts": texts("Ana yemek", "Main course"), "least": 1, "most": 1},
            [{"item_id": dishes[0]}, {"item_id": dishes[1], "price": "50"}],
        )
        drink = menus.add_group(
            menu,
            {"texts": texts("İçecek", "Drink"), "least": 1, "most": 1},
            [{"item_id": bistro.items["Ayran"]}],
        )
        category = menus.categories(menu.id)[0].id
        made = menus.add_item(
            menu,
            {
                "texts": texts("Öğle menüsü", "Lunch menu"),
                "price": price,
                "category_id": category,
                "groups": [main.id, drink.id],
            },
        )
        publishing.publish(menu.id)
        options = menus.options_of([main.id, drink.id])
        return made.id, [one.id for group in options.values() for one in group]


def test_a_set_menu_has_one_price_and_its_dishes_go_to_their_stations(bistro):
    item, (menemen, burger, ayran) = set_menu(bistro)
    order = bistro.order(RequestedItem(item, 2, (burger, ayran)))
    assert order.total == lira("900")
    with bistro.scope():
        (line,) = order_queries.items_of(order.id)
    assert line.stations == ["kitchen", "bar"]
    assert [one["name"] for one in line.options] == ["Hamburger", "Ayran"]
    with pytest.raises(NotOnMenu):
        bistro.cart(RequestedItem(item, 1, (menemen, burger, ayran)))


def test_the_dishes_of_a_set_menu_are_counted(bistro):
    item, (menemen, _, ayran) = set_menu(bistro)
    with bistro.scope():
        stock.set_left(bistro.site(), bistro.items["Menemen"], 3)
    dish = RequestedItem(bistro.items["Menemen"], 1)
    order = bistro.order(RequestedItem(item, 2, (menemen, ayran)), dish)
    with bistro.scope():
        assert stock.left_counts(bistro.site_id) == {bistro.items["Menemen"]: 0}
    with pytest.raises(NotOnMenu):
        bistro.cart(RequestedItem(item, 1, (menemen, ayran)))
    bistro.taps("cancel", order)
    with pytest.raises(NotEnoughLeft):
        bistro.cart(RequestedItem(item, 3, (menemen, ayran)), dish)


def test_publishing_lists_the_changes_of_prices(bistro):
    with bistro.scope():
        before = publishing.published_version(bistro.menu_id).content
    happy_hour(bistro, percent="10")
    change(bistro, "Menemen", prices={"delivery": {"price": "280"}})
    with bistro.scope():
        after = publishing.published_version(bistro.menu_id).content
    assert [one.what for one in version_diff.diff_versions(before, after)] == [
        "details",
        "happy_hours",
    ]


def test_an_imported_file_has_columns_for_other_prices(bistro):
    head = "category;name;price;paket fiyatı;delivery_price;takeaway_tax"
    table = f"{head}\nYiyecekler;Çorba;90;80,50;;%1"
    with bistro.scope():
        menu = menus.get(bistro.menu_id)
        parsed = menu_import.parse_file(menu, table.encode())
        assert (parsed.faults, parsed.ignored) == ([], [])
        menu_import.apply_import(menu, parsed)
        soup = next(one for one in menus.items(menu.id) if one.texts["tr"]["name"] == "Çorba")
    assert soup.prices == {"takeaway": {"price": "80.5", "tax": "1"}}
