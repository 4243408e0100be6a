"""Past orders of the demo, written as rows instead of through a call for each state change.

There are hundreds with five changes each; one call per change took most of the demo's load time.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from core.clock import frozen, now
from core.db import current_tenant_id, db
from core.ids import new_id
from core.values.reasons import encode_other
from messaging.contacts import identities as contact_identities
from restaurant.couriers import trips as courier_trips
from restaurant.loyalty import ledger, programmes
from restaurant.models import (
    Courier,
    KitchenItem,
    LoyaltyEntry,
    Order,
    OrderChange,
    OrderItem,
    OrderNumberCounter,
    Site,
    Table,
    TillPayment,
    Trip,
    order_states,
)
from restaurant.orders import items as order_items
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import placing
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import courses as kitchen_courses
from restaurant.orders.kitchen import times as kitchen_times
from restaurant.orders.lifecycle import OrderDraft
from restaurant.payments import till
from restaurant.sites import hours, tables
from tenants.audit import current_actor
from webhooks.events import publish_webhook_event


class EarnedPoints(NamedTuple):
    order: Order
    at: datetime
    by: str


@dataclass
class PastOrders:
    """The past orders of one restaurant, in its tenant's transaction. `write` stores them.

    Actor and time are those set by the caller (`acting_as`, `frozen`).
    """

    site: Site
    made: list[Order] = field(default_factory=list)
    items: dict[str, list[OrderItem]] = field(default_factory=dict)
    changes: list[OrderChange] = field(default_factory=list)
    trips: dict[str, tuple[Trip, Courier]] = field(default_factory=dict)
    earned: dict[str, EarnedPoints] = field(default_factory=dict)
    taken: list[TillPayment] = field(default_factory=list)
    kitchen: list[KitchenItem] = field(default_factory=list)
    times: list[tuple[kitchen_times.Key, timedelta, int]] = field(default_factory=list)

    @cached_property
    def menu(self) -> tuple[dict[str, Any], frozenset[str]]:
        return placing.current_menu(self.site)

    @cached_property
    def hall(self) -> list[Table]:
        return tables.listed(self.site.id)

    @cached_property
    def days(self) -> dict[date, int]:
        """The last order number of each day."""
        query = select(OrderNumberCounter.business_day, OrderNumberCounter.last).where(
            OrderNumberCounter.tenant_id == current_tenant_id(),
            OrderNumberCounter.site_id == self.site.id,
        )
        return defaultdict(int, {row.business_day: row.last for row in db.session.execute(query)})

    def place(self, draft: OrderDraft) -> Order:
        """The order goes to the kitchen at once."""
        day = hours.business_day(self.site.day_starts, self.site.time_zone, now())
        self.days[day] += 1
        order = order_lifecycle.new_order(self.site, draft, day, self.days[day])
        order.version = 1
        self.made.append(order)
        self.items[order.id] = items = order_items.item_rows(order, draft.items)
        first = kitchen_courses.lowest_course(items)
        for item in items:
            item.fired_at = order.placed_at if item.course <= first else None
            item.fired_load = len(self.made) % 6
        self.note(order, "moved", reason=draft.staff_note)
        body = order_notifications.order_body(self.site, order, self.items[order.id])
        publish_webhook_event("restaurant.order_created", body)
        return order

    def set_state(self, order: Order, to: str, because: str = "") -> None:
        """Also works for an order that is already stored."""
        if order.id not in self.items:
            self.items[order.id] = order_queries.items_of(order.id)
        items = self.items[order.id]
        order.state, order.version, order.changed_at = to, order.version + 1, now()
        self._kitchen(order, items, to)
        if to in order_states.END_STATES or to == "delivered":
            order.ended_at = order.ended_at or now()
        self.note(order, "moved", because)
        if to == "cancelled":
            order_notifications.order_cancelled(self.site, order, items, because)
        else:
            order_notifications.status_changed(self.site, order, items)
        if order.id in self.trips:
            trip, courier = self.trips[order.id]
            if change := courier_trips.update_trip(order, trip):
                order_notifications.delivery_updated(self.site, order, items, change, trip, courier)
        if to in ledger.EARNING_STATES and order.paid_at is None and order.customer_phone:
            self.earned.setdefault(order.id, EarnedPoints(order, now(), current_actor().name))
        if to in ("closed", "delivered") and order.payment_method != "card_link":
            self._record_till_payment(order)

    def _kitchen(self, order: Order, items: list[OrderItem], to: str) -> None:
        """What the stations have started and finished, and the times that are learned from it."""
        if to == "preparing":
            for item in items[: max(1, len(items) - 1)]:
                if item.fired_at is not None:
                    self.kitchen += [_kitchen_item(order, item, one) for one in item.stations]
        elif to == "ready":
            rows = {(row.order_id, row.position, row.station): row for row in self.kitchen}
            for item in items:
                item.fired_at = item.fired_at or order.changed_at
                for station in item.stations:
                    row = rows.get((order.id, item.position, station))
                    if row is None:
                        row = _kitchen_item(order, item, station)
                        self.kitchen.append(row)
                    row.ready_at, row.ready_by, row.counted = now(), current_actor().name, True
                    taken = now() - item.fired_at
                    if taken > timedelta():
                        dishes = {item.item_id or "", kitchen_times.ALL_DISHES}
                        self.times += [((dish, station), taken, item.fired_load) for dish in dishes]

    def _record_till_payment(self, order: Order) -> None:
        if order.open_amount > 0:
            method = "cash" if order.payment_method == "cash" else "card"
            self.taken.append(till.new_payment(self.site, order, method, order.open_amount))

    def assign(self, order: Order, courier: Courier) -> None:
        trip = Trip(
            tenant_id=order.tenant_id,
            order_id=order.id,
            site_id=order.site_id,
            courier_id=courier.id,
            assigned_at=now(),
            told=True,
            problem="",
            problem_note="",
        )
        self.trips[order.id] = trip, courier
        self.note(order, "courier", courier.name)

    def note(self, order: Order, what: str, because: str = "", *, reason: str = "") -> None:
        self.changes.append(
            OrderChange(
                tenant_id=order.tenant_id,
                order_id=order.id,
                at=now(),
                what=what,
                state=order.state,
                by=current_actor().name,
                because=reason or encode_other(because),
            )
        )

    def write(self) -> None:
        db.session.add_all(self.made)
        db.session.flush()
        for order in self.made:
            db.session.add_all(self.items[order.id])
            order_lifecycle.publish_live_update(order)
        trips = (trip for trip, _ in self.trips.values())
        db.session.add_all([*self.changes, *self.taken, *trips])
        db.session.flush()
        db.session.add_all(self.kitchen)
        db.session.flush()
        if self.times:
            kitchen_times.store_times(self.site.id, self.times)
        if self.made:
            self._number()
        self._count_points()

    def _number(self) -> None:
        named = {"tenant_id": current_tenant_id(), "site_id": self.site.id}
        rows = [{**named, "business_day": day, "last": last} for day, last in self.days.items()]
        made = insert(OrderNumberCounter).values(rows)
        db.session.execute(
            made.on_conflict_do_update(
                index_elements=[
                    OrderNumberCounter.tenant_id,
                    OrderNumberCounter.site_id,
                    OrderNumberCounter.business_day,
                ],
                set_={"last": made.excluded.last},
            )
        )

    def _count_points(self) -> None:
        programme = programmes.of_site(self.site.id) if self.earned else None
        if programme is None or not programme.active:
            return
        guests: dict[str, list[LoyaltyEntry]] = defaultdict(list)
        for order, at, by in sorted(self.earned.values(), key=lambda one: one.at):
            guests[order.customer_phone].append(
                LoyaltyEntry(
                    id=_id_at(at),
                    tenant_id=order.tenant_id,
                    site_id=self.site.id,
                    amount=programmes.points_for(programme, _spent(order)),
                    kind="earned",
                    order_id=order.id,
                    step=1,
                    because=order.number,
                    by=by,
                    at=at,
                )
            )
        for phone, entries in guests.items():
            contact_id = contact_identities.find_contact(phone)
            if contact_id is None:
                continue
            for one in entries:
                one.contact_id = contact_id
            db.session.add_all(entries)
            for some in (entries[:1], entries[1:]):
                if some:
                    with frozen(some[-1].at):
                        total = sum(one.amount for one in some)
                        member = ledger.add_to_balance(self.site.id, contact_id, total, len(some))
            with frozen(entries[-1].at):
                ledger.give_automatic_rewards(self.site, programme, contact_id, member.balance)


def _kitchen_item(order: Order, item: OrderItem, station: str) -> KitchenItem:
    return KitchenItem(
        tenant_id=order.tenant_id,
        order_id=order.id,
        position=item.position,
        station=station,
        started_at=now(),
        started_by=current_actor().name,
    )


def _spent(order: Order) -> Decimal:
    sums = order.sums
    return Decimal(sums.get("subtotal", "0")) - Decimal(sums.get("discount", "0"))


def _id_at(moment: datetime) -> str:
    """An id at this time, because ledger entries are sorted by id."""
    with frozen(moment):
        return new_id("lpt")
