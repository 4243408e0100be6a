"""What a campaign may give along: codes that another area makes and honours.

That area registers itself; without it, a campaign with a gift is refused.
"""

from collections.abc import Sequence
from typing import Protocol

from core.errors import invalid


class CouponProvider(Protocol):
    def offers(self, tenant_id: int) -> list[tuple[str, str]]:
        """The id and the name of everything that can be given."""
        ...

    def give(
        self, tenant_id: int, offer_id: str, contact_ids: Sequence[str], campaign_id: str
    ) -> dict[str, str]:
        """A code for each contact, the same one whenever it is asked for again.

        Called inside the transaction that makes the messages.
        """
        ...


_provider: CouponProvider | None = None


def register_provider(provider: CouponProvider | None) -> None:
    global _provider
    _provider = provider


def list_offers(tenant_id: int) -> list[tuple[str, str]]:
    return _provider.offers(tenant_id) if _provider is not None else []


def checked_offer(tenant_id: int, offer_id: str | None) -> str | None:
    """The gift, if it can be given."""
    if not offer_id:
        return None
    if _provider is None:
        raise invalid(
            "gift", "no_gifts", "This account has nothing to give away. Send it without a gift."
        )
    if offer_id not in dict(_provider.offers(tenant_id)):
        raise invalid(
            "gift", "unknown_gift", "This gift is not there any more. Choose another one."
        )
    return offer_id


def issue_coupons(
    tenant_id: int, offer_id: str, contact_ids: Sequence[str], campaign_id: str
) -> dict[str, str]:
    checked_offer(tenant_id, offer_id)
    if _provider is None:
        raise RuntimeError("a gift was checked and nobody gives it")
    return _provider.give(tenant_id, offer_id, contact_ids, campaign_id)
