"""Happy hours of a menu: hours of the week at which some items cost less.

They are part of the draft and are published with it. `restaurant.menus.pricing` applies them.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from core.errors import NotFound, invalid
from core.ids import new_id
from restaurant.menus import menus
from restaurant.menus import validation as menu_validation
from restaurant.models import Menu, Site
from restaurant.models.order_states import ORDER_TYPES
from restaurant.sites import hours
from tenants import audit

MOST = 20


def get(menu: Menu, rule_id: str) -> Mapping[str, Any]:
    rule = next((one for one in menu.happy_hours if one["id"] == rule_id), None)
    if rule is None:
        raise NotFound()
    return dict(rule)


def save(menu: Menu, values: Mapping[str, Any], rule_id: str = "") -> dict[str, Any]:
    """Add a happy hour, or change the one with this id."""
    if rule_id:
        get(menu, rule_id)
    elif len(menu.happy_hours) >= MOST:
        raise invalid("name", "too_many", "A menu can have at most {most} happy hours.", most=MOST)
    rule = {"id": rule_id or new_id("hhr"), **_checked(menu, values)}
    if rule_id:
        _put(menu, [rule if one["id"] == rule_id else one for one in menu.happy_hours])
    else:
        _put(menu, [*menu.happy_hours, rule])
    return rule


def remove(menu: Menu, rule_id: str) -> None:
    get(menu, rule_id)
    _put(menu, [one for one in menu.happy_hours if one["id"] != rule_id])


def replace_all(menu: Menu, given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All are checked before any is stored."""
    if len(given) > MOST:
        raise invalid("data", "too_many", "A menu can have at most {most} happy hours.", most=MOST)
    known = {one["id"] for one in menu.happy_hours}
    rules = [
        {
            "id": one["id"] if one.get("id") in known else new_id("hhr"),
            **_checked(menu, one),
        }
        for one in given
    ]
    _put(menu, rules)
    return rules


def active(content: Mapping[str, Any], site: Site, moment: datetime) -> list[Mapping[str, Any]]:
    """The happy hours of a published menu that apply at a moment."""
    return [
        rule
        for rule in content.get("happy_hours", ())
        if hours.is_open(rule["hours"], site.time_zone, moment)
    ]


def _put(menu: Menu, rules: Sequence[Mapping[str, Any]]) -> None:
    menu.happy_hours = [dict(one) for one in rules]
    menus.touch(menu.id)
    audit.record("menus.happy_hours", menu.name, menu_id=menu.id, count=len(rules))


def _checked(menu: Menu, values: Mapping[str, Any]) -> dict[str, Any]:
    texts = menu_validation.check_texts(menu, values.get("texts") or {})
    spans = hours.check_hours(values.get("hours") or {})
    if not any(spans.values()):
        raise invalid("hours", "missing", "Enter the days and times of the happy hour.")
    percent, price = str(values.get("percent") or "").strip(), str(values.get("price") or "")
    if bool(percent) == bool(price.strip()):
        raise invalid("percent", "missing", "Enter either a discount in percent or a price.")
    rule: dict[str, Any] = {"texts": texts, "hours": spans}
    if percent:
        rule["percent"] = format(menu_validation.check_percent("percent", percent).normalize(), "f")
    else:
        amount = menu_validation.check_amount("price", price, menu.currency)
        rule["price"] = format(amount.normalize(), "f")
    rule["categories"] = _known("categories", values, menus.category_ids(menu.id))
    rule["items"] = _known("items", values, {item.id for item in menus.items(menu.id)})
    if not rule["categories"] and not rule["items"]:
        raise invalid("categories", "missing", "Choose the categories or items that cost less.")
    rule["order_types"] = _known("order_types", values, set(ORDER_TYPES)) or list(ORDER_TYPES)
    rule["active"] = bool(values.get("active", True))
    return rule


def _known(field: str, values: Mapping[str, Any], known: set[str]) -> list[str]:
    chosen = list(dict.fromkeys(str(one) for one in values.get(field) or ()))
    if not set(chosen) <= known:
        raise invalid(field, "invalid_choice", "Choose one of the available values.")
    return chosen
