"""The fields of interactive messages, and how long and how many they are."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from messaging.simulator.network.checks.fields import (
    Anything,
    Field,
    Items,
    Number,
    Object,
    Text,
    exactly,
    not_valid,
)
from messaging.simulator.network.checks.message_parts import media_part
from messaging.simulator.network.checks.refusals import refuse
from messaging.simulator.network.magic_numbers import Refusal

LONGEST_BODY, LONGEST_SHORT = 1024, 60
LONGEST_LABEL, LONGEST_TITLE, LONGEST_DESCRIPTION = 20, 24, 72
LONGEST_BUTTON_ID, LONGEST_ROW_ID = 256, 200
LONGEST_CARD, MOST_CARD_BREAKS = 160, 2
MOST_ROWS, MOST_PRODUCTS = 10, 30
SMALLEST_AMOUNT = 0.0005
_MEDIA = ("image", "video", "document")
_BODY = Object({"text": Text(LONGEST_BODY)})
_ID = Text(100)
_SECTION_TITLE = {"title": Text(LONGEST_TITLE, empty=True)}
_AMOUNT = Object({"value": Number(0), "offset": Number(1)}, {"description": Text(60, empty=True)})


def _header_rule(header: dict[str, Any], where: str) -> Refusal | None:
    if header["type"] in header:
        return None
    return refuse(131008, f"Required parameter is missing: {where}['{header['type']}']")


def _header(*kinds: str) -> Object:
    parts: dict[str, Field] = {"text": Text(LONGEST_SHORT)}
    parts |= {kind: media_part(filename=Text(240)) for kind in _MEDIA}
    known = {name: part for name, part in parts.items() if name in kinds}
    known["sub_text"] = Text(LONGEST_SHORT)
    return Object({"type": exactly(*kinds)}, known, rule=_header_rule)


_ANY_HEADER, _TEXT_HEADER = _header("text", *_MEDIA), _header("text")


def _unique(values: list[Any], where: str, what: str) -> Refusal | None:
    return not_valid(where, f"must have unique {what}") if len(set(values)) < len(values) else None


def _buttons_rule(action: dict[str, Any], where: str) -> Refusal | None:
    replies = [one["reply"] for one in action["buttons"]]
    return _unique([one["title"] for one in replies], where, "titles") or _unique(
        [one["id"] for one in replies], where, "ids"
    )


def _sections_rule(name: str, most: int) -> Callable[[dict[str, Any], str], Refusal | None]:
    def check(action: dict[str, Any], where: str) -> Refusal | None:
        sections = action["sections"]
        entries = [one for section in sections for one in section[name]]
        if not 1 <= len(entries) <= most:
            return not_valid(f"{where}['sections']", f"must have 1 to {most} {name} in all")
        if len(sections) > 1 and not all(one.get("title") for one in sections):
            return refuse(131008, f"Required parameter is missing: {where}['sections']['title']")
        if name == "rows":
            return _unique([one["id"] for one in entries], where, "row ids")
        return None

    return check


def _reply(name: str) -> Object:
    label = {"id": Text(LONGEST_BUTTON_ID), "title": Text(LONGEST_LABEL)}
    return Object({"type": exactly(name), name: Object(label)})


def _named(name: str, parameters: Field | None = None) -> Object:
    given = {"parameters": parameters} if parameters else {}
    return Object({"name": exactly(name), **given})


_LINK = _named("cta_url", Object({"display_text": Text(LONGEST_LABEL), "url": Text(2000)}))


def _card_rule(card: dict[str, Any], where: str) -> Refusal | None:
    body = card.get("body", {}).get("text", "")
    if body.count("\n") > MOST_CARD_BREAKS:
        return not_valid(f"{where}['body']", f"can have {MOST_CARD_BREAKS} line breaks")
    if "buttons" in card["action"]:
        return _QUICK_REPLIES.fault(card["action"], f"{where}['action']")
    if "catalog_id" in card["action"]:
        return _PRODUCT.fault(card["action"], f"{where}['action']")
    return _LINK.fault(card["action"], f"{where}['action']")


def _cards_rule(action: dict[str, Any], where: str) -> Refusal | None:
    for number, card in enumerate(action["cards"]):
        if card["card_index"] != number:
            return not_valid(f"{where}['cards'][{number}]['card_index']", "must count from 0")
    return None


_QUICK_REPLIES = Object({"buttons": Items(_reply("quick_reply"), 1, 2)})
_PRODUCT = Object({"catalog_id": _ID, "product_retailer_id": _ID})
_CARD = Object(
    {"card_index": Number(0, 9), "action": Anything()},
    {
        "type": exactly("cta_url", "button", "product", "quick_reply"),
        "header": _header("image", "video"),
        "body": Object({"text": Text(LONGEST_CARD)}),
    },
    rule=_card_rule,
)
_FLOW = Object(
    {"flow_message_version": exactly("3"), "flow_cta": Text(30)},
    {
        "flow_id": Text(100),
        "flow_name": Text(200),
        "flow_token": Text(200),
        "mode": exactly("draft", "published"),
        "flow_action": exactly("navigate", "data_exchange"),
        "flow_action_payload": Object(optional={"screen": Text(200), "data": Anything()}),
    },
    one_of=("flow_id", "flow_name"),
)
_ORDER = Object(
    {"reference_id": Text(35), "order": Object({"status": Text(30)}, {"description": Text(120)})}
)
_BILL_ITEM = Object(
    {"name": Text(LONGEST_SHORT), "amount": _AMOUNT, "quantity": Number(1)},
    {"retailer_id": _ID, "sale_amount": _AMOUNT},
)


def _worth(amount: dict[str, Any] | None) -> float:
    return float(amount["value"]) / float(amount["offset"]) if amount else 0.0


def _sums_rule(bill: dict[str, Any], where: str) -> Refusal | None:
    """The network checks the sums of an order."""
    order = bill["order"]
    items = sum(_worth(one.get("sale_amount", one["amount"])) * float(one["quantity"])
                for one in order["items"])  # fmt: skip
    if abs(items - _worth(order["subtotal"])) >= SMALLEST_AMOUNT:
        return not_valid(f"{where}['order']['subtotal']", "must be the sum of the items")
    charged = sum(_worth(order.get(name)) for name in ("tax", "shipping"))
    total = items + charged - _worth(order.get("discount"))
    if abs(total - _worth(bill["total_amount"])) >= SMALLEST_AMOUNT:
        return not_valid(f"{where}['total_amount']", "must be the sum of the order")
    return None


_BILL = Object(
    {
        "reference_id": Text(35, pattern=re.compile(r"[A-Za-z0-9_.-]+")),
        "currency": Text(3),
        "total_amount": _AMOUNT,
        "order": Object(
            {
                "status": exactly("pending"),
                "items": Items(_BILL_ITEM, 1, 999),
                "subtotal": _AMOUNT,
                "tax": _AMOUNT,
            },
            {
                "shipping": _AMOUNT,
                "discount": replace(
                    _AMOUNT, optional={**_AMOUNT.optional, "discount_program_name": Text(60)}
                ),
                "expiration": Object({"timestamp": Number(1), "description": Text(120)}),
            },
        ),
    },
    {
        "type": exactly("digital-goods", "physical-goods"),
        **dict.fromkeys(("payment_type", "payment_configuration"), Text(60)),
        "payment_settings": Items(Anything(), 1, 10),
    },
    rule=_sums_rule,
)
_ROW = Object(
    {"id": Text(LONGEST_ROW_ID), "title": Text(LONGEST_TITLE)},
    {"description": Text(LONGEST_DESCRIPTION)},
)
_ITEM = Object({"product_retailer_id": _ID})


def _message(
    kind: str, action: Field, header: Field | None = None, *, body_required: bool = True
) -> Object:
    optional: dict[str, Field] = {"footer": Object({"text": Text(LONGEST_SHORT)})}
    if header is not None:
        optional["header"] = header
    required: dict[str, Field] = {"type": exactly(kind), "action": action}
    (required if body_required else optional)["body"] = _BODY
    return Object(required, optional)


_PRODUCT_LIST = _message(
    "product_list",
    Object(
        {
            "catalog_id": _ID,
            "sections": Items(
                Object({"product_items": Items(_ITEM, 1, MOST_PRODUCTS)}, _SECTION_TITLE), 1, 10
            ),
        },
        rule=_sections_rule("product_items", MOST_PRODUCTS),
    ),
)
INTERACTIVE: dict[str, Object] = {
    "button": _message(
        "button",
        Object({"buttons": Items(_reply("reply"), 1, 3)}, rule=_buttons_rule),
        _ANY_HEADER,
    ),
    "list": _message(
        "list",
        Object(
            {
                "button": Text(LONGEST_LABEL),
                "sections": Items(
                    Object({"rows": Items(_ROW, 1, MOST_ROWS)}, _SECTION_TITLE), 1, 10
                ),
            },
            rule=_sections_rule("rows", MOST_ROWS),
        ),
        _TEXT_HEADER,
    ),
    "cta_url": _message("cta_url", _LINK, _ANY_HEADER),
    "location_request_message": _message("location_request_message", _named("send_location")),
    "request_contact_info": _message("request_contact_info", _named("request_contact_info")),
    "call_permission_request": _message(
        "call_permission_request", _named("call_permission_request"), body_required=False
    ),
    "product": _message("product", _PRODUCT, body_required=False),
    "product_list": replace(
        _PRODUCT_LIST, required={**_PRODUCT_LIST.required, "header": _TEXT_HEADER}
    ),
    "catalog_message": _message(
        "catalog_message",
        Object(
            {"name": exactly("catalog_message")},
            {"parameters": Object(optional={"thumbnail_product_retailer_id": _ID})},
        ),
    ),
    "carousel": _message("carousel", Object({"cards": Items(_CARD, 2, 10)}, rule=_cards_rule)),
    "flow": _message("flow", _named("flow", _FLOW), _ANY_HEADER),
    "order_status": _message("order_status", _named("review_order", _ORDER)),
    "order_details": _message("order_details", _named("review_and_pay", _BILL), _header("image")),
}


def interactive_fault(part: Any) -> Refusal | None:
    """Return what the network refuses."""
    kind = part.get("type") if isinstance(part, dict) else None
    known = INTERACTIVE.get(kind) if isinstance(kind, str) else None
    if known is None:
        names = ", ".join(INTERACTIVE)
        return refuse(100, f"Param interactive['type'] must be one of {{{names}}}.")
    return known.fault(part, "interactive")
