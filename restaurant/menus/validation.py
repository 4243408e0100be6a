"""Validates menu data from people, programs and files, completely, before any of it is written."""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from core.errors import invalid
from core.values.money import BadMoney, parse_money
from core.values.text import BadText, normalize_text, one_line
from restaurant.models import Menu, MenuItem
from restaurant.sites import hours
from restaurant.sites.stations import check_station_codes

LONGEST_NAME, LONGEST_DESCRIPTION = 120, 600
MOST_OPTIONS = 60
OTHER_PRICES = ("takeaway", "delivery")
"""Order types that can have their own price and tax."""
MOST_COURSES = 5
MOST_SYNONYMS = 20
# The fourteen allergens that EU law lists, in its wording.
ALLERGENS = (
    "gluten", "crustaceans", "eggs", "fish", "peanuts", "soy", "milk", "nuts", "celery",
    "mustard", "sesame", "sulphites", "lupin", "molluscs",
)  # fmt: skip
DIETS = ("vegetarian", "vegan", "halal", "kosher", "gluten_free", "spicy", "alcohol", "pork")


def check_category(menu: Menu, values: Mapping[str, Any]) -> dict[str, Any]:
    clean_values: dict[str, Any] = {}
    if "texts" in values:
        clean_values["texts"] = check_texts(menu, values["texts"])
    if "available" in values:
        clean_values["available"] = hours.check_hours(values["available"] or {})
    if "hidden" in values:
        clean_values["hidden"] = bool(values["hidden"])
    if "course" in values:
        clean_values["course"] = _course(values["course"])
    return clean_values


def _course(value: Any) -> int:
    if not str(value).isdigit() or int(value) > MOST_COURSES:
        raise invalid(
            "course", "invalid_course", "Enter a course from 0 to {most}.", most=MOST_COURSES
        )
    return int(value)


def check_item(
    menu: Menu,
    values: Mapping[str, Any],
    category_ids: set[str],
    group_ids: set[str],
    *,
    whole: bool,
) -> dict[str, Any]:
    """With `whole`, it is a new item: name, price, category and station are required."""
    for field in ("texts", "price", "category_id"):
        if whole and field not in values:
            raise invalid(field, "missing", "An item needs a name, a price and a category.")
    found = check_category(menu, values)
    checks: dict[str, Callable[[Any], Any]] = {
        "category_id": lambda value: _known_category(value, category_ids),
        "price": lambda value: check_amount("price", value, menu.currency),
        "tax_percent": lambda value: check_percent("tax_percent", value),
        "prices": lambda value: check_prices(menu, value),
        "stations": check_station_codes,
        "code": lambda value: one_line(str(value or ""), 40),
        "photo": lambda value: str(value or ""),
        "allergens": lambda value: _among("allergens", value, ALLERGENS),
        "diets": lambda value: _among("diets", value, DIETS),
        "synonyms": check_synonyms,
        "groups": lambda value: _known_groups(value, group_ids),
    }
    found |= {field: check(values[field]) for field, check in checks.items() if field in values}
    if whole:
        found.setdefault("stations", ["kitchen"])
    return found


def check_synonyms(value: Any) -> list[str]:
    """Other names of an item, without repetitions and empty ones."""
    names = [one_line(str(one), LONGEST_NAME) for one in value or ()]
    unique = list(dict.fromkeys(one for one in names if one))
    if len(unique) > MOST_SYNONYMS:
        raise invalid(
            "synonyms",
            "too_many",
            "An item can have at most {most} other names.",
            most=MOST_SYNONYMS,
        )
    return unique


def _known_category(value: Any, known: set[str]) -> Any:
    if value not in known:
        raise invalid("category_id", "unknown_category", "This category is not on this menu.")
    return value


def _known_groups(value: Any, known: set[str]) -> list[str]:
    unique = list(dict.fromkeys(value or ()))
    if not set(unique) <= known:
        raise invalid("groups", "unknown_group", "This option group is not on this menu.")
    return unique


