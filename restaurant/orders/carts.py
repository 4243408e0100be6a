"""Prices and stores a cart with a short code, and writes the text that the diner sends by chat."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import quote

from sqlalchemy import Select, delete, func, select
from sqlalchemy.exc import IntegrityError

from core.clock import now
from core.db import current_tenant_id, db, savepoint
from core.errors import Conflict, Invalid, RateLimited
from core.http.client_address import client_network
from core.ids import READABLE_ALPHABET, short_code
from core.security import server_keys
from core.security.server_keys import keyed_digest
from core.values.text import normalize_text, one_line
from messaging.models import Line
from restaurant.chat_texts import chat_text
from restaurant.delivery import addresses
from restaurant.delivery.addresses import DeliveryAddress
from restaurant.loyalty import coupons
from restaurant.menus import availability, publishing
from restaurant.menus.pricing import (
    ZERO,
    OrderTotals,
    PricedItem,
    PricingTerms,
    RequestedItem,
    calculate_totals,
    price_items,
)
from restaurant.models import Cart, Order, PaymentLink, Site, Table
from restaurant.orders import card_payments
from restaurant.orders import rules as order_rules
from restaurant.orders.cards.cart_text import cart_text
from restaurant.orders.pace import times
from restaurant.sites import sites, tables

CART_LIFETIME = timedelta(hours=2)
CODE_LENGTH = 8
LONGEST_NOTES = 500
HOUR = timedelta(hours=1)
SCANNED_CHARACTERS = (
    2000  # characters at each end of a message; our text has the code in its last line
)
_CODE = re.compile(
    rf"#\s{{0,3}}([{READABLE_ALPHABET}]{{4}})\s{{0,3}}[-–—]?\s{{0,3}}([{READABLE_ALPHABET}]{{4}})\b",
    re.IGNORECASE,
)
ABANDONED_RETENTION = timedelta(days=1)
VISITOR_KEYS = "visitors "


@dataclass(frozen=True)
class CartRequest:
    """What the diner's page posts: ids and quantities, never a price."""

    items: tuple[RequestedItem, ...]
    order_type: str
    payment_method: str
    table_number: str = ""
    table_token: str = ""
    notes: str = ""
    address: str = ""
    latitude: Any = None
    longitude: Any = None
    """The location of the diner's phone, if they shared it."""
    language: str = ""
    coupon: str = ""
    tip_percent: int = 0
    due_at: datetime | None = None
    """None: as soon as possible."""
    replaces: Order | None = None
    """The order that the diner changes. Its type, place and payment stay."""
    visitor: str = ""
    """The client's IP address; only a digest is stored."""


def create_cart(site: Site, cart_request: CartRequest) -> Cart:
    """Price and store a cart. Raises Invalid with a message for the diner and stores nothing."""
    return _store_with_code(site, *_price_cart(site, cart_request, counts=True))


def quote_cart(site: Site, cart_request: CartRequest) -> Cart:
    """Price a cart without storing it. Raises what `create_cart` raises, except its limits."""
    return _price_cart(site, cart_request, counts=False)[0]


def _price_cart(
    site: Site, cart_request: CartRequest, *, counts: bool
) -> tuple[Cart, list[PricedItem], OrderTotals]:
    """`counts`: the hourly limits of the restaurant apply."""
    moment = now()
    why = sites.why_no_orders(site, moment)
    if cart_request.due_at is not None and why in ("", "closed"):
        times.check_due(site, cart_request.order_type, cart_request.due_at)
    elif why:
        raise Conflict(why, chat_text(_language(site, cart_request.language), "paused"))
    if cart_request.replaces is not None:
        cart_request = _as_ordered(cart_request, cart_request.replaces)
    else:
        _check_order_type(site, cart_request)
    table, seated = _table(site, cart_request)
    visitor = _visitor(cart_request.visitor, moment)
    if counts:
        _check_hourly_limits(site, table if seated else None, visitor)
    version = publishing.published_version(site.menu_id or "")
    if version is None:
        raise Conflict("no_menu", "This restaurant has no menu yet.")
    language = _language(site, cart_request.language)
    priced_menu = availability.menu_at(
        site, version.content, cart_request.due_at or moment, cart_request.order_type
    )
    items = price_items(priced_menu, cart_request.items, language)
    times.check_room(site, cart_request.order_type, items, cart_request.due_at)
    where = _delivery_address(site, cart_request, items)
    fee = where.fee
    if cart_request.replaces is not None:
        fee = Decimal(cart_request.replaces.sums.get("delivery_fee", "0"))
    terms = pricing_terms(site, cart_request.order_type, items, cart_request.tip_percent, fee)
    coupon = ""
    if cart_request.coupon.strip():
        offer = coupons.offer_for_cart(site, cart_request.coupon, items)
        terms, coupon = replace(terms, discount=offer.discount), offer.coupon.code
    sums = calculate_totals(items, terms)
    cart = Cart(
        tenant_id=current_tenant_id(),
        site_id=site.id,
        order_type=cart_request.order_type,
        payment_method=cart_request.payment_method,
        table_id=table.id if table else None,
        table_number=table.number if table else "",
        seated=seated,
        language=language,
        menu_id=version.menu_id,
        menu_version=version.number,
        lines=[item_json(item) for item in items],
        sums=sums.as_json(),
        total=sums.total,
        notes=normalize_text(cart_request.notes)[:LONGEST_NOTES],
        address=where.as_json(),
        coupon=coupon,
        visitor=visitor,
        replaces_order_id=cart_request.replaces.id if cart_request.replaces else None,
        due_at=cart_request.due_at,
        made_at=moment,
        expires_at=moment + CART_LIFETIME,
    )
    return cart, items, sums


