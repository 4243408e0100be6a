"""Response models of a campaign's effect: its groups and the extra orders."""

from typing import Any

from pydantic import BaseModel, Field

from messaging.models import Campaign


class EffectGroup(BaseModel):
    variant: str = Field(description="`A` to `D`, or `holdout`.", examples=["A"])
    people: int = Field(description="Contacts in the group, also those it was not delivered to.")
    sent: int = Field(description="Messages that the network accepted.")
    clicked: int = Field(description="Contacts who opened a short link.")
    link_clicks: int = Field(description="Their clicks, without link previews.")
    buyers: int = Field(description="Contacts who ordered within the days that count.")
    conversion_percent: float = Field(description="Buyers in percent of the people.")
    orders: int
    spent: str = Field(description="The value of their orders, in `currency`.", examples=["940.00"])
    cost_usd: float


class EffectComparison(BaseModel):
    """A group compared with the holdout group, for all people of the group."""

    variant: str = Field(description="`all` for all variants together, or one of them.")
    people: int = Field(description="Contacts in the group.")
    extra_orders: int = Field(
        description="Orders beyond those that would have come without the message.", examples=[23]
    )
    extra_orders_low: int = Field(description="The low end of the 95 % interval.", examples=[11])
    extra_orders_high: int = Field(description="The high end of the 95 % interval.", examples=[36])
    extra_spent: str = Field(description="The money of these orders.", examples=["4120.00"])
    extra_spent_low: str = Field(description="The low end of the 95 % interval.")
    extra_spent_high: str = Field(description="The high end of the 95 % interval.")
    cost_usd: float
    verdict: str = Field(
        description="`more` or `fewer` orders if the interval leaves out zero, otherwise"
        " `unclear`.",
        examples=["more"],
    )


class CampaignEffect(BaseModel):
    campaign_id: str
    holdout_percent: int = Field(description="The share of the recipients who get no message.")
    follow_days: int = Field(description="Orders within these days count.")
    currency: str = Field(examples=["TRY"])
    groups: list[EffectGroup] = Field(description="Empty without holdout group and variants.")
    comparisons: list[EffectComparison] = Field(
        description="The first is of all variants together. Empty without a holdout group."
    )


NO_CLICKS = {"clicked": 0, "link_clicks": 0}
"""Figures stored by an earlier release do not have the clicks of each group."""


def effect_json(campaign: Campaign) -> dict[str, Any]:
    effect = campaign.counts.get("effect") or {}
    return {
        "campaign_id": campaign.id,
        "holdout_percent": campaign.holdout_percent,
        "follow_days": campaign.follow_days,
        "currency": campaign.counts.get("currency", ""),
        "groups": [{**NO_CLICKS, **one} for one in effect.get("groups", [])],
        "comparisons": effect.get("comparisons", []),
    }
