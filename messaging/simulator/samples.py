"""A few approved templates, the same for every simulated account."""

import re
from typing import Any

_PLACE = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def _template(number: int, name: str, language: str, category: str, body: str) -> dict[str, Any]:
    return {
        "id": str(880_000_000_000 + number),
        "name": name,
        "language": language,
        "category": category,
        "status": "APPROVED",
        "parameter_format": "POSITIONAL",
        "components": [{"type": "BODY", "text": body}],
    }


TEMPLATES = [
    _template(1, "hello_world", "en_US", "UTILITY", "Hello! This is a message from our business."),
    _template(
        2, "order_confirmation", "en", "UTILITY", "Hi {{1}}, we have your order {{2}}. Thank you!"
    ),
    _template(
        3,
        "order_confirmation",
        "tr",
        "UTILITY",
        "Merhaba {{1}}, {{2}} numaralı siparişiniz alındı.",
    ),
    _template(4, "shipping_update", "en", "UTILITY", "Your order {{1}} is on its way: {{2}}"),
    _template(5, "table_ready", "en", "UTILITY", "{{1}}, your table is ready."),
    _template(6, "weekend_menu", "en", "MARKETING", "{{1}}, see what we cook this weekend!"),
    _template(
        7, "weekend_menu", "tr", "MARKETING", "{{1}}, bu hafta sonu neler pişiriyoruz, bakın!"
    ),
    _template(8, "sign_in_code", "en", "AUTHENTICATION", "{{1}} is your verification code."),
]


def find(name: str, language: str) -> dict[str, Any] | None:
    wanted = (name, language)
    return next((one for one in TEMPLATES if (one["name"], one["language"]) == wanted), None)


def category_of(name: str) -> str:
    return next(
        (str(one["category"]).lower() for one in TEMPLATES if one["name"] == name), "utility"
    )


def places(template: dict[str, Any]) -> list[str]:
    return _PLACE.findall(template["components"][0]["text"])


def filled(template: dict[str, Any], values: list[str]) -> str:
    given = iter(values)
    return _PLACE.sub(lambda _: next(given, "…"), template["components"][0]["text"])
