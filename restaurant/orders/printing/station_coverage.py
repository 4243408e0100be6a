"""Stations whose orders would be missed: they have no printer and do not work from a display."""

from collections.abc import Iterable

from sqlalchemy import func, select

from core.db import current_tenant_id, db
from printing import printers
from restaurant.models import MenuItem, OrderItem, Site, Station
from restaurant.orders import queries as order_queries
from restaurant.sites import stations


def uncovered_stations(site: Site) -> list[Station]:
    """Stations without a printer that the menu or an open order uses."""
    bare = stations_without_printer(site.id)
    if not bare:
        return []
    used = _stations_on_menu(site)
    if not set(bare) <= used:
        open_now = [order.id for order in order_queries.open_orders(site.id)]
        for items in order_queries.items_of_orders(open_now).values():
            used |= {code for item in items for code in item.stations}
    return [station for code, station in bare.items() if code in used]


def stations_without_printer(site_id: str) -> dict[str, Station]:
    """By code, without display-only stations.

    Empty if the restaurant has no station printer: it then works from the displays alone.
    """
    printed = {code for one in printers.listed(site_id) if one.enabled for code in one.stations}
    if not printed:
        return {}
    return {
        station.code: station
        for station in stations.listed(site_id)
        if station.code not in printed and not station.display_only
    }


def stations_of_items(bare: dict[str, Station], items: Iterable[OrderItem]) -> list[Station]:
    """The stations in `bare` that have something to make for these lines."""
    codes = {code for item in items if item.quantity > item.voided for code in item.stations}
    return [station for code, station in bare.items() if code in codes]


def _stations_on_menu(site: Site) -> set[str]:
    return _station_codes(site.menu_id) if site.menu_id else set()


def _station_codes(menu_id: str) -> set[str]:
    query = select(func.unnest(MenuItem.stations)).where(
        MenuItem.tenant_id == current_tenant_id(),
        MenuItem.menu_id == menu_id,
        MenuItem.hidden.is_(False),
    )
    return set(db.session.scalars(query.distinct()))
