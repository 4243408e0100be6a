"""The board's view of the road: orders on the map, and who brings which."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from portal.drawing import Dot, Map, draw
from restaurant import couriers, trips, whereabouts, zones
from restaurant.models import Courier, Order, Site
from restaurant.trips import Ride


@dataclass
class Road:
    map: Map | None
    riders: list[Courier]
    rides: dict[str, Ride] = field(default_factory=dict)
    not_told: set[str] = field(default_factory=set)
    """Orders whose courier got no message."""
    unplaced: int = 0
    """Orders that are not on the map, as only their address is known."""


def road(site: Site, orders: Sequence[Order]) -> Road:
    rides = trips.riding(site.id)
    dots = []
    for order in orders:
        where = whereabouts.place_in(order.address)
        if where is None:
            continue
        ride = rides.get(order.id)
        words = [order.number, order.customer_name, ride.courier.name if ride else ""]
        dots.append(
            Dot(
                where,
                str(order.sequence),
                " · ".join(one for one in words if one),
                tone(order, ride),
                order.id,
                ride.courier.name.split(" ")[0] if ride else "",
            )
        )
    return Road(
        draw(site, zones.listed(site.id), dots, near=True),
        couriers.listed(site.id, active=True),
        rides,
        trips.not_told(rides.values()),
        len(orders) - len(dots),
    )


def tone(order: Order, ride: Ride | None) -> str:
    if ride is None:
        return "waiting"
    if ride.trip.problem_at is not None:
        return "trouble"
    return "riding" if order.state == "out_for_delivery" else "given"