def check_group(menu: Menu, values: Mapping[str, Any], options: int) -> dict[str, Any]:
    least, most = _count("least", values.get("least", 0)), _count("most", values.get("most", 1))
    free = _count("free", values.get("free", 0))
    if options > MOST_OPTIONS:
        raise invalid(
            "options", "too_many", "A group can have at most {most} options.", most=MOST_OPTIONS
        )
    if most < 1 or least > most:
        raise invalid(
            "most",
            "invalid_count",
            "The maximum must be at least 1 and not lower than the minimum.",
        )
    if least > options:
        raise invalid("least", "invalid_count", "The minimum is higher than the number of options.")
    return {
        "texts": check_texts(menu, values.get("texts") or {}),
        "least": least,
        "most": min(most, max(options, 1)),
        "free": min(free, most),
    }


def check_prices(menu: Menu, value: Any) -> dict[str, dict[str, str]]:
    """Other prices and taxes by order type; a blank one is the item's own."""
    found: dict[str, dict[str, str]] = {}
    given = value if isinstance(value, Mapping) else {}
    if not set(given) <= set(OTHER_PRICES):
        raise invalid("prices", "invalid_choice", "Choose one of the available values.")
    for order_type, one in given.items():
        price, tax = (str((one or {}).get(name) or "").strip() for name in ("price", "tax"))
        clean = {}
        if price:
            clean["price"] = _plain(check_amount("prices", price, menu.currency))
        if tax:
            clean["tax"] = _plain(check_percent("prices", tax))
        if clean:
            found[order_type] = clean
    return found


def _plain(amount: Decimal) -> str:
    return format(amount.normalize(), "f")


def check_option(
    menu: Menu, values: Mapping[str, Any], dishes: Mapping[str, MenuItem] | None = None
) -> dict[str, Any]:
    """A choice of a set menu is a dish; its own texts are those of the dish."""
    item_id = str(values.get("item_id") or "")
    dish = (dishes or {}).get(item_id)
    if item_id and dish is None:
        raise invalid("item_id", "unknown_item", "This item is not on the restaurant's menu.")
    return {
        "item_id": item_id or None,
        "texts": check_texts(menu, dish.texts if dish else values.get("texts") or {}),
        "price": check_amount("price", values.get("price") or "0", menu.currency),
        "preset": bool(values.get("preset")),
        "removal": bool(values.get("removal")),
    }


def check_texts(menu: Menu, value: Any) -> dict[str, dict[str, str]]:
    """A name in the menu's main language is required; other languages are optional."""
    found: dict[str, dict[str, str]] = {}
    given = value if isinstance(value, Mapping) else {}
    for language in menu.languages:
        texts = given.get(language) or {}
        try:
            name = one_line(str(texts.get("name") or ""), LONGEST_NAME)
            description = normalize_text(str(texts.get("description") or ""))[:LONGEST_DESCRIPTION]
        except BadText as error:
            raise invalid(
                "name", "invalid_text", "The text contains an invalid character."
            ) from error
        if name:
            found[language] = {"name": name, "description": description}
    if menu.languages[0] not in found:
        raise invalid("name", "missing", "Enter a name in the menu's main language.")
    return found


def check_amount(field: str, value: Any, currency: str) -> Decimal:
    try:
        found = parse_money(str(value).strip(), currency)
    except BadMoney as error:
        raise invalid(
            field,
            "invalid_amount",
            "Enter a price in {currency}, such as 12.50.",
            currency=currency,
        ) from error
    if found < 0:
        raise invalid(field, "invalid_amount", "A price cannot be negative.")
    return found


def check_percent(field: str, value: Any) -> Decimal:
    try:
        found = Decimal(str(value).strip() or "0")
    except ArithmeticError:
        found = Decimal(-1)
    if not found.is_finite() or not 0 <= found <= 100 or found != round(found, 3):
        raise invalid(field, "invalid_percent", "Enter a percentage from 0 to 100.")
    return found


def _among(field: str, value: Any, known: tuple[str, ...]) -> list[str]:
    chosen = set(value or ())
    if not chosen <= set(known):
        raise invalid(field, "invalid_choice", "Choose one of the available values.")
    return [one for one in known if one in chosen]


def _count(field: str, value: Any) -> int:
    try:
        found = int(value)
    except (TypeError, ValueError):
        found = -1
    if not 0 <= found <= 99:
        raise invalid(field, "invalid_count", "Enter a whole number from 0 to 99.")
    return found
