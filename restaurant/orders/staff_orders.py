"""Orders that the staff take, from the published menu, for a table or as takeaway."""

from collections.abc import Sequence
from dataclasses import dataclass

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


def place_staff_order(site: Site, taken: StaffOrder) -> Order:
    """It goes to the kitchen at once: guests at a table do not pay online first."""
    if taken.payment_method == "card_link":
        raise invalid("payment_method", "invalid_choice", "Choose a payment method.")
    table = None
    if taken.order_type == "dine_in":
        table = next((one for one in tables.listed(site.id) if one.id == taken.table_id), None)
        if table is None:
            raise invalid("table_id", "table_missing", "Choose a table.")
    delivered = taken.order_type == "delivery"
    return placing.place_order(
        site,
        OrderRequest(
            items=taken.items,
            order_type=taken.order_type,
            payment_method=taken.payment_method,
            source="staff",
            table=table,
            address=taken.address if delivered else "",
            zone_id=taken.zone_id,
            phone=optional_phone(taken.phone),
            name=taken.name,
            notes=taken.notes,
            waiter_id=taken.waiter_id,
            waiter=taken.waiter,
            coupon=taken.coupon,
        ),
    )


def add_items(site: Site, order: Order, requested: Sequence[RequestedItem]) -> Order:
    return order_changes.add_items(site, order, placing.price_requested(site, requested))
