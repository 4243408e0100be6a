"""The filters of an audience, checked before they are stored."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from core.errors import Invalid, invalid
from core.ids import BadId, canonical_id
from messaging.campaigns.order_port import OrderFilters
from messaging.contacts import validation as contact_validation

LONGEST_DAYS = 3650
MOST_TAGS = 20
MOST_ORDERS = 100_000
MOST_SPENT = Decimal(10**9)
CONTACTS = {
    "tags",
    "without_tags",
    "languages",
    "birthday_within_days",
    "consent",
    "seen_within_days",
    "not_messaged_days",
}
ORDERS = {
    "site_id",
    "ordered_within_days",
    "not_ordered_days",
    "orders_at_least",
    "orders_at_most",
    "spent_at_least",
}
NAMES = CONTACTS | ORDERS


@dataclass(frozen=True)
class AudienceFilters:
    """All filters must match. None and empty values do not filter."""

    tags: tuple[str, ...] = ()
    """One of them is enough."""
    without_tags: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    birthday_within_days: int | None = None
    consent: bool = False
    seen_within_days: int | None = None
    not_messaged_days: int | None = None
    ordered: OrderFilters = field(default_factory=OrderFilters)


def parse_filters(given: Mapping[str, Any]) -> AudienceFilters:
    """Raises Invalid with the field that is wrong."""
    unknown = sorted(set(given) - NAMES)
    if unknown:
        raise invalid(
            "filters",
            "unknown_filter",
            "The filter {name} does not exist. Available: {known}.",
            name=unknown[0][:64],
            known=", ".join(sorted(NAMES)),
        )
    at_least = _count(given, "orders_at_least")
    at_most = _count(given, "orders_at_most")
    if at_least is not None and at_most is not None and at_least > at_most:
        raise invalid("orders_at_most", "empty_range", "This is less than the minimum value.")
    return AudienceFilters(
        tags=_tags(given, "tags"),
        without_tags=_tags(given, "without_tags"),
        languages=_languages(given),
        birthday_within_days=_days(given, "birthday_within_days", least=0, most=60),
        consent=_yes(given, "consent"),
        seen_within_days=_days(given, "seen_within_days"),
        not_messaged_days=_days(given, "not_messaged_days"),
        ordered=OrderFilters(
            site_id=_site(given),
            within_days=_days(given, "ordered_within_days"),
            not_for_days=_days(given, "not_ordered_days"),
            at_least=at_least,
            at_most=at_most,
            spent_at_least=_amount(given, "spent_at_least"),
        ),
    )


def filters_json(filters: AudienceFilters) -> dict[str, Any]:
    """Return only the filters that are set, as they are stored and as the API returns them."""
    ordered = filters.ordered
    spent = ordered.spent_at_least
    every = {
        "tags": list(filters.tags),
        "without_tags": list(filters.without_tags),
        "languages": list(filters.languages),
        "birthday_within_days": filters.birthday_within_days,
        "consent": filters.consent or None,
        "seen_within_days": filters.seen_within_days,
        "not_messaged_days": filters.not_messaged_days,
        "site_id": ordered.site_id or None,
        "ordered_within_days": ordered.within_days,
        "not_ordered_days": ordered.not_for_days,
        "orders_at_least": ordered.at_least,
        "orders_at_most": ordered.at_most,
        "spent_at_least": None if spent is None else str(spent),
    }
    return {name: value for name, value in every.items() if value not in (None, [])}


def _tags(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    found = given.get(name) or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise invalid(name, "invalid_tags", "Send the tags as a list of words.")
    if len(found) > MOST_TAGS:
        raise invalid(name, "too_many", "Choose at most {most}.", most=MOST_TAGS)
    return tuple(contact_validation.parse_tags(found))


def _languages(given: Mapping[str, Any]) -> tuple[str, ...]:
    found = given.get("languages") or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise invalid(
            "languages", "invalid_language", "Send the languages as a list of codes, such as tr."
        )
    if len(found) > MOST_TAGS:
        raise invalid("languages", "too_many", "Choose at most {most}.", most=MOST_TAGS)
    try:
        return tuple(
            dict.fromkeys(contact_validation.parse_language(one) for one in found if one.strip())
        )
    except Invalid as error:
        raise invalid("languages", error.code, error.template, **error.values) from None


def _days(
    given: Mapping[str, Any], name: str, least: int = 1, most: int = LONGEST_DAYS
) -> int | None:
    found = given.get(name)
    if found is None or found == "":
        return None
    if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= most:
        raise invalid(
            name,
            "invalid_days",
            "Enter the days as a whole number between {least} and {most}.",
            least=least,
            most=most,
        )
    return found


def _count(given: Mapping[str, Any], name: str) -> int | None:
    found = given.get(name)
    if found is None or found == "":
        return None
    if isinstance(found, bool) or not isinstance(found, int) or not 0 <= found <= MOST_ORDERS:
        raise invalid(name, "invalid_number", "Enter a whole number, zero or more.")
    return found


def _amount(given: Mapping[str, Any], name: str) -> Decimal | None:
    found = given.get(name)
    if found is None or found == "":
        return None
    try:
        amount = Decimal(str(found))
    except InvalidOperation:
        amount = Decimal(-1)
    if isinstance(found, bool) or not (amount.is_finite() and 0 <= amount <= MOST_SPENT):
        raise invalid(name, "invalid_amount", "Enter an amount, such as 250.00.")
    return amount.quantize(Decimal("0.001")).normalize() + 0


def _yes(given: Mapping[str, Any], name: str) -> bool:
    found = given.get(name)
    if found is not None and not isinstance(found, bool):
        raise invalid(name, "invalid_choice", "Send true or false.")
    return bool(found)


def _site(given: Mapping[str, Any]) -> str:
    found = given.get("site_id")
    if not found:
        return ""
    try:
        return canonical_id("sit", str(found))
    except BadId:
        raise invalid("site_id", "unknown_site", "This restaurant does not exist.") from None
