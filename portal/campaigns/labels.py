"""Labels of the campaign pages in the reader's language."""

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from flask_babel import format_currency, gettext

from messaging.models import Campaign

CENT = Decimal("0.01")


def estimated_cost(amount: Decimal) -> str:
    """Rounded to cents because it is an estimate; amounts below a cent are shown in full."""
    if amount < CENT:
        return str(format_currency(amount, "USD", "¤#,##0.00####", currency_digits=False))
    return str(format_currency(amount.quantize(CENT, ROUND_HALF_UP), "USD"))


def stop_reason(campaign: Campaign) -> str:
    reason: dict[str, Any] = campaign.because
    if not reason:
        return ""
    template: str = reason["sentence"]
    sentence = str(gettext(template))
    return sentence.format(**reason["values"]) if reason["values"] else sentence
