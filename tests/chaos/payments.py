"""Payments: a cart's message, its success, a repeat and a cancellation, in every order.

Workers die while they claim, after the provider's answer and before the commit.
"""

import contextlib
import itertools
import json
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from core.db import tenant_scope
from core.errors import Conflict
from core.security.signing import webhook_headers
from restaurant.models import Cart
from restaurant.orders import carts
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import link_queries
from restaurant.payments import links as payment_links
from restaurant.sites import sites
from tests.chaos.outcomes import Outcome
from tests.chaos.stage import Stage
from tests.factories import make_business
from tests.restaurant.bistro import Bistro, open_bistro

STEPS = ("cart", "success", "again", "cancel")
FAULTS = ("payment_claimed:4", "payment_answered:4", "payment_settled:3", "payment_claimed:9")
QUIET_SECONDS = 90.0

WORK_LEFT = """
SELECT (SELECT count(*) FROM payment_signals WHERE tenant_id = %s AND state = 'waiting')
     + (SELECT count(*) FROM received_hooks WHERE tenant_id = %s AND state = 'waiting')
     + (SELECT count(*) FROM payment_links WHERE tenant_id = %s AND state = 'making')
"""
FIRED = """
SELECT order_id, count(*) FROM order_changes
 WHERE tenant_id = %s AND what = 'moved' AND state = 'sent_to_kitchen' GROUP BY order_id
"""
ANNOUNCED = """
SELECT body ->> 'order_id', count(*) FROM events
 WHERE tenant_id = %s AND type = 'restaurant.order_created' GROUP BY 1
"""
DOUBLED = """
SELECT reference FROM payments WHERE tenant_id = %s GROUP BY reference HAVING count(*) > 1
"""
UNPAID_BUT_FIRED = """
SELECT o.number FROM orders o
 WHERE o.tenant_id = %s
   AND EXISTS (SELECT 1 FROM order_changes c WHERE c.tenant_id = o.tenant_id
                AND c.order_id = o.id AND c.state = 'sent_to_kitchen')
   AND NOT EXISTS (SELECT 1 FROM payments p WHERE p.tenant_id = o.tenant_id
                    AND p.order_id = o.id)
"""


def all_orders(stage: Stage) -> Outcome:
    bistro, token, secret = _open(stage)
    tenant_id = bistro.business.tenant_id
    ways = list(itertools.permutations(STEPS))
    made = [_cart(bistro) for _ in ways]
    _quiet(stage, tenant_id)
    bills = {cart.code: _bill(bistro, cart.code) for cart in made}
    began = time.monotonic()
    for turn in range(len(STEPS)):
        stage.workers(FAULTS[turn])
        for number, (way, cart) in enumerate(zip(ways, made, strict=True)):
            _step(stage, bistro, way, turn, cart, bills[cart.code], (token, secret), number)
        _quiet(stage, tenant_id)
    took = time.monotonic() - began
    paid = sum(_is_paid(url) for url in bills.values())
    return _counted(stage, tenant_id, paid, took)


def _counted(stage: Stage, tenant_id: int, paid: int, took: float) -> Outcome:
    states = stage.ask(
        "SELECT state, why, count(*) FROM payments WHERE tenant_id = %s GROUP BY state, why",
        tenant_id,
    )
    fired = dict(stage.ask(FIRED, tenant_id))
    announced = dict(stage.ask(ANNOUNCED, tenant_id))
    reviewed = sum(count for state, _, count in states if state == "review")
    doubled = len(stage.ask(DOUBLED, tenant_id))
    outcome = Outcome(accepted=paid, terminal=reviewed, doubled=doubled, lost=paid - reviewed)
    outcome.seconds = took
    outcome.note = (
        f"{len(stage.deaths)} killed; {len(fired)} cooked before their cancel;"
        f" {sorted((why, count) for _, why, count in states)}"
    )
    outcome.expect(bool(stage.deaths), "nobody was killed")
    outcome.expect(paid > 0 and reviewed == paid, f"{paid} paid, but in the books: {states}")
    outcome.expect(not doubled, "money was counted twice")
    outcome.expect(all(count == 1 for count in fired.values()), "an order was paid twice")
    outcome.expect(all(count == 1 for count in announced.values()), "announced twice")
    outcome.expect(len(announced) == len(fired), "announced and fired differ")
    outcome.expect(not stage.ask(UNPAID_BUT_FIRED, tenant_id), "the kitchen knew before the money")
    return outcome


