"""Setting up a restaurant, from an empty list to a published menu."""

import io
import json
import re
from datetime import timedelta
from decimal import Decimal

import pytest
from PIL import Image

from core.clock import frozen, now
from jobs import maintenance
from restaurant.menus import availability, menus, publishing
from restaurant.sites import sites, tables
from tenants import accounts
from tests.portal.page_reader import text_of
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def manager(browser, restaurant):
    return browser.signs_in(restaurant.hires("manager"))


@pytest.fixture
def bistro(app, restaurant):
    return open_bistro(restaurant)


def opened(manager, **more):
    manager.get("/restaurants/new")
    return manager.post(
        "/restaurants/new",
        **{"name": "Köşe Lokantası", "country": "TR", "currency": "TRY",
           "time_zone": "Europe/Istanbul", "language": "tr", "others": ["en"], **more},
    )  # fmt: skip


def test_a_restaurant_is_open_with_its_name_alone(manager, restaurant):
    answer = opened(manager)
    assert answer.status_code == 302
    with restaurant.scope():
        (site,) = sites.listed()
    assert (site.slug, site.prefix, site.languages) == ("kose-lokantasi", "KOS", ["tr", "en"])
    page = text_of(manager.get(answer.location))
    assert "Before your first order" in page
    assert "Add your tables" in page


def test_a_taken_address_is_shown_and_nothing_is_opened(manager, restaurant):
    assert opened(manager, name="Kuytu Meyhane").status_code == 302
    answer = opened(manager, name="Third", slug="kuytu-meyhane", order_prefix="THI")
    assert "Another restaurant already uses this address or order prefix." in text_of(answer)
    with restaurant.scope():
        assert [site.name for site in sites.listed()] == ["Kuytu Meyhane"]


def test_hours_go_past_midnight_and_half_a_span_is_refused(manager, bistro):
    path = f"/restaurants/{bistro.site_id}"
    fields = {"part": "hours", "day_starts": "05:00", "hours-4-0-from": "18:00"}
    assert "two times" in text_of(manager.post(path, **fields))
    answer = manager.post(path, **fields, **{"hours-4-0-to": "02:00"})
    assert answer.status_code == 302
    with bistro.scope():
        assert bistro.site().hours == {"4": [["18:00", "02:00"]]}
        assert bistro.site().day_starts == "05:00"


def test_special_days_are_added_shown_and_removed(manager, bistro):
    """Holidays, closed or with other hours."""
    path = f"/restaurants/{bistro.site_id}"
    fields = {"part": "hours", "day_starts": "05:00", "special0-name": "New Year"}
    refused = manager.post(path, **fields, **{"special0-starts": ""})
    assert "Enter a date for the special day" in text_of(refused)
    assert 'value="New Year"' in refused.get_data(as_text=True)
    year = (now() + timedelta(days=366)).year
    rows = {
        "special0-starts": f"{year}-01-01",
        "special7-starts": f"{year}-03-20",
        "special7-ends": f"{year}-03-22",
        "special7-0-from": "12:00",
        "special7-0-to": "18:00",
    }
    assert manager.post(path, **fields, **rows).status_code == 302
    new_year = {"starts_on": f"{year}-01-01", "ends_on": f"{year}-01-01", "hours": []}
    spring = {"starts_on": f"{year}-03-20", "ends_on": f"{year}-03-22"}
    with bistro.scope():
        assert bistro.site().special_days == [
            {**new_year, "name": "New Year"},
            {**spring, "hours": [["12:00", "18:00"]], "name": ""},
        ]
    shown = manager.get(f"{path}?part=hours").get_data(as_text=True)
    assert f'value="{year}-03-22"' in shown
    manager.post(path, part="hours", day_starts="05:00")  # a page from before the rows existed
    with bistro.scope():
        assert len(bistro.site().special_days) == 2
    manager.post(path, part="hours", day_starts="05:00", **{"special0-starts": ""})
    with bistro.scope():
        assert bistro.site().special_days == []


