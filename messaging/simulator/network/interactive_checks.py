"""The network's checks of interactive messages: their parts, and how long and how many they are."""

from collections.abc import Callable, Iterator
from typing import Any

MEDIA_HEADERS = ("image", "video", "document")
LONGEST_BODY, LONGEST_HEADER, LONGEST_FOOTER = 1024, 60, 60
LONGEST_LABEL, LONGEST_TITLE, LONGEST_DESCRIPTION = 20, 24, 72
LONGEST_BUTTON_ID, LONGEST_ROW_ID, LONGEST_CARD = 256, 200, 160
Faults = Iterator[str]


def interactive_fault(part: dict[str, Any]) -> str:
    """Return what the network refuses, or ""."""
    kind = part.get("type")
    check = ACTIONS.get(kind) if isinstance(kind, str) else None
    if check is None:
        return "interactive['type'] is not one of the known types"
    faults = (*_frame(str(kind), part), *check(_object(part, "action")))
    return faults[0] if faults else ""


def _frame(kind: str, part: dict[str, Any]) -> Faults:
    body = part.get("body")
    if body is not None or kind != "product":
        yield from _text(_object(part, "body").get("text"), "interactive['body']", LONGEST_BODY)
    if part.get("footer") is not None:
        footer = _object(part, "footer").get("text")
        yield from _text(footer, "interactive['footer']", LONGEST_FOOTER)
    if part.get("header") is not None or kind == "product_list":
        yield from _header(_object(part, "header"), kind)


def _header(header: dict[str, Any], kind: str) -> Faults:
    if header.get("type") == "text":
        yield from _text(header.get("text"), "interactive['header']", LONGEST_HEADER)
    elif kind in ("list", "product_list") or header.get("type") not in MEDIA_HEADERS:
        yield "interactive['header']['type'] is not valid"
    else:
        yield from _media(_object(header, str(header["type"])))


def _media(part: dict[str, Any]) -> Faults:
    link = part.get("link")
    if not part.get("id") and not (
        isinstance(link, str) and link.startswith(("http://", "https://"))
    ):
        yield "the header needs a media id or a link"


def _buttons(action: dict[str, Any]) -> Faults:
    buttons = _objects(action, "buttons")
    yield from _count(buttons, 1, 3, "action['buttons']")
    for one in buttons:
        yield from _reply(_object(one, "reply"))
    if len({_object(one, "reply").get("title") for one in buttons}) < len(buttons):
        yield "the titles of the buttons must be unique"


def _reply(reply: dict[str, Any]) -> Faults:
    yield from _text(reply.get("id"), "the id of a button", LONGEST_BUTTON_ID)
    yield from _text(reply.get("title"), "the title of a button", LONGEST_LABEL)


def _list(action: dict[str, Any]) -> Faults:
    yield from _text(action.get("button"), "action['button']", LONGEST_LABEL)
    sections = _objects(action, "sections")
    yield from _count(sections, 1, 10, "action['sections']")
    rows = [row for section in sections for row in _objects(section, "rows")]
    yield from _count(rows, 1, 10, "the rows of all sections")
    for section in sections:
        if len(sections) > 1:
            yield from _text(section.get("title"), "the title of a section", LONGEST_TITLE)
    for row in rows:
        yield from _text(row.get("id"), "the id of a row", LONGEST_ROW_ID)
        yield from _text(row.get("title"), "the title of a row", LONGEST_TITLE)
        if row.get("description") is not None:
            description = row["description"]
            yield from _text(description, "the description of a row", LONGEST_DESCRIPTION)
    if len({row.get("id") for row in rows}) < len(rows):
        yield "the ids of the rows must be unique"


def _link(action: dict[str, Any]) -> Faults:
    parameters = _object(action, "parameters")
    if action.get("name") != "cta_url":
        yield "action['name'] must be cta_url"
    yield from _text(parameters.get("display_text"), "display_text", LONGEST_LABEL)
    yield from _text(parameters.get("url"), "url", 2000)


def _named(name: str) -> Callable[[dict[str, Any]], Faults]:
    def check(action: dict[str, Any]) -> Faults:
        if action.get("name") != name:
            yield f"action['name'] must be {name}"

    return check


def _product(action: dict[str, Any]) -> Faults:
    yield from _text(action.get("catalog_id"), "action['catalog_id']", 100)
    yield from _text(action.get("product_retailer_id"), "action['product_retailer_id']", 100)


def _products(action: dict[str, Any]) -> Faults:
    yield from _text(action.get("catalog_id"), "action['catalog_id']", 100)
    sections = _objects(action, "sections")
    yield from _count(sections, 1, 10, "action['sections']")
    items = [item for section in sections for item in _objects(section, "product_items")]
    yield from _count(items, 1, 30, "the products of all sections")
    for item in items:
        yield from _text(item.get("product_retailer_id"), "product_retailer_id", 100)


def _carousel(action: dict[str, Any]) -> Faults:
    cards = _objects(action, "cards")
    yield from _count(cards, 2, 10, "action['cards']")
    for number, card in enumerate(cards):
        if card.get("card_index") != number:
            yield "the cards must be numbered from 0"
        header = _object(card, "header")
        if header.get("type") not in ("image", "video"):
            yield "the header of a card must be an image or a video"
        else:
            yield from _media(_object(header, str(header["type"])))
        if card.get("body") is not None:
            yield from _text(_object(card, "body").get("text"), "the body of a card", LONGEST_CARD)
        inner = _object(card, "action")
        if "buttons" not in inner:
            yield from _link(inner)
        for one in _objects(inner, "buttons"):
            yield from _reply(_object(one, "quick_reply"))


def _flow(action: dict[str, Any]) -> Faults:
    parameters = _object(action, "parameters")
    if action.get("name") != "flow" or parameters.get("flow_message_version") != "3":
        yield "flow_message_version must be 3"
    if not parameters.get("flow_id") and not parameters.get("flow_name"):
        yield "flow_id or flow_name is required"
    yield from _text(parameters.get("flow_cta"), "flow_cta", 30)


def _order(action: dict[str, Any]) -> Faults:
    parameters = _object(action, "parameters")
    if action.get("name") != "review_order":
        yield "action['name'] must be review_order"
    yield from _text(parameters.get("reference_id"), "reference_id", 35)
    yield from _text(_object(parameters, "order").get("status"), "order['status']", 30)


ACTIONS: dict[str, Callable[[dict[str, Any]], Faults]] = {
    "button": _buttons,
    "list": _list,
    "cta_url": _link,
    "location_request_message": _named("send_location"),
    "request_contact_info": _named("request_contact_info"),
    "product": _product,
    "product_list": _products,
    "carousel": _carousel,
    "flow": _flow,
    "order_status": _order,
}


def _text(text: Any, what: str, most: int) -> Faults:
    if not isinstance(text, str) or not text.strip():
        yield f"{what} is required"
    elif len(text) > most:
        yield f"{what} must be at most {most} characters long"


def _count(items: list[Any], least: int, most: int, what: str) -> Faults:
    if not least <= len(items) <= most:
        yield f"{what} must have {least} to {most} entries"


def _object(part: dict[str, Any], name: str) -> dict[str, Any]:
    found = part.get(name)
    return found if isinstance(found, dict) else {}


def _objects(part: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = part.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
