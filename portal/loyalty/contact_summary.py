"""The loyalty section of a contact's page."""

from typing import Any

from portal.web.auth import may
from restaurant.loyalty import coupon_codes, coupons, ledger, programmes
from restaurant.sites import sites

FEW = 5


def for_contact(contact_id: str) -> dict[str, Any]:
    """Runs in the open transaction; empty without the right to see loyalty."""
    if not may("loyalty.view"):
        return {"standings": [], "coupons": []}
    standings = ledger.balances(contact_id)
    names = {site.id: site.name for site in sites.list_including_closed()} if standings else {}
    kinds = {one.site_id: one.kind for one in programmes.listed()} if standings else {}
    return {
        "standings": [
            (one, names.get(one.site_id, ""), kinds.get(one.site_id, "points")) for one in standings
        ],
        "coupons": [
            (one, coupon_codes.format_code(one.code), coupons.state_of(one))
            for one in coupons.of_contact(contact_id, FEW)
        ],
    }
