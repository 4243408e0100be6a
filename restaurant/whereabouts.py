"""Where a delivery goes: the address in words, the place on the map, the zone around it.

What is not known is left open. A fee is never invented: only a zone makes one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.errors import Invalid, invalid
from core.money import format_money
from core.places import BadPlace, Place, place
from core.texts import one_line
from restaurant import zones
from restaurant.models import DeliveryZone, Order, Site

LONGEST = 300
N_ = str  # collected for translation here, translated where it is shown
ZERO = Decimal(0)


class OutsideZones(Invalid):
    def __init__(self) -> None:
        super().__init__("outside_zones", N_("This place is outside the delivery zones."))


class BelowMinimum(Invalid):
    def __init__(self, minimum: Decimal, currency: str) -> None:
        super().__init__(
            "below_minimum",
            N_("Delivery to this place begins at {minimum}."),
            minimum=format_money(minimum, currency, "en"),
        )
        self.minimum = minimum


@dataclass(frozen=True)
class Spot:
    text: str = ""
    place: Place | None = None
    zone: DeliveryZone | None = None

    @property
    def fee(self) -> Decimal:
        return self.zone.fee if self.zone else ZERO

    def as_json(self) -> dict[str, Any]:
        return with_place({"text": self.text} if self.text else {}, self.place, self.zone)


def spot(
    site: Site, text: str, where: Place | None, subtotal: Decimal, *, zone_id: str = ""
) -> Spot:
    """Raises OutsideZones and BelowMinimum. `zone_id` is the staff's word, where no map helps."""
    text = one_line(text, LONGEST)
    if not text and where is None:
        raise invalid("address", "address_missing", "Give the address, or share your location.")
    known = zones.listed(site.id)
    zone = None
    if where is not None and known:
        zone = zones.covering(site, where, known)
        if zone is None:
            raise OutsideZones()
    elif zone_id:
        zone = next((one for one in known if one.id == zone_id), None)
        if zone is None:
            raise invalid("zone_id", "unknown_zone", "This restaurant has no such delivery zone.")
    if zone is not None and subtotal < zone.minimum:
        raise BelowMinimum(zone.minimum, site.currency)
    return Spot(text, where, zone)


def given(latitude: Any, longitude: Any) -> Place | None:
    """None when neither was said."""
    if latitude in (None, "") and longitude in (None, ""):
        return None
    try:
        return place(latitude, longitude)
    except BadPlace:
        raise invalid(
            "latitude",
            "invalid_place",
            "A latitude is a number from -90 to 90, a longitude one from -180 to 180.",
        ) from None


def with_place(
    address: Mapping[str, Any], where: Place | None, zone: DeliveryZone | None
) -> dict[str, Any]:
    """An order's address is stored so; coordinates as text, exact."""
    told = dict(address)
    if where is not None:
        told |= {"latitude": str(where.latitude), "longitude": str(where.longitude)}
    if zone is not None:
        told |= {"zone": zone.id, "zone_name": zone.name}
    return told


def place_in(address: Mapping[str, Any]) -> Place | None:
    if "latitude" not in address:
        return None
    return place(address["latitude"], address["longitude"])


def is_open(site: Site, order_type: str, address: Mapping[str, Any]) -> bool:
    """Zones there are, but nobody knows yet in which one this address lies."""
    return order_type == "delivery" and "zone" not in address and bool(zones.listed(site.id))


def in_words(order: Order) -> str:
    """The address, or at least the coordinates."""
    where = place_in(order.address)
    return str(order.address.get("text") or (where or ""))
