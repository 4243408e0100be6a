"""Three weeks of a demo online shop: orders, parcels, carts, forms, and the messages about them."""

import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from core.clock import frozen, now
from core.db import current_tenant_id, db, tenant_scope
from core.ids import new_id
from deploy.demo.messaging.conversations import UNREACHABLE, demo_line, settle_after_a_second
from deploy.demo.messaging.receipts import PastReceipt, add_receipts
from deploy.demo.messaging.templates_and_hooks import add_templates
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations import runs as automation_runs
from messaging.automations import store_events
from messaging.automations.definitions import AutomationInput
from messaging.lines.drivers.base import SendAccepted, SendOutcome
from messaging.messages import claim as message_claim
from messaging.messages.claim import ClaimedMessage
from messaging.models import Connection
from tenants import accounts
from webhooks.inbound import hook_queue
from webhooks.inbound import reasons as hook_reasons
from webhooks.inbound.hook_queue import ClaimedHook
from webhooks.inbound.models import ReceivedHook

DAYS = 28
NOT_THERE = "345678"
CUSTOMERS = (
    ("Pau", "Ribas", "611 11 01 06", "ES"),
    ("Núria", "Camps", "622 33 44 55", "ES"),
    ("Lena", "Vogt", "01521 1110105", "DE"),
    ("Zeynep", "Arslan", "0532 111 01 01", "TR"),
    ("Marc", "Dubois", "06 12 34 56 78", "FR"),
    ("Elif", "Şahin", "0532 111 01 03", "TR"),
    ("Tom", "Baker", "07400 123456", "GB"),
    ("Iris", "Kok", "555-SHIP", "NL"),
)
GOODS = (
    ("Hand-thrown mug", "24.00"),
    ("Olive bowl, large", "58.00"),
    ("Tea glass set", "39.50"),
    ("Linen apron", "46.00"),
    ("Spoon rest", "12.00"),
)
TRADE = (
    ("Jordi", "Vila", "644 120 987"),
    ("Alba", "Prats", "633 909 101"),
    ("Ramón", "Ibáñez", "677 450 020"),
)
TEMPLATES: dict[str, dict[str, Any]] = {
    "order_confirmation": {
        "name": "order_confirmation",
        "language": "en",
        "parameters": ["{{customer.first_name|there}}", "{{order.number}}"],
    },
    "shipping_link": {
        "name": "shipping_update",
        "language": "en",
        "parameters": ["{{order.number}}", "{{tracking.url|our next message}}"],
    },
}
ASKED = (
    "Do you ship to the Canary Islands?",
    "Can I have the bowl in blue?",
    "Is the workshop open on Saturdays?",
)


@dataclass(frozen=True)
class StorePost:
    """A webhook from the store and its time; with `left`, an abandoned cart with a reminder."""

    at: datetime
    connection: Connection
    topic: str
    payload: dict[str, Any]
    left: bool = False
    soon_after: "StorePost | None" = None


