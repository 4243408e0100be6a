"""What a campaign changed: orders and money of those who got it, compared with the holdout group.

Computed by the job with the other results and stored in `Campaign.counts`; the page, the CSV file
and the API show the same stored figures. Everyone who was due to get the message counts as
treated, also if it was not delivered: only so the two groups are alike.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import to_uuid
from core.values.money import json_number, quantize
from messaging.campaigns.experiments.assignment import HOLDOUT
from messaging.campaigns.experiments.interval import Difference, Sample, difference
from messaging.models import Campaign

ALL = "all"
"""The comparison of all variants together with the holdout group."""

COUNT_GROUPS = text("""
SELECT variant, count(*) AS people, sum(least(orders, 1)) AS buyers, sum(orders) AS orders,
       sum(orders * orders) AS orders_squared, sum(spent) AS spent,
       sum(spent * spent) AS spent_squared, sum(cost_usd) AS cost,
       count(*) FILTER (WHERE outcome IN ('sent', 'delivered', 'read')) AS sent,
       count(l.contact_id) AS clicked, coalesce(sum(l.clicks), 0) AS link_clicks
  FROM campaign_recipients AS r
  LEFT JOIN (SELECT tenant_id, contact_id, sum(clicks) AS clicks FROM short_links
              WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id
                AND clicked_at IS NOT NULL
              GROUP BY tenant_id, contact_id) AS l
         ON l.tenant_id = r.tenant_id AND l.contact_id = r.contact_id
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id
   AND r.state IN ('handed', 'holdout')
 GROUP BY variant
""")


def campaign_effect(campaign: Campaign, currency: str) -> dict[str, Any]:
    """The groups and what each variant changed; {} for a campaign with one group."""
    if not (campaign.holdout_percent or campaign.variants):
        return {}
    rows = db.session.execute(
        COUNT_GROUPS,
        {"tenant_id": current_tenant_id(), "campaign_id": str(to_uuid("cmp", campaign.id))},
    ).all()
    groups = sorted((row._asdict() for row in rows), key=lambda one: one["variant"])
    return effect_of(groups, currency)


def effect_of(groups: Sequence[Mapping[str, Any]], currency: str) -> dict[str, Any]:
    treated = [one for one in groups if one["variant"] != HOLDOUT]
    held = next((one for one in groups if one["variant"] == HOLDOUT), None)
    made: dict[str, Any] = {
        "groups": [_group_json(one, currency) for one in groups],
        "comparisons": [],
    }
    if held is None or not treated:
        return made
    compared: list[tuple[str, Mapping[str, Any]]] = [(ALL, _sum(treated))]
    if len(treated) > 1:
        compared += [(one["variant"], one) for one in treated]
    for name, one in compared:
        orders = difference(_orders(one), _orders(held))
        money = difference(_money(one), _money(held))
        if orders is not None and money is not None:
            people = one["people"]
            made["comparisons"].append(
                _comparison_json(name, one, orders.times(people), money.times(people), currency)
            )
    return made


def _sum(groups: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = [name for name in groups[0] if name != "variant"]
    return {name: sum(one[name] for one in groups) for name in names}


def _orders(group: Mapping[str, Any]) -> Sample:
    return Sample(group["people"], float(group["orders"]), float(group["orders_squared"]))


def _money(group: Mapping[str, Any]) -> Sample:
    return Sample(group["people"], float(group["spent"]), float(group["spent_squared"]))


def _group_json(group: Mapping[str, Any], currency: str) -> dict[str, Any]:
    people, buyers = group["people"], group["buyers"]
    return {
        "variant": group["variant"],
        "people": people,
        "sent": group["sent"],
        "clicked": group["clicked"],
        "link_clicks": int(group["link_clicks"]),
        "buyers": buyers,
        "conversion_percent": round(100 * buyers / people, 2) if people else 0,
        "orders": group["orders"],
        "spent": _amount(group["spent"], currency),
        "cost_usd": json_number(group["cost"]),
    }


def _comparison_json(
    name: str, group: Mapping[str, Any], orders: Difference, money: Difference, currency: str
) -> dict[str, Any]:
    return {
        "variant": name,
        "people": group["people"],
        "extra_orders": round(orders.value),
        "extra_orders_low": round(orders.low),
        "extra_orders_high": round(orders.high),
        "extra_spent": _amount(money.value, currency),
        "extra_spent_low": _amount(money.low, currency),
        "extra_spent_high": _amount(money.high, currency),
        "cost_usd": json_number(group["cost"]),
        "verdict": verdict(orders),
    }


def verdict(orders: Difference) -> str:
    """more, fewer or unclear: whether the interval leaves out zero."""
    if orders.low > 0:
        return "more"
    return "fewer" if orders.high < 0 else "unclear"


def _amount(amount: Decimal | float, currency: str) -> str:
    value = Decimal(str(amount))
    return str(quantize(value, currency) if currency else round(value, 2))