def _open(stage: Stage) -> tuple[Bistro, str, str]:
    business = make_business("Lokanta Kaos")
    bistro = open_bistro(business, payment_methods=["cash", "card_link"])
    with business.scope():
        sites.change(bistro.site_id, {"phone_orders_per_hour": 60})
        account = payment_accounts.add(payment_accounts.AccountSettings("simulated", "Paper money"))
        desk = payment_accounts.credentials(account, stage.settings)
        token, secret = account.token, str(account.hook_secret)
    checked, error = payment_accounts.check_credentials("simulated", desk)
    if checked is None:
        raise RuntimeError(error)
    with business.scope():
        payment_accounts.record_check(account.id, checked, "")
    return bistro, token, secret


def _cart(bistro: Bistro) -> Cart:
    cart = bistro.cart(order_type="takeaway", payment_method="card_link", table="")
    with bistro.scope():
        payment_links.create_for_cart(bistro.site(), cart, source="api")
    return cart


def _bill(bistro: Bistro, code: str) -> str:
    with bistro.scope():
        link = link_queries.by_reference(code)
        if link is None or not link.url:
            raise RuntimeError("a link was not made")
        return link.url


def _step(
    stage: Stage,
    bistro: Bistro,
    way: tuple[str, ...],
    turn: int,
    cart: Cart,
    url: str,
    door: tuple[str, str],
    number: int,
) -> None:
    step = way[turn]
    if step == "cart":
        bistro.orders_by_chat(cart.text, f"9053211155{number:02d}")
    elif step == "cancel":
        _cancel(bistro, cart.code)
    elif min(way.index("success"), way.index("again")) == turn:
        _press(url)
    else:
        _repeat(stage, url, cart, door)


def _press(url: str) -> None:
    """Pay on the card page. A page that the provider has closed charges nothing."""
    with contextlib.suppress(HTTPError):
        urlopen(Request(url, data=b"act=pay"), timeout=10).close()


def _is_paid(url: str) -> bool:
    with urlopen(url, timeout=10) as page:
        return b'class="result good"' in page.read()


def _repeat(stage: Stage, url: str, cart: Cart, door: tuple[str, str]) -> None:
    token, secret = door
    link = {"id": url.rpartition("/")[2], "reference": cart.code, "currency": "TRY"}
    body = {"id": f"evt_again_{cart.code}", "type": "payment.succeeded", "link": link}
    raw = json.dumps({**body, "account": ""}).encode()
    headers = {**webhook_headers(secret, "evt", raw), "Content-Type": "application/json"}
    urlopen(Request(f"{stage.url}/hooks/simulated/{token}", raw, headers), timeout=10).close()


def _cancel(bistro: Bistro, code: str) -> None:
    """Cancel the order, or the link if there is none. Retried if its state changed meanwhile."""
    for _ in range(20):
        try:
            with tenant_scope(bistro.business.tenant_id):
                cart = carts.get_by_code(code)
                if cart is not None and cart.order_id:
                    order_lifecycle.cancel(
                        bistro.site(), order_queries.get(cart.order_id), "changed their mind"
                    )
                else:
                    link = link_queries.by_reference(code)
                    if link is not None:
                        payment_links.cancel(link)
            return
        except Conflict:
            time.sleep(0.05)
    raise RuntimeError("an order could not be cancelled")


def _quiet(stage: Stage, tenant_id: int) -> None:
    end = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < end:
        if stage.ask(WORK_LEFT, tenant_id, tenant_id, tenant_id)[0][0] == 0:
            return
        time.sleep(0.2)
