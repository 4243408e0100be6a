"""Build the payload of a template message."""

from collections.abc import Callable
from typing import Any

_SECTIONS = {"header", "body", "buttons"}
_HEADER_MEDIA = ("image", "video", "document")
_SUB_TYPES = {"catalog": "CATALOG"}  # the other ones are in lower case
UNUSED_TOKEN = "unused"  # noqa: S105 - the network's own word for a flow without a token


def template_payload(content: dict[str, Any]) -> dict[str, Any]:
    """Return the payload. `parameters` has one of these forms:

    - a list: the body's {{1}}, {{2}}, … in order;
    - a dict of names: the body's {{name}} values;
    - a dict of sections: {"header": …, "body": …, "buttons": […]}, each as above. A header may be
      {"image": url} (video, document) or {"location": {"latitude": …}}. A button is the end of its
      URL, or a dict whose `type` is a key of BUTTON_VALUES.
    """
    made: dict[str, Any] = {
        "name": content["name"],
        "language": {"code": content["language"]},
    }
    if components := _components(content.get("parameters") or []):
        made["components"] = components
    return made


def is_by_section(parameters: Any) -> bool:
    return isinstance(parameters, dict) and parameters.keys() <= _SECTIONS


def _components(parameters: Any) -> list[dict[str, Any]]:
    if not is_by_section(parameters):
        parameters = {"body": parameters}
    made = [
        {"type": place, "parameters": _values(parameters[place])}
        for place in ("header", "body")
        if parameters.get(place)
    ]
    buttons = parameters.get("buttons") or []
    # null keeps the position of a button without parameters.
    return made + [_button(at, button) for at, button in enumerate(buttons) if button is not None]


def _values(values: Any) -> list[dict[str, Any]]:
    if isinstance(values, list):
        return [_value(value) for value in values]
    if not isinstance(values, dict):
        return [_value(values)]
    for kind in _HEADER_MEDIA:
        if values.keys() <= {kind, "filename"} and kind in values:
            names = {"filename": values["filename"]} if "filename" in values else {}
            return [{"type": kind, kind: {"link": values[kind], **names}}]
    if values.keys() == {"location"}:
        return [{"type": "location", "location": values["location"]}]
    if all(name.isdecimal() for name in values):
        return [_value(values[name]) for name in sorted(values, key=int)]
    return [{**_value(value), "parameter_name": name} for name, value in values.items()]


def _value(value: Any) -> dict[str, Any]:
    # A dict with a type is already in the network's format: a currency, a date, an image.
    if isinstance(value, dict) and "type" in value:
        return value
    return {"type": "text", "text": str(value)}


def _quick_reply(button: dict[str, Any]) -> dict[str, Any]:
    if "payload" in button:
        return {"type": "payload", "payload": button["payload"]}
    return _text_value(button)


def _text_value(button: dict[str, Any]) -> dict[str, Any]:
    return {"type": "text", "text": button["text"]}


def _flow(button: dict[str, Any]) -> dict[str, Any]:
    action: dict[str, Any] = {"flow_token": button.get("token") or UNUSED_TOKEN}
    if button.get("data"):
        action["flow_action_data"] = button["data"]
    return {"type": "action", "action": action}


BUTTON_VALUES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "url": _text_value,
    "quick_reply": _quick_reply,
    "copy_code": lambda button: {"type": "coupon_code", "coupon_code": button["code"]},
    "catalog": lambda button: {
        "type": "action",
        "action": {"thumbnail_product_retailer_id": button["product_id"]},
    },
    "flow": _flow,
}
"""The value of a button by its type; other types have a text."""


def _button(index: int, button: Any) -> dict[str, Any]:
    if not isinstance(button, dict):
        button = {"type": "url", "text": str(button)}
    kind = button["type"]
    value = BUTTON_VALUES.get(kind, _text_value)(button)
    sub_type = _SUB_TYPES.get(kind, kind)
    return {"type": "button", "sub_type": sub_type, "index": str(index), "parameters": [value]}
