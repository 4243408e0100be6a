"""The two demo restaurants: a bistro in Istanbul and a small one in Lisbon."""

from collections.abc import Mapping
from typing import Any

from restaurant.menus import availability, happy_hours, menus, publishing, stock
from restaurant.models import Menu, MenuCategory, Site
from restaurant.sites import sites, tables

# The demo accepts orders at any time of day.
ISTANBUL = {str(day): [["06:00", "05:59"]] for day in range(7)}
LISBON = {str(day): [["12:00", "15:30"], ["19:00", "00:30"]] for day in range(1, 7)}

Dish = tuple[str, str, str, str, str, dict[str, Any]]
"""Name and description in both languages, price, and other fields."""
Pictures = Mapping[str, str]
"""Photo keys by the dish's English name."""

BREAKFAST: tuple[Dish, ...] = (
    ("Kahvaltı Tabağı", "Breakfast Plate", "Yumurta, üç çeşit peynir, zeytin, bal ve kaymak",
     "Egg, three cheeses, olives, honey and clotted cream", "500",
     {"allergens": ["eggs", "milk", "gluten"], "diets": ["vegetarian"]}),
    ("Menemen", "Menemen", "Bakır tavada domates, biber ve yumurta",
     "Tomatoes, peppers and eggs in a copper pan", "250",
     {"allergens": ["eggs"], "diets": ["vegetarian", "halal"], "groups": ["heat"]}),
    ("Kaşarlı Mantarlı Omlet", "Mushroom & Cheese Omelette", "Üç yumurta, taze mantar, kaşar",
     "Three eggs, fresh mushrooms, kashar cheese", "230",
     {"allergens": ["eggs", "milk"], "diets": ["vegetarian"]}),
    ("Ayvalık Tostu", "Ayvalik Toast", "Sucuk, kaşar ve turşuyla, kalın ekmekte",
     "With sujuk, cheese and pickles on thick bread", "310",
     {"allergens": ["gluten", "milk"], "diets": ["halal"], "groups": ["extras"]}),
)  # fmt: skip
BURGERS: tuple[Dish, ...] = (
    ("Hamburger", "Hamburger", "Dana köfte, marul, domates, evin sosu",
     "Beef patty, lettuce, tomato, our own sauce", "360",
     {"allergens": ["gluten", "sesame", "mustard"], "diets": ["halal"],
      "groups": ["done", "extras"], "synonyms": ["burger"]}),
    ("Cheeseburger", "Cheeseburger", "Hamburger gibi, erimiş cheddar ile",
     "Like the hamburger, with melted cheddar", "370",
     {"allergens": ["gluten", "sesame", "milk"], "diets": ["halal"], "groups": ["done", "extras"]}),
    ("Et Wrap", "Beef Wrap", "İnce dilim et, közlenmiş biber, soğan",
     "Thin slices of beef, roasted peppers, onion", "480",
     {"allergens": ["gluten"], "diets": ["halal"], "groups": ["extras"]}),
    ("Tuna Sandviç", "Tuna Sandwich", "Ton balığı, marul, kapari",
     "Tuna, lettuce and capers", "320", {"allergens": ["gluten", "fish", "eggs"]}),
)  # fmt: skip
SNACKS: tuple[Dish, ...] = (
    ("Parmak Patates", "French Fries", "İki kez kızartılmış", "Fried twice", "220",
     {"diets": ["vegan"], "groups": ["sauce"],
      "synonyms": ["patates", "patates kızartması", "fries", "chips"]}),
    ("Çıtır Tavuk", "Crispy Chicken", "Galeta ununda, ballı hardalla",
     "Breaded, with honey mustard", "280",
     {"allergens": ["gluten", "eggs", "mustard"], "diets": ["halal"], "groups": ["sauce"]}),
    ("Köri Soslu Penne", "Curry Penne", "Tavuk, mantar, kremalı köri",
     "Chicken, mushrooms, creamy curry", "375",
     {"allergens": ["gluten", "milk", "celery"], "diets": ["spicy"]}),
)  # fmt: skip
DRINKS: tuple[Dish, ...] = (
    ("Ayran", "Ayran", "Köpüklü, evde yapılmış", "Frothy, made in the house", "60",
     {"allergens": ["milk"], "diets": ["vegetarian", "halal"], "stations": ["bar"]}),
    ("Çay", "Tea", "", "", "40", {"diets": ["vegan"], "stations": ["bar"]}),
    ("Türk Kahvesi", "Turkish Coffee", "Lokumla", "With Turkish delight", "110",
     {"diets": ["vegan"], "stations": ["bar"], "groups": ["sugar"],
      "synonyms": ["kahve", "coffee"]}),
    ("Limonata", "Lemonade", "Naneli", "With mint", "120",
     {"diets": ["vegan"], "stations": ["bar"]}),
)  # fmt: skip
PETISCOS: tuple[Dish, ...] = (
    ("Cod Fritters", "Pataniscas de Bacalhau", "Crisp, with black-eyed bean rice",
     "Estaladiças, com arroz de feijão-frade", "12.50",
     {"allergens": ["fish", "gluten", "eggs"]}),
    ("Grilled Sardines", "Sardinhas Assadas", "With peppers and country bread",
     "Com pimentos e pão caseiro", "14", {"allergens": ["fish", "gluten"]}),
    ("Steak Sandwich", "Prego no Pão", "Garlic, mustard, soft roll", "Alho, mostarda, pão macio",
     "9.80", {"allergens": ["gluten", "mustard"]}),
    ("Green Soup", "Caldo Verde", "Kale and potato, with or without chouriço",
     "Couve e batata, com ou sem chouriço", "5.20", {"groups": ["chourico"], "diets": ["pork"]}),
)  # fmt: skip
SWEETS: tuple[Dish, ...] = (
    ("Custard Tart", "Pastel de Nata", "Warm, with cinnamon", "Quente, com canela", "1.60",
     {"allergens": ["gluten", "eggs", "milk"], "diets": ["vegetarian"]}),
    ("Espresso", "Bica", "", "", "1.20", {"stations": ["bar"], "diets": ["vegan"]}),
    ("Green Wine", "Vinho Verde", "A glass, well chilled", "Um copo, bem fresco", "4.50",
     {"stations": ["bar"], "diets": ["alcohol"], "allergens": ["sulphites"]}),
)  # fmt: skip


