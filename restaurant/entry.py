"""Orders the staff takes: from the published menu, for a table or to take away."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.errors import invalid
from core.phone import BadPhone, read_phone
from restaurant import editing, placing, tables
from restaurant.models import Order, Site
from restaurant.placing import Asked
from restaurant.pricing import Wish
from tenants import accounts


@dataclass(frozen=True)
class Taken:
    """What a member of staff wrote down."""

    wishes: Sequence[Wish]
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


def take(site: Site, taken: Taken) -> Order:
    """To the kitchen at once: the staff is at the table, so nothing is paid online first."""
    if taken.payment_method == "card_link":
        raise invalid("payment_method", "invalid_choice", "Choose how it is paid.")
    table = None
    if taken.order_type == "dine_in":
        table = next((one for one in tables.listed(site.id) if one.id == taken.table_id), None)
        if table is None:
            raise invalid("table_id", "table_missing", "Choose the table.")
    delivered = taken.order_type == "delivery"
    return placing.take(
        site,
        Asked(
            wishes=taken.wishes,
            order_type=taken.order_type,
            payment_method=taken.payment_method,
            source="staff",
            table=table,
            address=taken.address if delivered else "",
            zone_id=taken.zone_id,
            phone=_phone(taken.phone),
            name=taken.name,
            notes=taken.notes,
            waiter_id=taken.waiter_id,
            waiter=taken.waiter,
            coupon=taken.coupon,
        ),
    )


def add(site: Site, order: Order, wishes: Sequence[Wish]) -> Order:
    return editing.add(site, order, placing.priced(site, wishes))


def _phone(phone: str) -> str:
    if not any(letter.isdigit() for letter in phone):
        return ""
    try:
        return read_phone(phone, accounts.home_country() or None)
    except BadPhone as error:
        raise invalid("phone", "invalid_phone", str(error)) from error