def test_each_group_of_settings_is_saved_separately(manager, bistro):
    path = f"/restaurants/{bistro.site_id}"
    with bistro.scope():
        sites.change(bistro.site_id, {"country": "DE"})  # Turkey allows no service charge
    orders = {"part": "orders", "order_types": ["dine_in", "delivery"], "payment_methods": ["cash"],
              "told_states": ["ready"], "accept_minutes": "7", "guest_cancel_minutes": "0",
              "manager_phone": "+905321112233"}  # fmt: skip
    money = {"part": "money", "service_percent": "12.5", "tips": "5, 10 %", "tax_included": "y",
             "table_orders_per_hour": "9", "phone_orders_per_hour": "3",
             "address_orders_per_hour": "30", "newcomer_limit": "1500"}  # fmt: skip
    looks = {
        "part": "looks",
        "own_tone": "y",
        "tone": "#C2410C",
        "welcome-tr": "Hoş geldiniz",
        "host": "",
    }
    for fields in (orders, money, looks):
        assert manager.post(path, **fields).status_code == 302, fields
    with bistro.scope():
        site = bistro.site()
        assert (site.order_types, site.payment_methods) == (["dine_in", "delivery"], ["cash"])
        assert (site.told_states, site.accept_minutes) == (["ready"], 7)
        assert site.guest_cancel_minutes == 0
        assert (site.manager_phone, site.service_percent) == ("905321112233", Decimal("12.5"))
        assert (site.tip_percents, site.newcomer_limit) == ([5, 10], Decimal(1500))
        assert (site.tone, site.welcome) == ("c2410c", {"tr": "Hoş geldiniz"})
    basics = {"part": "basics", "name": "Lemar", "order_prefix": "LMR", "country": "TR",
              "currency": "TRY", "time_zone": "Europe/Istanbul", "language": "tr",
              "others": ["en", "pt"], "menu_id": bistro.menu_id, "address": "Beyoğlu"}  # fmt: skip
    assert manager.post(path, **basics).status_code == 302
    with bistro.scope():
        site = bistro.site()
        assert (site.name, site.prefix, site.menu_id) == ("Lemar", "LMR", bistro.menu_id)
        assert (site.languages, site.tone) == (["tr", "en", "pt"], "c2410c")
    assert 'value="LMR"' in manager.get(path).get_data(as_text=True)
    assert "Enter up to six tip percentages, such as 5, 10, 15." in text_of(
        manager.post(path, **{**money, "tips": "5, 900"})
    )


def test_a_refused_save_reports_it_at_the_top_and_keeps_what_was_typed(manager, bistro):
    """One group of settings per page, so that no input is lost."""
    path = f"/restaurants/{bistro.site_id}"
    fields = {"part": "looks", "own_tone": "y", "tone": "green", "welcome-tr": "Hoş geldiniz"}
    page = manager.post(path, **fields)
    assert "Changes not saved. Correct the field marked in red, then save again." in text_of(page)
    assert 'value="Hoş geldiniz"' in page.get_data(as_text=True)
    hours = {"part": "hours", "day_starts": "05:00", "hours-4-0-from": "18:00"}
    assert 'value="18:00"' in manager.post(path, **hours).get_data(as_text=True)
    saved = manager.post(path, **{**fields, "tone": "#0a7a0a"}, follow=True)
    assert "Saved." in text_of(saved)
    shown = manager.get(f"{path}?part=money").get_data(as_text=True)
    assert 'name="service_percent"' in shown
    assert 'name="hours-0-0-from"' not in shown


def test_orders_are_paused_and_taken_up_again(manager, bistro):
    path = f"/restaurants/{bistro.site_id}/pause"
    manager.post(path, **{"for": "20"})
    with bistro.scope():
        assert 19 * 60 < (bistro.site().paused_until - now()).total_seconds() <= 20 * 60
    assert "Paused" in text_of(manager.get(f"/restaurants/{bistro.site_id}"))
    manager.post(path, **{"for": "today"})
    with bistro.scope():
        until = bistro.site().paused_until
        assert until == availability.next_business_day_start(bistro.site(), now())
    manager.post(path, **{"for": ""})
    with bistro.scope():
        assert bistro.site().paused_until is None


def test_closing_asks_first(manager, bistro):
    path = f"/restaurants/{bistro.site_id}/close"
    assert "Close “Lemar Bistro”?" in text_of(manager.get(path))
    manager.post(path)
    with bistro.scope():
        assert sites.listed() == []


