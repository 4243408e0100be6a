"""Placing an order: the rules for orders from every source.

Orders from carts, chat messages, the staff and the API all go through `check_combination` and
`place_draft`. The staff and API callers give items and quantities and use `place_order`, which
also prices them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from core.clock import now
from core.errors import invalid
from core.values.text import normalize_text, one_line
from messaging.contacts import identities as contact_identities
from restaurant.delivery import addresses
from restaurant.delivery.addresses import DeliveryAddress
from restaurant.loyalty import redemption
from restaurant.menus import publishing
from restaurant.menus.availability import menu_at, unavailable_now
from restaurant.menus.pricing import (
    ZERO,
    PricedItem,
    RequestedItem,
    calculate_totals,
    price_items,
)
from restaurant.models import Order, Site, Table
from restaurant.orders import card_payments, carts
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders.pace import times
from restaurant.orders.rules import check_combination


@dataclass(frozen=True)
class OrderRequest:
    """An order from the staff or an API caller: items and quantities, never a price."""

    items: Sequence[RequestedItem]
    order_type: str
    payment_method: str
    source: str
    table: Table | None = None
    address: str = ""
    latitude: Any = None
    longitude: Any = None
    zone_id: str = ""
    phone: str = ""
    """Validated digits, or empty."""
    name: str = ""
    notes: str = ""
    waiter_id: str | None = None
    waiter: str = ""
    coupon: str = ""
    test: bool = False
    due_at: datetime | None = None
    """None: as soon as possible."""


def place_order(site: Site, request: OrderRequest) -> Order:
    """Check, price and create the order. It goes to the kitchen unless it must be paid first."""
    check_combination(
        request.order_type, request.payment_method, has_table=request.table is not None
    )
    if request.payment_method == "card_link":
        _check_card_provider(site, test=request.test)
    items = price_requested(site, request.items, request.order_type, request.due_at)
    if request.due_at is not None:
        times.check_due(site, request.order_type, request.due_at, items)
    where = _delivery_address(site, request, items)
    contact_id = contact_identities.find_contact(request.phone) if request.phone else None
    coupon, discount = redemption.redeem_code(
        site, request.coupon, items, contact_id, use_up=not request.test
    )
    terms = carts.pricing_terms(site, request.order_type, items, delivery_fee=where.fee)
    terms = replace(terms, discount=discount)
    sums = calculate_totals(items, terms)
    order = place_draft(
        site,
        order_lifecycle.OrderDraft(
            order_type=request.order_type,
            payment_method=request.payment_method,
            items=items,
            sums=sums.as_json(),
            total=sums.total,
            language=site.languages[0],
            source=request.source,
            table_id=request.table.id if request.table else None,
            table_number=request.table.number if request.table else "",
            waiter_id=request.waiter_id,
            waiter=one_line(request.waiter, 80),
            contact_id=contact_id,
            customer_phone=request.phone,
            customer_name=one_line(request.name, 120),
            notes=normalize_text(request.notes)[: carts.LONGEST_NOTES],
            address=where.as_json(),
            test=request.test,
            due_at=request.due_at,
        ),
    )
    if coupon is not None:
        coupon.order_id = order.id
    return order


def place_draft(site: Site, draft: order_lifecycle.OrderDraft) -> Order:
    """Create an order that is already priced. Raises Invalid if it breaks a rule."""
    check_combination(draft.order_type, draft.payment_method, has_table=draft.table_id is not None)
    return order_lifecycle.create_order(site, draft)


def current_menu(site: Site) -> tuple[dict[str, Any], frozenset[str]]:
    """The published menu and the ids that are not available now. Raises Invalid without a menu."""
    version = publishing.published_version(site.menu_id or "")
    if version is None:
        raise invalid("site_id", "no_menu", "This restaurant has no published menu.")
    return version.content, unavailable_now(site, version.content)


def price_requested(
    site: Site,
    requested: Sequence[RequestedItem],
    order_type: str,
    due_at: datetime | None = None,
) -> list[PricedItem]:
    """The prices of the moment for which it is ordered."""
    content, _ = current_menu(site)
    if not requested:
        raise invalid("items", "empty_order", "Choose at least one item.")
    menu = menu_at(site, content, due_at or now(), order_type)
    return price_items(menu, requested, site.languages[0])


def _delivery_address(
    site: Site, request: OrderRequest, items: Sequence[PricedItem]
) -> DeliveryAddress:
    if request.order_type != "delivery":
        return DeliveryAddress(one_line(request.address, addresses.MAX_ADDRESS_LENGTH))
    subtotal = sum((item.amount for item in items), ZERO)
    place = addresses.parse_coordinates(request.latitude, request.longitude)
    return addresses.resolve_address(
        site, request.address, place, subtotal, zone_id=request.zone_id
    )


def _check_card_provider(site: Site, *, test: bool) -> None:
    if not card_payments.has_provider(site, test=test):
        raise invalid(
            "payment_method",
            "payment_method_closed",
            "This restaurant does not accept this payment method.",
        )
