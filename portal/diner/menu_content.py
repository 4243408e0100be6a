"""A published menu in one language."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from typing import Any

from babel import Locale, UnknownLocaleError

from core.values.money import decimal_places, format_money
from portal.diner.menu_cache import MenuFacts
from portal.diner.texts import diner_text
from restaurant.menus.pricing import text_in


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
        "items": {
            item["id"]: {
                "price": item["price"],
                "groups": item["groups"],
                "name": text_in(item["texts"], language, content["languages"]),
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
                "gone": option["id"] in facts.missing,
            }
            for option in group["options"]
        ],
    }


def _item(facts: MenuFacts, item: Mapping[str, Any], language: str) -> dict[str, Any]:
    languages = facts.content["languages"]
    allergens = [diner_text(language, one) for one in item["allergens"]]
    return {
        "id": item["id"],
        "name": text_in(item["texts"], language, languages),
        "description": _description(item["texts"], language, languages),
        "price": format_money(Decimal(item["price"]), facts.site.currency, language),
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
