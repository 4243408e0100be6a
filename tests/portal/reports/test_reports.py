"""Reports: totals of a date range per currency, by the site's own days and hours."""

import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest

from core.clock import frozen
from core.values.date_ranges import BadDateRange, DateRange, preset_range
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.messages.receive import receive_message
from portal.onboarding.new_tenant import add_simulated_lines
from portal.web import charts
from printing import printers, spool
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.reports import sales as sales_reports
from restaurant.sites import sites
from tests.messaging.message_factory import wrote
from tests.portal.page_reader import text_of
from tests.restaurant.bistro import GUEST, open_bistro

NOON = datetime(2026, 11, 12, 9, 30, tzinfo=UTC)  # 12:30 at the bistro
DAY = date(2026, 11, 12)


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


def test_a_span_and_the_one_before():
    week = preset_range("7", date(2026, 3, 1))
    assert (week.since, week.length) == (date(2026, 2, 23), 7)
    assert (week.before.since, week.before.until) == (date(2026, 2, 16), date(2026, 2, 22))
    for odd in ((date(2026, 1, 2), date(2026, 1, 1)), (date(2024, 1, 1), date(2026, 1, 1))):
        with pytest.raises(BadDateRange):
            DateRange(*odd)


def test_orders_of_a_day_by_hour_dish_and_way_to_pay(bistro):
    with frozen(NOON):
        first = bistro.order()
        second = bistro.order(payment_method="cash", phone="905321112244")
        gone = bistro.order(phone="905321112255")
        bistro.changes_state(first, "preparing")
        with bistro.scope():
            order_lifecycle.cancel(
                bistro.site(), order_queries.get(gone.number), "Changed their mind"
            )
    with bistro.scope():
        rows = sales_reports.daily_sales([bistro.site_id], DateRange(DAY, DAY))
        by_way = sales_reports.totals_by(rows, "payment_method")
        assert sum(row.orders for row in rows) == 2
        assert sum(row.lost for row in rows) == 1
        assert by_way["cash", "TRY"].revenue == second.total
        assert sales_reports.orders_by_hour([bistro.site_id], DateRange(DAY, DAY)) == {(4, 12): 2}
        dishes = {
            one.name: one.sold
            for one in sales_reports.item_sales([bistro.site_id], DateRange(DAY, DAY))
        }
        assert dishes == {"Hamburger": 4, "Ayran": 2}
        assert not sales_reports.daily_sales([bistro.site_id], DateRange(DAY, DAY).before)


def test_money_of_two_currencies_is_never_added_up(browser, restaurant, bistro):
    with frozen(NOON), bistro.scope():
        sites.open_site(
            "Bistro Lisboa",
            slug=f"lisboa-{restaurant.tenant_id}",
            prefix="LIS",
            currency="EUR",
            time_zone="Europe/Lisbon",
            country="PT",
            languages=["en"],
        )
    with frozen(NOON):
        order = bistro.order()
        browser.signs_in(restaurant.owner)
        text = text_of(browser.get("/reports/orders?period=today"))
        empty = text_of(browser.get("/reports/orders?period=today&currency=EUR"))
        assert browser.get("/reports").location == "/reports/orders"
        file = browser.get("/reports/orders.csv?period=today").get_data(as_text=True)
    assert f"{order.total:,.2f}" in text
    assert "Average order value" in text
    assert "No orders in this period" in empty
    assert f"2026-11-12,Lemar Bistro,TRY,pos_at_table,dine_in,1,{order.total:.2f},0" in file


def test_the_time_from_the_kitchen_to_the_door(browser, restaurant, bistro):
    made = bistro.delivers()
    with frozen(NOON):
        order = bistro.delivery()
    for minutes, to in ((0, "sent_to_kitchen"), (5, "preparing"), (18, "ready")):
        with frozen(NOON + timedelta(minutes=minutes)):
            bistro.changes_state(order, to)
    with frozen(NOON + timedelta(minutes=19)), bistro.scope():
        courier_dispatch.assign(
            bistro.site(), order_queries.get(order.number), couriers.get(made["Hakan Usta"])
        )
    for minutes, to in ((20, "picked_up"), (32, "delivered")):
        with frozen(NOON + timedelta(minutes=minutes)), bistro.scope():
            courier_dispatch.record_step(bistro.site(), order_queries.get(order.number), to)
    with bistro.scope():
        (whole,) = [
            one
            for one in sales_reports.delivery_times([bistro.site_id], DateRange(DAY, DAY))
            if one.by == "all"
        ]
    assert (whole.trips, round(whole.kitchen), round(whole.road)) == (1, 20, 12)
    browser.signs_in(restaurant.owner)
    with frozen(NOON + timedelta(hours=1)):
        text = text_of(browser.get("/reports/delivery?period=7"))
        file = browser.get("/reports/delivery.csv?period=7").get_data(as_text=True)
    assert "Hakan Usta 1 20 min 12 min" in text
    assert "courier,Hakan Usta,1,20.0,12.0,32.0" in file


