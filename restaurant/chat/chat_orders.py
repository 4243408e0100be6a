"""Turns an inbound message with a cart's code into an order, exactly once.

The order is made from the stored cart, never from the text of the message.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db, savepoint
from core.errors import NotFound
from core.values.reasons import encode_other, join_reasons
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.kinds.registry import is_written
from messaging.models import Line
from restaurant.chat import cart_refusals, chosen_times, free_text, shared_locations
from restaurant.chat.free_text import ParsedOrder
from restaurant.chat.senders import Sender, read_sender
from restaurant.chat_texts import chat_languages, chat_text
from restaurant.delivery import addresses
from restaurant.loyalty import redemption
from restaurant.loyalty.redemption import Redemption
from restaurant.menus.pricing import (
    ChosenOption,
    NotEnoughLeft,
    NotOnMenu,
    PricedItem,
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
from restaurant.orders.pace import guest_changes, times
from restaurant.orders.pace.capacity import SlotFull
from restaurant.payments import payments
from restaurant.sites import sites
from restaurant.tabs import rounds as tab_rounds

HOUR = timedelta(hours=1)
# After these the same cart can never become an order: what was paid for it goes to the review.
FINAL_REFUSALS = frozenset({"expired", "changed", "sold_out", "closed"})


def may_be_order(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    return is_written(message.kind) and bool(
        chosen_times.read_tap(message)
        or carts.find_code(message.text)
        or free_text.looks_like_order(message.text)
    )


def create_order(line: Line, message: InboundMessage, message_id: str) -> Order | None:
    """Runs in the transaction that stored the message. None if no order was made."""
    tap = chosen_times.read_tap(message)
    code = tap[0] if tap else carts.find_code(message.text)
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
    site = _site(cart)
    chosen = tap[1] if tap else site and chosen_times.typed_time(site, message.text)
    if chosen and cart.used_at is None:
        cart.due_at = chosen
    reasons = []
    if not chosen and carts.was_edited(cart, message.text):
        reasons = [hold_reasons.message_edited(message.text[:500])]
    return order_from_cart(line, cart, sender, message_id, reasons)


def order_from_cart(
    line: Line, cart: Cart, sender: Sender, message_id: str, reasons: Sequence[str] = ()
) -> Order | None:
    """Make the order of a stored cart, or tell the guest why it cannot be made.

    The `reasons`, of hold_reasons.py, are added to the note for staff.
    """
    site = _site(cart)
    refusal = cart_refusals.refusal_of(line, site, cart, sender)
    if refusal:
        key, values = refusal
        if key in FINAL_REFUSALS:
            payments.flag_missing_order(cart.code)
        _reply(line, sender, cart.language, key, **values)
        return None
    if site is None:
        return None
    return _place_or_offer_times(site, line, cart, sender, message_id, reasons)


def _place_or_offer_times(
    site: Site,
    line: Line,
    cart: Cart,
    sender: Sender,
    message_id: str,
    reasons: Sequence[str],
) -> Order | None:
    if not chosen_times.is_possible(site, cart):
        free = times.free_times(site, cart.order_type, most=times.OFFERED_WHEN_FULL)
        offer = chosen_times.offer_card(site, cart, "time_passed", free)
        order_notifications.send_card(line, sender.address, offer)
        return None
    try:
        with savepoint():
            return _place(site, line, cart, sender, message_id, reasons)
    except SlotFull as full:
        offer = chosen_times.offer_card(site, cart, "full", full.next_times)
        order_notifications.send_card(line, sender.address, offer)
    except (NotOnMenu, NotEnoughLeft) as error:  # another order took the last piece
        payments.flag_missing_order(cart.code)
        _reply(line, sender, cart.language, error.code, **_texts(error.values))
    return None


def _place(
    site: Site,
    line: Line,
    cart: Cart,
    sender: Sender,
    message_id: str,
    reasons: Sequence[str],
) -> Order:
    if cart.replaces_order_id is not None:
        return _replace_order(site, cart, sender)
    notes = _hold_reasons(site, cart, sender)
    needs_tap = bool(notes)
    notes += reasons
    items = [_priced(row) for row in cart.lines]
    bought = redemption.redeem_for_cart(site, cart, items, sender.contact_id, use_up=not line.test)
    if bought.refusal is not None:
        notes += hold_reasons.coupon_refused(bought.refusal.why, bought.code)
    cart.used_at = now()
    open_order = None
    at_once = cart.due_at is None and cart.payment_method != "card_link"
    if cart.table_id and not needs_tap and at_once:
        open_order = order_queries.open_order_at_table(
            site.id, cart.table_id, sender.contact_id, test=line.test
        )
    if open_order is not None:
        order = _add_to_order(site, open_order, cart, items, bought, join_reasons(notes))
        tab_rounds.record_round(cart, order)
        return order
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
            due_at=cart.due_at,
        ),
    )
    cart.order_id = order.id
    tab_rounds.record_round(cart, order)
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
    elif not placed and order.state in ("sent_to_kitchen", "scheduled") and order.paid_at is None:
        order_notifications.notify_customer(site, order, first=coupon_text)
    elif coupon_text:  # the customer has been told about the fee, or pays first
        order_notifications.send_to_customer(order, coupon_text)
    return order


def _replace_order(site: Site, cart: Cart, sender: Sender) -> Order:
    """The guest opened an order again and sent it with other items."""
    order = db.session.get_one(Order, (current_tenant_id(), cart.replaces_order_id))
    cart.used_at, cart.order_id = now(), order.id
    if order.contact_id == sender.contact_id and guest_changes.may_change(site, order):
        items = [_priced(row) for row in cart.lines]
        order = guest_changes.replace_items(
            site, order, items, due_at=cart.due_at, notes=cart.notes
        )
        order.cart_id = cart.id
        key = "changed_order"
    else:
        order = guest_changes.request(site, order, guest_changes.CHANGE, cart.text)
        key = "staff_asked"
    text = order_notifications.customer_text(order, key)
    order_notifications.send_order_card(site, order, text)
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
        site,
        order,
        _paragraphs(
            added, order_notifications.promise_text(site, order), _coupon_text(order, bought)
        ),
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
        or cart_refusals.orders_last_hour(site, sender) >= site.phone_orders_per_hour
    ):
        return None  # the message stays in the inbox
    order_type = "dine_in" if written.table else "takeaway"
    sums = calculate_totals(written.items, carts.pricing_terms(site, order_type, written.items))
    draft = order_lifecycle.OrderDraft(
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
    )
    try:
        with savepoint():
            order = placing.place_draft(site, draft)
    except (SlotFull, NotOnMenu, NotEnoughLeft):
        return None  # the staff answer the message
    _confirm_receipt(site, order)
    return order


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
            ChosenOption(
                one["id"],
                one["name"],
                one["said"],
                Decimal(one["price"]),
                one["removal"],
                one.get("item_id", ""),
            )
            for one in row["options"]
        ),
        note=row["note"],
        marks=tuple(row.get("marks", ())),
        regular_price=Decimal(row["regular_price"]) if row.get("regular_price") else None,
        offer=row.get("offer", ""),
        course=row.get("course", 0),
    )


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


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


def _ordered_before(sender: Sender) -> bool:
    query = select(Order.id).where(
        Order.tenant_id == current_tenant_id(),
        Order.contact_id == sender.contact_id,
        Order.state.in_(("served", "delivered", "closed")),
    )
    return db.session.scalars(query.limit(1)).first() is not None


def _reply(line: Line, sender: Sender, language: str, key: str, **values: str) -> None:
    order_notifications.send_text(line, sender.address, chat_text(language, key, **values))
