"""The orders board and the page of an order."""

import re
from datetime import timedelta

import pytest

from core.clock import frozen, now
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders import waiter_calls
from restaurant.sites import sites, tables
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


@pytest.fixture
def staff(browser, restaurant):
    browser.signs_in(restaurant.hires("waiter", "Mehmet Demir"))
    return browser


def text_of(answer):
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


def state(bistro, order):
    with bistro.scope():
        return order_queries.get(order.number).state


def test_a_tap_moves_the_order_and_the_board_shows_it(staff, bistro):
    order = bistro.order()
    board = text_of(staff.get(f"/orders/board/{bistro.site_id}"))
    assert order.number in board
    assert "Hamburger" in board
    staff.post(f"/orders/{order.number}/move", to="preparing", seen=order.version)
    assert state(bistro, order) == "preparing"
    page = text_of(staff.get(f"/orders/{order.number}"))
    assert "Preparing" in page
    assert "Mehmet Demir" in page


def test_a_stale_tap_shows_who_was_quicker(staff, bistro):
    order = bistro.order()
    staff.post(f"/orders/{order.number}/move", to="preparing", seen=order.version)
    answer = staff.client.post(
        f"/orders/{order.number}/move",
        data={"csrf_token": staff.token, "to": "ready", "seen": order.version},
        headers={"X-Part": "act"},
    )
    assert answer.status_code == 409
    assert answer.json["error"].startswith("Mehmet Demir changed this order")
    assert state(bistro, order) == "preparing"


def test_the_kitchen_sees_only_what_is_to_be_made_at_its_station(staff, bistro):
    order = bistro.order()
    done = bistro.order(phone="905321119999", table="3")
    bistro.changes_state(done, "ready")
    kitchen = text_of(staff.get(f"/orders/board/{bistro.site_id}?view=kitchen&station=bar"))
    assert f'data-order="{order.id}"' in kitchen
    assert f'data-order="{done.id}"' not in kitchen
    assert "Ayran" in kitchen
    assert "Hamburger" not in kitchen


def test_cancelling_asks_for_the_reason(staff, bistro):
    order = bistro.order()
    assert staff.post(f"/orders/{order.number}/cancel", because=" ").status_code == 422
    assert state(bistro, order) == "sent_to_kitchen"
    staff.post(f"/orders/{order.number}/cancel", because="Gaz bitti")
    assert state(bistro, order) == "cancelled"
    assert "Gaz bitti" in text_of(staff.get(f"/orders/{order.number}"))


def test_a_line_is_taken_back_and_the_total_follows(staff, bistro):
    order = bistro.order()
    staff.post(f"/orders/{order.number}/void", position="1", quantity="1", because="Yandı")
    with bistro.scope():
        assert order_queries.get(order.number).total == order.total - 360
    assert "1 removed: Yandı" in text_of(staff.get(f"/orders/{order.number}"))


def test_the_staff_writes_an_order_down_and_adds_to_it(staff, bistro):
    with bistro.scope():
        table = tables.by_number(bistro.site_id, "5")
    assert "Pizza" in text_of(staff.get(f"/orders/new?site={bistro.site_id}"))
    pizza, sizes = bistro.items["Pizza"], bistro.options
    made = staff.post(
        "/orders/new",
        **{
            "site": bistro.site_id,
            "order_type": "dine_in",
            "payment_method": "cash",
            "table_id": table.id,
            f"q.{pizza}.0": "1",
            f"g.{pizza}.0.size": sizes["Large"],
            f"q.{pizza}.1": "2",
            f"g.{pizza}.1.size": sizes["Small"],
            f"n.{pizza}.1": "İnce hamur",
        },
    )
    assert made.status_code == 302
    number = made.location.rpartition("/")[2]
    with bistro.scope():
        order = order_queries.get(number)
        lines = order_queries.items_of(order.id)
    assert [(line.quantity, str(line.unit_price)) for line in lines] == [
        (1, "340.500"),
        (2, "300.500"),
    ]
    assert (order.waiter, order.table_number, lines[1].note) == ("Mehmet Demir", "5", "İnce hamur")
    staff.post(f"/orders/{number}/add", **{f"q.{bistro.items['Ayran']}.0": "2"})
    with bistro.scope():
        assert order_queries.get(number).total == order.total + 90


