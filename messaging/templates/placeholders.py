"""Named placeholders in a text: ``{{customer.first_name|there}}``. Names only, no expressions."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from core.errors import invalid
from core.values.money import BadMoney, format_money
from core.values.phone import display_phone
from core.values.text import BadText, normalize_text

LONGEST_TEXT = 4096
LONGEST_LINE = 300
MOST_ITEMS = 5
_PLACEHOLDER = re.compile(r"\{\{((?:(?!\{\{).)*?)\}\}", re.DOTALL)
_PLACEHOLDER_NAME = re.compile(
    r"\s*(coupon|[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)\s*(?:\|([^{}|]{0,200}))?"
)
_MANY_BREAKS = re.compile(r"\n{3,}")

CUSTOMER = ("customer.first_name", "customer.last_name", "customer.name", "customer.email")
SHOP = ("shop.name",)
ORDER = ("order.number", "order.total", "order.items", "order.url")
TRACKING = ("tracking.number", "tracking.url", "tracking.company")
CHECKOUT = ("checkout.total", "checkout.items", "checkout.url")
FORM = ("form.name", "form.text", "form.summary", "customer.phone")
COUPON = "coupon"
NAMES_BY_TRIGGER: dict[str, tuple[str, ...]] = {
    "order.created": (*CUSTOMER, *ORDER, *SHOP),
    "order.fulfilled": (*CUSTOMER, *ORDER, *TRACKING, *SHOP),
    "order.cancelled": (*CUSTOMER, *ORDER, "order.cancel_reason", *SHOP),
    "checkout.created": (*CUSTOMER, *CHECKOUT, *SHOP),
    "form.submitted": (*CUSTOMER, *FORM, *SHOP),
    "button.tapped": (*CUSTOMER[:3], "button.title", *SHOP),
    "campaign": (*CUSTOMER[:3], *SHOP, COUPON),
}


def clean_text(written: str, field: str = "text", most: int = LONGEST_TEXT) -> str:
    """Return the normalized text. Raises Invalid if it is too long or has unreadable characters."""
    try:
        cleaned = normalize_text(written.replace("\r\n", "\n"))
    except BadText:
        raise invalid(field, "invalid_text", "The text contains an invalid character.") from None
    if len(cleaned) > most:
        raise invalid(field, "too_long", "The text is too long.")
    return cleaned


@dataclass(frozen=True)
class FilledText:
    text: str
    missing: tuple[str, ...]
    """Names with neither a value nor a default."""


def placeholders_in(text: str) -> list[tuple[str, str | None]]:
    """Return each placeholder with its default. Raises Invalid for other text in double braces."""
    found = []
    for inside in _PLACEHOLDER.findall(text):
        one = _PLACEHOLDER_NAME.fullmatch(inside)
        if one is None:
            raise invalid(
                "text",
                "bad_placeholder",
                "“{what}” is not a placeholder. Use a name such as {example}.",
                what="{{" + inside[:60] + "}}",
                example="{{customer.first_name}}",
            )
        found.append((one[1], one[2]))
    return found


def check_placeholders(texts: Iterable[str], trigger: str) -> None:
    """Raise Invalid for a name that this trigger does not provide."""
    for text in texts:
        for name, _ in placeholders_in(text):
            answer = trigger == "form.submitted" and name.startswith("answer.")
            if name not in NAMES_BY_TRIGGER[trigger] and not answer:
                raise invalid(
                    "text",
                    "unknown_placeholder",
                    "{what} is not available here. Available: {names}.",
                    what="{{" + name + "}}",
                    names=", ".join(NAMES_BY_TRIGGER[trigger]),
                )


def fill_placeholders(text: str, values: Mapping[str, str]) -> FilledText:
    missing: list[str] = []

    def put(found: re.Match[str]) -> str:
        one = _PLACEHOLDER_NAME.fullmatch(found[1])
        if one is None:
            return found[0]
        name, default = one[1], one[2]
        value = values.get(name, "")
        if not value and default is None:
            missing.append(name)
        return value or (default or "").strip()

    filled = _MANY_BREAKS.sub("\n\n", _PLACEHOLDER.sub(put, text))
    filled = "\n".join(line.rstrip() for line in filled.splitlines())
    return FilledText(normalize_text(filled)[:LONGEST_TEXT], tuple(dict.fromkeys(missing)))


def event_values(data: Mapping[str, Any], phone: str, shop: str, locale: str) -> dict[str, str]:
    """Return the values of an event by placeholder name."""
    found = {"shop.name": shop, "customer.phone": display_phone(phone) if phone else ""}
    for place in ("customer", "order", "checkout", "tracking", "form", "answer", "button"):
        known = data.get(place)
        for name, value in known.items() if isinstance(known, dict) else ():
            if isinstance(value, str):
                found[f"{place}.{name}"] = value
        if isinstance(known, dict) and place in ("order", "checkout"):
            found[f"{place}.total"] = _money(known, locale)
            found[f"{place}.items"] = _items(known.get("items"))
    return found


def _money(known: Mapping[str, Any], locale: str) -> str:
    written, currency = str(known.get("total") or ""), str(known.get("currency") or "")
    if not written:
        return ""
    try:
        return format_money(Decimal(written), currency.upper(), locale)
    except (BadMoney, InvalidOperation):
        return f"{written} {currency}".strip()


def _items(listed: Any) -> str:
    if not isinstance(listed, list):
        return ""
    lines = [f"{one['quantity']} × {one['name']}" for one in listed[:MOST_ITEMS]]
    more = [f"+{len(listed) - MOST_ITEMS}"] if len(listed) > MOST_ITEMS else []
    return ", ".join(lines + more)[:LONGEST_LINE]
