"""The conditions of an automation, each with a reason for when it does not hold."""

from decimal import Decimal, InvalidOperation
from typing import Any

from core.errors import invalid
from core.values.text import strip_accents
from messaging.automations import reasons
from messaging.automations.recipes import BUTTON_TAPPED
from messaging.messages.kinds.interactive.base import LONGEST_ID
from messaging.models import StoreEvent

CONDITIONS_BY_TRIGGER: dict[str, tuple[str, ...]] = {
    "order.created": ("paid", "at_least", "countries"),
    "order.fulfilled": ("tracking", "countries"),
    "order.cancelled": ("countries",),
    "checkout.created": ("at_least", "countries", "consent"),
    "form.submitted": ("consent",),
    BUTTON_TAPPED: ("tapped",),
}
MOST_COUNTRIES = 50
MOST_BUTTONS = 20


def unmet_condition(conditions: dict[str, Any], event: StoreEvent) -> str:
    """Return the reason of the first condition that does not hold; "" if all hold."""
    data = event.data
    if conditions.get("paid") and not _part(data, "order").get("paid"):
        return reasons.NOT_PAID
    if conditions.get("tracking"):
        tracking = _part(data, "tracking")
        if not tracking.get("number") and not tracking.get("url"):
            return reasons.NO_TRACKING
    if least := conditions.get("at_least"):
        total = _part(data, "order").get("total") or _part(data, "checkout").get("total")
        if _amount(total) < _amount(least):
            return reasons.TOO_SMALL
    countries = conditions.get("countries")
    if countries and str(data.get("country") or "").upper() not in countries:
        return reasons.OTHER_COUNTRY
    if event.kind == BUTTON_TAPPED and not _names_button(conditions, data):
        return reasons.OTHER_BUTTON
    if conditions.get("consent") and not (data.get("consent") or data.get("marketing")):
        return reasons.NO_CONSENT
    return ""


def checked_conditions(given: dict[str, Any], trigger: str) -> dict[str, Any]:
    """Return the conditions that this trigger supports, in the stored format."""
    checked: dict[str, Any] = {}
    for name in CONDITIONS_BY_TRIGGER[trigger]:
        value = given.get(name)
        if name == "tapped":
            checked[name] = _buttons(value)
            continue
        if not value:
            continue
        if name == "at_least":
            checked[name] = str(_limit(str(value)))
        elif name == "countries":
            checked[name] = _countries(value)
        else:
            checked[name] = True
    return checked


def _limit(written: str) -> Decimal:
    amount = _amount(written.replace(",", "."))
    if not 0 < amount < 10**9:
        raise invalid("at_least", "invalid_amount", "Enter an amount, such as 49.90.")
    return amount


def _names_button(conditions: dict[str, Any], data: dict[str, Any]) -> bool:
    """Whether the id or the title of the button is one of the condition's."""
    tapped = _part(data, "button")
    named = {strip_accents(one) for one in conditions.get("tapped", ())}
    return bool(named & {strip_accents(str(tapped.get(part))) for part in ("id", "title")})


def _buttons(value: Any) -> list[str]:
    lines = value if isinstance(value, list) else str(value or "").splitlines()
    names = list(dict.fromkeys(one.strip() for one in lines if one.strip()))
    if not names:
        raise invalid("tapped", "empty_buttons", "Enter the title or the id of a button.")
    if len(names) > MOST_BUTTONS or any(len(one) > LONGEST_ID for one in names):
        raise invalid("tapped", "too_many", "Enter at most 20 buttons.")
    return names


def _countries(value: Any) -> list[str]:
    codes = value if isinstance(value, list) else str(value).replace(",", " ").split()
    codes = [str(code).strip().upper() for code in codes][:MOST_COUNTRIES]
    if not all(len(code) == 2 and code.isascii() and code.isalpha() for code in codes):
        raise invalid(
            "countries", "invalid_country", "Enter countries as two-letter codes, such as TR, DE."
        )
    return codes


def _amount(written: Any) -> Decimal:
    try:
        amount = Decimal(str(written or 0))
    except InvalidOperation:
        return Decimal(0)
    return amount if amount.is_finite() else Decimal(0)


def _part(data: dict[str, Any], name: str) -> dict[str, Any]:
    found = data.get(name)
    return found if isinstance(found, dict) else {}
