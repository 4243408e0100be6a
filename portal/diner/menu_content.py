"""A published menu in one language."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from babel import Locale, UnknownLocaleError

from core.values.money import decimal_places, format_money
from portal.diner.menu_cache import MenuFacts
from portal.diner.texts import diner_text
from restaurant.menus.pricing import PricedMenu, text_in

FEW_LEFT = 5
"""Guests see how many pieces are left from this number on."""


def shown_left(facts: MenuFacts) -> dict[str, int]:
    """The numbers that the page shows."""
    return {item_id: left for item_id, left in facts.left.items() if 0 < left <= FEW_LEFT}


def default_type(facts: MenuFacts) -> str:
    """The type of order whose prices the page shows first."""
    return next(iter(facts.site.order_types), "dine_in")


def _priced(facts: MenuFacts, order_type: str) -> PricedMenu:
    return PricedMenu(facts.content, order_type=order_type, rules=facts.rules)


def _prices(facts: MenuFacts) -> dict[str, dict[str, list[str]]]:
    """By item and order type: the price, and the regular price during a happy hour."""
    menus = {order_type: _priced(facts, order_type) for order_type in facts.site.order_types}
    found: dict[str, dict[str, list[str]]] = {}
    for category in facts.content["categories"]:
        for item in category["items"]:
            for order_type, menu in menus.items():
                one = menu.price_of(item)
                if one.price != Decimal(item["price"]) or one.offer:
                    regular = [str(one.regular)] if one.offer else []
                    found.setdefault(item["id"], {})[order_type] = [str(one.price), *regular]
    return found


def menu_for(facts: MenuFacts, language: str) -> list[dict[str, Any]]:
    languages = facts.content["languages"]
    return [
        {
            "id": category["id"],
            "name": text_in(category["texts"], language, languages),
            "note": _description(category["texts"], language, languages),
            "items": [_item(facts, item, language) for item in category["items"]],
        }
        for category in facts.content["categories"]
    ]


def data_for(facts: MenuFacts, language: str) -> dict[str, Any]:
    """The data that the page's script needs for options and a running total.

    The server computes the price again.
    """
    content = facts.content
    prices = _prices(facts)
    used = {
        group_id
        for category in content["categories"]
        for item in category["items"]
        for group_id in item["groups"]
    }
    return {
        "currency": facts.site.currency,
        "places": decimal_places(facts.site.currency),
        "language": language,
        "service": str(facts.site.applied_service_percent),
        "serviceTypes": list(facts.site.service_order_types),
        "tips": list(facts.site.tip_percents),
        "zoned": bool(facts.zones),
        "later": facts.orders_for_later,
        "now": not facts.why_closed,
        "limited": facts.site.slot_orders is not None or bool(facts.site.slot_minutes),
        "items": {
            item["id"]: {
                "price": item["price"],
                "groups": item["groups"],
                "name": text_in(item["texts"], language, content["languages"]),
                **({"prices": prices[item["id"]]} if item["id"] in prices else {}),
                **({"left": facts.left[item["id"]]} if item["id"] in facts.left else {}),
                "minutes": facts.minutes.get(item["id"]),
                "course": category.get("course", 0),
            }
            for category in content["categories"]
            for item in category["items"]
        },
        "groups": {
            group_id: _group(facts, content["groups"][group_id], language) for group_id in used
        },
    }


def direction(language: str) -> str:
    return str(Locale.parse(language).text_direction)


@lru_cache(maxsize=256)
def own_name(language: str) -> str:
    """A language's name in that language; its code if unknown."""
    try:
        locale = Locale.parse(language, sep="-")
    except (ValueError, UnknownLocaleError):
        return language
    name = locale.get_display_name(locale) or language
    return name[:1].upper() + name[1:]


def _group(facts: MenuFacts, group: Mapping[str, Any], language: str) -> dict[str, Any]:
    languages = facts.content["languages"]
    return {
        "name": text_in(group["texts"], language, languages),
        "least": group["least"],
        "most": group["most"],
        "free": group["free"],
        "options": [
            {
                "id": option["id"],
                "name": text_in(option["texts"], language, languages),
                "price": option["price"],
                "preset": option["preset"],
                "gone": bool({option["id"], option.get("item_id")} & facts.missing),
            }
            for option in group["options"]
        ],
    }


def _item(facts: MenuFacts, item: Mapping[str, Any], language: str) -> dict[str, Any]:
    languages = facts.content["languages"]
    allergens = [diner_text(language, one) for one in item["allergens"]]
    price = _priced(facts, default_type(facts)).price_of(item)
    few = shown_left(facts).get(item["id"])
    return {
        "id": item["id"],
        "name": text_in(item["texts"], language, languages),
        "description": _description(item["texts"], language, languages),
        "price": format_money(price.price, facts.site.currency, language),
        "regular": format_money(price.regular, facts.site.currency, language)
        if price.offer
        else "",
        "offer": text_in(price.offer["texts"], language, languages) if price.offer else "",
        "left": diner_text(language, "left", left=str(few)) if few else "",
        "from": any(facts.content["groups"][group]["least"] for group in item["groups"]),
        "photo": item["photo"],
        "allergens": item["allergens"],
        "contains": diner_text(language, "contains", allergens=", ".join(allergens)),
        "diets": item["diets"],
        "gone": item["id"] in facts.missing,
        "minutes": facts.minutes.get(item["id"]),
    }


def _description(texts: Mapping[str, Any], language: str, languages: Any) -> str:
    for code in (language, language.partition("-")[0], "en", *languages):
        if text := (texts.get(code) or {}).get("description"):
            return str(text)
    return ""


def tone_css(colour: str) -> str:
    """CSS that sets the accent colour, with a readable text colour on it."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (0, 2, 4))
    light = (red * 299 + green * 587 + blue * 114) / 1000 > 140
    ink = "#14120f" if light else "#ffffff"
    return (
        f":root{{--tone:#{colour};--on-tone:{ink};"
        f"--tint:color-mix(in srgb,#{colour} 12%,var(--card))}}"
        f"@media(prefers-color-scheme:dark){{:root{{"
        f"--tone:color-mix(in srgb,#{colour} 60%,#fff);--on-tone:#14120f}}}}\n"
    )
