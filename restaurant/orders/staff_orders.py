"""Orders that the staff take, from the published menu, for a table or as takeaway."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from core.errors import invalid
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Order, Site
from restaurant.orders import changes as order_changes
from restaurant.orders import placing
from restaurant.orders.placing import OrderRequest
from restaurant.sites import tables
from restaurant.typed_phones import optional_phone


@dataclass(frozen=True)
class StaffOrder:
    """An order as a member of staff entered it."""

    items: Sequence[RequestedItem]
    order_type: str = "dine_in"
    payment_method: str = "pos_at_table"
    table_id: str = ""
    address: str = ""
    zone_id: str = ""
    phone: str = ""
    name: str = ""
    notes: str = ""
    waiter_id: str | None = None
    waiter: str = ""
    coupon: str = ""
    due_at: datetime | None = None
    """None: as soon as possible."""


def place_staff_order(site: Site, staff_order: StaffOrder) -> Order:
    """It goes to the kitchen at once or in time for `due_at`: nobody pays online first."""
    if staff_order.payment_method == "card_link":
        raise invalid("payment_method", "invalid_choice", "Choose a payment method.")
    table = None
    if staff_order.order_type == "dine_in":
        table = next(
            (one for one in tables.listed(site.id) if one.id == staff_order.table_id), None
        )
        if table is None:
            raise invalid("table_id", "table_missing", "Choose a table.")
    delivered = staff_order.order_type == "delivery"
    return placing.place_order(
        site,
        OrderRequest(
            items=staff_order.items,
            order_type=staff_order.order_type,
            payment_method=staff_order.payment_method,
            source="staff",
            table=table,
            address=staff_order.address if delivered else "",
            zone_id=staff_order.zone_id,
            phone=optional_phone(staff_order.phone),
            name=staff_order.name,
            notes=staff_order.notes,
            waiter_id=staff_order.waiter_id,
            waiter=staff_order.waiter,
            coupon=staff_order.coupon,
            due_at=staff_order.due_at,
        ),
    )


def add_items(site: Site, order: Order, requested: Sequence[RequestedItem]) -> Order:
    return order_changes.add_items(
        site, order, placing.price_requested(site, requested, order.order_type)
    )
