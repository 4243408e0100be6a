"""Dining: a table pays while the web process dies, parallel orders while any process dies, and an
order for later whose worker dies."""

import http.client
import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from itertools import cycle
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import psutil

from core.clock import now
from core.db import tenant_scope
from messaging.lines.simulated_line import add_simulated_line
from messaging.models import Line
from restaurant.menus import stock
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import placing
from restaurant.orders.placing import OrderRequest
from restaurant.payments import accounts as payment_accounts
from restaurant.sites import sites
from restaurant.tabs import addresses, sessions
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import guests as tab_guests
from tests.chaos.load import Crowd
from tests.chaos.outcomes import Outcome
from tests.chaos.stage import WORKERS, Stage
from tests.factories import make_business
from tests.messaging.message_factory import cloud_body, signed, text_value
from tests.restaurant.bistro import Bistro, open_bistro
from tests.restaurant.tabs import test_tab_money
from tests.restaurant.tabs.seating import Seating

WEB = "web"
TABLES, GUESTS = 8, 3
PAID_SECONDS = 180.0
STOP_SECONDS = 30.0  # a server that is killed too early leaves its process behind
CARTS, API_ORDERS = 200, 40
STOCK, SLOT_ORDERS = 57, 7
KILL_EVERY_SECONDS, KILLS = 1.0, 9
LATER_ORDERS = 12
BEFORE = timedelta(minutes=20)
LATE_SECONDS = 30.0

SETTLED_EVENTS = """
SELECT body ->> 'id', count(*) FROM events
 WHERE tenant_id = %s AND type = 'restaurant.tab_settled' GROUP BY 1
"""
PAYMENTS_LEFT = """
SELECT (SELECT count(*) FROM payment_signals WHERE tenant_id = %s AND state = 'waiting')
     + (SELECT count(*) FROM received_hooks WHERE tenant_id = %s AND state = 'waiting')
"""
HOOKS_LEFT = "SELECT count(*) FROM received_hooks WHERE tenant_id = ANY(%s) AND state = 'waiting'"
SOLD = """
SELECT coalesce(sum(i.quantity), 0), count(*) - count(DISTINCT coalesce(o.cart_id, o.id))
  FROM orders o JOIN order_lines i ON i.tenant_id = o.tenant_id AND i.order_id = o.id
 WHERE o.tenant_id = %s AND o.state <> 'cancelled'
"""
LEFT = "SELECT left_count FROM item_stock WHERE tenant_id = %s"
IN_SLOTS = """
SELECT o.slot_at, count(*), (SELECT used FROM slot_loads l WHERE l.tenant_id = o.tenant_id
        AND l.site_id = o.site_id AND l.starts_at = o.slot_at AND l.station = '')
  FROM orders o WHERE o.tenant_id = %s AND o.state <> 'cancelled' GROUP BY 1, o.tenant_id, o.site_id
"""
TIME_PASSES = (
    "UPDATE orders SET due_at = due_at - %s, fires_at = fires_at - %s WHERE tenant_id = %s",
    "UPDATE lanes SET due_at = due_at - %s WHERE kind LIKE 'order_firing%%' AND tenant_id = %s",
)
FIRED = """
SELECT extract(epoch FROM c.at - o.fires_at) FROM order_changes c
  JOIN orders o ON o.tenant_id = c.tenant_id AND o.id = c.order_id
 WHERE c.tenant_id = %s AND c.state = 'sent_to_kitchen' AND c.what = 'moved'
"""
ANNOUNCED = """
SELECT body ->> 'order_id', count(*) FROM events
 WHERE tenant_id = %s AND type = 'restaurant.order_created' GROUP BY 1
"""


