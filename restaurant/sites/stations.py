"""Stations where items are made: kitchen, bar, and those that the restaurant adds."""

import re
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import bindparam, select

from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, Invalid, NotFound, invalid
from core.values.text import one_line
from restaurant.models import Site, Station
from tenants import audit

MAX_STATIONS = 12
BUILT_IN_STATIONS = frozenset({"kitchen", "bar"})


STATIONS = (
    select(Station).where(Station.tenant_id == THIS_TENANT).order_by(Station.position, Station.code)
)
STATIONS_OF_SITE = STATIONS.where(Station.site_id == bindparam("site_id")).execution_options(
    plan_once=True
)


def listed(site_id: str) -> list[Any]:
    """Rows with the columns of `Station`."""
    return list(read_rows(STATIONS_OF_SITE, {"site_id": site_id}))


def of_all_sites() -> list[Any]:
    """The stations of all sites, in the order in which each site lists them."""
    return list(read_rows(STATIONS))


def known_or_kitchen(known: Collection[str], codes: Iterable[str]) -> list[str]:
    """Replace stations that the restaurant does not have with the kitchen."""
    return list(dict.fromkeys(code if code in known else "kitchen" for code in codes))


def set_display_only(site: Site, code: str, display_only: bool) -> Station:
    """Set whether the station works from the kitchen display alone, without a printer."""
    station = find(site, code)
    if station is None:
        raise NotFound()
    before = audit.snapshot(station)
    station.display_only = display_only
    audit.record_change("stations.changed", station.name, before, station, site_id=site.id)
    return station


def find(site: Site, code: str) -> Station | None:
    if "\0" in code:  # from an address; PostgreSQL refuses it
        return None
    return db.session.get(Station, (current_tenant_id(), site.id, code))


def revoke_scanners(site: Site, station: Station) -> None:
    """Make the links of the station's scanners invalid."""
    station.scanner_version += 1
    audit.record("stations.scanners_revoked", station.name, site_id=site.id)


def add(site: Site, code: str, name: str) -> Station:
    known = listed(site.id)
    (code,) = check_station_codes([code])
    if any(station.code == code for station in known):
        raise Conflict("station_taken", "This restaurant already has this station.")
    if len(known) >= MAX_STATIONS:
        raise Invalid(
            "too_many", "A restaurant can have at most {most} stations.", most=MAX_STATIONS
        )
    label = one_line(name, 60)
    if not label:
        raise invalid("name", "name_missing", "Enter a name for the station.")
    station = Station(
        tenant_id=current_tenant_id(), site_id=site.id, code=code, name=label, position=len(known)
    )
    db.session.add(station)
    db.session.flush()
    audit.record("stations.added", label, site_id=site.id)
    return station


def remove(site: Site, code: str) -> None:
    """Kitchen and bar cannot be removed: items without another station go to the kitchen."""
    station = find(site, code)
    if station is None:
        raise NotFound()
    if code in BUILT_IN_STATIONS:
        raise Invalid("station_needed", "The stations Kitchen and Bar cannot be deleted.")
    audit.record("stations.removed", station.name, site_id=site.id)
    db.session.delete(station)


_STATION_CODE = re.compile(r"[a-z][a-z0-9_]{0,23}")


def check_station_codes(value: Any) -> list[str]:
    codes = list(dict.fromkeys(str(one) for one in value))
    if not codes or len(codes) > 8 or not all(_STATION_CODE.fullmatch(one) for one in codes):
        raise invalid(
            "stations", "unknown_station", "Enter a station name, such as kitchen or bar."
        )
    return codes