def add_store_events(tenant_id: int) -> None:
    """Seeded: the same data every time."""
    dice = random.Random(20260202)  # noqa: S311 - a demo, not a secret
    beginning = now()
    opening = beginning - timedelta(days=DAYS)
    with frozen(opening), tenant_scope(tenant_id):
        shop = store_connections.add("shopify", "Web shop", country="ES")
        store_connections.set_secret(shop.id, "demo-signing-secret-of-the-shop")
        form = store_connections.add("form", "Contact form", country="ES")
        for recipe, name in (
            ("order_confirmation", "Order confirmation"),
            ("shipping_link", "Shipping notification"),
            ("order_cancelled", "Order cancellation"),
            ("abandoned_cart", "Abandoned cart"),
            ("form_reply", "Contact form reply"),
        ):
            automation_definitions.add(recipe, name)
        automation_definitions.add("owner_notice", "Tell Marta", "34611110100")
        trade = store_connections.add("woocommerce", "Wholesale shop", country="ES")
        add_templates(demo_line())
        _write_templates()
    posts: list[StorePost] = []
    number = 1040
    for days_ago in range(DAYS, 0, -1):
        morning = (beginning - timedelta(days=days_ago)).replace(hour=8, minute=10)
        for minutes in sorted(dice.sample(range(720), 1 + (days_ago % 4 == 0))):
            number += 1
            posts += _sale(shop, morning + timedelta(minutes=minutes), number, dice)
        if days_ago % 5 == 1:
            posts.append(_question(form, morning + timedelta(minutes=95), dice))
        if days_ago % 4 == 2:
            posts += _trade_order(trade, morning + timedelta(minutes=200), 300 + days_ago, dice)
    recent = beginning - timedelta(minutes=20)
    posts.append(
        StorePost(recent, shop, "checkouts/create", _checkout(number + 1, CUSTOMERS[1], dice))
    )
    with tenant_scope(tenant_id):
        receipts: list[PastReceipt] = []
        # References keep these in the session, so that they are not read again for each post.
        _known = (
            accounts.account(),
            store_connections.list_connections(),
            automation_definitions.list_automations(),
        )
        _misunderstood(form, opening + timedelta(hours=1))
        for post in sorted(posts, key=lambda one: one.at):
            if post.at <= beginning:
                receipts += _receipts_of(post, beginning)
        add_receipts(receipts)


def _sale(shop: Connection, at: datetime, number: int, dice: random.Random) -> list[StorePost]:
    """A cart, mostly followed by an order and a parcel; some are abandoned or cancelled."""
    cart, luck = _checkout(number, dice.choice(CUSTOMERS), dice), dice.random()
    if luck < 0.25:
        return [StorePost(at, shop, "checkouts/create", cart, left=True)]
    order = _order(number, cart)
    bought = StorePost(at + timedelta(minutes=4), shop, "orders/create", order)
    first = (
        StorePost(at, shop, "checkouts/create", cart, soon_after=bought) if luck < 0.4 else bought
    )
    if dice.random() < 0.08:
        return [first, StorePost(at + timedelta(hours=2), shop, "orders/cancelled", order)]
    return [
        first,
        StorePost(at + timedelta(hours=26), shop, "fulfillments/create", _parcel(number)),
    ]


def _write_templates() -> None:
    """Customers who did not write within a day get templates, so that some messages cost money."""
    for recipe, template in TEMPLATES.items():
        automation = next(
            one for one in automation_definitions.list_automations() if one.recipe == recipe
        )
        values = AutomationInput(
            name=automation.name,
            template=template,
            delay_minutes=automation.delay_minutes,
            conditions=automation.conditions,
        )
        automation_definitions.change(automation.id, values)


def _trade_order(
    trade: Connection, at: datetime, number: int, dice: random.Random
) -> list[StorePost]:
    """A wholesale order from a café or shop; it is shipped two days later."""
    first, last, phone = dice.choice(TRADE)
    name, price = dice.choice(GOODS)
    count = dice.choice((12, 24, 36))
    order = {
        "id": number,
        "number": f"W{number}",
        "status": "processing",
        "currency": "EUR",
        "total": f"{float(price) * count * 0.8:.2f}",
        "billing": {"first_name": first, "last_name": last, "phone": phone, "country": "ES"},
        "line_items": [{"name": name, "quantity": count}],
    }
    left = {
        **order,
        "status": "completed",
        "meta_data": [{"key": "_tracking_number", "value": f"TR{number}"}],
    }
    return [
        StorePost(at, trade, "order.created", order),
        StorePost(at + timedelta(hours=47), trade, "order.updated", left),
    ]


def _question(form: Connection, at: datetime, dice: random.Random) -> StorePost:
    first, last, phone, _ = dice.choice(CUSTOMERS[:2])
    order = {
        "form_name": "Contact",
        "name": f"{first} {last}",
        "phone": phone,
        "message": dice.choice(ASKED),
        "submission_id": new_id("x"),
    }
    return StorePost(at, form, "", order)