def test_tables_are_added_by_the_dozen_into_a_new_area(manager, bistro):
    path = f"/restaurants/{bistro.site_id}/tables"
    manager.get(path)
    assert manager.post(path, numbers="T1-T8", area="Garden", seats="2").status_code == 302
    with bistro.scope():
        (area,) = tables.areas(bistro.site_id)
        made = [one for one in tables.listed(bistro.site_id) if one.area_id == area.id]
        assert [one.number for one in made] == [f"T{number}" for number in range(1, 9)]
    assert "already exists" in text_of(manager.post(path, numbers="T1", seats="2"))
    sheet = manager.get(f"{path}.pdf?area={area.id}")
    assert sheet.mimetype == "application/pdf"
    assert sheet.data.startswith(b"%PDF")


@pytest.mark.parametrize(
    ("locale", "numbers", "seats", "words"),
    [
        ("en", "T1", "1", ("1 table added.", "1 seat<")),
        ("en", "T1-T3", "2", ("3 tables added.", "2 seats<")),
        ("tr", "T1", "1", ("1 masa eklendi.", "1 kişilik<")),
        ("tr", "T1-T3", "2", ("3 masa eklendi.", "2 kişilik<")),
    ],
)
def test_a_number_decides_the_form_of_a_text(manager, bistro, locale, numbers, seats, words):
    path = f"/restaurants/{bistro.site_id}/tables"
    manager.get(path)
    manager.post("/language", locale=locale, next=path)
    manager.post(path, numbers=numbers, seats=seats)
    page = manager.get(path).get_data(as_text=True)
    assert [one for one in words if one not in page] == []


def test_a_rotated_code_stops_proving_anything(manager, bistro):
    with bistro.scope():
        table = tables.by_number(bistro.site_id, "12")
    code = f"/restaurants/tables/{table.id}/code"
    before = manager.get(f"{code}.svg").data
    assert manager.get(f"{code}.png").data.startswith(b"\x89PNG")
    manager.post(f"/restaurants/tables/{table.id}/rotate")
    assert manager.get(f"{code}.svg").data != before
    with bistro.scope():
        assert not tables.token_matches(tables.get(table.id), bistro.tokens["12"])


def dish(bistro, **more):
    with bistro.scope():
        category = menus.categories(bistro.menu_id)[0].id
    return {"name-tr": "Mantı", "name-en": "Manti", "price": "245,50", "category_id": category,
            "stations": ["kitchen"], "allergens": ["gluten", "milk"], **more}  # fmt: skip


def test_a_dish_is_written_shown_in_the_preview_and_then_published(manager, bistro):
    new = f"/menus/{bistro.menu_id}/items/new"
    manager.get(new)
    assert manager.post(new, **dish(bistro)).status_code == 302
    with bistro.scope():
        item = next(one for one in menus.items(bistro.menu_id) if "Mantı" in str(one.texts))
        assert (item.price, item.allergens) == (Decimal("245.5"), ["gluten", "milk"])
        slug = bistro.site().slug
    preview = text_of(manager.get(f"/menus/{bistro.menu_id}/preview?lang=tr"))
    assert "Mantı" in preview
    assert "This is a preview of the draft. You cannot order here." in preview
    assert "Mantı" not in text_of(manager.get(f"/r/{slug}/menu?lang=tr"))
    changes = text_of(manager.get(f"/menus/{bistro.menu_id}/publish"))
    assert "New: Mantı" in changes
    manager.post(f"/menus/{bistro.menu_id}/publish")
    assert "Mantı" in text_of(manager.get(f"/r/{slug}/menu?lang=tr"))
    assert "No changes. Guests already see this version." in text_of(
        manager.get(f"/menus/{bistro.menu_id}/publish")
    )


def test_a_refused_dish_keeps_what_was_typed(manager, bistro):
    new = f"/menus/{bistro.menu_id}/items/new"
    manager.get(new)
    answer = manager.post(new, **dish(bistro, price="cheap"))
    assert "Enter a price in" in text_of(answer)
    assert 'value="Mantı"' in answer.get_data(as_text=True)
    with bistro.scope():
        assert len(menus.items(bistro.menu_id)) == 4


def test_a_photo_is_made_small_and_shown(manager, bistro):
    out = io.BytesIO()
    Image.new("RGB", (1600, 1200), "#c2410c").save(out, "JPEG")
    path = f"/menus/items/{bistro.items['Pizza']}"
    manager.get(path)
    fields = dish(bistro, photo=(io.BytesIO(out.getvalue()), "pizza.jpg"))
    assert manager.post(path, **fields).status_code == 302
    with bistro.scope():
        key = menus.item(bistro.items["Pizza"]).photo
    with Image.open(io.BytesIO(manager.get(f"/photos/{key}").data)) as kept:
        assert kept.size == (960, 720)
    fields = dish(bistro, photo=(io.BytesIO(b"GIF89a"), "pizza.gif"))
    assert "Only JPEG, PNG and WebP" in text_of(manager.post(path, **fields))


