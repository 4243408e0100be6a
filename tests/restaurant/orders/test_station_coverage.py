"""Every order reaches a printer or display, and stations without a printer are reported."""

import io

import pytest

from printing import printers
from restaurant.menus import menus, publishing
from restaurant.orders import queries as order_queries
from restaurant.orders.printing import station_coverage
from restaurant.sites import stations
from tests.printing.bistro_printers import open_bistro_printers


@pytest.fixture
def press(restaurant):
    return open_bistro_printers(restaurant)


def text(answer):
    return answer.get_data(as_text=True)


def put_everything_at(press, code):
    with press.scope():
        for item in menus.items(press.bistro.menu_id):
            menus.change_item(item.id, {"stations": [code]})
        publishing.publish(press.bistro.menu_id)


def test_an_item_of_an_unknown_station_is_printed_in_the_kitchen(press):
    put_everything_at(press, "griddle")
    order = press.bistro.order()
    with press.scope():
        lines = order_queries.items_of_orders([order.id])[order.id]
    assert all(line.stations == ["kitchen"] for line in lines)
    assert {job.printer_id for job in press.jobs()} == {press.kitchen}


def test_a_station_without_a_printer_warns_on_every_page_until_it_has_one(
    press, browser, restaurant
):
    with press.scope():
        stations.add(press.bistro.site(), "grill", "Ocakbaşı")
    put_everything_at(press, "grill")
    order = press.bistro.order()
    assert press.jobs() == []
    browser.signs_in(restaurant.owner)
    board = f"/orders/board/{press.bistro.site_id}"
    pages = ("/home", "/printers", f"/orders/{order.number}", board)
    said = (
        "No printer is set up for",
        "has no printer. Its items appear only on the kitchen display.",
        "No printer is set up for",
        "Not printed",
    )
    for page, words in zip(pages, said, strict=True):
        assert words in text(browser.get(page)), page
        assert "Ocakbaşı" in text(browser.get(page)), page
    with press.scope():
        printers.change(press.kitchen, {"stations": ["kitchen", "grill"]})
    for page, words in zip(pages, said, strict=True):
        assert words not in text(browser.get(page)), page


def test_a_station_may_work_from_the_kitchen_display(press, browser, restaurant):
    with press.scope():
        printers.change(press.bar, {"enabled": False})
    browser.signs_in(restaurant.owner)
    assert "has no printer." in text(browser.get("/printers"))
    chosen = {"site": press.bistro.site_id, "station": "bar"}
    assert browser.post("/printers/stations", display="yes", **chosen).status_code == 302
    assert "has no printer." not in text(browser.get("/printers"))
    browser.post("/printers/stations", **chosen)
    assert "has no printer." in text(browser.get("/printers"))


def test_a_restaurant_without_printers_works_from_the_displays(press):
    with press.scope():
        for printer in (press.bar, press.kitchen):
            printers.remove(printer)
    with press.scope():
        site = press.bistro.site()
        assert station_coverage.uncovered_stations([site], printers.listed()) == [(site, [])]


def test_the_import_page_asks_where_a_new_station_is_made(press, browser, restaurant):
    browser.signs_in(restaurant.owner)
    path = f"/menus/{press.bistro.menu_id}/import"
    browser.get(path)
    rows = "category,name,price,stations,colour\nGrill,Kebab,120,griddle,red\n"
    page = text(browser.post(path, file=(io.BytesIO(rows.encode()), "menu.csv")))
    assert 'name="station-griddle"' in page
    assert "colour" in page
    carried = page.partition('name="carried" value="')[2].partition('"')[0]
    refused = browser.post(path, carried=carried, act="write")
    assert "No restaurant has the station" in text(refused)
    done = browser.post(path, carried=carried, act="write", **{"station-griddle": "+"})
    assert done.status_code == 302
    with press.scope():
        assert "griddle" in {one.code for one in stations.listed(press.bistro.site_id)}


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_the_sample_file_can_be_imported(press, browser, restaurant, form):
    browser.signs_in(restaurant.owner)
    path = f"/menus/{press.bistro.menu_id}/import"
    sample = browser.get(f"{path}/sample.{form}").get_data()
    browser.get(path)
    page = text(browser.post(path, file=(io.BytesIO(sample), f"menu.{form}")))
    assert "3 rows ready to import" in page
    assert 'name="station-' not in page