def _misunderstood(form: Connection, at: datetime) -> None:
    with frozen(at):
        post = _post(form, b"{not quite JSON", {"content_type": "application/json"})
        post.state, post.tries, post.due_at = "parked", 5, None
        post.error = hook_reasons.BODY_NOT_JSON


def _receipts_of(post: StorePost, until: datetime) -> list[PastReceipt]:
    """The receipts for the answers."""
    received = _receive(post)
    if post.soon_after is not None:
        received += _receive(post.soon_after)
    due = post.at + timedelta(minutes=61)
    if post.left and due < until:
        received += _answered(due)
    return received


def _receive(post: StorePost) -> list[PastReceipt]:
    body = json.dumps(post.payload, ensure_ascii=False).encode()
    facts = {"topic": post.topic} if post.topic else {"content_type": "application/json"}
    with frozen(post.at):
        row = _post(post.connection, body, facts)
        hook = ClaimedHook(row.id, row.kind, row.target, body, 0, facts)
        for one in store_events.parse_hook(hook).events:
            event = store_events.store_event(one, hook)
            if event is not None:
                automation_runs.start_runs(event)
        hook_queue.mark_done(hook)
    return _answered(post.at + timedelta(seconds=2))


def _post(connection: Connection, body: bytes, facts: dict[str, str]) -> ReceivedHook:
    post = ReceivedHook(
        tenant_id=current_tenant_id(),
        id=new_id("hook"),
        kind=connection.kind,
        target=connection.id,
        body=body,
        facts=facts,
        received_at=now(),
    )
    db.session.add(post)
    connection = store_connections.get(connection.id)
    connection.first_event_at = connection.first_event_at or now()
    connection.last_event_at = now()
    db.session.flush()
    return post


def _answered(at: datetime) -> list[PastReceipt]:
    """Run the automations that are due by then; their messages are delivered and read."""
    with frozen(at):
        run_ids = automation_runs.claim_runs(20)
        for run_id in run_ids:
            automation_runs.execute_run(run_id)
        return _sent(at) if run_ids else []


def _sent(at: datetime) -> list[PastReceipt]:
    answers = [(one, _answer(one)) for one in message_claim.claim_messages(20, 60.0, [])]
    settle_after_a_second(answers)
    return [
        PastReceipt(answer.network_id, state, at + timedelta(seconds=seconds))
        for _, answer in answers
        if isinstance(answer, SendAccepted)
        for seconds, state in ((2, "delivered"), (90, "read"))
    ]


def _answer(one: ClaimedMessage) -> SendOutcome:
    """A phone that is not on the network refuses every message."""
    there = not one.envelope.phone.endswith(NOT_THERE)
    return SendAccepted(f"wamid.shop{one.uuid[-12:]}") if there else UNREACHABLE


def _checkout(number: int, who: tuple[str, str, str, str], dice: random.Random) -> dict[str, Any]:
    first, last, phone, country = who
    bought = dice.sample(GOODS, 1 + dice.randrange(2))
    total = sum(float(price) for _, price in bought)
    return {
        "id": 900000 + number,
        "token": f"cart{number}",
        "currency": "EUR",
        "total_price": f"{total:.2f}",
        "abandoned_checkout_url": f"https://shop.example/carts/{number}",
        "customer": {
            "first_name": first,
            "last_name": last,
            "email": f"{first}.{last}@example.com".lower(),
        },
        "shipping_address": {"phone": phone, "country_code": country},
        "line_items": [{"title": name, "quantity": 1} for name, _ in bought],
    }


def _order(number: int, cart: dict[str, Any]) -> dict[str, Any]:
    return {
        **cart,
        "id": 700000 + number,
        "name": f"#{number}",
        "checkout_token": cart["token"],
        "financial_status": "paid",
        "order_status_url": f"https://shop.example/orders/{number}",
    }


def _parcel(number: int) -> dict[str, Any]:
    return {
        "id": 800000 + number,
        "order_id": 700000 + number,
        "name": f"#{number}.1",
        "tracking_company": "Correos",
        "tracking_number": f"PQ{number}ES",
        "tracking_url": f"https://parcels.example/PQ{number}ES",
    }
