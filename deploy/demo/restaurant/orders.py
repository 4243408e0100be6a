"""Weeks of past orders for the demo restaurants, and the open orders of this evening."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import select

from core.clock import frozen, now, zone
from core.db import db, tenant_scope
from deploy.demo.restaurant.past_orders import PastOrders
from deploy.demo.seeded_random import seeded_random
from restaurant.menus.pricing import (
    PricedItem,
    PricedMenu,
    RequestedItem,
    calculate_totals,
    price_items,
)
from restaurant.models import Order, OrderFeedback, Site, Table
from restaurant.orders import carts, waiter_calls
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders.hold_reasons import NOT_SCANNED
from restaurant.orders.pace.capacity import slot_of
from restaurant.sites import sites
from tenants.audit import Actor, acting_as

DAYS = 21
LARGEST = "MAV"
"""The prefix of the busier restaurant."""
GUESTS = (
    ("905321110101", "Zeynep Arslan"),
    ("905321110102", "Burak Çelik"),
    ("905321110103", "Elif Şahin"),
    ("905321110104", "Can Öztürk"),
    ("905321110105", "Deniz Aydın"),
    ("", ""),
)
WAITERS = ("Mehmet Demir", "Selin Kaya")
NOTES = ("", "", "", "", "Az acılı olsun", "Pencere kenarı lütfen", "Çocuk sandalyesi")
REASONS = ("Misafir vazgeçti", "Malzeme bitti")
ANSWERS = ("bad", "good", "good", "okay", "good")
NOW_OPEN = (  # minutes ago, current state
    (52, "served"),
    (34, "ready"),
    (23, "preparing"),
    (13, "preparing"),
    (8, "sent_to_kitchen"),
    (3, "sent_to_kitchen"),
)
UNSEEN_MINUTES = 6  # minutes ago: it waits for a tap


def add_orders(tenant_id: int) -> None:
    with tenant_scope(tenant_id):
        known = [site.id for site in sites.listed()]
    for site_id in known:
        _weeks(tenant_id, site_id)
        _this_evening(tenant_id, site_id)
        _feedback(tenant_id, site_id)


def _weeks(tenant_id: int, site_id: str) -> None:
    chance = seeded_random("weeks", tenant_id, site_id)
    today = now()
    with tenant_scope(tenant_id):
        past = PastOrders(sites.get(site_id))
        for back in range(DAYS, 0, -1):
            busy = 6 if (today - timedelta(days=back)).weekday() in (4, 5) else 3
            if past.site.prefix != LARGEST:
                busy //= 3
            for number in range(chance.randint(busy, busy + 3)):
                moment = _evening(past.site, today - timedelta(days=back), number, chance)
                with _guest(moment, chance) as guest:
                    order = past.place(_draft_order(past, chance, guest))
                ends = "cancelled" if chance.random() < 0.06 else "closed"
                advance_order(past, order, ends, moment, chance)
        past.write()


def _this_evening(tenant_id: int, site_id: str) -> None:
    chance = seeded_random("evening", tenant_id, site_id)
    with tenant_scope(tenant_id):
        past = PastOrders(sites.get(site_id))
        for minutes, state in NOW_OPEN:
            moment = now() - timedelta(minutes=minutes)
            with _guest(moment, chance) as guest:
                order = past.place(_draft_order(past, chance, guest))
            advance_order(past, order, state, moment, chance)
        past.write()
        with _guest(now() - timedelta(minutes=UNSEEN_MINUTES), chance) as guest:
            draft = replace(
                _draft_order(past, chance, guest), needs_confirmation=True, staff_note=NOT_SCANNED
            )
            order_lifecycle.create_order(past.site, draft)
        if past.site.later_days:
            _order_for_later(past, chance)
        if past.hall:
            waiter_calls.create_call(past.site, past.hall[-1], past.hall[-1].token, "bill")


def _feedback(tenant_id: int, site_id: str) -> None:
    """Answers of the last guests after their meal; one of them was not happy."""
    with tenant_scope(tenant_id):
        if not sites.get(site_id).feedback_minutes:
            return
        query = select(Order).where(
            Order.tenant_id == tenant_id,
            Order.site_id == site_id,
            Order.state == "closed",
            Order.source == "chat",
        )
        for order, answer in zip(
            db.session.scalars(query.order_by(Order.id.desc()).limit(len(ANSWERS))),
            ANSWERS,
            strict=False,
        ):
            asked = (order.ended_at or order.placed_at) + timedelta(hours=1)
            db.session.add(
                OrderFeedback(
                    tenant_id=tenant_id,
                    order_id=order.id,
                    site_id=site_id,
                    due_at=asked,
                    asked_at=asked,
                    answer=answer,
                    answered_at=asked + timedelta(minutes=4),
                )
            )


def _order_for_later(past: PastOrders, chance: random.Random) -> None:
    with _guest(now() - timedelta(minutes=25), chance) as guest:
        draft = replace(
            _draft_order(past, chance, guest),
            order_type="takeaway",
            payment_method="cash",
            table_id=None,
            table_number="",
            due_at=slot_of(now()) + timedelta(hours=3),
        )
        order_lifecycle.create_order(past.site, draft)


@contextmanager
def _guest(moment: datetime, chance: random.Random) -> Iterator[tuple[str, str]]:
    """The phone and name of a guest who orders by chat; empty for a guest served by staff."""
    phone, name = chance.choice(GUESTS)
    with frozen(moment), acting_as(Actor("person", "demo", name or WAITERS[0])):
        yield phone, name


def _evening(site: Site, day: datetime, number: int, chance: random.Random) -> datetime:
    local = day.astimezone(zone(site.time_zone))
    begins = local.replace(hour=12 if number % 3 == 0 else 19, minute=0, second=0, microsecond=0)
    return begins + timedelta(minutes=chance.randint(0, 170))


def _draft_order(
    past: PastOrders, chance: random.Random, guest: tuple[str, str]
) -> order_lifecycle.OrderDraft:
    """An order as the staff or a guest would place it. No messages are sent."""
    table: Table | None = None
    if past.hall and chance.random() < 0.85:
        table = chance.choice(past.hall)
    items = random_order_items(past, chance)
    order_type = "dine_in" if table else "takeaway"
    sums = calculate_totals(items, carts.pricing_terms(past.site, order_type, items))
    phone, name = guest
    return order_lifecycle.OrderDraft(
        order_type=order_type,
        payment_method=chance.choice(("pos_at_table", "cash")) if table else "cash",
        items=items,
        sums=sums.as_json(),
        total=sums.total,
        language=past.site.languages[0],
        source="chat" if phone else "staff",
        table_id=table.id if table else None,
        table_number=table.number if table else "",
        waiter=chance.choice(WAITERS) if table else "",
        customer_phone=phone,
        customer_name=name,
        notes=chance.choice(NOTES),
    )


def draft_card_order(
    past: PastOrders, chance: random.Random, phone: str, name: str
) -> order_lifecycle.OrderDraft:
    """A takeaway order that is paid online by card."""
    items = random_order_items(past, chance)
    sums = calculate_totals(items, carts.pricing_terms(past.site, "takeaway", items))
    return order_lifecycle.OrderDraft(
        order_type="takeaway",
        payment_method="card_link",
        items=items,
        sums=sums.as_json(),
        total=sums.total,
        language=past.site.languages[0],
        source="chat",
        customer_phone=phone,
        customer_name=name,
    )


def random_order_items(past: PastOrders, chance: random.Random) -> Sequence[PricedItem]:
    content, missing = past.menu
    items = [item for category in content["categories"] for item in category["items"]]
    chosen = []
    for item in chance.sample(items, k=min(len(items), chance.randint(1, 4))):
        if item["id"] in missing:
            continue
        options: list[str] = []
        for group_id in item["groups"]:
            group = content["groups"][group_id]
            had = [option["id"] for option in group["options"] if option["id"] not in missing]
            options += had[: group["least"]]
        chosen.append(RequestedItem(item["id"], chance.choice((1, 1, 2)), tuple(options)))
    if not chosen:
        return [PricedItem("", "Çay", "Çay", 2, Decimal(30), Decimal(10), ("bar",))]
    return price_items(PricedMenu(content, missing), chosen, past.site.languages[0])


def advance_order(
    past: PastOrders, order: Order, ends: str, moment: datetime, chance: random.Random
) -> None:
    """Move the order through its usual states, some minutes apart."""
    last = "served" if order.order_type == "dine_in" else "delivered"
    steps: tuple[str, ...] = ("preparing", "ready", last, "closed")
    if ends == "cancelled":
        steps = ("preparing",)
    elif ends == "sent_to_kitchen":
        steps = ()
    elif ends != "closed":
        final_state = last if ends == "served" else ends
        steps = steps[: steps.index(final_state) + 1]
    by = Actor("person", "demo", chance.choice(WAITERS))
    for step in steps:
        moment = min(moment + timedelta(minutes=chance.randint(4, 11)), now())
        with frozen(moment), acting_as(by):
            past.set_state(order, step)
    if ends == "cancelled":
        with frozen(moment), acting_as(by):
            past.set_state(order, "cancelled", chance.choice(REASONS))
