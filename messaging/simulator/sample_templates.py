"""Sample templates, the same for every simulated account; most of them are approved."""

import re
from typing import Any

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")


def _template(
    number: int,
    name: str,
    language: str,
    category: str,
    body: str,
    samples: tuple[str, ...] = (),
    *,
    more: tuple[dict[str, Any], ...] = (),
    **facts: Any,
) -> dict[str, Any]:
    text: dict[str, Any] = {"type": "BODY", "text": body}
    if samples:
        text["example"] = {"body_text": [list(samples)]}
    return {
        "id": str(880_000_000_000 + number),
        "name": name,
        "language": language,
        "category": category,
        "status": "APPROVED",
        "rejected_reason": "NONE",
        "quality_score": {"score": "GREEN" if category != "AUTHENTICATION" else "UNKNOWN"},
        "parameter_format": "POSITIONAL",
        "components": [*more[:1], text, *more[1:]],
        **facts,
    }


_HEADER = {"type": "HEADER", "format": "TEXT", "text": "Lokanta Mavi"}
_STOP = {"type": "FOOTER", "text": "Reply STOP to get no more of these."}
_DUR = {"type": "FOOTER", "text": "Almak istemiyorsanız DUR yazın."}
_PICTURE = {
    "type": "HEADER",
    "format": "IMAGE",
    "example": {"header_handle": ["https://example.com/weekend.jpg"]},
}
_TABLE = {
    "type": "BUTTONS",
    "buttons": [
        {"type": "QUICK_REPLY", "text": "Call me"},
        {
            "type": "URL",
            "text": "Book a table",
            "url": "https://example.com/book/{{1}}",
            "example": ["https://example.com/book/zeynep"],
        },
    ],
}
_OFFER = {
    "type": "HEADER",
    "format": "TEXT",
    "text": "{{1}} için bir hediye",
    "example": {"header_text": ["Zeynep"]},
}
_BOOKING = {
    "type": "BUTTONS",
    "buttons": [
        {
            "type": "FLOW",
            "text": "Book a table",
            "flow_id": "770001",
            "flow_action": "navigate",
            "navigate_screen": "BOOKING",
        }
    ],
}
_CATALOG = {"type": "BUTTONS", "buttons": [{"type": "CATALOG", "text": "View catalog"}]}
_MAP = {"type": "HEADER", "format": "LOCATION"}
_COPY = {
    "type": "BUTTONS",
    "buttons": [
        {"type": "QUICK_REPLY", "text": "Remind me"},
        {"type": "COPY_CODE", "text": "Copy offer code", "example": "TATLI-7QK2"},
    ],
}
_MENU = {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Show me"}]}
_MENU_TR = {"type": "BUTTONS", "buttons": [{"type": "QUICK_REPLY", "text": "Menüyü aç"}]}

TEMPLATES = [
    _template(1, "hello_world", "en_US", "UTILITY", "Hello! This is a message from our business."),
    _template(
        2,
        "order_confirmation",
        "en",
        "UTILITY",
        "Hi {{1}}, we have your order {{2}}. Thank you!",
        ("Zeynep", "M-0184"),
    ),
    _template(
        3,
        "order_confirmation",
        "tr",
        "UTILITY",
        "Merhaba {{1}}, {{2}} numaralı siparişiniz alındı.",
        ("Zeynep", "M-0184"),
    ),
    _template(
        4,
        "shipping_update",
        "en",
        "UTILITY",
        "Your order {{1}} is on its way: {{2}}",
        ("M-0184", "https://example.com/t/184"),
    ),
    _template(5, "table_ready", "en", "UTILITY", "{{1}}, your table is ready.", ("Zeynep",)),
    _template(
        6,
        "weekend_menu",
        "en",
        "MARKETING",
        "{{1}}, see what we cook this weekend!",
        ("Zeynep",),
        more=(_HEADER, _STOP, _MENU),
    ),
    _template(
        7,
        "weekend_menu",
        "tr",
        "MARKETING",
        "{{1}}, bu hafta sonu neler pişiriyoruz, bakın!",
        ("Zeynep",),
        more=(_HEADER, _DUR, _MENU_TR),
    ),
    _template(
        8, "sign_in_code", "en", "AUTHENTICATION", "{{1}} is your verification code.", ("481902",)
    ),
    _template(
        9,
        "we_miss_you",
        "en",
        "MARKETING",
        "{{1}}, it has been a while. Your next dessert is on us.",
        ("Zeynep",),
        status="PAUSED",
        quality_score={"score": "RED"},
    ),
    _template(
        10,
        "spring_sale",
        "en",
        "UTILITY",
        "Everything is half price until Sunday!",
        status="REJECTED",
        rejected_reason="INCORRECT_CATEGORY",
        quality_score={"score": "UNKNOWN"},
    ),
    _template(
        11,
        "weekend_offer",
        "en",
        "MARKETING",
        "{{1}}, dessert is on us this weekend.",
        ("Zeynep",),
        more=(_PICTURE, _STOP, _TABLE),
    ),
    _template(
        12,
        "coupon_gift",
        "tr",
        "MARKETING",
        "{{1}} kodunuzla bir sonraki tatlı bizden.",
        ("TATLI-7QK2",),
        more=(_OFFER, _DUR),
    ),
    _template(
        13,
        "table_booking",
        "en",
        "UTILITY",
        "{{1}}, when would you like to come?",
        ("Zeynep",),
        more=(_HEADER, _BOOKING),
    ),
    _template(
        14,
        "catalog_offer",
        "en",
        "MARKETING",
        "{{1}}, order from our catalog and save {{2}} this week.",
        ("Zeynep", "₺100"),
        more=(_HEADER, _STOP, _CATALOG),
    ),
    _template(
        15,
        "new_place",
        "en",
        "MARKETING",
        "{{1}}, we have opened a second restaurant. Come and see us!",
        ("Zeynep",),
        more=(_MAP, _STOP, _COPY),
    ),
]
_UNUSABLE = {"PAUSED": 132015, "DISABLED": 132016}


def find_template(name: str, language: str) -> dict[str, Any] | None:
    """Return a sample; a rejected or paused one is refused by the caller."""
    return next(
        (one for one in TEMPLATES if (one["name"], one["language"]) == (name, language)), None
    )


def refusal_of(template: dict[str, Any]) -> int | None:
    return _UNUSABLE.get(template["status"])


def placeholders_of(template: dict[str, Any]) -> list[str]:
    """Each placeholder of the body once, in the order of its first use."""
    return list(dict.fromkeys(_PLACEHOLDER.findall(_body(template))))


def filled_body(template: dict[str, Any], values: dict[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda place: values.get(place[1], "…"), _body(template))


def _body(template: dict[str, Any]) -> str:
    return next(str(one["text"]) for one in template["components"] if one["type"] == "BODY")
