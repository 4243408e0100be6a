"""Delivery addresses: the text, the coordinates and the delivery zone that contains them.

Unknown parts stay empty. A delivery fee comes only from a zone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.errors import Invalid, invalid
from core.i18n.catalogs import N_
from core.values.geo import BadCoordinates, Coordinates, make_coordinates
from core.values.money import format_money
from core.values.text import one_line
from restaurant.delivery import zones
from restaurant.models import DeliveryZone, Order, Site

MAX_ADDRESS_LENGTH = 300
ZERO = Decimal(0)


class OutsideZones(Invalid):
    def __init__(self) -> None:
        super().__init__("outside_zones", N_("This location is outside the delivery zones."))


class BelowMinimum(Invalid):
    def __init__(self, minimum: Decimal, currency: str) -> None:
        super().__init__(
            "below_minimum",
            N_("The minimum order for delivery to this location is {minimum}."),
            minimum=format_money(minimum, currency, "en"),
        )
        self.minimum = minimum


@dataclass(frozen=True)
class DeliveryAddress:
    text: str = ""
    place: Coordinates | None = None
    zone: DeliveryZone | None = None

    @property
    def fee(self) -> Decimal:
        return self.zone.fee if self.zone else ZERO

    def as_json(self) -> dict[str, Any]:
        return address_with_location(
            {"text": self.text} if self.text else {}, self.place, self.zone
        )


def resolve_address(
    site: Site, text: str, where: Coordinates | None, subtotal: Decimal, *, zone_id: str = ""
) -> DeliveryAddress:
    """Raises OutsideZones or BelowMinimum. The staff pass `zone_id` if there are no coordinates."""
    text = one_line(text, MAX_ADDRESS_LENGTH)
    if not text and where is None:
        raise invalid("address", "address_missing", "Enter the address, or share your location.")
    known = zones.listed(site.id)
    zone = None
    if where is not None and known:
        zone = zones.find_covering(site, where, known)
        if zone is None:
            raise OutsideZones()
    elif zone_id:
        zone = next((one for one in known if one.id == zone_id), None)
        if zone is None:
            raise invalid(
                "zone_id", "unknown_zone", "This delivery zone does not exist at this restaurant."
            )
    if zone is not None and subtotal < zone.minimum:
        raise BelowMinimum(zone.minimum, site.currency)
    return DeliveryAddress(text, where, zone)


def parse_coordinates(latitude: Any, longitude: Any) -> Coordinates | None:
    """None if neither is given. Raises Invalid if they are out of range."""
    if latitude in (None, "") and longitude in (None, ""):
        return None
    try:
        return make_coordinates(latitude, longitude)
    except BadCoordinates:
        raise invalid(
            "latitude",
            "invalid_place",
            "Latitude must be from -90 to 90 and longitude from -180 to 180.",
        ) from None


def address_with_location(
    address: Mapping[str, Any], where: Coordinates | None, zone: DeliveryZone | None
) -> dict[str, Any]:
    """The address as orders store it; coordinates are text so that they stay exact."""
    changed = dict(address)
    if where is not None:
        changed |= {"latitude": str(where.latitude), "longitude": str(where.longitude)}
    if zone is not None:
        changed |= {"zone": zone.id, "zone_name": zone.name}
    return changed


def location_of(address: Mapping[str, Any]) -> Coordinates | None:
    if "latitude" not in address:
        return None
    return make_coordinates(address["latitude"], address["longitude"])


def is_zone_unknown(site: Site, order_type: str, address: Mapping[str, Any]) -> bool:
    """True for a delivery if the site has zones and the address is not assigned to one yet."""
    return order_type == "delivery" and "zone" not in address and bool(zones.listed(site.id))


def address_text(order: Order) -> str:
    """The address text, or the coordinates if there is no text."""
    where = location_of(order.address)
    return str(order.address.get("text") or (where or ""))
