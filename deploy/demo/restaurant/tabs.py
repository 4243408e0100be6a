"""A table of the demo whose guests share a bill: three phones, one order, one has paid."""

from datetime import timedelta
from typing import Any

from core.clock import frozen, now
from core.db import db, tenant_scope
from deploy.demo.restaurant.payments import OWNER, pay_link
from restaurant.menus import publishing
from restaurant.menus.availability import unavailable_now
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Order, Site, TabGuest, TabItem, Table
from restaurant.orders import placing
from restaurant.orders import queries as order_queries
from restaurant.orders.placing import OrderRequest
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import tab_shares
from restaurant.payments.tab_shares import ShareRequest
from restaurant.sites import sites, tables
from restaurant.tabs import guests as tab_guests
from restaurant.tabs import sessions
from tenants.audit import acting_as

GUESTS = ("Ece", "Baran", "Defne")
MINUTES_AGO = 38


def add_tab(tenant_id: int) -> None:
    """At the first table that has no open orders."""
    with tenant_scope(tenant_id), acting_as(OWNER):
        for site in sites.listed():
            account = payment_accounts.for_site(site.id)
            table = _free_table(site)
            dishes = _dishes(site)
            if account is None or table is None or len(dishes) < len(GUESTS):
                continue
            with frozen(now() - timedelta(minutes=MINUTES_AGO)):
                seated = [_sits(site, table, name) for name in GUESTS]
                order = _orders(site, table, dishes)
                _note_guests(order, seated)
            request = ShareRequest("items", items={(order.id, 1): 1}, language=site.languages[0])
            share = tab_shares.claim(site, sessions.get(order.tab_id or ""), seated[0], request)
            pay_link(account, share.link, f"pm_demo_tab_{site.id[-6:]}", now())
            return


def _free_table(site: Site) -> Table | None:
    taken = {order.table_id for order in order_queries.open_orders(site.id)}
    return next((table for table in tables.listed(site.id) if table.id not in taken), None)


def _dishes(site: Site) -> list[str]:
    """Items without required options that are available now."""
    version = publishing.published_version(site.menu_id or "")
    if version is None:
        return []
    content: Any = version.content
    gone = unavailable_now(site, content)
    return [
        item["id"]
        for category in content["categories"]
        for item in category["items"]
        if item["id"] not in gone
        and not any(content["groups"][group]["least"] for group in item["groups"])
    ]


def _sits(site: Site, table: Table, name: str) -> TabGuest:
    guest = tab_guests.seat(site, table, test=False, name=name, unnamed="{number}")
    guest.state = tab_guests.JOINED
    return guest


def _orders(site: Site, table: Table, dishes: list[str]) -> Order:
    items = tuple(RequestedItem(dish, 1) for dish in dishes[: len(GUESTS)])
    request = OrderRequest(items, "dine_in", "pos_at_table", "staff", table=table)
    return placing.place_order(site, request)


def _note_guests(order: Order, seated: list[TabGuest]) -> None:
    for position, guest in enumerate(seated, 1):
        db.session.add(
            TabItem(
                tenant_id=order.tenant_id,
                order_id=order.id,
                position=position,
                guest_id=guest.id,
                guest=guest.name,
            )
        )
    db.session.flush()
