"""The loyalty section of a contact's page."""

from collections.abc import Sequence
from typing import Any

from portal.web.auth import may
from restaurant.loyalty import coupon_codes, coupons, ledger

FEW = 5


def standings_of_contact(contact_id: str) -> Sequence[Any]:
    """Points or stamps, each with its restaurant's name and the programme's unit."""
    return ledger.standings(contact_id) if may("loyalty.view") else []


def for_contact(contact_id: str) -> dict[str, Any]:
    """Runs in the open transaction; empty without the right to see loyalty."""
    if not may("loyalty.view"):
        return {"standings": [], "coupons": []}
    return {
        "standings": standings_of_contact(contact_id),
        "coupons": [
            (one, coupon_codes.format_code(one.code), coupons.state_of(one))
            for one in coupons.of_contact(contact_id, FEW)
        ],
    }