def test_the_file_of_a_replaced_photo_is_removed_once_nobody_sees_it(app, manager, bistro):
    path = f"/menus/items/{bistro.items['Pizza']}"
    blobs, keys = app.extensions["blobs"], []
    for colour in ("red", "green", "blue"):
        out = io.BytesIO()
        Image.new("RGB", (60, 60), colour).save(out, "PNG")
        manager.get(path)
        manager.post(path, **dish(bistro, photo=(io.BytesIO(out.getvalue()), "a.png")))
        with bistro.scope():
            keys.append(f"photos/{menus.item(bistro.items['Pizza']).photo}")
            if colour == "green":
                publishing.publish(bistro.menu_id)
    maintenance.delete_expired()
    assert [blobs.exists(key) for key in keys] == [True, True, True], "too young"
    with frozen(now() + timedelta(days=3)):
        maintenance.delete_expired()
        assert [blobs.exists(key) for key in keys] == [False, True, True], "green is published"
        with bistro.scope():
            publishing.publish(bistro.menu_id)
            publishing.publish(bistro.menu_id)
        maintenance.delete_expired()
    assert [blobs.exists(key) for key in keys] == [False, False, True]


def test_order_by_button_and_by_dragging(manager, bistro):
    path = f"/menus/{bistro.menu_id}/order"

    def names():
        with bistro.scope():
            return [item.texts["tr"]["name"] for item in menus.items(bistro.menu_id)][:3]

    manager.get(f"/menus/{bistro.menu_id}")
    ordered = [bistro.items[name] for name in ("Pizza", "Hamburger", "Menemen")]
    manager.post(path, kind="items", ids=",".join(ordered))
    assert names() == ["Pizza", "Hamburger", "Menemen"]
    manager.post(path, kind="items", id=bistro.items["Pizza"], by="down")
    assert names() == ["Hamburger", "Pizza", "Menemen"]


def test_options_are_written_in_rows(manager, bistro):
    path = f"/menus/{bistro.menu_id}/groups/new"
    manager.get(path)
    fields = {"name-tr": "Sos", "least": "1", "most": "2", "free": "1", "o0-name-tr": "Acı",
              "o0-price": "10", "o1-name-tr": "Sarımsak", "o1-removal": "yes"}  # fmt: skip
    answer = manager.post(path, **fields)
    assert answer.status_code == 302
    with bistro.scope():
        group = menus.groups(bistro.menu_id)[-1]
        options = menus.options_of([group.id])[group.id]
        assert (group.least, group.most, group.free) == (1, 2, 1)
        assert [(o.texts["tr"]["name"], o.price, o.removal) for o in options] == [
            ("Acı", Decimal(10), False),
            ("Sarımsak", Decimal(0), True),
        ]
    assert "The maximum must be at least 1 and not lower than the minimum." in text_of(
        manager.post(path, **{**fields, "least": "9"})
    )


def test_sold_out_in_one_tap_by_a_waiter(browser, bistro, restaurant):
    browser.signs_in(restaurant.hires("waiter"))
    path = f"/restaurants/{bistro.site_id}/sold-out"
    assert "Pizza" in text_of(browser.get(path))
    pizza = bistro.items["Pizza"]
    browser.post(path, thing=pizza, until="tomorrow")
    with bistro.scope():
        assert availability.sold_out_now(bistro.site_id)[pizza] is not None
    browser.post(path, thing=pizza, until="put_back")
    with bistro.scope():
        assert availability.sold_out_now(bistro.site_id) == {pizza: None}
    browser.post(path, thing=pizza, until="back")
    with bistro.scope():
        assert availability.sold_out_now(bistro.site_id) == {}