COURSES = {"Snacks & Pasta": 1, "Burgers & Sandwiches": 2}
"""Of the categories, by their English name; the others are made at once."""
FEEDBACK_MINUTES = 60


def add_bistro(pictures: Pictures) -> None:
    """Menu, tables in two areas, options and allergens; published and ready for orders."""
    site = sites.open_site(
        "Lokanta Mavi", slug="lokanta-mavi", prefix="MAV", currency="TRY",
        time_zone="Europe/Istanbul", country="TR", languages=["tr", "en"],
    )  # fmt: skip
    menu = menus.create("Lokanta Mavi", currency="TRY", languages=["tr", "en"])
    groups = _turkish_options(menu)
    chapters = (
        ("Kahvaltı & Tost", "Breakfast & Toast", BREAKFAST),
        ("Burger & Sandviç", "Burgers & Sandwiches", BURGERS),
        ("Atıştırmalık & Makarna", "Snacks & Pasta", SNACKS),
        ("İçecekler", "Drinks", DRINKS),
    )
    _fill(menu, ("tr", "en"), chapters, groups, pictures, "10")
    publishing.publish(menu.id)
    sites.change(
        site.id,
        {
            "menu_id": menu.id,
            "hours": ISTANBUL,
            "address": "Kumbaracı Yokuşu 12, Beyoğlu, İstanbul",
            "order_types": ["dine_in", "takeaway", "delivery"],
            "payment_methods": ["pos_at_table", "cash", "card_link"],
            "tip_percents": [5, 10, 15],
            "orders_in_words": True,
            "tone": "1d5fa8",
            "feedback_minutes": FEEDBACK_MINUTES,
            "review_url": "https://maps.example.com/lokanta-mavi/reviews",
            "prints_ticket_codes": True,
            "welcome": {
                "tr": "Hoş geldiniz! Kahvaltımız her gün saat 14'e kadar.",
                "en": "Welcome! Breakfast is served every day until 2 pm.",
            },
        },
    )
    _tables(site, (("Salon", "1-12"), ("Bahçe", "B1-B8")))
    sold = next(item for item in menus.items(menu.id) if item.texts["en"]["name"] == "Lemonade")
    availability.mark_sold_out(site, sold.id, None)
    _pace(site, menu)


def _pace(site: Site, menu: Menu) -> None:
    """Orders for later, a limit of the kitchen, a happy hour, other prices and pieces left."""
    sites.change(site.id, {"later_days": 2, "slot_orders": 12, "preparation_minutes": 20})
    found = {item.texts["en"]["name"]: item for item in menus.items(menu.id)}
    ayran, limited = found["Ayran"], next(iter(found.values()))
    less = format((ayran.price - 5).normalize(), "f")
    menus.change_item(ayran.id, {"prices": {"takeaway": {"price": less}}})
    happy_hours.save(
        menu,
        {
            "texts": _texts("tr", "Mutlu saatler", "en", "Happy hour"),
            "hours": {str(day): [["15:00", "17:30"]] for day in range(5)},
            "percent": "20",
            "categories": [ayran.category_id],
        },
    )
    publishing.publish(menu.id)
    stock.set_left(site, limited.id, 4)


