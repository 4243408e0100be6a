"""Connects the domains where one reacts to another.

Messaging and loyalty offer hooks and do not import the restaurant. Web processes, workers and
linked hosts call `wire_domains` once when they start.
"""

from restaurant import campaign_order_filters, contact_sync
from restaurant.loyalty import campaign_coupons


def wire_domains() -> None:
    """Idempotent."""
    contact_sync.register()
    campaign_order_filters.register()
    campaign_coupons.register()
