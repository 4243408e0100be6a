"""What a contact's page says of loyalty."""

from typing import Any

from portal.visitors import may
from restaurant import sites
from restaurant.loyalty import book, codes, coupons, programmes

FEW = 5


def of_contact(contact_id: str) -> dict[str, Any]:
    """In the open transaction; nothing for those who may not see it."""
    if not may("loyalty.view"):
        return {"standings": [], "coupons": []}
    standings = book.standings(contact_id)
    names = {site.id: site.name for site in sites.every()} if standings else {}
    kinds = {one.site_id: one.kind for one in programmes.listed()} if standings else {}
    return {
        "standings": [
            (one, names.get(one.site_id, ""), kinds.get(one.site_id, "points")) for one in standings
        ],
        "coupons": [
            (one, codes.shown(one.code), coupons.state_of(one))
            for one in coupons.of_contact(contact_id, FEW)
        ],
    }
