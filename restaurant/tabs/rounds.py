"""The shared cart of a tab. A round becomes one ordinary cart, and then one ordinary order."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import delete, select

from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid
from core.values.text import one_line
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Cart, Order, Site, Tab, TabCartItem, TabGuest, TabItem
from restaurant.orders import carts
from restaurant.orders import queries as order_queries
from restaurant.orders.effects import OrderUpdate
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import events as tab_events
from restaurant.tabs import guests as tab_guests
from restaurant.tabs import sessions

MOST_ITEMS_OF_GUEST = 30
LONGEST_NOTE = 200


def cart_items(tab_id: str) -> list[TabCartItem]:
    query = select(TabCartItem).where(
        TabCartItem.tenant_id == current_tenant_id(), TabCartItem.tab_id == tab_id
    )
    ordered = query.order_by(TabCartItem.guest_id, TabCartItem.position)
    return list(db.session.scalars(ordered.execution_options(populate_existing=True)))


def replace_items(guest: TabGuest, items: Sequence[RequestedItem]) -> None:
    """Store what a guest has in the shared cart. Prices are computed when it is sent."""
    if len(items) > MOST_ITEMS_OF_GUEST:
        raise Invalid(
            "too_many_lines", "A cart can have at most {most} items.", most=MOST_ITEMS_OF_GUEST
        )
    tab = _lock_open(guest)
    _delete_items(tab, guest.id)
    db.session.add_all(
        TabCartItem(
            tenant_id=current_tenant_id(),
            tab_id=tab.id,
            guest_id=guest.id,
            position=position,
            item_id=item.item_id,
            quantity=item.quantity,
            options=list(item.options),
            note=one_line(item.note, LONGEST_NOTE),
        )
        for position, item in enumerate(items, 1)
    )
    db.session.flush()
    tab_events.touch(tab)


def send(site: Site, guest: TabGuest, request: carts.CartRequest) -> Cart:
    """Make one cart of everything that the guests chose. `request` has no items yet."""
    tab = _lock_open(guest)
    rows = cart_items(tab.id)
    names = {one.id: one.name for one in tab_guests.of_tab(tab.id)}
    cart = carts.create_cart(
        site,
        replace(
            request,
            items=tuple(
                RequestedItem(row.item_id, row.quantity, tuple(row.options), row.note)
                for row in rows
            ),
        ),
    )
    cart.tab_id = tab.id
    cart.lines = [
        {**line, "guest_id": row.guest_id, "guest": names.get(row.guest_id, "")}
        for line, row in zip(cart.lines, rows, strict=True)
    ]
    return cart


def attach_order(update: OrderUpdate) -> None:
    """A new order at a table belongs to its tab; the first one opens it."""
    order = update.order
    if order.order_type != "dine_in" or order.table_id is None or order.tab_id is not None:
        return
    tab = sessions.open_at(update.site, order.table_id, order.table_number, test=order.test)
    order.tab_id = tab.id
    db.session.flush()
    tab_events.touch(tab)
    if order.state not in tab_bill.OFF_BILL_STATES:
        tab_events.publish("restaurant.tab_updated", update.site, tab_bill.load_bill(tab))


def record_round(cart: Cart, order: Order) -> None:
    """The cart became an order, or was added to one: note whose dish is whose, and empty the
    shared cart."""
    if cart.tab_id is None:
        return
    items = order_queries.items_of(order.id)[-len(cart.lines) :]
    for line, item in zip(cart.lines, items, strict=True):
        db.session.add(
            TabItem(
                tenant_id=order.tenant_id,
                order_id=order.id,
                position=item.position,
                guest_id=line["guest_id"],
                guest=line["guest"],
            )
        )
    tab = sessions.lock(cart.tab_id)
    _remove_ordered(tab, cart)
    db.session.flush()
    tab_events.touch(tab)


def _remove_ordered(tab: Tab, cart: Cart) -> None:
    """Items that were added after the round was sent stay."""
    left = cart_items(tab.id)
    for line in cart.lines:
        wanted = (line["guest_id"], line["item_id"], {one["id"] for one in line["options"]})
        for row in left:
            if (row.guest_id, row.item_id, set(row.options)) == wanted and row.quantity > 0:
                row.quantity -= min(row.quantity, line["quantity"])
                break
    for row in left:
        if row.quantity <= 0:
            db.session.delete(row)


def _lock_open(guest: TabGuest) -> Tab:
    guest = tab_guests.get(guest.id)
    tab = sessions.lock(guest.tab_id)
    if tab.ended_at is not None:
        raise Conflict("tab_ended", "This table's bill is settled. Scan the table's code again.")
    if guest.state != tab_guests.JOINED:
        raise Conflict("ask_the_table", "Ask someone at your table to let you in.")
    return tab


def _delete_items(tab: Tab, guest_id: str) -> None:
    db.session.execute(
        delete(TabCartItem).where(
            TabCartItem.tenant_id == current_tenant_id(),
            TabCartItem.tab_id == tab.id,
            TabCartItem.guest_id == guest_id,
        )
    )
    db.session.expire_all()
