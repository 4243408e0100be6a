"""Turns an inbound message with a cart's code into an order, exactly once.

The order is made from the stored cart, never from the text of the message.
"""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from babel.dates import format_time
from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from core.values.reasons import encode_other, join_reasons
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.registry import is_written
from messaging.models import Line
from restaurant.chat import free_text, shared_locations
from restaurant.chat.free_text import ParsedOrder
from restaurant.chat.senders import Sender, read_sender
from restaurant.chat_texts import chat_languages, chat_text, opening_day
from restaurant.delivery import addresses
from restaurant.loyalty import redemption
from restaurant.loyalty.redemption import Redemption
from restaurant.menus import availability, publishing
from restaurant.menus.pricing import (
    ChosenOption,
    NotOnMenu,
    PricedItem,
    PricedMenu,
    calculate_totals,
)
from restaurant.models import Cart, Order, Site
from restaurant.orders import carts, hold_reasons, placing
from restaurant.orders import changes as order_changes
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.orders.cards.card import location_request_card
from restaurant.orders.hold_reasons import (
    FREE_TEXT,
    NEW_CUSTOMER,
    NO_LOCATION,
    NOT_SCANNED,
)
from restaurant.payments import payments
from restaurant.sites import sites
from tenants.plans.catalog import current_tenant_facts

HOUR = timedelta(hours=1)
# After these the same cart can never become an order: what was paid for it goes to the review.
FINAL_REFUSALS = frozenset({"expired", "changed", "sold_out", "closed"})


