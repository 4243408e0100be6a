"""Stations whose orders would be missed: they have no printer and do not work from a display."""

from collections.abc import Iterable, Sequence

from sqlalchemy import func, select

from core.db import current_tenant_id, db
from printing.models import Printer
from printing.printers import PrinterSummary
from restaurant.models import MenuItem, OrderItem, Site, Station
from restaurant.orders import queries as order_queries
from restaurant.sites import stations


def uncovered_stations(
    sites: Sequence[Site], known: Sequence[Printer | PrinterSummary]
) -> list[tuple[Site, list[Station]]]:
    """Stations without a printer that the menu or an open order uses, of each site."""
    listed = stations.of_all_sites() if sites else []
    found = []
    for site in sites:
        bare = stations_without_printer(
            [station for station in listed if station.site_id == site.id],
            [printer for printer in known if printer.site_id == site.id],
        )
        found.append((site, _used(site, bare)))
    return found


def _used(site: Site, bare: dict[str, Station]) -> list[Station]:
    if not bare:
        return []
    used = _stations_on_menu(site)
    if not set(bare) <= used:
        open_now = [order.id for order in order_queries.open_orders(site.id)]
        for items in order_queries.items_of_orders(open_now).values():
            used |= {code for item in items for code in item.stations}
    return [station for code, station in bare.items() if code in used]


def stations_without_printer(
    known: Iterable[Station], site_printers: Iterable[Printer | PrinterSummary]
) -> dict[str, Station]:
    """Of one restaurant, by code, without display-only stations.

    Empty if the restaurant has no station printer: it then works from the displays alone.
    """
    printed = {code for one in site_printers if one.enabled for code in one.stations}
    if not printed:
        return {}
    return {
        station.code: station
        for station in known
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
