"""Validates a restaurant's settings. Each check returns the clean value or raises Invalid."""

import re
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from babel import Locale, UnknownLocaleError
from phonenumbers import SUPPORTED_REGIONS

from core.clock import time_zones
from core.errors import NotFound, invalid
from core.values.money import BadMoney, decimal_places
from core.values.text import BadText, one_line
from messaging.lines import repository as line_repository
from restaurant.models.order_states import ORDER_TYPES, PAYMENT_METHODS, STATES
from restaurant.sites import hours
from restaurant.sites.stations import check_station_codes
from restaurant.typed_phones import required_phone
from tenants.people import clean_name

LONGEST_URL = 500
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{1,38}[a-z0-9])")
_PREFIX = re.compile(r"[A-Z][A-Z0-9]{1,5}")
_HOST = re.compile(r"(?=.{4,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.[a-z]{2,}")
_COLOR = re.compile(r"[0-9a-f]{6}")
MOST_DAYS_AHEAD = 14
LONGEST_WELCOME, LONGEST_ADDRESS, MOST_TIPS = 240, 300, 6
CHANGEABLE = frozenset(
    {
        "name", "host", "prefix", "currency", "time_zone", "country", "languages", "address",
        "phone", "latitude", "longitude", "line_id", "hours", "special_days", "day_starts",
        "order_types", "payment_methods", "tax_included", "service_percent", "service_order_types",
        "tip_percents", "told_states",
        "accept_minutes", "guest_cancel_minutes", "manager_phone", "prints_bills",
        "kitchen_warn_minutes", "kitchen_late_minutes", "prints_ticket_codes", "shows_promise",
        "feedback_minutes", "review_url",
        "orders_in_words",
        "table_orders_per_hour", "phone_orders_per_hour",
        "preparation_minutes", "delivery_minutes", "later_days", "slot_orders", "slot_minutes",
        "slot_order_types",
        "address_orders_per_hour", "newcomer_limit", "tone", "welcome", "menu_id", "logo",
    }
)  # fmt: skip


def check_slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise invalid(
            "slug",
            "invalid_slug",
            "The address must be 3 to 40 lowercase letters, digits and dashes.",
        )
    return value


def check_field(field: str, value: Any) -> Any:
    check = _CHECKS.get(field)
    return check(field, value) if check else value


def check_kitchen_minutes(warn: int, late: int) -> None:
    if late <= warn:
        raise invalid(
            "kitchen_late_minutes",
            "out_of_order",
            "Red must come later than yellow.",
        )


def _https_url(field: str, value: Any) -> str:
    text = str(value or "").strip()
    if not text:
        return ""
    parts = urlsplit(text) if text.isprintable() and len(text) <= LONGEST_URL else urlsplit("")
    if parts.scheme != "https" or not parts.hostname or " " in text:
        raise invalid(
            field, "invalid_url", "Enter an address that starts with https://, or leave it blank."
        )
    return text


def _name(_field: str, value: Any) -> str:
    return clean_name(str(value))


def _prefix(field: str, value: Any) -> str:
    text = str(value).strip().upper()
    if not _PREFIX.fullmatch(text):
        raise invalid(
            field,
            "invalid_prefix",
            "The order prefix must be 2 to 6 letters and digits, such as ORD.",
        )
    return text


def _host(field: str, value: Any) -> str:
    text = str(value or "").strip().lower()
    if text and not _HOST.fullmatch(text):
        raise invalid(field, "invalid_host", "Enter a domain such as menu.example.com.")
    return text


def _currency(field: str, value: Any) -> str:
    text = str(value).strip().upper()
    try:
        decimal_places(text)
    except BadMoney as error:
        raise invalid(field, "invalid_currency", "Enter a currency code, such as TRY.") from error
    return text


def _time_zone(field: str, value: Any) -> str:
    if value not in time_zones():
        raise invalid(field, "invalid_time_zone", "Enter a time zone, such as Europe/Istanbul.")
    return str(value)


def _country(field: str, value: Any) -> str:
    text = str(value).strip().upper()
    if text not in SUPPORTED_REGIONS:
        raise invalid(field, "invalid_country", "Enter a two-letter country code, such as TR.")
    return text


def _languages(field: str, value: Any) -> list[str]:
    unique = list(dict.fromkeys(str(one).strip().lower() for one in value or ()))
    for one in unique:
        try:
            Locale.parse(one)
        except (UnknownLocaleError, ValueError) as error:
            raise invalid(
                field, "invalid_language", "Enter a language code, such as tr or en."
            ) from error
    if not 1 <= len(unique) <= 12:
        raise invalid(field, "invalid_language", "Choose 1 to 12 languages.")
    return unique