def may_be_order(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    return is_written(message.kind) and bool(
        carts.find_code(message.text) or free_text.looks_like_order(message.text)
    )


def create_order(line: Line, message: InboundMessage, message_id: str) -> Order | None:
    """Runs in the transaction that stored the message. None if no order was made."""
    code = carts.find_code(message.text)
    written = None if code else free_text.parse_order(line, message.text)
    if code is None and written is None:
        return None
    sender = read_sender(line, message)
    if sender is None or sender.blocked:
        return None
    if written is not None:
        return _order_from_free_text(written, line, sender, message_id)
    if code is None:
        return None
    cart = carts.get_by_code(code, lock=True)
    if cart is None:
        if places := sites.sites_of_line(line):  # on other lines such a text is not an order
            language = _language(message.text, sender, places[0])
            _reply(line, sender, language, "unknown_code")
        return None
    return order_from_cart(line, cart, sender, message.text, message_id)


def order_from_cart(
    line: Line, cart: Cart, sender: Sender, text: str, message_id: str, *, reason: str = ""
) -> Order | None:
    """Make the order of a stored cart, or tell the guest why it cannot be made.

    `text` is what the guest sent. A `reason` of hold_reasons.py is added to the note for staff.
    """
    site = _site(cart)
    refusal = _refusal(line, site, cart, sender)
    if refusal:
        key, values = refusal
        if key in FINAL_REFUSALS:
            payments.flag_missing_order(cart.code)
        _reply(line, sender, cart.language, key, **values)
        return None
    if site is None:
        return None
    return _place(site, line, cart, sender, text, message_id, reason)


def _place(
    site: Site, line: Line, cart: Cart, sender: Sender, text: str, message_id: str, reason: str
) -> Order:
    notes = _hold_reasons(site, cart, sender)
    needs_tap = bool(notes)
    if carts.was_edited(cart, text):
        notes.append(hold_reasons.message_edited(text[:500]))
    if reason:
        notes.append(reason)
    items = [_priced(row) for row in cart.lines]
    bought = redemption.redeem_for_cart(site, cart, items, sender.contact_id, use_up=not line.test)
    if bought.refusal is not None:
        notes += hold_reasons.coupon_refused(bought.refusal.why, bought.code)
    cart.used_at = now()
    open_order = None
    if cart.table_id and not needs_tap and cart.payment_method != "card_link":
        open_order = order_queries.open_order_at_table(
            site.id, cart.table_id, sender.contact_id, test=line.test
        )
    if open_order is not None:
        return _add_to_order(site, open_order, cart, items, bought, join_reasons(notes))
    order = placing.place_draft(
        site,
        order_lifecycle.OrderDraft(
            order_type=cart.order_type,
            payment_method=cart.payment_method,
            items=items,
            sums=bought.sums,
            total=bought.total,
            language=cart.language,
            source="chat",
            table_id=cart.table_id,
            table_number=cart.table_number,
            contact_id=sender.contact_id,
            customer_phone=sender.phone,
            customer_name=sender.name,
            notes=cart.notes,
            staff_note=join_reasons(notes),
            needs_confirmation=needs_tap,
            line_id=line.id,
            message_id=message_id,
            cart_id=cart.id,
            address=cart.address,
            test=line.test,
        ),
    )
    cart.order_id = order.id
    if bought.coupon is not None:
        bought.coupon.order_id = order.id
    coupon_text = _coupon_text(order, bought)
    if order.order_type == "delivery":
        order = shared_locations.attach_earlier_location(site, order)
    placed = NO_LOCATION in notes and order.version > 1
    if order.payment_method == "card_link":
        order = payments.attach_to_order(site, order, cart.code)
    if not placed and order.state == "awaiting_confirmation":
        _confirm_receipt(site, order, coupon_text, asks_location=NO_LOCATION in notes)
    elif not placed and order.state == "sent_to_kitchen" and order.paid_at is None:
        order_notifications.notify_customer(site, order, first=coupon_text)
    elif coupon_text:  # the customer has been told about the fee, or pays first
        order_notifications.send_to_customer(order, coupon_text)
    return order


def _add_to_order(
    site: Site, order: Order, cart: Cart, items: list[PricedItem], bought: Redemption, reason: str
) -> Order:
    """The guest has an open order at the table: the cart's items are added to it."""
    if bought.coupon is not None:
        bought.coupon.order_id = order.id
        db.session.flush()
    order = order_changes.add_items(site, order, items, reason=reason)
    cart.order_id = order.id
    added = order_notifications.customer_text(order, "added")
    order_notifications.send_order_card(
        site, order, _paragraphs(added, _coupon_text(order, bought))
    )
    return order


def _confirm_receipt(
    site: Site, order: Order, coupon_text: str = "", *, asks_location: bool = False
) -> None:
    """Tell the customer that the restaurant has the order, and ask for a missing location."""
    key = "share_location" if asks_location else "waits"
    text = _paragraphs(coupon_text, order_notifications.customer_text(order, key))
    if asks_location:
        order_notifications.send_to_customer(order, location_request_card(text))
    else:
        order_notifications.send_order_card(site, order, text)


def _coupon_text(order: Order, bought: Redemption) -> str:
    """Why the discount in the cart's text does not apply; empty if it does."""
    if bought.refusal is None:
        return ""
    because = chat_text(order.language, f"coupon_{bought.refusal.why}")
    return order_notifications.customer_text(
        order, "coupon_lost", because=because, code=bought.code
    )


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(text for text in texts if text)


def _order_from_free_text(
    written: ParsedOrder, line: Line, sender: Sender, message_id: str
) -> Order | None:
    """An order typed without a code always needs confirmation by the staff."""
    site = written.site
    if (
        sites.why_no_orders(site, now())
        or _orders_last_hour(site, sender) >= site.phone_orders_per_hour
    ):
        return None  # the message stays in the inbox
    order_type = "dine_in" if written.table else "takeaway"
    sums = calculate_totals(written.items, carts.pricing_terms(site, order_type, written.items))
    order = placing.place_draft(
        site,
        order_lifecycle.OrderDraft(
            order_type=order_type,
            payment_method="pos_at_table" if written.table else "cash",
            items=written.items,
            sums=sums.as_json(),
            total=sums.total,
            language=written.language,
            source="chat",
            table_id=written.table.id if written.table else None,
            table_number=written.table.number if written.table else "",
            contact_id=sender.contact_id,
            customer_phone=sender.phone,
            customer_name=sender.name,
            staff_note=join_reasons([FREE_TEXT, *map(encode_other, written.unread)]),
            needs_confirmation=True,
            line_id=line.id,
            message_id=message_id,
            test=line.test,
        ),
    )
    _confirm_receipt(site, order)
    return order


def _refusal(
    line: Line, site: Site | None, cart: Cart, sender: Sender
) -> tuple[str, dict[str, Any]] | None:
    """The key of the reply and its values; None if an order can be made."""
    moment = now()
    if cart.used_at is not None:
        made = db.session.get(Order, (current_tenant_id(), cart.order_id))
        return "already", {"order": made.number if made else ""}
    if site is None:
        return "unknown_code", {}
    site_line = sites.line_of(site)
    if site_line is None or site_line.id != line.id:
        return "other_place", {}
    if cart.expires_at <= moment:
        return "expired", {}
    why = "paused" if current_tenant_facts().suspended else sites.why_no_orders(site, moment)
    if why == "closed":
        return "closed", {"opens": opening_text(site, cart.language)}
    if why:
        return "paused_table" if cart.order_type == "dine_in" else "paused", {}
    if _orders_last_hour(site, sender) >= site.phone_orders_per_hour:
        return "too_many", {}
    return _unavailable(site, cart)


def _unavailable(site: Site, cart: Cart) -> tuple[str, dict[str, Any]] | None:
    """What has been sold out or removed from the menu since the cart was created."""
    version = publishing.published_version(cart.menu_id)
    if version is None or cart.menu_id != site.menu_id:
        return "changed", {}
    missing = availability.unavailable(site, version.content, now())
    priced_menu = PricedMenu(version.content)
    known = {option["id"] for group in version.content["groups"].values()
             for option in group["options"]}  # fmt: skip
    for row in cart.lines:
        try:
            priced_menu.item(row["item_id"])
        except NotOnMenu:
            return "changed", {}
        if row["item_id"] in missing:
            return "sold_out", {"name": row["said"]}
        for option in row["options"]:
            if option["id"] not in known:
                return "changed", {}
            if option["id"] in missing:
                return "sold_out", {"name": option["said"]}
    return None


def _hold_reasons(site: Site, cart: Cart, sender: Sender) -> list[str]:
    """Why the order needs confirmation; without a reason it goes to the kitchen at once."""
    why = []
    if cart.order_type == "dine_in" and not cart.seated:
        why.append(NOT_SCANNED)
    limit = site.newcomer_limit
    if limit is not None and cart.total > limit and not _ordered_before(sender):
        why.append(NEW_CUSTOMER)
    if addresses.is_zone_unknown(site, cart.order_type, cart.address):
        why.append(NO_LOCATION)
    return why


def _priced(row: dict[str, Any]) -> PricedItem:
    return PricedItem(
        item_id=row["item_id"],
        name=row["name"],
        said=row["said"],
        quantity=row["quantity"],
        unit_price=Decimal(row["unit_price"]),
        tax_percent=Decimal(row["tax"]),
        stations=tuple(row["stations"]),
        options=tuple(
            ChosenOption(one["id"], one["name"], one["said"], Decimal(one["price"]), one["removal"])
            for one in row["options"]
        ),
        note=row["note"],
        marks=tuple(row.get("marks", ())),
    )


def _language(text: str, sender: Sender, site: Site) -> str:
    """The language of the text we wrote for the diner, else the diner's, else the site's."""
    code = text.rpartition("#")[0].rpartition("\n")[2].strip()
    for language in (*site.languages, *sorted(chat_languages() - {*site.languages})):
        if code and code == f"{chat_text(language, 'code')}:":
            return language
    if sender.language.partition("-")[0] in chat_languages():
        return sender.language
    return site.languages[0]


def _site(cart: Cart) -> Site | None:
    try:
        return sites.get(cart.site_id)
    except NotFound:
        return None


def _orders_last_hour(site: Site, sender: Sender) -> int:
    query = select(func.count()).where(
        Order.tenant_id == current_tenant_id(),
        Order.contact_id == sender.contact_id,
        Order.site_id == site.id,
        Order.placed_at > now() - HOUR,
    )
    return db.session.scalar(query) or 0


def _ordered_before(sender: Sender) -> bool:
    query = select(Order.id).where(
        Order.tenant_id == current_tenant_id(),
        Order.contact_id == sender.contact_id,
        Order.state.in_(("served", "delivered", "closed")),
    )
    return db.session.scalars(query.limit(1)).first() is not None


def opening_text(site: Site, language: str) -> str:
    at = sites.next_opening(site)
    if at is None:
        return ""
    clock = format_time(at, "short", locale=language)
    return chat_text(language, "opens", day=opening_day(at, language), time=clock)


def _reply(line: Line, sender: Sender, language: str, key: str, **values: str) -> None:
    order_notifications.send_text(line, sender.address, chat_text(language, key, **values))
