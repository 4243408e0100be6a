"""Menu import: tolerant parsing, strict checks, and all rows are written or none."""

import json
from decimal import Decimal

import pytest

from core.errors import DomainError
from core.storage import spreadsheets
from restaurant.menus import import_files, menu_import, menus
from restaurant.menus.menu_import import normalize_price
from restaurant.sites import sites, stations
from tests.restaurant.bistro import open_bistro

# The JSON format of a bistro's web site.
LEMAR = {
    "categories": {
        "kahvalti-list": {"name": "Kahvaltı & Tost", "parent": "yiyecekler"},
        "izgaralar-list": {"name": "Izgaralar", "name_en": "Grills"},
    },
    "items": [
        {"category": "kahvalti-list", "name": "Kahvaltı Tabağı", "price": "500₺",
         "description": "Bal,\n      kaymak", "name_en": "Breakfast Plate"},
        {"category": "kahvalti-list", "name": "Sade Omlet", "price": "185 ₺", "name_en": ""},
        {"category": "izgaralar-list", "name": "Köfte", "price": "1.250,50 TL"},
    ],
}  # fmt: skip


@pytest.fixture
def menu(app, restaurant):
    with restaurant.scope():
        return menus.create("Menü", currency="TRY", languages=["tr", "en"])


@pytest.mark.parametrize(
    ("text", "currency", "price"),
    [
        ("500₺", "TRY", "500"),
        ("185 ₺", "TRY", "185"),
        ("1.250,50 TL", "TRY", "1250.50"),
        ("1,250.50", "USD", "1250.50"),
        ("1.250", "TRY", "1250"),
        ("1.250", "KWD", "1.250"),
        ("12,5", "EUR", "12.5"),
        ("€ 9.80", "EUR", "9.80"),
        ("1 250", "EUR", "1250"),
        ("0,90", "EUR", "0.90"),
        ("-5", "EUR", "-5"),
        ("free", "EUR", "free"),
    ],
)
def test_prices_as_people_write_them(text, currency, price):
    assert normalize_price(text, currency) == price


def test_a_web_sites_menu_comes_in_whole(menu, restaurant):
    with restaurant.scope():
        reading = menu_import.parse_file(menu, json.dumps(LEMAR).encode(), "menu.json")
        assert not reading.faults
        done = menu_import.apply_import(menus.get(menu.id), reading)
    assert (done.added, done.changed, done.categories) == (3, 0, 2)
    with restaurant.scope():
        items = {item.texts["tr"]["name"]: item for item in menus.items(menu.id)}
        assert items["Kahvaltı Tabağı"].price == Decimal(500)
        assert items["Kahvaltı Tabağı"].texts["tr"]["description"] == "Bal, kaymak"
        assert items["Kahvaltı Tabağı"].texts["en"]["name"] == "Breakfast Plate"
        assert "en" not in items["Sade Omlet"].texts
        assert items["Köfte"].price == Decimal("1250.5")
        assert [c.texts["tr"]["name"] for c in menus.categories(menu.id)] == [
            "Kahvaltı & Tost",
            "Izgaralar",
        ]


def test_the_same_file_again_changes_and_adds_nothing_twice(menu, restaurant):
    with restaurant.scope():
        menu_import.apply_import(
            menus.get(menu.id), menu_import.parse_file(menu, json.dumps(LEMAR).encode(), "a.json")
        )
    dearer = {**LEMAR, "items": [{**LEMAR["items"][1], "price": "195 ₺"}]}
    with restaurant.scope():
        reading = menu_import.parse_file(menu, json.dumps(dearer).encode(), "a.json")
        done = menu_import.apply_import(menus.get(menu.id), reading)
    assert (done.added, done.changed, done.categories) == (0, 1, 0)
    with restaurant.scope():
        assert len(menus.items(menu.id)) == 3
        assert {i.price for i in menus.items(menu.id)} == {
            Decimal(500),
            Decimal(195),
            Decimal("1250.5"),
        }


