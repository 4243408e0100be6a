"""The pages behind the codes of tickets and stations, and the demo data in their URLs."""

from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import code_urls, ticket_codes
from restaurant.sites import sites, stations

KITCHEN = {
    "station-scanner": "/restaurants/{site}/stations/{station}/scanner",
    "ticket": "/k/{ticket}",
    "scanner-connect": "/k/station/{scanner}",
}


def kitchen_ids(site_id: str) -> dict[str, object]:
    """The code of a ticket that is being prepared, and of a station's scanner."""
    site, station = sites.get(site_id), stations.listed(site_id)[0]
    order = next(one for one in order_queries.open_orders(site_id) if one.state == "preparing")
    ticket = code_urls.ticket_url(order, station.code, order_queries.items_of(order.id))
    return {
        "station": station.code,
        "ticket": ticket.rpartition("/")[2],
        "scanner": ticket_codes.scanner_url(site, station).rpartition("/")[2],
    }