def tab_paid(stage: Stage) -> Outcome:
    """Three guests of each table pay at the same time. The web process dies before it has stored a
    reserved share, and again after it has stored one; a worker dies before it commits a payment."""
    tables = _open_tables(stage)
    tenant_id = tables[0].bistro.business.tenant_id
    began = time.monotonic()
    stage.end(WEB, seconds=STOP_SECONDS)
    stage.next_faults[WEB] = "share_stored:3"
    stage.start(WEB, "share_reserved:5")
    stage.wait_until_ready()
    stage.workers("payment_settled:6")
    with ThreadPoolExecutor(TABLES * GUESTS) as phones:
        paying = [
            phones.submit(_pay, stage, token, number % GUESTS)
            for number, token in enumerate(one for table in tables for one in _tokens(table))
        ]
        _until(lambda: _died(stage, WEB, 2), 120)
        taps = [one.result() for one in paying]
    _until(lambda: stage.ask(PAYMENTS_LEFT, tenant_id, tenant_id)[0][0] == 0, 60)
    outcome = Outcome(accepted=len(tables), seconds=time.monotonic() - began)
    money = [_bill_and_provider(table) for table in tables]
    events = dict(stage.ask(SETTLED_EVENTS, tenant_id))
    outcome.terminal = sum(table.bill().tab.state == "settled" for table in tables)
    outcome.doubled = sum(count > 1 for count in events.values())
    outcome.lost = sum(charged != accounted for charged, accounted in money)
    dead = [death.name for death in stage.deaths]
    outcome.note = (
        f"web killed {dead.count(WEB)} times, workers {len(dead) - dead.count(WEB)} times;"
        f" {sum(taps)} taps by {len(taps)} guests; charged {sum(one for one, _ in money):.2f}"
    )
    outcome.expect(dead.count(WEB) >= 2, "the web process was not killed twice")
    outcome.expect(len(dead) > dead.count(WEB), "no worker was killed")
    outcome.expect(outcome.terminal == TABLES, "a table is not settled")
    outcome.expect(events == {table.tab_id: 1 for table in tables}, f"settled events: {events}")
    outcome.expect(not outcome.lost, f"charged and accounted differ: {money}")
    return outcome


def _open_tables(stage: Stage) -> list[Seating]:
    business = make_business("Lokanta Hesap")
    bistro = open_bistro(business, payment_methods=["pos_at_table", "cash", "card_link"])
    with business.scope():
        account = payment_accounts.add(payment_accounts.AccountSettings("simulated", "Paper money"))
        credentials = payment_accounts.credentials(account, stage.settings)
    checked, error = payment_accounts.check_credentials("simulated", credentials)
    if checked is None:
        raise RuntimeError(error)
    with business.scope():
        payment_accounts.record_check(account.id, checked, "")
    tables = [Seating(bistro, account.id) for _ in range(TABLES)]
    for table in tables:
        table.sits_down()
        table.orders(("Hamburger", 2), ("Ayran", 1), ("Menemen", 1))
    return tables


def _tokens(table: Seating) -> list[str]:
    found = []
    with table.scope():
        site, place = table.bistro.site(), table.table()
        tab = sessions.get(table.tab_id)
        for _ in range(GUESTS):
            guest = tab_guests.seat(site, place, test=False, name="", unnamed="Guest {number}")
            guest.state = tab_guests.JOINED
            found.append(addresses.bill_url(tab, guest.id).rpartition("/")[2])
    return found


def _pay(stage: Stage, token: str, number: int) -> int:
    """A guest pays an equal share, and then what is still open, until the bill is settled. A tap
    without an answer is repeated. Returns the number of taps."""
    taps, wanted = 0, {"kind": "equal", "people": GUESTS}
    end = time.monotonic() + PAID_SECONDS
    while time.monotonic() < end:
        state = _call(stage, f"/tab/{token}/state")
        if not state or state["state"] != "open":
            if state:
                return taps
            time.sleep(0.5)
            continue
        if state["share"] is None:
            taps += 1
            _call(stage, f"/tab/{token}/pay", wanted)
        elif url := state["share"]["url"]:
            with suppress(HTTPError, URLError, ConnectionError):
                urlopen(Request(url, data=b"act=pay"), timeout=10).close()
            wanted = {"kind": "all"} if number == GUESTS - 1 else wanted
        time.sleep(0.5)
    return taps


