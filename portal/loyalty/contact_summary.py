"""The loyalty section of a contact's page."""

from typing import Any

from portal.web.auth import may
from restaurant.loyalty import coupon_codes, coupons, ledger, programmes
from restaurant.models import LoyaltyMember
from restaurant.sites import sites

FEW = 5


def standings_of_contact(contact_id: str) -> list[tuple[LoyaltyMember, str, str]]:
    """Points or stamps, each with its restaurant's name and the programme's unit."""
    if not may("loyalty.view") or not (standings := ledger.balances(contact_id)):
        return []
    names = {site.id: site.name for site in sites.list_including_closed()}
    kinds = {one.site_id: one.kind for one in programmes.listed()}
    return [
        (one, names.get(one.site_id, ""), kinds.get(one.site_id, "points")) for one in standings
    ]


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
