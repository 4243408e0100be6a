"""The result of a holdout group as a sentence."""

from decimal import Decimal
from typing import Any

from flask_babel import format_decimal, gettext, ngettext

from portal.campaigns.labels import estimated_cost
from portal.web.i18n import format_amount


def effect_sentence(comparison: dict[str, Any], currency: str) -> str:
    """Such as "23 extra orders (between 11 and 36), ₺4,120.00, for $1.80 of messages"."""
    orders = comparison["extra_orders"]
    low = format_decimal(comparison["extra_orders_low"])
    high = format_decimal(comparison["extra_orders_high"])
    cost = estimated_cost(Decimal(str(comparison["cost_usd"])))
    if comparison["verdict"] == "unclear":
        return str(
            gettext(
                "No clear effect yet: between %(low)s and %(high)s extra orders, for %(cost)s of "
                "messages",
                low=low,
                high=high,
                cost=cost,
            )
        )
    if comparison["verdict"] == "fewer":
        return str(
            gettext(
                "Fewer orders than without the message: %(orders)s (between %(low)s and %(high)s), "
                "for %(cost)s of messages",
                orders=format_decimal(orders),
                low=low,
                high=high,
                cost=cost,
            )
        )
    return str(
        ngettext(
            "%(orders)s extra order (between %(low)s and %(high)s), %(money)s, for %(cost)s of "
            "messages",
            "%(orders)s extra orders (between %(low)s and %(high)s), %(money)s, for %(cost)s of "
            "messages",
            orders,
            orders=format_decimal(orders),
            low=low,
            high=high,
            money=amount(comparison["extra_spent"], currency),
            cost=cost,
        )
    )


def amount(text: str, currency: str) -> str:
    return format_amount(text, currency) if currency else text
