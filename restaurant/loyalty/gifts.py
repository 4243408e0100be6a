"""What a campaign may give along: a coupon of a reward, one for each guest and campaign."""

from collections.abc import Sequence

from core.db import current_tenant_id
from messaging.campaigns import gifts
from restaurant.loyalty import codes, coupons, rewards


class Rewards:
    """For messaging.campaigns.gifts, inside the transaction of whoever asks."""

    def offers(self, tenant_id: int) -> list[tuple[str, str]]:
        _check(tenant_id)
        return [(one.id, one.name) for one in rewards.listed(active=True)]

    def give(
        self, tenant_id: int, offer_id: str, contact_ids: Sequence[str], campaign_id: str
    ) -> dict[str, str]:
        """Asked again, the same codes."""
        _check(tenant_id)
        named = list(dict.fromkeys(contact_ids))
        made = coupons.issue_many(
            rewards.get(offer_id),
            named,
            source="campaign",
            causes=[f"campaign:{campaign_id}:{one}" for one in named],
        )
        return {
            contact_id: codes.shown(one.code) for contact_id, one in zip(named, made, strict=True)
        }


def listen() -> None:
    """Asked for by every process that plans or sends campaigns."""
    gifts.register(Rewards())


def _check(tenant_id: int) -> None:
    if tenant_id != current_tenant_id():
        raise RuntimeError("a gift is given in its own tenant's transaction")
