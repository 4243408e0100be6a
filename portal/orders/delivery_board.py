"""The delivery view of the board: orders on the map, and which courier has which order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from portal.maps.local_map import Dot, Map, draw_map
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.couriers.dispatch import AssignedTrip
from restaurant.delivery import addresses, zones
from restaurant.models import Courier, Order, Site


@dataclass
class DeliveryBoard:
    map: Map | None
    riders: list[Courier]
    rides: dict[str, AssignedTrip] = field(default_factory=dict)
    not_notified: set[str] = field(default_factory=set)
    """Orders whose courier got no message."""
    unplaced: int = 0
    """Orders that are not on the map because only their address is known."""


def delivery_board(site: Site, orders: Sequence[Order]) -> DeliveryBoard:
    rides = courier_dispatch.open_trips(site.id)
    dots = []
    for order in orders:
        where = addresses.location_of(order.address)
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
    return DeliveryBoard(
        draw_map(site, zones.listed(site.id), dots, near=True),
        couriers.listed(site.id, active=True),
        rides,
        courier_dispatch.not_notified(rides.values()),
        len(orders) - len(dots),
    )


def tone(order: Order, ride: AssignedTrip | None) -> str:
    if ride is None:
        return "waiting"
    if ride.trip.problem_at is not None:
        return "trouble"
    return "riding" if order.state == "out_for_delivery" else "given"
