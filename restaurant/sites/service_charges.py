"""Where the law does not allow a restaurant to add a service, table or cover charge."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from core.errors import invalid
from restaurant.models import Site


def check_service_charge(site: Site, changed: Mapping[str, Any]) -> None:
    """Raise Invalid for a new service charge where none is allowed.

    A charge that was set before stays stored, but it is not applied (`Site.service_for`).
    """
    country = changed.get("country", site.country)
    if changed.get("service_percent", Decimal(0)) > 0 and country in Site.NO_SERVICE_CHARGE:
        raise invalid(
            "service_percent",
            "service_charge_not_allowed",
            "Restaurants in Turkey may not add service, table or cover charges since 30 January "
            "2026. Enter 0.",
        )