def test_a_file_is_looked_at_and_then_written_with_one_click(manager, bistro):
    path = f"/menus/{bistro.menu_id}/import"
    manager.get(path)
    rows = [{"category": "Tatlılar", "name": "Sütlaç", "price": "95 ₺", "name_en": "Rice pudding"}]
    data = json.dumps(rows).encode()
    page = manager.post(path, file=(io.BytesIO(data), "menu.json")).get_data(as_text=True)
    assert "1 row ready to import" in page
    carried = page.partition('name="carried" value="')[2].partition('"')[0]
    with bistro.scope():
        assert len(menus.items(bistro.menu_id)) == 4
    assert manager.post(path, carried=carried, act="write").status_code == 302
    with bistro.scope():
        assert len(menus.items(bistro.menu_id)) == 5
        assert publishing.has_changes(menus.get(bistro.menu_id))


def test_a_wrong_row_is_named_and_nothing_is_written(manager, bistro):
    path = f"/menus/{bistro.menu_id}/import"
    manager.get(path)
    data = b"category,name,price\nDesserts,Baklava,sweet\n"
    page = text_of(manager.post(path, file=(io.BytesIO(data), "menu.csv"), act="write"))
    assert "Fix these errors first" in page
    assert "2 price Enter a price in TRY, such as 12.50." in page
    with bistro.scope():
        assert len(menus.items(bistro.menu_id)) == 4


def test_a_table_is_edited_and_its_printed_code_stays_good(bistro, browser, restaurant):
    browser.signs_in(restaurant.owner)
    with bistro.scope():
        table = tables.by_number(bistro.site_id, "12")
    path = f"/restaurants/tables/{table.id}"
    browser.get(path)
    taken = browser.post(path, number="11", seats="4")
    assert "Another table already has this number." in taken.get_data(as_text=True)
    assert browser.post(path, number="T12", seats="8", area="Bahçe").status_code == 302
    with bistro.scope():
        changed = tables.get(table.id)
        assert (changed.number, changed.seats, changed.token) == ("T12", 8, bistro.tokens["12"])
        (area,) = tables.areas(bistro.site_id)
        assert changed.area_id == area.id
    # Printed when it was table 12: still the same table, with a valid token.
    order = bistro.order(table="12")
    assert order.table_number == "T12"
    renamed = browser.post(f"/restaurants/areas/{area.id}", name="Teras")
    assert renamed.status_code == 302
    assert "Teras" in browser.get(f"/restaurants/{bistro.site_id}/tables").get_data(as_text=True)


def test_options_are_added_and_attached_to_dishes_on_one_page(bistro, browser, restaurant):
    browser.signs_in(restaurant.owner)
    with bistro.scope():
        first, second, *_ = menus.items(bistro.menu_id)
    path = f"/menus/{bistro.menu_id}/groups/new"
    page = browser.get(path).get_data(as_text=True)
    assert "data-add-row" in page
    language = re.search(r'name="name-([a-z]+)"', page)[1]
    rows = {f"o{row}-name-{language}": f"Sos {row}" for row in range(9)}
    made = browser.post(
        path, **{f"name-{language}": "Soslar", "most": "3", "dishes_shown": "yes"}, **rows,
        dishes=[first.id, second.id],
    )  # fmt: skip
    group_id = made.location.rpartition("/")[2]
    with bistro.scope():
        assert len(menus.options_of([group_id])[group_id]) == 9
        assert all(group_id in menus.item(one.id).groups for one in (first, second))
    with bistro.scope():
        menus.set_items_of_group(menus.group(group_id), [second.id])
    with bistro.scope():
        assert group_id not in menus.item(first.id).groups
        assert group_id in menus.item(second.id).groups


def test_a_new_restaurants_country_presets_its_money_and_zone(manager, restaurant):
    """A Turkish restaurant does not start with USD and UTC."""
    with restaurant.scope():
        own = accounts.account()
        own.country, own.currency, own.time_zone = "", "USD", "Europe/Istanbul"
    page = manager.get("/restaurants/new").get_data(as_text=True)
    assert re.search(r'<option selected value="TRY"', page)
    assert re.search(r'<option selected value="Europe/Istanbul"', page)
    wanted = {"name": "Thamel", "country": "NP", "currency": "TRY", "language": "en"}
    asked = manager.post(
        "/restaurants/new", **wanted, time_zone="Europe/Istanbul", preset="TR"
    ).get_data(as_text=True)
    assert "Currency and time zone were set for the country. Check them and save." in asked
    assert re.search(r'<option selected value="NPR"', asked)
    assert re.search(r'<option selected value="Asia/Kathmandu"', asked)
    with restaurant.scope():
        assert not [site for site in sites.listed() if site.name == "Thamel"]
