"""Delivery zones, each with a fee and a minimum order. The smallest zone around a place applies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import bindparam, select

from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import Invalid, NotFound, invalid
from core.values.geo import Coordinates, distance_metres, in_polygon, make_coordinates, polygon_area
from core.values.money import BadMoney, parse_money, quantize
from core.values.text import one_line
from restaurant.delivery import polygons
from restaurant.models import DeliveryZone, Site
from tenants import audit

MAX_ZONES = 30
NEAREST_M, FARTHEST_M = 100, 100_000
KINDS = ("radius", "polygon")
MAX_AMOUNT = Decimal(10**9)


@dataclass(frozen=True)
class ZoneSettings:
    """The requested settings of a zone. Only `radius_m` or `corners` counts, by `kind`."""

    name: str
    kind: str
    fee: Any
    minimum: Any = "0"
    radius_m: Any = None
    corners: Sequence[Coordinates] = ()


ZONES = (
    select(DeliveryZone)
    .where(DeliveryZone.tenant_id == THIS_TENANT, DeliveryZone.site_id == bindparam("site_id"))
    .execution_options(plan_once=True)
)


def listed(site_id: str) -> list[DeliveryZone]:
    """Smallest first, the order in which `find_covering` tries them."""
    found = db.session.scalars(ZONES, {"site_id": site_id})
    return sorted(found, key=lambda zone: (area_m2(zone), zone.fee, zone.id))


def get(zone_id: str) -> DeliveryZone:
    zone = db.session.get(DeliveryZone, (current_tenant_id(), zone_id))
    if zone is None:
        raise NotFound()
    return zone


def add(site: Site, outline: ZoneSettings) -> DeliveryZone:
    if len(listed(site.id)) >= MAX_ZONES:
        raise Invalid(
            "too_many", "A restaurant can have at most {most} delivery zones.", most=MAX_ZONES
        )
    zone = DeliveryZone(tenant_id=current_tenant_id(), site_id=site.id, **_checked(site, outline))
    db.session.add(zone)
    db.session.flush()
    audit.record("zones.added", zone.name, site_id=site.id, fee=str(zone.fee))
    return zone


def change(site: Site, zone: DeliveryZone, outline: ZoneSettings) -> DeliveryZone:
    before = audit.snapshot(zone)
    for field, value in _checked(site, outline).items():
        setattr(zone, field, value)
    audit.record_change("zones.changed", zone.name, before, zone, site_id=site.id)
    return zone


def remove(zone: DeliveryZone) -> None:
    audit.record("zones.removed", zone.name, site_id=zone.site_id)
    db.session.delete(zone)


def settings_of(zone: DeliveryZone) -> ZoneSettings:
    return ZoneSettings(
        zone.name, zone.kind, zone.fee, zone.minimum, zone.radius_m, tuple(corners_of(zone))
    )


def find_covering(
    site: Site, where: Coordinates, known: Sequence[DeliveryZone]
) -> DeliveryZone | None:
    """The smallest zone that contains the place, or None. `known` comes from `listed`."""
    return next((zone for zone in known if _contains(site, zone, where)), None)


def site_position(site: Site) -> Coordinates | None:
    if site.latitude is None or site.longitude is None:
        return None
    return make_coordinates(site.latitude, site.longitude)


def corners_of(zone: DeliveryZone) -> list[Coordinates]:
    return [make_coordinates(latitude, longitude) for latitude, longitude in zone.corners]


def area_m2(zone: DeliveryZone) -> float:
    if zone.kind == "radius":
        return math.pi * float(zone.radius_m or 0) ** 2
    return polygon_area(corners_of(zone))


def _contains(site: Site, zone: DeliveryZone, where: Coordinates) -> bool:
    if zone.kind == "polygon":
        return in_polygon(where, corners_of(zone))
    centre = site_position(site)
    return centre is not None and distance_metres(centre, where) <= (zone.radius_m or 0)


def _checked(site: Site, outline: ZoneSettings) -> dict[str, Any]:
    name = one_line(outline.name, 60)
    if not name:
        raise invalid("name", "name_missing", "Enter a name for the zone.")
    if outline.kind not in KINDS:
        raise invalid("kind", "invalid_choice", "A zone must be a circle or a drawn shape.")
    values: dict[str, Any] = {
        "name": name,
        "kind": outline.kind,
        "fee": _amount("fee", outline.fee, site.currency),
        "minimum": _amount("minimum", outline.minimum, site.currency),
        "radius_m": None,
        "corners": [],
    }
    if outline.kind == "radius":
        if site_position(site) is None:
            raise invalid(
                "radius",
                "no_position",
                "Set the restaurant's location first. Circular zones are drawn around it.",
            )
        values["radius_m"] = _radius(outline.radius_m)
    else:
        values["corners"] = polygons.corners_json(polygons.check_corners(list(outline.corners)))
    return values


def _radius(given: Any) -> int:
    if not isinstance(given, int) or not NEAREST_M <= given <= FARTHEST_M:
        raise invalid("radius", "invalid_radius", "The radius must be between 0.1 and 100 km.")
    return given


def _amount(field: str, given: Any, currency: str) -> Decimal:
    try:
        if isinstance(given, Decimal):
            amount = quantize(given, currency)
            exact = amount == given
        else:
            amount, exact = parse_money(str(given).strip() or "0", currency), True
    except BadMoney:
        exact = False
    if not exact or not 0 <= amount <= MAX_AMOUNT:
        raise invalid(
            field,
            "invalid_amount",
            "Enter an amount with a dot before the decimals, such as 12.50.",
        )
    return amount
