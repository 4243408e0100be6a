"""Orders the staff takes: from the published menu, for a table or to take away."""

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
    """What a member of staff wrote down."""

    wishes: Sequence[RequestedItem]
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
    """To the kitchen at once: the staff is at the table, so nothing is paid online first."""
    if taken.payment_method == "card_link":
        raise invalid("payment_method", "invalid_choice", "Choose how it is paid.")
    table = None
    if taken.order_type == "dine_in":
        table = next((one for one in tables.listed(site.id) if one.id == taken.table_id), None)
        if table is None:
            raise invalid("table_id", "table_missing", "Choose the table.")
    delivered = taken.order_type == "delivery"
    return placing.place_order(
        site,
        OrderRequest(
            wishes=taken.wishes,
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


def add_items(site: Site, order: Order, wishes: Sequence[RequestedItem]) -> Order:
    return order_changes.add_items(site, order, placing.price_requested(site, wishes))