def pricing_terms(
    site: Site,
    order_type: str,
    items: Sequence[PricedItem],
    tip_percent: int = 0,
    delivery_fee: Decimal = ZERO,
) -> PricingTerms:
    tip = Decimal(0)
    if tip_percent and tip_percent in site.tip_percents:
        tip = sum((item.amount for item in items), Decimal(0)) * tip_percent / 100
    return PricingTerms(
        currency=site.currency,
        tax_included=site.tax_included,
        service_percent=site.service_for(order_type),
        delivery_fee=delivery_fee,
        tip=tip,
    )


def find_code(text: str) -> str | None:
    """The order code in a message, in upper case without separators; None if there is none."""
    if len(text) > 2 * SCANNED_CHARACTERS:
        text = f"{text[:SCANNED_CHARACTERS]}\n{text[-SCANNED_CHARACTERS:]}"
    found = _CODE.search(text)
    return (found[1] + found[2]).upper() if found else None


def clean_code(given: str) -> str:
    """A code from a URL, as it is stored."""
    return given.replace("-", "").replace("\0", "").upper()[:CODE_LENGTH]


def get_by_code(code: str, *, lock: bool = False) -> Cart | None:
    query = select(Cart).where(Cart.tenant_id == current_tenant_id(), Cart.code == code)
    return db.session.scalars(query.with_for_update() if lock else query).first()


def was_edited(cart: Cart, text: str) -> bool:
    """True if more than white space differs: chat apps trim and change white space."""
    return text.split() != cart.text.split()


def chat_link(phone: str, text: str) -> str:
    return f"https://wa.me/{phone}?text={quote(text, safe='')}"


def order_link(line: Line, text: str, base_url: str) -> str:
    """A link to the messaging app or, for a simulated line, to the simulated phone."""
    if line.network == "simulator":
        return f"{base_url}/phones/order/{line.id}?text={quote(text, safe='')}"
    return chat_link(line.phone, text)


def item_json(item: PricedItem) -> dict[str, Any]:
    return {
        "item_id": item.item_id,
        "name": item.name,
        "said": item.said,
        "quantity": item.quantity,
        "unit_price": str(item.unit_price),
        "tax": str(item.tax_percent),
        "stations": list(item.stations),
        "marks": list(item.marks),
        "regular_price": None if item.regular_price is None else str(item.regular_price),
        "offer": item.offer,
        "course": item.course,
        "options": [
            {
                "id": option.id,
                "name": option.name,
                "said": option.said,
                "price": str(option.price),
                "removal": option.removal,
                "item_id": option.item_id,
            }
            for option in item.options
        ],
        "note": item.note,
    }


def referenced_ids(cart: Cart) -> set[str]:
    """The ids of the items and options in the cart."""
    ids: set[str] = set()
    for item in cart.lines:
        ids.add(item["item_id"])
        ids |= {option["id"] for option in item["options"]}
    return ids


def _store_with_code(
    site: Site, cart: Cart, items: Sequence[PricedItem], sums: OrderTotals
) -> Cart:
    for _ in range(5):
        cart.code = short_code(CODE_LENGTH)
        cart.text = cart_text(site, cart, items, sums)
        try:
            with savepoint():
                db.session.add(cart)
                db.session.flush()
        except IntegrityError:
            db.session.expunge(cart)
            continue
        return cart
    raise RuntimeError("no free code in five tries")


