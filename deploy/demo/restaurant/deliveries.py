"""Deliveries of the demo: zones and couriers, two weeks of past deliveries, and current ones."""

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal

from core.clock import frozen, now, zone
from core.db import tenant_scope
from core.values.geo import make_coordinates
from deploy.demo.restaurant.orders import GUESTS, WAITERS, random_order_items
from deploy.demo.restaurant.past_orders import PastOrders
from deploy.demo.seeded_random import seeded_random
from restaurant.couriers import couriers
from restaurant.delivery import addresses, polygons, zones
from restaurant.menus.pricing import calculate_totals
from restaurant.models import Courier, DeliveryZone, Order
from restaurant.orders import carts
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders.hold_reasons import NO_LOCATION
from restaurant.sites import sites
from tenants.audit import Actor, acting_as

DAYS = 9
Address = tuple[str, str, str]

HOMES: dict[str, tuple[str, str]] = {"MAV": ("41.0284", "28.9737"), "LIS": ("38.7103", "-9.1466")}
ZONES: dict[str, tuple[zones.ZoneSettings, ...]] = {
    "MAV": (
        zones.ZoneSettings("Beyoğlu", "radius", "0", "250", 1200),
        zones.ZoneSettings("Şişhane ve Karaköy", "radius", "35", "350", 2500),
        zones.ZoneSettings(
            "Beşiktaş sahili", "polygon", "50", "400", None,
            polygons.parse_corners(
                "41.0365, 28.9885\n41.0391, 29.0005\n41.0432, 29.0098\n41.0498, 29.0135\n"
                "41.0522, 29.0052\n41.0470, 28.9968\n41.0421, 28.9900"
            ),
        ),
        zones.ZoneSettings("Geniş çevre", "radius", "85", "600", 5000),
    ),
    "LIS": (
        zones.ZoneSettings("Bica e Chiado", "radius", "2.50", "15", 1000),
        zones.ZoneSettings("Lisboa", "radius", "4.90", "25", 3500),
    ),
}  # fmt: skip
COURIERS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "MAV": (
        ("Hakan Usta", "905321117001", "tr"),
        ("Emine Yol", "905321117002", "tr"),
        ("Yusuf Rahmani", "905321117003", "ar"),
    ),
    "LIS": (("Tiago Reis", "351912117001", "en"),),
}
ADDRESSES: dict[str, tuple[Address, ...]] = {
    "MAV": (
        ("Galip Dede Cd. 15, kat 3", "41.0267", "28.9741"),
        ("Lüleci Hendek Cd. 40, daire 5", "41.0259", "28.9779"),
        ("Sıraselviler Cd. 88", "41.0335", "28.9838"),
        ("Meclis-i Mebusan Cd. 71", "41.0297", "28.9893"),
        ("Barbaros Blv. 12, kat 2", "41.0447", "29.0072"),
        ("Cihangir, Akarsu Yk. 9", "41.0316", "28.9826"),
        ("Tersane Cd. 34", "41.0243", "28.9685"),
        ("Halaskargazi Cd. 120, daire 8", "41.0524", "28.9876"),
    ),
    "LIS": (
        ("Rua do Loreto 14, 2.º", "38.7107", "-9.1446"),
        ("Calçada do Combro 60", "38.7117", "-9.1494"),
        ("Rua de São Bento 101", "38.7136", "-9.1531"),
    ),
}
UNLOCATED_ADDRESS = "Yüksek Kaldırım Cd. 22, zil: Aydın"
NOW = (  # minutes ago, index of the address, index of the courier, state
    (41, 4, 0, "out_for_delivery"),
    (33, 0, 0, "out_for_delivery"),
    (28, 3, 1, "out_for_delivery"),
    (19, 2, 2, "ready"),
    (11, 7, None, "ready"),
    (6, 6, None, "preparing"),
)
UNANSWERED = 2  # index in NOW


def set_up_delivery() -> None:
    """Runs in the tenant's scope: the delivery zones and couriers of the demo restaurants."""
    for site in sites.listed():
        if site.prefix not in HOMES:
            continue
        latitude, longitude = HOMES[site.prefix]
        types = [*dict.fromkeys([*site.order_types, "delivery"])]
        methods = [*dict.fromkeys([*site.payment_methods, "cash", "card_at_door"])]
        sites.change(
            site.id,
            {
                "latitude": Decimal(latitude),
                "longitude": Decimal(longitude),
                "order_types": types,
                "payment_methods": methods,
            },
        )
        for outline in ZONES[site.prefix]:
            zones.add(site, outline)
        for name, phone, language in COURIERS[site.prefix]:
            couriers.add(site, name, phone, language)