def _phone(field: str, value: Any) -> str:
    text = str(value or "").strip()
    return required_phone(text, field) if text else ""


def _one_or_more_of(known: tuple[str, ...], least: int) -> Any:
    def check(field: str, value: Any) -> list[str]:
        chosen = [one for one in known if one in (value or ())]
        if len(chosen) != len(set(value or ())) or len(chosen) < least:
            raise invalid(field, "invalid_choice", "Choose one of the available values.")
        return chosen

    return check


def _between(low: Decimal | int, high: Decimal | int) -> Any:
    def check(field: str, value: Any) -> Any:
        if value is None or not low <= value <= high:
            raise invalid(
                field, "out_of_range", "Enter a number from {low} to {high}.", low=low, high=high
            )
        return value

    return check


def _degrees(most: int) -> Any:
    def check(field: str, value: Any) -> Any:
        return None if value is None else _between(Decimal(-most), Decimal(most))(field, value)

    return check


def _color(field: str, value: Any) -> str:
    text = str(value or "").strip().lower().removeprefix("#")
    if text and not _COLOR.fullmatch(text):
        raise invalid(field, "invalid_colour", "Enter a color as six hex digits, such as c2410c.")
    return text


def _line(limit: int) -> Any:
    def check(field: str, value: Any) -> str:
        try:
            return one_line(str(value or ""), limit)
        except BadText as error:
            raise invalid(
                field, "invalid_text", "The text contains an invalid character."
            ) from error

    return check


def _welcome(field: str, value: Any) -> dict[str, str]:
    line = _line(LONGEST_WELCOME)
    texts = {str(code): line(field, text) for code, text in dict(value or {}).items()}
    return {code: text for code, text in texts.items() if text}


def _tips(field: str, value: Any) -> list[int]:
    percents = sorted(set(value or ()))
    if len(percents) > MOST_TIPS or any(not 0 < one <= 100 for one in percents):
        raise invalid(
            field, "invalid_percent", "Enter up to six tip percentages, such as 5, 10, 15."
        )
    return percents


def _limit(field: str, value: Any) -> Decimal | None:
    return None if value is None else _between(Decimal(0), Decimal(10**9))(field, value)


def _slot_minutes(field: str, value: Any) -> dict[str, int]:
    """Minutes by station; a station without a number has no limit."""
    given = {str(code): minutes for code, minutes in dict(value or {}).items() if minutes}
    check_station_codes(list(given) or ["kitchen"])
    return {code: int(_between(1, 1500)(field, minutes)) for code, minutes in given.items()}


def _line_id(field: str, value: Any) -> int | None:
    if value is None:
        return None
    try:
        return line_repository.get(int(value)).id
    except NotFound as error:
        raise invalid(field, "unknown_instance", "No line has this ID.") from error


_CHECKS: dict[str, Any] = {
    "name": _name,
    "prefix": _prefix,
    "host": _host,
    "currency": _currency,
    "time_zone": _time_zone,
    "country": _country,
    "languages": _languages,
    "phone": _phone,
    "manager_phone": _phone,
    "line_id": _line_id,
    "hours": lambda _field, value: hours.check_hours(value or {}),
    "special_days": lambda _field, value: hours.checked_special_days(value or []),
    "day_starts": lambda field, value: hours.check_clock(field, str(value)),
    "order_types": _one_or_more_of(ORDER_TYPES, 1),
    "payment_methods": _one_or_more_of(PAYMENT_METHODS, 1),
    "told_states": _one_or_more_of((*STATES, "late"), 0),
    "service_order_types": _one_or_more_of(ORDER_TYPES, 0),
    "service_percent": _between(Decimal(0), Decimal(50)),
    "accept_minutes": _between(1, 120),
    "guest_cancel_minutes": _between(0, 60),
    "preparation_minutes": _between(1, 240),
    "delivery_minutes": _between(0, 240),
    "later_days": _between(0, MOST_DAYS_AHEAD),
    "slot_orders": lambda field, value: None if value is None else _between(1, 500)(field, value),
    "slot_minutes": _slot_minutes,
    "slot_order_types": _one_or_more_of(ORDER_TYPES, 0),
    "kitchen_warn_minutes": _between(1, 120),
    "kitchen_late_minutes": _between(1, 240),
    "feedback_minutes": _between(0, 1440),
    "review_url": _https_url,
    "table_orders_per_hour": _between(1, 1000),
    "phone_orders_per_hour": _between(1, 1000),
    "address_orders_per_hour": _between(1, 10_000),
    "latitude": _degrees(90),
    "longitude": _degrees(180),
    "tone": _color,
    "address": _line(LONGEST_ADDRESS),
    "welcome": _welcome,
    "tip_percents": _tips,
    "newcomer_limit": _limit,
}