def _delivery_address(
    site: Site, cart_request: CartRequest, items: Sequence[PricedItem]
) -> DeliveryAddress:
    if cart_request.replaces is not None:
        return DeliveryAddress(cart_request.replaces.address.get("text", ""))
    if cart_request.order_type != "delivery":
        return DeliveryAddress(one_line(cart_request.address, addresses.MAX_ADDRESS_LENGTH))
    subtotal = sum((item.amount for item in items), ZERO)
    place = addresses.parse_coordinates(cart_request.latitude, cart_request.longitude)
    return addresses.resolve_address(site, cart_request.address, place, subtotal)


def _as_ordered(cart_request: CartRequest, order: Order) -> CartRequest:
    return replace(
        cart_request,
        order_type=order.order_type,
        payment_method=order.payment_method,
        table_number=order.table_number,
        coupon="",
    )


def _check_order_type(site: Site, cart_request: CartRequest) -> None:
    if cart_request.order_type not in site.order_types:
        raise Invalid("order_type_closed", "This restaurant does not accept this type of order.")
    if cart_request.payment_method not in site.payment_methods:
        raise Invalid(
            "payment_method_closed", "This restaurant does not accept this payment method."
        )
    if cart_request.payment_method == "card_link" and not card_payments.accepts_cards(site):
        raise Invalid(
            "payment_method_closed", "This restaurant does not accept this payment method."
        )
    order_rules.check_combination(
        cart_request.order_type,
        cart_request.payment_method,
        has_table=bool(cart_request.table_number),
    )


def _table(site: Site, cart_request: CartRequest) -> tuple[Table | None, bool]:
    if cart_request.order_type != "dine_in":
        return None, False
    table = tables.find_by_code(site.id, cart_request.table_number, cart_request.table_token)
    if table is None:
        raise Invalid("unknown_table", "This table does not exist here.")
    return table, tables.token_matches(table, cart_request.table_token)


def _visitor(address: str, moment: datetime) -> str:
    """A digest for counting carts per network. Its key is only used today and is deleted two days
    later, so that nobody can find out the address afterwards."""
    if not address:
        return ""
    return keyed_digest(f"{VISITOR_KEYS}{moment:%Y-%m-%d}", client_network(address))[:32]


def delete_abandoned() -> int:
    """Delete carts that did not become an order, a day after they expire.

    They hold personal data: an address, notes and a location.
    """
    deleted = delete(Cart).where(
        Cart.tenant_id == current_tenant_id(),
        Cart.order_id.is_(None),
        Cart.expires_at < now() - ABANDONED_RETENTION,
        Cart.id.not_in(_being_paid()),
    )
    return len(db.session.execute(deleted.returning(Cart.id)).all())


def _being_paid() -> Select[str | None]:
    return select(PaymentLink.cart_id).where(
        PaymentLink.tenant_id == current_tenant_id(),
        PaymentLink.cart_id.is_not(None),
        PaymentLink.expires_at > now() - ABANDONED_RETENTION,
    )


def delete_visitor_keys() -> int:
    """Runs in a global transaction."""
    return server_keys.delete_old(VISITOR_KEYS, now() - 2 * ABANDONED_RETENTION)


def _check_hourly_limits(site: Site, table: Table | None, visitor: str) -> None:
    """Raises RateLimited if too many carts came from one table or one network within an hour.

    `table` is set only if the guest proved to sit there. Carts without the table's token count
    only against their network, so that strangers cannot use up the orders of a table.
    """
    since = now() - HOUR
    at_table = (Cart.table_id == table.id, Cart.seated.is_(True)) if table else ()
    from_address = (Cart.visitor == visitor,) if visitor else ()
    for limit, condition in (
        (site.table_orders_per_hour, at_table),
        (site.address_orders_per_hour, from_address),
    ):
        if not condition:
            continue
        query = select(func.count()).where(
            Cart.tenant_id == current_tenant_id(),
            Cart.site_id == site.id,
            Cart.made_at > since,
            *condition,
        )
        if (db.session.scalar(query) or 0) >= limit:
            raise RateLimited(
                "Too many orders were sent from here in a short time. Please ask the staff.",
                retry_after=600,
            )


def _language(site: Site, requested: str) -> str:
    return requested if requested in site.languages else site.languages[0]