def add_second_restaurant(pictures: Pictures) -> None:
    site = sites.open_site(
        "Mavi Lisboa", slug="mavi-lisboa", prefix="LIS", currency="EUR",
        time_zone="Europe/Lisbon", country="PT", languages=["en", "pt"],
    )  # fmt: skip
    menu = menus.create("Mavi Lisboa", currency="EUR", languages=["en", "pt"])
    chourico = menus.add_group(
        menu,
        {"texts": _texts("en", "Chouriço", "pt", "Chouriço"), "least": 1, "most": 1},
        [
            {"texts": _texts("en", "With", "pt", "Com"), "preset": True},
            {"texts": _texts("en", "Without", "pt", "Sem"), "removal": True},
        ],
    )
    chapters = (
        ("Small Plates", "Petiscos", PETISCOS),
        ("Sweets & Drinks", "Doces e Bebidas", SWEETS),
    )
    _fill(menu, ("en", "pt"), chapters, {"chourico": chourico.id}, pictures, "13")
    publishing.publish(menu.id)
    sites.change(
        site.id,
        {
            "menu_id": menu.id,
            "hours": LISBON,
            "address": "Rua da Bica 21, Lisboa",
            "payment_methods": ["pos_at_table", "cash", "card_link"],
            "service_percent": 0,
            "tone": "0f766e",
            "welcome": {"en": "Small plates to share.", "pt": "Petiscos para partilhar."},
        },
    )
    _tables(site, (("Sala", "1-6"), ("Esplanada", "E1-E4")))


def _turkish_options(menu: Menu) -> dict[str, str]:
    def group(tr: str, en: str, rules: dict[str, int], *options: tuple[Any, ...]) -> str:
        made = menus.add_group(
            menu,
            {"texts": _texts("tr", tr, "en", en), **rules},
            [
                {"texts": _texts("tr", first, "en", second), **more}
                for first, second, more in options
            ],
        )
        return str(made.id)

    return {
        "done": group(
            "Pişirme", "Cooked", {"least": 1, "most": 1},
            ("Orta", "Medium", {"preset": True}), ("İyi pişmiş", "Well done", {}),
        ),
        "extras": group(
            "Ekstralar", "Extras", {"most": 4},
            ("Ekstra peynir", "Extra cheese", {"price": "45"}),
            ("Karamelize soğan", "Caramelised onion", {"price": "30"}),
            ("Soğansız", "No onions", {"removal": True}),
            ("Turşusuz", "No pickles", {"removal": True}),
        ),
        "sauce": group(
            "Sos", "Sauce", {"most": 3, "free": 1},
            ("Sarımsaklı mayonez", "Garlic mayonnaise", {"price": "20"}),
            ("Acı sos", "Hot sauce", {"price": "20"}),
            ("Barbekü", "Barbecue", {"price": "20"}),
        ),
        "heat": group(
            "Acı", "Heat", {"least": 1, "most": 1},
            ("Acısız", "Mild", {"preset": True}), ("Acılı", "Spicy", {}),
        ),
        "sugar": group(
            "Şeker", "Sugar", {"least": 1, "most": 1},
            ("Sade", "None", {}), ("Orta", "Medium", {"preset": True}), ("Şekerli", "Sweet", {}),
        ),
    }  # fmt: skip


def _fill(
    menu: Menu,
    languages: tuple[str, str],
    chapters: tuple[tuple[str, str, tuple[Dish, ...]], ...],
    groups: dict[str, str],
    pictures: Pictures,
    tax: str,
) -> None:
    one, two = languages
    for first, second, dishes in chapters:
        category: MenuCategory = menus.add_category(
            menu, {"texts": _texts(one, first, two, second), "course": COURSES.get(second, 0)}
        )
        for name, other, about, other_about, price, more in dishes:
            texts = {
                one: {"name": name, "description": about},
                two: {"name": other, "description": other_about},
            }
            known = {**more, "groups": [groups[key] for key in more.get("groups", [])]}
            menus.add_item(
                menu,
                {
                    "category_id": category.id,
                    "texts": texts,
                    "price": price,
                    "tax_percent": tax,
                    "photo": pictures.get(texts["en"]["name"], ""),
                    **known,
                },
            )


def _tables(site: Site, areas: tuple[tuple[str, str], ...]) -> None:
    for name, numbers in areas:
        tables.add_tables(site, numbers, area_id=tables.add_area(site, name).id)


def _texts(one: str, first: str, two: str, second: str) -> dict[str, dict[str, str]]:
    return {one: {"name": first}, two: {"name": second}}
