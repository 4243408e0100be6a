"""The code on a kitchen ticket, and the links that let a scanner of a station use it.

The address of a code is signed and names the ticket. Opening it changes nothing: a signed-in
person or a scanner of the station confirms it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound
from core.security import signed_urls
from core.security.signing import BadToken
from restaurant.models import Order, OrderItem, Site, Station, order_states
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.kitchen import progress as kitchen_progress
from restaurant.orders.kitchen.code_urls import TICKET_PURPOSE

SCANNER_PURPOSE = "station-scanner"
SCANNER_PATH = "/k/station/"
SCANNER_LIFETIME = timedelta(days=365)


@dataclass(frozen=True)
class TicketCode:
    tenant_id: int
    order_id: str
    station: str
    positions: tuple[int, ...]


@dataclass(frozen=True)
class Scanner:
    """A device that may confirm the tickets of one station."""

    tenant_id: int
    site_id: str
    station: str
    version: int


def read_code(token: str) -> TicketCode | None:
    """None if the token is not one of ours or has expired."""
    try:
        tenant_id, order_id, station, positions = signed_urls.read_signed(TICKET_PURPOSE, token)
    except (BadToken, ValueError, TypeError):
        return None
    return TicketCode(tenant_id, order_id, station, tuple(positions))


def items_on_ticket(code: TicketCode, items: Sequence[OrderItem]) -> list[OrderItem]:
    on_ticket = [item for item in items if item.position in code.positions]
    return kitchen_progress.remaining_items(on_ticket, code.station)


def mark_ready(site: Site, order: Order, code: TicketCode) -> Order:
    """Finish the items of the ticket. Idempotent: a second scan changes nothing."""
    locked = order_lifecycle.lock_order(order)
    if locked.state not in order_states.IN_THE_KITCHEN:
        if locked.state == "cancelled":
            raise Conflict("order_cancelled", "This order was cancelled.")
        return locked
    if not items_on_ticket(code, order_queries.items_of(locked.id)):
        raise NotFound()
    for position in code.positions:
        locked = kitchen_display.finish_printed_item(site, locked, code.station, position)
    return locked


def scanner_url(site: Site, station: Station) -> str:
    value = [current_tenant_id(), site.id, station.code, station.scanner_version]
    return signed_urls.signed_url(SCANNER_PATH, SCANNER_PURPOSE, value, SCANNER_LIFETIME)


def read_scanner(token: str) -> Scanner | None:
    try:
        return Scanner(*signed_urls.read_signed(SCANNER_PURPOSE, token))
    except (BadToken, ValueError, TypeError):
        return None


def station_of_scanner(scanner: Scanner) -> Station | None:
    """The station, in the tenant's scope; None if the link was revoked."""
    station = db.session.get(Station, (current_tenant_id(), scanner.site_id, scanner.station))
    if station is None or station.scanner_version != scanner.version:
        return None
    return station
