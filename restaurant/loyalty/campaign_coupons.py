"""Coupons for campaigns: one coupon of a reward for each guest and campaign."""

from collections.abc import Sequence

from core.db import current_tenant_id
from messaging.campaigns import coupon_port
from restaurant.loyalty import coupon_codes, coupons, rewards


class CampaignCoupons:
    """Implements messaging.campaigns.coupon_port. Runs in the caller's transaction."""

    def offers(self, tenant_id: int) -> list[tuple[str, str]]:
        _check_tenant(tenant_id)
        return [(one.id, one.name) for one in rewards.listed(active=True)]

    def issue(
        self, tenant_id: int, offer_id: str, contact_ids: Sequence[str], campaign_id: str
    ) -> dict[str, str]:
        """Idempotent: a repeated call returns the same codes."""
        _check_tenant(tenant_id)
        named = list(dict.fromkeys(contact_ids))
        made = coupons.issue_many(
            rewards.get(offer_id),
            named,
            source="campaign",
            causes=[f"campaign:{campaign_id}:{one}" for one in named],
        )
        return {
            contact_id: coupon_codes.format_code(one.code)
            for contact_id, one in zip(named, made, strict=True)
        }


def register() -> None:
    """Called by `restaurant.wiring.wire_domains`."""
    coupon_port.register_provider(CampaignCoupons())


def _check_tenant(tenant_id: int) -> None:
    if tenant_id != current_tenant_id():
        raise RuntimeError("a gift is given in its own tenant's transaction")
