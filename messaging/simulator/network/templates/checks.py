"""What the simulated network refuses in a template, with the network's codes.

These checks are separate from the service's own ones on purpose: they shall catch what the service
wrongly lets through.
"""

import re
from dataclasses import dataclass
from typing import Any

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_NAME = re.compile(r"[a-z0-9_]{1,512}")
_CATEGORIES = ("MARKETING", "UTILITY", "AUTHENTICATION")
_BUTTONS = {"QUICK_REPLY": 10, "URL": 2, "PHONE_NUMBER": 1, "COPY_CODE": 1, "OTP": 1}
_MEDIA = ("IMAGE", "VIDEO", "DOCUMENT")


@dataclass(frozen=True)
class TemplateFault:
    message: str
    subcode: int | None = None


def template_fault(body: Any, handles: set[str]) -> TemplateFault | None:
    if not isinstance(body, dict) or not isinstance(body.get("components"), list):
        return TemplateFault("Invalid parameter: components")
    if not _NAME.fullmatch(str(body.get("name"))) or not body.get("language"):
        return TemplateFault("Invalid parameter: name")
    if body.get("category") not in _CATEGORIES:
        return TemplateFault("Invalid parameter: category")
    parts = {str(one.get("type")).upper(): one for one in body["components"]}
    if body["category"] == "AUTHENTICATION":
        buttons = parts.get("BUTTONS", {}).get("buttons") or []
        if [one.get("type") for one in buttons] != ["OTP"] or "text" in parts.get("BODY", {}):
            return TemplateFault("Authentication templates have a fixed text and one OTP button.")
        return None
    return (
        _header_fault(parts.get("HEADER"), handles)
        or _body_fault(parts.get("BODY") or {})
        or _footer_fault(parts.get("FOOTER"))
        or _buttons_fault(parts.get("BUTTONS"))
    )


def _header_fault(header: dict[str, Any] | None, handles: set[str]) -> TemplateFault | None:
    if header is None or header.get("format") == "LOCATION":
        return None
    if header.get("format") in _MEDIA:
        given = (header.get("example") or {}).get("header_handle") or [""]
        return None if given[0] in handles else TemplateFault("Invalid handle", 2494102)
    text = str(header.get("text") or "")
    if not text or len(text) > 60 or "\n" in text or len(_PLACEHOLDER.findall(text)) > 1:
        return TemplateFault("The header is not in the right format.", 2388047)
    return _example_fault(header, text, "header_text")


def _body_fault(body: dict[str, Any]) -> TemplateFault | None:
    text = str(body.get("text") or "")
    if not text:
        return TemplateFault("The body is not in the right format.", 2388072)
    if len(text) > 1024:
        return TemplateFault("The body is too long.", 2388040)
    if text.startswith("{{") or text.endswith("}}"):
        return TemplateFault("Variables cannot be at the start or end.", 2388299)
    found = _PLACEHOLDER.findall(text)
    if len(found) * 2 > len(_PLACEHOLDER.sub("", text).split()):
        return TemplateFault("Too many variables for the length.", 2388293)
    return _example_fault(body, text, "body_text")


def _footer_fault(footer: dict[str, Any] | None) -> TemplateFault | None:
    text = str((footer or {"text": "-"}).get("text") or "")
    if not text or len(text) > 60 or _PLACEHOLDER.search(text):
        return TemplateFault("The footer is not in the right format.", 2388073)
    return None


def _buttons_fault(part: dict[str, Any] | None) -> TemplateFault | None:
    kinds = [str(one.get("type")) for one in (part or {}).get("buttons") or []]
    if len(kinds) > 10 or any(kinds.count(kind) > _BUTTONS.get(kind, 0) for kind in kinds):
        return TemplateFault("Invalid parameter: buttons")
    for one in (part or {}).get("buttons") or []:
        if one["type"] == "URL" and _PLACEHOLDER.search(one["url"]) and not one.get("example"):
            return TemplateFault("Component BUTTONS is missing example", 2388043)
    return None


def _example_fault(part: dict[str, Any], text: str, field: str) -> TemplateFault | None:
    names = dict.fromkeys(_PLACEHOLDER.findall(text))
    if not names:
        return None
    example = part.get("example") or {}
    given = example.get(f"{field}_named_params") or example.get(field) or []
    given = given[0] if given and isinstance(given[0], list) else given
    if len(given) != len(names):
        return TemplateFault(f"Component {part.get('type')} is missing example", 2388043)
    return None
