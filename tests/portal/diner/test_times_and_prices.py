"""The menu page: pieces left, prices by order type and hour, free times, and changing an order."""

import json
from datetime import UTC, datetime

import pytest

from core.clock import frozen
from portal.diner.menu_cache import menu_cache
from restaurant.menus import happy_hours, menus, publishing, stock
from restaurant.menus.pricing import RequestedItem
from restaurant.sites import sites
from tests.restaurant.bistro import open_bistro

NOON = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
TAKEAWAY = {"table": "", "order_type": "takeaway", "payment_method": "cash"}


@pytest.fixture
def bistro(restaurant):
    with frozen(NOON):
        menu_cache.forget()
        yield open_bistro(restaurant, slot_orders=1, later_days=1)


@pytest.fixture
def client(app, bistro):
    return app.test_client()


def place(bistro):
    return f"/r/lemar-{bistro.business.tenant_id}"


def send(client, bistro, item="Menemen", quantity=1, **more):
    body = {
        "lines": [{"item": bistro.items[item], "quantity": quantity}],
        "order_type": "takeaway",
        "payment_method": "cash",
        **more,
    }
    return client.post(f"{place(bistro)}/cart?lang=en", data=json.dumps(body))


def test_the_last_pieces_are_shown_and_a_larger_cart_is_told_the_number(client, bistro):
    with bistro.scope():
        stock.set_left(bistro.site(), bistro.items["Menemen"], 3)
        stock.set_left(bistro.site(), bistro.items["Ayran"], 30)
    page = client.get(f"{place(bistro)}/menu?lang=en").text
    assert page.count("Only 3 left") == 1
    assert "Only 30 left" not in page
    refused = send(client, bistro, quantity=5)
    assert refused.status_code == 422
    assert (refused.json["left"], refused.json["item"]) == (3, bistro.items["Menemen"])
    assert "Only 3 of Menemen left" in refused.json["message"]


def test_a_happy_hour_strikes_the_regular_price_through(client, bistro):
    with bistro.scope():
        menu = menus.get(bistro.menu_id)
        rule = {
            "texts": {"tr": {"name": "Mutlu saatler"}, "en": {"name": "Happy hour"}},
            "hours": {"0": [["11:00", "13:00"]]},
            "percent": "20",
            "items": [bistro.items["Ayran"]],
        }
        happy_hours.save(menu, rule)
        menus.change_item(bistro.items["Ayran"], {"prices": {"takeaway": {"price": "40"}}})
        publishing.publish(menu.id)
    page = client.get(f"{place(bistro)}/menu?lang=en").text
    struck = page[page.index('<s class="was"') :][:200]
    assert "Regular price" in struck
    assert "45.00" in struck
    assert "Happy hour" in page
    data = json.loads(page.split('id="menu-data">')[1].split("</script>")[0])
    prices = data["items"][bistro.items["Ayran"]]["prices"]
    assert prices == {"dine_in": ["36.00", "45"], "takeaway": ["32.00", "40"]}
    assert send(client, bistro, "Ayran").json["total"] == "32.00"


def test_a_full_kitchen_is_answered_with_free_times(client, bistro):
    free = client.get(f"{place(bistro)}/times/takeaway?lang=en").json
    assert (free["now"], free["minutes"]) == (True, 20)
    bistro.order(RequestedItem(bistro.items["Menemen"], 1), **TAKEAWAY)
    full = send(client, bistro)
    assert (full.status_code, full.json["code"]) == (409, "slot_full")
    first = full.json["times"][0]
    assert datetime.fromisoformat(first["at"]) == NOON.replace(minute=30)
    sent = send(client, bistro, due=first["at"])
    assert sent.status_code == 200
    assert "12:30 için" in sent.json["text"]
    assert client.get(f"{place(bistro)}/times/takeaway").json["now"] is False
    assert client.get(f"{place(bistro)}/times/nonsense").status_code == 404


def test_the_items_of_an_order_can_be_opened_again_by_its_code(client, bistro):
    cart = bistro.cart(RequestedItem(bistro.items["Menemen"], 2, note="az"), **TAKEAWAY)
    assert client.get(f"{place(bistro)}/orders/{cart.code}/cart").status_code == 404
    order = bistro.orders_by_chat(cart.text)
    found = client.get(f"{place(bistro)}/orders/{cart.code}/cart").json
    assert (found["number"], found["open"]) == (order.number, True)
    (line,) = found["lines"]
    assert (line["item"], line["quantity"], line["note"]) == (bistro.items["Menemen"], 2, "az")
    bistro.changes_state(order, "preparing")
    assert client.get(f"{place(bistro)}/orders/{cart.code}/cart").json["open"] is False


def test_a_round_of_a_table_that_meets_a_full_kitchen_is_sent_for_a_free_time(client, bistro):
    with bistro.scope():
        sites.change(bistro.site_id, {"slot_order_types": ["dine_in"]})
    bistro.order(RequestedItem(bistro.items["Ayran"], 1))
    seat = {"table": "12", "k": bistro.tokens["12"]}
    guest = client.post(f"{place(bistro)}/tab", json=seat).json
    lines = [{"item": bistro.items["Menemen"], "quantity": 1}]
    assert client.post(f"/tab/{guest['token']}/cart", json={"lines": lines}).status_code == 200
    refused = client.post(f"/tab/{guest['token']}/send?lang=en", json={})
    assert (refused.status_code, refused.json["code"]) == (409, "slot_full")
    due = refused.json["times"][0]["at"]
    sent = client.post(f"/tab/{guest['token']}/send?lang=en", json={"due": due})
    assert sent.status_code == 200, sent.text
    order = bistro.orders_by_chat(sent.json["text"])
    assert order.due_at == datetime.fromisoformat(due)
