"""From text to order: an inbound message with a cart's code becomes an order, once.

The order is made from the stored cart, never from what the text says.
"""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from babel.dates import format_time
from sqlalchemy import func, select

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import NotFound
from messaging import contacts
from messaging.lines import InboundMessage
from messaging.models import Contact, Line
from restaurant import (
    availability,
    carts,
    editing,
    finding,
    handwriting,
    locating,
    orders,
    payments,
    placing,
    publishing,
    sites,
    telling,
    whereabouts,
)
from restaurant.handwriting import Written
from restaurant.loyalty import redeeming
from restaurant.loyalty.redeeming import Redeemed
from restaurant.models import Cart, Order, Site
from restaurant.pricing import Chosen, NotOnMenu, Shelf, add_up
from restaurant.pricing import Line as PricedLine
from restaurant.reasons import BY_HAND, NEWCOMER, NO_PLACE, NOT_SCANNED
from restaurant.wording import opening_day, say, spoken
from tenants.plans import known_facts

HOUR = timedelta(hours=1)
KINDS = frozenset({"text", "button"})
# After these the same cart can never become an order: what was paid for it goes to the review.
FINAL = frozenset({"expired", "changed", "sold_out", "closed"})


@dataclass(frozen=True)
class Sender:
    contact_id: str
    phone: str
    name: str
    language: str
    blocked: bool


