"""Orders the staff takes: from the published menu, for a table or to take away."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import Invalid, invalid
from core.phone import BadPhone, check_phone
from core.texts import clean, one_line
from messaging import contacts
from restaurant import carts, editing, orders, publishing, tables, whereabouts
from restaurant.availability import missing_now
from restaurant.loyalty import redeeming
from restaurant.models import Order, Site
from restaurant.moves import ORDER_TYPES, PAYMENT_METHODS
from restaurant.pricing import ZERO, Line, Shelf, Wish, add_up, price_lines
from restaurant.whereabouts import Spot


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


def menu_of(site: Site) -> tuple[dict[str, Any], frozenset[str]]:
    """The published menu, and what of it cannot be had now."""
    version = publishing.published(site.menu_id or "")
    if version is None:
        raise Invalid("no_menu", "This restaurant has no published menu.")
    return version.content, missing_now(site, version.content)


def take(site: Site, taken: Taken) -> Order:
    """To the kitchen at once: whoever wrote it down stands at the table."""
    if taken.order_type not in ORDER_TYPES:
        raise invalid("order_type", "invalid_choice", "Choose what kind of order it is.")
    if taken.payment_method not in PAYMENT_METHODS or taken.payment_method == "card_link":
        raise invalid("payment_method", "invalid_choice", "Choose how it is paid.")
    table = None
    if taken.order_type == "dine_in":
        table = next((one for one in tables.listed(site.id) if one.id == taken.table_id), None)
        if table is None:
            raise invalid("table_id", "table_missing", "Choose the table.")
    elif taken.payment_method == "pos_at_table":
        raise invalid("payment_method", "invalid_choice", "Only guests at a table pay there.")
    if taken.payment_method == "card_at_door" and taken.order_type != "delivery":
        raise invalid("payment_method", "invalid_choice", "Only a delivery is paid at the door.")
    lines = _priced(site, taken.wishes)
    where = _where(site, taken, lines)
    phone = _phone(taken.phone)
    contact_id = contacts.find(phone) if phone else None
    terms = carts.terms_of(site, lines, delivery_fee=where.fee)
    coupon, discount = redeeming.apply(site, taken.coupon, lines, contact_id)
    terms = replace(terms, discount=discount)
    sums = add_up(lines, terms)
    order = orders.make(
        site,
        orders.Draft(
            order_type=taken.order_type,
            payment_method=taken.payment_method,
            lines=lines,
            sums=sums.as_json(),
            total=sums.total,
            language=site.languages[0],
            source="staff",
            table_id=table.id if table else None,
            table_number=table.number if table else "",
            waiter_id=taken.waiter_id,
            waiter=one_line(taken.waiter, 80),
            contact_id=contact_id,
            customer_phone=phone,
            customer_name=one_line(taken.name, 120),
            notes=clean(taken.notes)[: carts.LONGEST_NOTES],
            address=where.as_json(),
        ),
    )
    if coupon is not None:
        coupon.order_id = order.id
    return order


def add(site: Site, order: Order, wishes: Sequence[Wish]) -> Order:
    return editing.add(site, order, _priced(site, wishes))


def _where(site: Site, taken: Taken, lines: Sequence[Line]) -> Spot:
    """Who writes it down hears the address: the zone is theirs to say."""
    if taken.order_type != "delivery":
        return Spot()
    subtotal = sum((line.amount for line in lines), ZERO)
    return whereabouts.spot(site, taken.address, None, subtotal, zone_id=taken.zone_id)


def _priced(site: Site, wishes: Sequence[Wish]) -> list[Line]:
    content, missing = menu_of(site)
    if not wishes:
        raise Invalid("empty_order", "Choose at least one item.")
    return price_lines(Shelf(content, missing), wishes, site.languages[0])


def _phone(phone: str) -> str:
    digits = "".join(letter for letter in phone if letter.isdigit())
    if not digits:
        return ""
    try:
        return check_phone(digits)
    except BadPhone as error:
        raise invalid("phone", "invalid_phone", str(error)) from error
