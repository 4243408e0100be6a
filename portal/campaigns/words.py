"""What the pages of campaigns say in the reader's language."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from babel.units import format_unit
from flask_babel import format_currency, get_locale, gettext

from messaging.models import Campaign

CENT = Decimal("0.01")


def money_about(amount: Decimal) -> str:
    """Two places are enough for a guess; below a cent the truth is shown."""
    if amount < CENT:
        return str(format_currency(amount, "USD", "¤#,##0.00####", currency_digits=False))
    return str(format_currency(amount.quantize(CENT, ROUND_HALF_UP), "USD"))


def because(campaign: Campaign) -> str:
    said: dict[str, Any] = campaign.because
    if not said:
        return ""
    template: str = said["sentence"]
    sentence = str(gettext(template))
    return sentence.format(**said["values"]) if said["values"] else sentence


def lasts(seconds: int) -> str:
    """About how long: 40 seconds, 12 minutes, 3 hours, 2 days."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= length * (2 if unit != "minute" else 1):
            return str(format_unit(-(-seconds // length), f"duration-{unit}", locale=get_locale()))
    return str(format_unit(max(seconds, 1), "duration-second", locale=get_locale()))