def add_deliveries(tenant_id: int) -> None:
    with tenant_scope(tenant_id):
        known = [site.id for site in sites.listed() if site.prefix in HOMES]
    for site_id in known:
        _weeks(tenant_id, site_id)
        _now(tenant_id, site_id)


def _weeks(tenant_id: int, site_id: str) -> None:
    chance = seeded_random("road", tenant_id, site_id)
    with tenant_scope(tenant_id):
        past, around = PastOrders(sites.get(site_id)), zones.listed(site_id)
        riders = couriers.listed(site_id)
        for back in range(DAYS, 0, -1):
            for _ in range(chance.randint(1, 2)):
                local = (now() - timedelta(days=back)).astimezone(zone(past.site.time_zone))
                moment = local.replace(
                    hour=chance.choice((13, 19, 20)), minute=chance.randint(0, 59)
                )
                spot = chance.choice(ADDRESSES[past.site.prefix])
                with _guest(moment, chance) as guest:
                    order = past.place(_draft_delivery(past, spot, around, guest, chance))
                _add_trip(past, order, chance.choice(riders), "closed", moment, chance)
        past.write()


def _now(tenant_id: int, site_id: str) -> None:
    """Some are on their way, one cannot be handed over, two have no courier yet."""
    chance = seeded_random("now", tenant_id, site_id)
    with tenant_scope(tenant_id):
        past, around = PastOrders(sites.get(site_id)), zones.listed(site_id)
        spots, riders = ADDRESSES[past.site.prefix], couriers.listed(site_id)
        for number, (minutes, spot, rider, state) in enumerate(NOW):
            if spot >= len(spots):
                continue
            moment = now() - timedelta(minutes=minutes)
            with _guest(moment, chance) as guest:
                order = past.place(_draft_delivery(past, spots[spot], around, guest, chance))
            who = riders[rider % len(riders)] if rider is not None else None
            _add_trip(past, order, who, state, moment, chance)
            if number == UNANSWERED:
                trip, _ = past.trips[order.id]
                trip.problem, trip.problem_note = "no_answer", "Zil bozuk, telefon kapalı"
                trip.problem_at = now() - timedelta(minutes=3)
        past.write()
        if past.site.prefix == "MAV":
            with _guest(now() - timedelta(minutes=2), chance) as guest:
                draft = _draft_delivery(past, (UNLOCATED_ADDRESS, "", ""), around, guest, chance)
                order_lifecycle.create_order(past.site, draft)


@contextmanager
def _guest(moment: datetime, chance: random.Random) -> Iterator[tuple[str, str]]:
    phone, name = chance.choice(GUESTS[:-1])
    with frozen(moment), acting_as(Actor("person", "demo", name)):
        yield phone, name


def _draft_delivery(
    past: PastOrders,
    spot: Address,
    around: Sequence[DeliveryZone],
    guest: tuple[str, str],
    chance: random.Random,
) -> order_lifecycle.OrderDraft:
    text, latitude, longitude = spot
    where = make_coordinates(latitude, longitude) if latitude else None
    covering = zones.find_covering(past.site, where, around) if where else None
    items = random_order_items(past, chance)
    fee = covering.fee if covering else Decimal(0)
    sums = calculate_totals(
        items, carts.pricing_terms(past.site, "delivery", items, delivery_fee=fee)
    )
    phone, name = guest
    return order_lifecycle.OrderDraft(
        order_type="delivery",
        payment_method=chance.choice(("cash", "cash", "card_at_door")),
        items=items,
        sums=sums.as_json(),
        total=sums.total,
        language=past.site.languages[0],
        source="chat",
        customer_phone=phone,
        customer_name=name,
        address=addresses.address_with_location({"text": text}, where, covering),
        staff_note="" if where else NO_LOCATION,
        needs_confirmation=where is None,
    )


def _add_trip(
    past: PastOrders,
    order: Order,
    rider: Courier | None,
    ends: str,
    moment: datetime,
    chance: random.Random,
) -> None:
    """Writes the trip's rows directly; no message is sent to the courier."""
    steps: tuple[str, ...] = ("preparing", "ready", "out_for_delivery", "delivered", "closed")
    for step in steps[: steps.index(ends) + 1]:
        moment = min(moment + timedelta(minutes=chance.randint(4, 12)), now())
        by = rider.name if rider and step in steps[2:4] else chance.choice(WAITERS)
        with frozen(moment), acting_as(Actor("person", "demo", by)):
            if step == "ready" and rider is not None:
                past.assign(order, rider)
            past.set_state(order, step)