def test_every_fault_is_named_by_row_and_field(menu, restaurant):
    text = (
        "Kategori;Ad;Fiyat;KDV;Alerjenler;İstasyon\n"
        "Izgara;Köfte;abc;10;gluten;kitchen\n"
        ";;120;200;glue;!!!\n"
        "Izgara;Pide;90;10;gluten, milk;kitchen\n"
    )
    with restaurant.scope():
        reading = menu_import.parse_file(menu, text.encode("windows-1254"), "menu.csv")
        named = [(fault.row, fault.field) for fault in reading.faults]
        assert named == [
            (2, "price"),
            (3, "name"),
            (3, "category"),
            (3, "tax"),
            (3, "stations"),
            (3, "allergens"),
        ]
        assert "glue" in reading.faults[-1].error.message
        assert [row.values["allergens"] for row in reading.rows] == [["gluten", "milk"]]
        with pytest.raises(DomainError, match="Nothing was imported"):
            menu_import.apply_import(menus.get(menu.id), reading)
    with restaurant.scope():
        assert menus.items(menu.id) == menus.categories(menu.id) == []


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "no_columns"),
        (b"hello there", "no_columns"),
        (b"{", "not_a_table"),
        (b'{"items": 7}', "not_a_table"),
        (b"[]", "empty_file"),
        (b"[" * 50_000, "not_a_table"),
        (b"category,name,price\n", "empty_file"),
        (b"x" * (import_files.LARGEST_FILE + 1), "too_large"),
    ],
)
def test_what_is_no_menu_is_refused_whole(menu, restaurant, data, code):
    with restaurant.scope(), pytest.raises(DomainError) as refused:
        menu_import.parse_file(menu, import_files.as_table(data), "menu.csv")
    assert refused.value.code == code


@pytest.mark.parametrize("data", [b"[1, null, {}]", b'[{"name": {"a": 1}, "price": []}]'])
def test_odd_json_is_a_fault_and_no_crash(menu, restaurant, data):
    with restaurant.scope():
        assert menu_import.parse_file(menu, data, "menu.json").faults


def test_a_station_that_no_restaurant_has_is_decided_before_anything_is_written(restaurant):
    """Regression: an unknown station was imported, and its orders were never printed."""
    bistro = open_bistro(restaurant)
    text = "kategori,ad,fiyat,istasyon\nIzgara,Köfte,120,Izgara Köşesi\nIzgara,Pide,90,Mutfak\n"
    with bistro.scope():
        site, menu = sites.get(bistro.site_id), menus.get(bistro.menu_id)
        reading = menu_import.parse_file(menu, text.encode(), "m.csv", [site])
        assert [(one.code, one.items) for one in reading.new_stations.values()] == [
            ("izgara_kosesi", 1)
        ]
        assert reading.rows[1].values["stations"] == ["kitchen"]
        with pytest.raises(DomainError) as refused:
            menu_import.apply_import(menu, reading, {}, [site])
        assert refused.value.code == "unknown_station"
    with bistro.scope():
        site, menu = sites.get(bistro.site_id), menus.get(bistro.menu_id)
        reading = menu_import.parse_file(menu, text.encode(), "m.csv", [site])
        menu_import.apply_import(menu, reading, {"izgara_kosesi": menu_import.NEW_STATION}, [site])
    with bistro.scope():
        site, menu = sites.get(bistro.site_id), menus.get(bistro.menu_id)
        assert "izgara_kosesi" in {one.code for one in stations.listed(site.id)}
        again = menu_import.parse_file(menu, text.encode(), "m.csv", [site])
        assert not again.new_stations


def test_items_of_a_new_station_can_go_to_a_known_one(restaurant):
    bistro = open_bistro(restaurant)
    text = "category,name,price,stations\nGrill,Kebab,120,griddle\n"
    with bistro.scope():
        site, menu = sites.get(bistro.site_id), menus.get(bistro.menu_id)
        reading = menu_import.parse_file(menu, text.encode(), "m.csv", [site])
        menu_import.apply_import(menu, reading, {"griddle": "kitchen"}, [site])
    with bistro.scope():
        (made,) = [one for one in menus.items(bistro.menu_id) if "Kebab" in str(one.texts)]
        assert made.stations == ["kitchen"]


