"""Guests move to another table: their tab goes with them, or joins the one that is there."""

from sqlalchemy import select, update

from core.db import current_tenant_id, db
from core.errors import Conflict
from restaurant.models import Order, Site, Tab, TabCartItem, TabGuest, Table, TabShare, order_states
from restaurant.orders import changes as order_changes
from restaurant.orders.effects import OrderUpdate
from restaurant.tabs import bill as tab_bill
from restaurant.tabs import events as tab_events
from restaurant.tabs import sessions
from tenants import audit


def move_tab(site: Site, tab: Tab, table: Table) -> Tab:
    """Move the tab with all its orders. Raises Conflict if it has ended."""
    found = sessions.move_target(tab, table)
    # Two tables that move towards each other lock their tabs in the same order.
    for tab_id in sorted({tab.id, *([found.id] if found else [])}):
        sessions.lock(tab_id)
    if tab.ended_at is not None:
        raise Conflict("tab_ended", "This tab has ended.")
    if tab.table_id == table.id:
        return tab
    was, tab.table_id, tab.table_number = tab.table_number, table.id, table.number
    target = _merge(site, tab, found) if found is not None and found.ended_at is None else tab
    db.session.flush()
    for order in _open_orders(target):
        if order.table_id != table.id:
            order_changes.change_table(site, order, table.id, table.number)
    audit.record("tabs.moved", table.number, was=was, tab_id=target.id)
    tab_events.touch(target)
    tab_events.publish("restaurant.tab_updated", site, tab_bill.load_bill(target))
    return target


def follow_order(change: OrderUpdate) -> None:
    """The staff moved one order. Without shares only this order leaves the tab."""
    order, site = change.order, change.site
    if order.tab_id is None or order.table_id is None:
        return
    tab = sessions.lock(order.tab_id)
    if tab.table_id == order.table_id:
        return
    table = db.session.get(Table, (order.tenant_id, order.table_id))
    others = [one for one in _open_orders(tab) if one.id != order.id]
    if tab.ended_at is None and table is not None and (not others or _has_shares(tab)):
        move_tab(site, tab, table)
        return
    order.tab_id = None
    db.session.flush()
    there = sessions.open_at(site, order.table_id, order.table_number, test=order.test)
    order.tab_id = there.id
    db.session.flush()
    for one in (tab, there):
        tab_events.touch(one)
        tab_events.publish("restaurant.tab_updated", site, tab_bill.load_bill(one))


def _merge(site: Site, tab: Tab, target: Tab) -> Tab:
    """Orders, guests, cart and shares join the tab at the other table."""
    sessions.end(site, tab, "merged")
    tab.merged_into = target.id
    db.session.flush()
    for model in (Order, TabGuest, TabShare, TabCartItem):
        db.session.execute(
            update(model)
            .where(model.tenant_id == current_tenant_id(), model.tab_id == tab.id)
            .values(tab_id=target.id)
        )
    db.session.expire_all()
    return target


def _open_orders(tab: Tab) -> list[Order]:
    query = select(Order).where(
        Order.tenant_id == current_tenant_id(),
        Order.tab_id == tab.id,
        Order.state.not_in(order_states.END_STATES),
    )
    return list(db.session.scalars(query.order_by(Order.id)))


def _has_shares(tab: Tab) -> bool:
    shares = tab_bill.load_bill(tab).shares
    return any(share.state != "released" for share in shares)