def may_be_order(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    return message.kind in KINDS and bool(
        carts.code_in(message.text) or handwriting.looks_like_lines(message.text)
    )


def order_from(line: Line, message: InboundMessage, message_id: str) -> Order | None:
    """In the transaction that stored the message. None: it was not an order, or could not be."""
    code = carts.code_in(message.text)
    written = None if code else handwriting.read(line, message.text)
    if code is None and written is None:
        return None
    sender = _sender(message)
    if sender is None or sender.blocked:
        return None
    if written is not None:
        return _by_hand(written, line, sender, message_id)
    if code is None:
        return None
    cart = carts.find(code, lock=True)
    if cart is None:
        if places := sites.of_line(line):  # elsewhere such a text is no order at all
            language = _language(message.text, sender, places[0])
            _answer(line, sender, language, "unknown_code")
        return None
    site = _site(cart)
    refusal = _refusal(line, site, cart, sender)
    if refusal:
        key, values = refusal
        if key in FINAL:
            payments.no_order_came(cart.code)
        _answer(line, sender, cart.language, key, **values)
        return None
    if site is None:
        return None
    return _order(site, line, cart, sender, message, message_id)


def _order(
    site: Site, line: Line, cart: Cart, sender: Sender, message: InboundMessage, message_id: str
) -> Order:
    notes = _why_a_tap(site, cart, sender)
    needs_tap = bool(notes)
    if carts.was_edited(cart, message.text):
        notes.append("The message was changed before it was sent: " + message.text[:500])
    lines = [_priced(row) for row in cart.lines]
    bought = redeeming.redeem(site, cart, lines, sender.contact_id, use_up=not line.test)
    if bought.refusal is not None:
        notes += [redeeming.LOST[bought.refusal.why], bought.code]
    cart.used_at = now()
    open_order = None
    if cart.table_id and not needs_tap and cart.payment_method != "card_link":
        open_order = finding.open_order_at(
            site.id, cart.table_id, sender.contact_id, test=line.test
        )
    if open_order is not None:
        if bought.coupon is not None:
            bought.coupon.order_id = open_order.id
            db.session.flush()
        order = editing.add(site, open_order, lines, because="; ".join(notes))
        cart.order_id = order.id
        telling.write_to(order, telling.line_words(order, "added"))
        _tell_of_coupon(order, bought)
        return order
    order = placing.make(
        site,
        orders.Draft(
            order_type=cart.order_type,
            payment_method=cart.payment_method,
            lines=lines,
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
            staff_note="\n".join(notes),
            needs_tap=needs_tap,
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
    _tell_of_coupon(order, bought)
    if order.order_type == "delivery":
        order = locating.shared_before(site, order)
    placed = NO_PLACE in notes and order.version > 1
    if order.payment_method == "card_link":
        order = payments.attach(site, order, cart.code)
    if placed:
        return order  # the place was known, and the customer told what it means
    if order.state == "awaiting_confirmation":
        key = "share_location" if NO_PLACE in notes else "waits"
        telling.write_to(order, telling.line_words(order, key))
    elif order.state == "sent_to_kitchen" and order.paid_at is None:
        telling.tell_customer(site, order)
    return order


def _tell_of_coupon(order: Order, bought: Redeemed) -> None:
    """What the cart's text promised is not kept: both sides hear why."""
    if bought.refusal is not None:
        because = say(order.language, f"coupon_{bought.refusal.why}")
        text = telling.line_words(order, "coupon_lost", because=because, code=bought.code)
        telling.write_to(order, text)


def _by_hand(written: Written, line: Line, sender: Sender, message_id: str) -> Order | None:
    """A text in the form of an order, without a code: somebody looks at it first."""
    site = written.site
    if sites.takes_orders(site, now()) or _orders_of(site, sender) >= site.phone_orders_per_hour:
        return None  # it stays in the inbox, where a person reads it
    order_type = "dine_in" if written.table else "takeaway"
    sums = add_up(written.lines, carts.terms_of(site, order_type, written.lines))
    order = placing.make(
        site,
        orders.Draft(
            order_type=order_type,
            payment_method="pos_at_table" if written.table else "cash",
            lines=written.lines,
            sums=sums.as_json(),
            total=sums.total,
            language=written.language,
            source="chat",
            table_id=written.table.id if written.table else None,
            table_number=written.table.number if written.table else "",
            contact_id=sender.contact_id,
            customer_phone=sender.phone,
            customer_name=sender.name,
            staff_note="\n".join([BY_HAND, *written.unread]),
            needs_tap=True,
            line_id=line.id,
            message_id=message_id,
            test=line.test,
        ),
    )
    telling.write_to(order, telling.line_words(order, "waits"))
    return order


def _refusal(
    line: Line, site: Site | None, cart: Cart, sender: Sender
) -> tuple[str, dict[str, Any]] | None:
    """The sentence and its values, or None: an order can be made."""
    moment = now()
    if cart.used_at is not None:
        made = db.session.get(Order, (current_tenant_id(), cart.order_id))
        return "already", {"order": made.number if made else ""}
    if site is None:
        return "unknown_code", {}
    mine = sites.line_of(site)
    if mine is None or mine.id != line.id:
        return "other_place", {}
    if cart.expires_at <= moment:
        return "expired", {}
    why = "paused" if known_facts().suspended else sites.takes_orders(site, moment)
    if why == "closed":
        return "closed", {"opens": _opens(site, cart.language)}
    if why:
        return "paused_table" if cart.order_type == "dine_in" else "paused", {}
    if _orders_of(site, sender) >= site.phone_orders_per_hour:
        return "too_many", {}
    return _gone(site, cart)


def _gone(site: Site, cart: Cart) -> tuple[str, dict[str, Any]] | None:
    """What was sold out, or left the menu, since the cart was made."""
    version = publishing.published(cart.menu_id)
    if version is None or cart.menu_id != site.menu_id:
        return "changed", {}
    missing = availability.missing(site, version.content, now())
    shelf = Shelf(version.content)
    known = {option["id"] for group in version.content["groups"].values()
             for option in group["options"]}  # fmt: skip
    for row in cart.lines:
        try:
            shelf.item(row["item_id"])
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


def _why_a_tap(site: Site, cart: Cart, sender: Sender) -> list[str]:
    """An order goes to the kitchen by itself only when nothing about it is odd."""
    why = []
    if cart.order_type == "dine_in" and not cart.seated:
        why.append(NOT_SCANNED)
    limit = site.newcomer_limit
    if limit is not None and cart.total > limit and not _ordered_before(sender):
        why.append(NEWCOMER)
    if whereabouts.is_open(site, cart.order_type, cart.address):
        why.append(NO_PLACE)
    return why


def _priced(row: dict[str, Any]) -> PricedLine:
    return PricedLine(
        item_id=row["item_id"],
        name=row["name"],
        said=row["said"],
        quantity=row["quantity"],
        unit_price=Decimal(row["unit_price"]),
        tax_percent=Decimal(row["tax"]),
        stations=tuple(row["stations"]),
        options=tuple(
            Chosen(one["id"], one["name"], one["said"], Decimal(one["price"]), one["removal"])
            for one in row["options"]
        ),
        note=row["note"],
    )


def _sender(message: InboundMessage) -> Sender | None:
    """An order needs a phone to answer to."""
    if not message.sender_phone:
        return None
    contact_id = contacts.find(message.sender_phone, message.sender_network_id)
    contact = db.session.get(Contact, (current_tenant_id(), contact_id)) if contact_id else None
    if contact is None:
        return None
    blocked = contact.blocked_at is not None
    return Sender(contact.id, message.sender_phone, contact.name, contact.language, blocked)


def _language(text: str, sender: Sender, site: Site) -> str:
    """That of the text we wrote for the diner; else the diner's own; else the site's."""
    code = text.rpartition("#")[0].rpartition("\n")[2].strip()
    for language in (*site.languages, *sorted(spoken() - {*site.languages})):
        if code and code == f"{say(language, 'code')}:":
            return language
    if sender.language.partition("-")[0] in spoken():
        return sender.language
    return site.languages[0]


def _site(cart: Cart) -> Site | None:
    try:
        return sites.get(cart.site_id)
    except NotFound:
        return None


def _orders_of(site: Site, sender: Sender) -> int:
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


def _opens(site: Site, language: str) -> str:
    at = sites.next_opening(site)
    if at is None:
        return ""
    clock = format_time(at, "short", locale=language)
    return say(language, "opens", day=opening_day(at, language), time=clock)


def _answer(line: Line, sender: Sender, language: str, key: str, **values: str) -> None:
    telling.answer(line, sender.phone, say(language, key, **values))