def test_allergens_and_diets_are_read_in_the_languages_of_menus(menu, restaurant):
    text = (
        "kategori;ad;fiyat;alerjenler;diyet\n"
        "Izgara;Levrek;90;Balık, SÜT, yer fıstığı;Glutensiz\n"
        "Izgara;Fisch;90;Fisch, Milch, Erdnüsse;glutenfrei\n"
        "Izgara;سمك;90;سمك, حليب;حلال\n"
    )
    with restaurant.scope():
        reading = menu_import.parse_file(menu, text.encode(), "menu.csv")
    assert not reading.faults
    assert [row.values["allergens"] for row in reading.rows] == [
        ["fish", "peanuts", "milk"],
        ["fish", "peanuts", "milk"],
        ["fish", "milk"],
    ]
    assert [row.values["diets"] for row in reading.rows] == [
        ["gluten_free"],
        ["gluten_free"],
        ["halal"],
    ]


@pytest.mark.parametrize("column", ["synonyms", "diğer adlar"])
def test_other_names_of_dishes_are_imported(menu, restaurant, column):
    text = f"kategori;ad;fiyat;{column}\nIzgara;Lahmacun;120;lahmaç, fındık lahmacun\n"
    with restaurant.scope():
        reading = menu_import.parse_file(menu, text.encode(), "menu.csv")
        assert not reading.faults
        menu_import.apply_import(menu, reading)
        (item,) = menus.items(menu.id)
        assert item.synonyms == ["lahmaç", "fındık lahmacun"]


def test_columns_that_mean_nothing_are_named(menu, restaurant):
    text = "category,name,price,name_en,name_fr,Alergens\nGrill,Kebab,120,Kebab,Brochette,fish\n"
    with restaurant.scope():
        reading = menu_import.parse_file(menu, text.encode(), "menu.csv")
    assert reading.ignored == ["name_fr", "alergens"]


@pytest.mark.parametrize(
    "found",
    [
        {"categories": [{"name": "Soups", "items": [{"name": "Lentil", "price": "90"}]}]},
        {"categories": [{"name": "Soups", "products": [{"name": "Lentil", "price": "90"}]}]},
        {"products": [{"name": "Lentil", "price": "90", "category": "Soups"}]},
    ],
)
def test_nested_categories_and_products_are_imported(menu, restaurant, found):
    with restaurant.scope():
        reading = menu_import.parse_file(menu, json.dumps(found).encode(), "menu.json")
        assert reading.faults == []
        menu_import.apply_import(menus.get(menu.id), reading)
        item = menus.items(menu.id)[0]
        home = menu.languages[0]
        assert item.texts[home]["name"] == "Lentil"
        category = menus.categories(menu.id)[0]
        assert category.texts[home]["name"] == "Soups"


def test_json_without_items_is_told_what_is_expected(menu, restaurant):
    with restaurant.scope(), pytest.raises(DomainError, match="no list of items"):
        menu_import.parse_file(menu, b'{"dishes": []}', "menu.json")


def test_a_spreadsheet_is_read_like_a_csv(menu, restaurant):
    rows = [["Izgara", "Köfte", "320,50"], ["", "", ""], ["İçecek", "Ayran", "pahalı"]]
    data = spreadsheets.workbook(["kategori", "ad", "fiyat"], rows, title="menü")
    with restaurant.scope():
        reading = menu_import.parse_file(menu, import_files.as_table(data), "menu.xlsx")
    assert [str(row.values["price"]) for row in reading.rows] == ["320.50"]
    assert [(fault.row, fault.field) for fault in reading.faults] == [(4, "price")]


def test_a_spreadsheet_that_is_none_is_refused():
    with pytest.raises(DomainError) as refusal:
        import_files.as_table(b"PK\x03\x04 a picture")
    assert refusal.value.code == "not_a_table"


def test_a_spreadsheet_is_no_larger_than_any_other_file():
    rows = [["x" * 1000] for _ in range(600)]
    with pytest.raises(DomainError) as refusal:
        import_files.as_table(spreadsheets.workbook(["name"], rows, title="menu"))
    assert refusal.value.code == "too_large"
