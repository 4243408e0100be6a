"""Port for coupons that a campaign can include; another package issues and redeems them.

That package registers a provider. Without one, a campaign with a coupon is refused.
"""

from collections.abc import Sequence
from typing import Protocol

from core.errors import invalid


class CouponProvider(Protocol):
    def offers(self, tenant_id: int) -> list[tuple[str, str]]:
        """Return id and name of every offer."""
        ...

    def issue(
        self, tenant_id: int, offer_id: str, contact_ids: Sequence[str], campaign_id: str
    ) -> dict[str, str]:
        """Return a code for each contact, the same one on every call.

        Called in the transaction that accepts the messages.
        """
        ...


_provider: CouponProvider | None = None


def register_provider(provider: CouponProvider | None) -> None:
    global _provider
    _provider = provider


def list_offers(tenant_id: int) -> list[tuple[str, str]]:
    return _provider.offers(tenant_id) if _provider is not None else []


def checked_offer(tenant_id: int, offer_id: str | None) -> str | None:
    """Return the offer if it is available, None without one. Raises Invalid if it is not."""
    if not offer_id:
        return None
    if _provider is None:
        raise invalid(
            "gift", "no_gifts", "This account has no gifts. Send the campaign without a gift."
        )
    if offer_id not in dict(_provider.offers(tenant_id)):
        raise invalid("gift", "unknown_gift", "This gift no longer exists. Choose another one.")
    return offer_id


def issue_coupons(
    tenant_id: int, offer_id: str, contact_ids: Sequence[str], campaign_id: str
) -> dict[str, str]:
    checked_offer(tenant_id, offer_id)
    if _provider is None:
        raise RuntimeError("a gift was checked and nobody gives it")
    return _provider.issue(tenant_id, offer_id, contact_ids, campaign_id)
