"""Build the payload of a template message."""

from typing import Any

_SECTIONS = {"header", "body", "buttons"}
_HEADER_MEDIA = ("image", "video", "document")


def template_payload(content: dict[str, Any]) -> dict[str, Any]:
    """Return the payload. `parameters` has one of these forms:

    - a list: the body's {{1}}, {{2}}, … in order;
    - a dict of names: the body's {{name}} values;
    - a dict of sections: {"header": …, "body": …, "buttons": […]}, each as above. A header may be
      {"image": url} (video, document) or {"location": {"latitude": …}}. A button is the end of its
      URL, or a dict whose `type` is url, quick_reply or copy_code.
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


def _button(index: int, button: Any) -> dict[str, Any]:
    if not isinstance(button, dict):
        button = {"type": "url", "text": str(button)}
    kind = button["type"]
    if kind == "quick_reply":
        value = {"type": "payload", "payload": button["payload"]}
    elif kind == "copy_code":
        value = {"type": "coupon_code", "coupon_code": button["code"]}
    else:
        value = {"type": "text", "text": button["text"]}
    return {"type": "button", "sub_type": kind, "index": str(index), "parameters": [value]}