def _call(stage: Stage, path: str, body: Any = None) -> Any:
    """None if the process died or refused."""
    raw = None if body is None else json.dumps(body).encode()
    request = Request(f"{stage.url}{path}", raw, {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=20) as answer:
            return json.load(answer)
    except (OSError, http.client.HTTPException, ValueError):
        return None


def _bill_and_provider(table: Seating) -> tuple[Decimal, Decimal]:
    """What the provider charged, and what the bill and the refund review have of it."""
    with table.scope():
        bill = tab_bill.load_bill(sessions.get(table.tab_id))
        table.links = [share.link.id for share in bill.shares]
        urls = [share.link.url for share in bill.shares if share.link.url]
    test_tab_money.check(table)
    amounts = {share.link.url: share.link.amount for share in bill.shares}
    charged = sum((amounts[url] for url in urls if _is_charged(url)), Decimal(0))
    return charged, sum((one.amount for one in table.payments()), Decimal(0))


def _is_charged(url: str) -> bool:
    with urlopen(url, timeout=10) as page:
        return b'class="result good"' in page.read()


def parallel_carts(stage: Stage) -> Outcome:
    """200 guests send their carts while orders arrive through the API, once with a limited dish
    and once with a limited quarter of an hour. Web and workers are killed all the time."""
    crowd = Crowd(stage, businesses=2)
    few = _limited(stage, crowd, 0)
    with few.scope():
        stock.set_left(few.site(), few.items["Menemen"], STOCK)
    full = _limited(stage, crowd, 1, slot_orders=SLOT_ORDERS)
    work: list[Callable[[], None]] = []
    for number in range(CARTS):
        work += [_chat_order(crowd, few, number), _chat_order(crowd, full, number)]
        if number < API_ORDERS:
            work += [_api_order(crowd, few, number), _api_order(crowd, full, number)]
    began = time.monotonic()
    stopped = threading.Event()
    killer = threading.Thread(target=_kill, args=(stage, stopped), daemon=True)
    killer.start()
    with ThreadPoolExecutor(24) as guests:
        list(guests.map(lambda one: one(), work))
    idle = _until(lambda: stage.ask(HOOKS_LEFT, crowd.tenants)[0][0] == 0, 120)
    stopped.set()
    killer.join()
    sold, twice = stage.ask(SOLD, few.business.tenant_id)[0]
    left = stage.ask(LEFT, few.business.tenant_id)[0][0]
    slots = stage.ask(IN_SLOTS, full.business.tenant_id)
    in_slots, twice_there = stage.ask(SOLD, full.business.tenant_id)[0]
    outcome = Outcome(accepted=len(work), terminal=int(sold) + int(in_slots))
    outcome.doubled, outcome.seconds = int(twice + twice_there), time.monotonic() - began
    outcome.note = (
        f"{len(stage.deaths)} killed; sold {sold} of {STOCK}, {left} left;"
        f" {[count for _, count, _ in slots]} orders in quarters of {SLOT_ORDERS}"
    )
    outcome.expect(len(stage.deaths) >= KILLS - 2, "too few processes were killed")
    outcome.expect(idle, "messages are still waiting")
    outcome.expect((sold, left) == (STOCK, 0), f"{sold} sold and {left} left, of {STOCK}")
    outcome.expect(bool(slots), "no order was placed")
    for at, count, used in slots:
        outcome.expect(count == used, f"{count} orders at {at}, but {used} are counted")
        outcome.expect(count <= SLOT_ORDERS, f"{count} orders at {at}")
    outcome.expect(max(count for _, count, _ in slots) == SLOT_ORDERS, "no quarter became full")
    outcome.expect(outcome.doubled == 0, "a cart became two orders")
    return outcome


def _limited(stage: Stage, crowd: Crowd, number: int, **changes: Any) -> Bistro:
    bistro = open_bistro(
        crowd.businesses[number],
        order_types=["dine_in", "takeaway"],
        table_orders_per_hour=500,
        address_orders_per_hour=500,
        **changes,
    )
    with bistro.scope():
        line = add_simulated_line(
            "Orders", stage.url, stage.settings.simulator_secret, test=False, default=True
        )
        sites.change(bistro.site_id, {"line_id": line.id})
        bistro.line = line
    return bistro


def _chat_order(crowd: Crowd, bistro: Bistro, number: int) -> Callable[[], None]:
    cart = bistro.cart(
        RequestedItem(bistro.items["Menemen"], 1),
        table="",
        order_type="takeaway",
        payment_method="cash",
    )
    line: Line = bistro.line
    body = cloud_body(line, text_value(cart.text, phone=f"9053214{number:05d}"))
    post = (str(line.hook_token), signed(body, str(line.app_secret)), body)

    def send() -> None:
        """Like the network: repeated until it is accepted."""
        for _ in range(100):
            if crowd.post_hooks([post]) == [200]:
                return
            time.sleep(0.3)

    return send


def _api_order(crowd: Crowd, bistro: Bistro, number: int) -> Callable[[], None]:
    body = {
        "site_id": bistro.site_id,
        "order_type": "takeaway",
        "items": [{"item_id": bistro.items["Menemen"], "quantity": 1}],
        "customer": {"phone": f"+9053215{number:05d}", "name": "Ayşe Kaya"},
    }
    headers = {**bistro.business.bearer, "Idempotency-Key": f"order-{number}"}

    def send() -> None:
        """Like a careful client: repeated with the same key until there is an answer."""
        for _ in range(100):
            with suppress(OSError, http.client.HTTPException):
                status, _ = crowd.call("POST", "/api/v1/restaurant/orders", headers, body)
                if status in (201, 409, 422):
                    return
            time.sleep(0.3)

    return send


def _kill(stage: Stage, stopped: threading.Event) -> None:
    for _, name in zip(range(KILLS), cycle((*WORKERS, WEB)), strict=False):
        if stopped.wait(KILL_EVERY_SECONDS):
            return
        _kill_process(stage, name)


def _kill_process(stage: Stage, name: str) -> None:
    """The web server's own process waits for the one that serves requests and ends with it."""
    with suppress(psutil.NoSuchProcess, KeyError):
        process = psutil.Process(stage.processes[name].pid)
        for one in process.children(recursive=True) if name == WEB else [process]:
            one.kill()


def scheduled(stage: Stage) -> Outcome:
    """Orders for later. All workers die 20 minutes before the first is due in the kitchen, and
    again at that moment. The rows are moved, so that the minutes between take no time."""
    bistro = open_bistro(
        make_business("Lokanta Akşam"),
        order_types=["dine_in", "takeaway"],
        preparation_minutes=25,
        later_days=1,
    )
    tenant_id = bistro.business.tenant_id
    due_at = now() + BEFORE + timedelta(minutes=25, seconds=10)
    for number in range(LATER_ORDERS):
        with tenant_scope(tenant_id):
            request = OrderRequest(
                items=[RequestedItem(bistro.items["Menemen"], 1)],
                order_type="takeaway",
                payment_method="cash",
                source="api",
                due_at=due_at + timedelta(seconds=number),
            )
            placing.place_order(bistro.site(), request)
    began = time.monotonic()
    for name in WORKERS:
        _kill_process(stage, name)
    _until(lambda: len(stage.deaths) >= len(WORKERS), 20)
    stage.ask(TIME_PASSES[0], BEFORE, BEFORE, tenant_id)
    stage.ask(TIME_PASSES[1], BEFORE, tenant_id)
    fires_at = stage.ask("SELECT min(fires_at) FROM orders WHERE tenant_id = %s", tenant_id)[0][0]
    time.sleep(max(0.0, (fires_at - now()).total_seconds() + 1.0))
    for name in WORKERS:
        _kill_process(stage, name)
    _until(lambda: len(stage.ask(FIRED, tenant_id)) == LATER_ORDERS, LATE_SECONDS * 3)
    late = [float(one[0]) for one in stage.ask(FIRED, tenant_id)]
    announced = dict(stage.ask(ANNOUNCED, tenant_id))
    outcome = Outcome(accepted=LATER_ORDERS, terminal=len(late), lost=LATER_ORDERS - len(late))
    outcome.doubled = sum(count > 1 for count in announced.values())
    outcome.seconds = time.monotonic() - began
    outcome.note = (
        f"{len(stage.deaths)} killed; {min(late, default=0):.1f} to {max(late, default=0):.1f} s"
        " after their time"
    )
    outcome.expect(len(stage.deaths) >= 2 * len(WORKERS), "not every worker was killed twice")
    outcome.expect(len(late) == LATER_ORDERS, f"{outcome.lost} did not go to the kitchen")
    outcome.expect(all(0 <= one <= LATE_SECONDS for one in late), f"seconds late: {late}")
    outcome.expect(len(announced) == LATER_ORDERS and not outcome.doubled, "announced twice")
    return outcome


def _died(stage: Stage, name: str, times: int = 1) -> bool:
    return sum(death.name == name for death in stage.deaths) >= times


def _until(look: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while not (seen := look()) and time.monotonic() < end:
        time.sleep(0.1)
    return seen