def test_what_cannot_be_written_down_comes_back_with_a_sentence(staff, bistro):
    answer = staff.post("/orders/new", site=bistro.site_id, order_type="dine_in")
    assert answer.status_code == 422
    answer = staff.post(
        "/orders/new",
        **{
            "site": bistro.site_id,
            "order_type": "takeaway",
            "payment_method": "cash",
            f"q.{bistro.items['Pizza']}.0": "1",
        },
    )
    assert answer.status_code == 422
    assert f'name="q.{bistro.items["Pizza"]}.0"' in answer.get_data(as_text=True)


def test_another_table_and_another_waiter(staff, bistro):
    order = bistro.order()
    with bistro.scope():
        table = tables.by_number(bistro.site_id, "9")
    staff.post(f"/orders/{order.number}/table", table=table.id)
    page = text_of(staff.get(f"/orders/{order.number}"))
    waiter = re.search(r'<option value="(mem_\w+)">Mehmet Demir', page)[1]
    staff.post(f"/orders/{order.number}/waiter", waiter=waiter)
    with bistro.scope():
        held = order_queries.get(order.number)
        assert (held.table_number, held.waiter) == ("9", "Mehmet Demir")


def test_a_guest_calls_and_is_answered_once(staff, bistro):
    with bistro.scope():
        site, table = sites.get(bistro.site_id), tables.by_number(bistro.site_id, "7")
        call = waiter_calls.create_call(site, table, table.token, "bill")
    address = f"/orders/board/{bistro.site_id}"
    assert "asked for the bill" in text_of(staff.get(address))
    staff.post(f"{address}/answered", call=call.id)
    assert "asked for the bill" not in text_of(staff.get(address))
    again = staff.client.post(
        f"{address}/answered",
        data={"csrf_token": staff.token, "call": call.id},
        headers={"X-Part": "act"},
    )
    assert again.json["note"] == "Another team member has already done this."


def test_a_pause_and_its_end(staff, bistro):
    address = f"/orders/board/{bistro.site_id}"
    staff.post(f"{address}/pause", until="20m")
    assert "Orders are paused until" in text_of(staff.get(address))
    staff.post(f"{address}/pause", until="")
    assert "Orders are paused until" not in text_of(staff.get(address))


def test_the_day_adds_up(staff, bistro):
    order, other = bistro.order(), bistro.order(phone="905321119998", table="2")
    bistro.changes_state(order, "ready")
    with bistro.scope():
        order_lifecycle.cancel(bistro.site(), order_queries.get(other.number), "Gelmedi")
    day = text_of(staff.get(f"/orders/board/{bistro.site_id}?view=day"))
    assert re.search(r"tile-value[^>]*>\s*2\s*<", day)
    assert "₺765.00" in day.replace("TRY", "₺")


def test_an_addition_waits_from_when_it_was_made_once_the_rest_is_ready(staff, bistro):
    with frozen(now() - timedelta(minutes=25)):
        order = bistro.order()
    address = f"/orders/board/{bistro.site_id}"
    assert "ticket-hot" in text_of(staff.get(address))
    bistro.changes_state(order, "ready")
    with bistro.scope():
        order_changes.add_items(bistro.site(), order_queries.get(order.number), [])
    assert "ticket-hot" not in text_of(staff.get(address))


@pytest.mark.parametrize("words", ["number", "905321112233", "+90 532 111 22 33", "12"])
def test_orders_are_found(staff, bistro, words):
    order = bistro.order()
    other = bistro.order(RequestedItem(bistro.items["Ayran"], 1), phone="905321119997", table="3")
    asked = order.number.lower() if words == "number" else words
    listed = text_of(staff.client.get("/orders", query_string={"q": asked}))
    assert order.number in listed
    assert other.number not in listed
    file = staff.client.get("/orders.csv", query_string={"q": asked}).get_data(as_text=True)
    assert order.number in file
    assert "2 × Hamburger; 1 × Ayran" in file
    assert other.number not in file


def test_filters_of_the_list(staff, bistro):
    order = bistro.order()
    today = order.business_day.isoformat()
    for query, there in (
        ({"day": today}, True),
        ({"day": "2020-01-01"}, False),
        ({"state": "sent_to_kitchen"}, True),
        ({"state": "ready"}, False),
        ({"site": bistro.site_id, "day": today}, True),
    ):
        page = text_of(staff.client.get("/orders", query_string=query))
        assert (order.number in page) is there, query


def test_who_looks_on_gets_no_buttons(browser, restaurant, bistro):
    order = bistro.order()
    browser.signs_in(restaurant.hires("viewer"))
    board = text_of(browser.get(f"/orders/board/{bistro.site_id}"))
    assert "/move" not in board
    assert "/move" not in text_of(browser.get(f"/orders/{order.number}"))
    assert browser.post(f"/orders/{order.number}/move", to="ready").status_code == 403
    assert state(bistro, order) == "sent_to_kitchen"