def test_tickets_by_printer_and_how_fast(browser, restaurant, bistro):
    with bistro.scope():
        kitchen = printers.add(
            bistro.site_id, "Ocak", "agent", {"output": {"kind": "demo"}, "stations": ["kitchen"]}
        )
    with frozen(NOON):
        bistro.order()
    with frozen(NOON + timedelta(seconds=4)), bistro.scope():
        (job,) = [one for one in spool.queued_jobs(bistro.site_id) if one.printer_id == kitchen.id]
        spool.finish_job(job, "printed", "")
    browser.signs_in(restaurant.owner)
    with frozen(NOON + timedelta(hours=1)):
        text = text_of(browser.get("/reports/printing?period=today"))
        file = browser.get("/reports/printing.csv?period=today").get_data(as_text=True)
    assert "Ocak 1 4 s" in text, text[600:]
    assert "2026-11-12,Ocak,1,1,0,0,4.0" in file


def test_messages_beside_the_days_before(browser, restaurant):
    with restaurant.scope():
        add_simulated_lines(live=True)
        line = line_repository.default_line(test=False)
    for moment, sent in ((NOON, 12), (NOON - timedelta(days=1), 10)):
        with frozen(moment), restaurant.scope():
            tally = UsageTally()
            tally.add(line.id, "TR", "service", sent=sent, read=3, cost=Decimal("0.02"))
            tally.write()
    browser.signs_in(restaurant.owner)
    with frozen(NOON):
        text = text_of(browser.get("/reports/messages?period=today"))
        file = browser.get("/reports/messages.csv?period=7").get_data(as_text=True)
    assert "Sent 12 20% more" in text
    assert "2026-11-12,12,0,3,0,0,0.020000" in file
    assert len(file.splitlines()) == 8


def test_an_empty_business_is_told_what_to_do_next(browser, restaurant):
    browser.signs_in(restaurant.owner)
    assert browser.get("/reports").location == "/reports/messages"
    for page, words in (
        ("messages", "send your first message"),
        ("orders", "Add restaurant"),
        ("printing", "Add printer"),
        ("delivery", "Set up delivery zones and couriers."),
    ):
        assert words in text_of(browser.get(f"/reports/{page}")), page
    odd = browser.get("/reports/orders?period=range&since=9999-12-31&until=0001-01-01&site=x")
    assert odd.status_code == 200


def test_charts_in_numbers():
    chart = charts.column_chart([("a", (3, 1)), ("b", (0, 0))], ("x", "y"), str, [2, 8])
    assert [round(bar.high, 1) for bar in chart.columns[0].bars] == [37.5, 12.5]
    assert chart.ticks == [(0, "8"), (50, "4")]
    assert chart.lines == ["25.00,75.00 75.00,0.00"]
    gaps = charts.column_chart([(day, (1,)) for day in "abcd"], (), str, [1, None, 2, 2]).lines
    assert gaps == ["12.50,50.00 12.50,50.00", "62.50,0.00 87.50,0.00"]
    assert [one.percent for one in charts.ring_slices([("a", 1, ""), ("b", 3, "")])] == [75, 25]
    week = charts.heat_map({(5, 23): 4, (6, 1): 1}, list("MTWTFSS"))
    assert week.hours == [23, 0, 1]
    assert charts.percent_change(5, 0) is None
    assert charts.percent_change(5, 10) == -50


def from_ad(bistro, phone, source_id="120", headline="Lunch for two", **more):
    ad = {"source_id": source_id, "headline": headline, "source_url": "https://fb.me/x"}
    with bistro.scope():
        message = wrote(sender_phone=phone, content={"referral": ad}, **more)
        receive_message(bistro.line, message, UsageTally())


def test_conversations_and_orders_from_ads(browser, bistro):
    reader = browser.signs_in(bistro.business.owner)
    assert "Conversations from ads" not in text_of(reader.get("/reports/messages"))
    from_ad(bistro, GUEST, headline="Old headline")
    from_ad(bistro, GUEST)
    from_ad(bistro, "905321112244")
    from_ad(bistro, "905321112255", "130", "Dinner")
    from_ad(bistro, "905321112266", "140", "Breakfast", at=int(time.time()) - 40 * 86400)
    bistro.order()
    page = text_of(reader.get("/reports/messages"))
    rows = " ".join(page.partition("Conversations from ads")[2].split())
    assert "Lunch for two 120 2 1" in rows
    assert "Dinner 130 1 –" in rows
    assert "Old headline" not in rows
    assert "Breakfast" not in rows
