"""Placing an order: the rules every order follows, whoever places it.

Diners' carts, chat messages, the staff and API callers all go through `check` and `make`. Staff
and API callers name items and quantities and use `take`, which also prices them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import invalid
from core.texts import clean, one_line
from messaging import contacts
from restaurant import carts, orders, payment_accounts, publishing, whereabouts
from restaurant.availability import missing_now
from restaurant.loyalty import redeeming
from restaurant.models import Order, Site, Table
from restaurant.order_rules import check
from restaurant.pricing import ZERO, Line, Shelf, Wish, add_up, price_lines
from restaurant.whereabouts import Spot


@dataclass(frozen=True)
class Asked:
    """An order as the staff or an API caller gives it: items and quantities, never a price."""

    wishes: Sequence[Wish]
    order_type: str
    payment_method: str
    source: str
    table: Table | None = None
    address: str = ""
    latitude: Any = None
    longitude: Any = None
    zone_id: str = ""
    phone: str = ""
    """Checked digits, or empty."""
    name: str = ""
    notes: str = ""
    waiter_id: str | None = None
    waiter: str = ""
    coupon: str = ""
    test: bool = False


def take(site: Site, asked: Asked) -> Order:
    """Check, price and make the order. It goes to the kitchen unless it has to be paid first."""
    check(asked.order_type, asked.payment_method, has_table=asked.table is not None)
    if asked.payment_method == "card_link":
        _check_card_provider(site, test=asked.test)
    lines = priced(site, asked.wishes)
    where = _where(site, asked, lines)
    contact_id = contacts.find(asked.phone) if asked.phone else None
    coupon, discount = redeeming.apply(site, asked.coupon, lines, contact_id, use_up=not asked.test)
    terms = carts.terms_of(site, asked.order_type, lines, delivery_fee=where.fee)
    terms = replace(terms, discount=discount)
    sums = add_up(lines, terms)
    order = make(
        site,
        orders.Draft(
            order_type=asked.order_type,
            payment_method=asked.payment_method,
            lines=lines,
            sums=sums.as_json(),
            total=sums.total,
            language=site.languages[0],
            source=asked.source,
            table_id=asked.table.id if asked.table else None,
            table_number=asked.table.number if asked.table else "",
            waiter_id=asked.waiter_id,
            waiter=one_line(asked.waiter, 80),
            contact_id=contact_id,
            customer_phone=asked.phone,
            customer_name=one_line(asked.name, 120),
            notes=clean(asked.notes)[: carts.LONGEST_NOTES],
            address=where.as_json(),
            test=asked.test,
        ),
    )
    if coupon is not None:
        coupon.order_id = order.id
    return order


def make(site: Site, draft: orders.Draft) -> Order:
    """Make an order that is priced already. Raises Invalid if it breaks a rule."""
    check(draft.order_type, draft.payment_method, has_table=draft.table_id is not None)
    return orders.make(site, draft)


def menu_of(site: Site) -> tuple[dict[str, Any], frozenset[str]]:
    """The published menu, and the ids that are not available now."""
    version = publishing.published(site.menu_id or "")
    if version is None:
        raise invalid("site_id", "no_menu", "This restaurant has no published menu.")
    return version.content, missing_now(site, version.content)


def priced(site: Site, wishes: Sequence[Wish]) -> list[Line]:
    content, missing = menu_of(site)
    if not wishes:
        raise invalid("items", "empty_order", "Choose at least one item.")
    return price_lines(Shelf(content, missing), wishes, site.languages[0])


def _where(site: Site, asked: Asked, lines: Sequence[Line]) -> Spot:
    if asked.order_type != "delivery":
        return Spot(one_line(asked.address, whereabouts.LONGEST))
    subtotal = sum((line.amount for line in lines), ZERO)
    place = whereabouts.given(asked.latitude, asked.longitude)
    return whereabouts.spot(site, asked.address, place, subtotal, zone_id=asked.zone_id)


def _check_card_provider(site: Site, *, test: bool) -> None:
    if payment_accounts.for_site(site.id, test=test) is None:
        raise invalid(
            "payment_method", "payment_method_closed", "This way to pay is not taken here."
        )