def test_a_required_choice_has_no_preset_and_is_asked_for(staff, bistro):
    """Otherwise staff could send an order with the first option unnoticed."""
    page = text_of(staff.get(f"/orders/new?site={bistro.site_id}"))
    size = re.search(r'<select[^>]+name="g\.[^"]+"[^>]*>(.*?)</select>', page, re.DOTALL)
    assert "selected" not in size[1]
    assert size[1].startswith('<option value="">Choose one</option>')
    visible = re.search(r"<div class=\"entry-required\".*?</div></div>", page, re.DOTALL)[0]
    assert "Küçük" in visible
    with bistro.scope():
        table = tables.by_number(bistro.site_id, "5")
    answer = staff.post(
        "/orders/new",
        **{
            "site": bistro.site_id,
            "order_type": "dine_in",
            "payment_method": "cash",
            "table_id": table.id,
            f"q.{bistro.items['Pizza']}.0": "2",
        },
    )
    text = answer.get_data(as_text=True)
    assert answer.status_code == 422
    assert "Pizza: choose 1 from “Boy”." in text
    assert "is-invalid" in text


def test_staff_record_a_payment_undo_it_and_change_the_way_to_pay(staff, bistro):
    order = bistro.order()
    assert "Record cash payment" in text_of(staff.get(f"/orders/{order.number}"))
    staff.post(f"/orders/{order.number}/payments", method="card", amount="100", tip="10")
    page = text_of(staff.get(f"/orders/{order.number}"))
    assert "partially paid" in page
    assert "₺665.00" in page
    payment = re.search(r"/payments/(tpy_\w+)/undo", page)[1]
    staff.post(f"/orders/{order.number}/payments/{payment}/undo", because="Yanlış")
    page = text_of(staff.get(f"/orders/{order.number}"))
    assert "Undone by Mehmet Demir: Yanlış" in page
    staff.post(f"/orders/{order.number}/way-to-pay", way="cash")
    with bistro.scope():
        held = order_queries.get(order.number)
        assert (held.payment_method, held.taken) == ("cash", 0)


def test_the_bill_of_a_table_is_shown_and_settled_at_once(staff, bistro):
    first, second = bistro.order(), bistro.order(phone="905321119999")
    with bistro.scope():
        table = tables.by_number(bistro.site_id, "12")
    address = f"/orders/board/{bistro.site_id}/tables/{table.id}/bill"
    assert address in text_of(staff.get(f"/orders/board/{bistro.site_id}?view=tables"))
    page = text_of(staff.get(address))
    assert "₺1,530.00" in page
    seen = re.search(r'name="seen" value="([\d.]+)"', page)[1]
    staff.post(address, act="cash", seen=seen)
    with bistro.scope():
        assert all(order_queries.get(one.number).paid_at for one in (first, second))
    assert "paid" in text_of(staff.get(f"/orders/board/{bistro.site_id}?view=tables"))


def test_the_day_is_a_page_to_print_and_a_file(staff, bistro):
    order = bistro.order()
    staff.post(f"/orders/{order.number}/payments", method="cash", amount="100")
    page = text_of(staff.get(f"/orders/board/{bistro.site_id}?view=day"))
    for said in ("₺665.00", "not paid yet", "Payments received", "data-print", "Tax, 10%"):
        assert said in page
    rows = text_of(staff.get(f"/orders/board/{bistro.site_id}/day.csv"))
    assert ",paid,100" in rows
    assert ",open,665" in rows


def test_the_calls_of_a_table_move_with_its_order(staff, bistro):
    order = bistro.order()
    with bistro.scope():
        was, to = (tables.by_number(bistro.site_id, number) for number in ("12", "9"))
        waiter_calls.create_call(bistro.site(), was, was.token, "bill")
    staff.post(f"/orders/{order.number}/table", table=to.id)
    with bistro.scope():
        (call,) = waiter_calls.open_calls(bistro.site_id)
        assert (call.table_id, call.table_number) == (to.id, "9")


def test_a_call_stays_where_other_guests_stay(staff, bistro):
    order, _ = bistro.order(), bistro.order(phone="905321119999")
    with bistro.scope():
        was, to = (tables.by_number(bistro.site_id, number) for number in ("12", "9"))
        waiter_calls.create_call(bistro.site(), was, was.token, "bill")
    staff.post(f"/orders/{order.number}/table", table=to.id)
    with bistro.scope():
        assert waiter_calls.open_calls(bistro.site_id)[0].table_number == "12"
