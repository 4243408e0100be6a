"""A template as people write it, and the network's components that are made from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from messaging.templates.components import (
    Components,
    find_buttons,
    find_part,
    placeholders,
    sample_values,
)

MEDIA_HEADERS = ("image", "video", "document")
HEADER_TYPES = ("text", *MEDIA_HEADERS, "location")
BUTTON_TYPES = ("quick_reply", "url", "phone", "copy_code", "otp")
OTP_TYPES = ("copy_code", "one_tap", "zero_tap")
AUTHENTICATION = "authentication"
_PARTS = {"HEADER", "BODY", "FOOTER", "BUTTONS"}
_NETWORK_BUTTONS = {
    "QUICK_REPLY": "quick_reply",
    "URL": "url",
    "PHONE_NUMBER": "phone",
    "COPY_CODE": "copy_code",
    "OTP": "otp",
}


@dataclass(frozen=True)
class HeaderDraft:
    type: str
    text: str = ""
    example: str = ""
    """The sample value of the placeholder in `text`."""


@dataclass(frozen=True)
class AppSignature:
    """An Android app that may read the code of an authentication message."""

    package_name: str
    signature_hash: str


@dataclass(frozen=True)
class ButtonDraft:
    type: str
    text: str = ""
    url: str = ""
    example: str = ""
    """For `url`: the sample value of its placeholder. For `copy_code`: a sample code."""
    phone: str = ""
    otp_type: str = "copy_code"
    autofill_text: str = ""
    apps: tuple[AppSignature, ...] = ()
    terms_accepted: bool = False
    """The author accepts the network's terms for zero-tap codes."""


@dataclass(frozen=True)
class TemplateDraft:
    name: str
    language: str
    category: str
    body: str = ""
    examples: Mapping[str, str] = field(default_factory=dict)
    """A sample value for each placeholder of the body."""
    header: HeaderDraft | None = None
    footer: str = ""
    buttons: tuple[ButtonDraft, ...] = ()
    security_recommendation: bool = False
    code_expiration_minutes: int | None = None

    @property
    def is_named(self) -> bool:
        """Placeholders have names, such as {{first_name}}, instead of numbers."""
        texts = (self.body, self.header.text if self.header else "")
        return any(not name.isdecimal() for text in texts for name in placeholders(text))


def network_payload(draft: TemplateDraft, header_handle: str = "") -> dict[str, Any]:
    """The body of the call that creates the template."""
    return {
        "name": draft.name,
        "language": draft.language,
        "category": draft.category.upper(),
        "parameter_format": "NAMED" if draft.is_named else "POSITIONAL",
        "components": build_components(draft, header_handle),
    }


def build_components(draft: TemplateDraft, header_handle: str = "") -> Components:
    if draft.category == AUTHENTICATION:
        return _authentication_components(draft)
    components: Components = []
    if draft.header is not None:
        components.append(_header(draft.header, draft.is_named, header_handle))
    components.append(_body(draft))
    if draft.footer:
        components.append({"type": "FOOTER", "text": draft.footer})
    if draft.buttons:
        components.append({"type": "BUTTONS", "buttons": [_button(one) for one in draft.buttons]})
    return components


def is_draftable(components: Components) -> bool:
    """Whether a draft has everything of these components: no Flow, no catalog, no carousel."""
    buttons = {str(one.get("type")).upper() for one in find_buttons(components)}
    parts = {str(one.get("type")).upper() for one in components}
    return buttons <= _NETWORK_BUTTONS.keys() and parts <= _PARTS


def draft_of(name: str, language: str, category: str, components: Components) -> TemplateDraft:
    """The draft from which these components could have been made, to edit or duplicate it."""
    header, body = find_part(components, "HEADER"), find_part(components, "BODY")
    footer = find_part(components, "FOOTER")
    own_text = category != AUTHENTICATION  # the network writes the text of the others
    return TemplateDraft(
        name=name,
        language=language,
        category=category,
        body=str(body.get("text") or "") if own_text else "",
        examples=sample_values(components) if own_text else {},
        header=_header_draft(header) if header else None,
        footer=str(footer.get("text") or "") if own_text else "",
        buttons=tuple(_button_draft(one, category) for one in find_buttons(components)),
        security_recommendation=bool(body.get("add_security_recommendation")),
        code_expiration_minutes=_minutes(footer.get("code_expiration_minutes")),
    )


def _header(header: HeaderDraft, named: bool, handle: str) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "HEADER", "format": header.type.upper()}
    if header.type in MEDIA_HEADERS:
        made["example"] = {"header_handle": [handle]}
    if header.type != "text":
        return made
    made["text"] = header.text
    names = placeholders(header.text)
    if names and named:
        pairs = [{"param_name": names[0], "example": header.example}]
        made["example"] = {"header_text_named_params": pairs}
    elif names:
        made["example"] = {"header_text": [header.example]}
    return made


def _body(draft: TemplateDraft) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "BODY", "text": draft.body}
    names = placeholders(draft.body)
    values = [draft.examples.get(name, "") for name in names]
    if names and draft.is_named:
        pairs = [
            {"param_name": name, "example": value}
            for name, value in zip(names, values, strict=True)
        ]
        made["example"] = {"body_text_named_params": pairs}
    elif names:
        made["example"] = {"body_text": [values]}
    return made


def _button(button: ButtonDraft) -> dict[str, Any]:
    if button.type == "url":
        made: dict[str, Any] = {"type": "URL", "text": button.text, "url": button.url}
        if placeholders(button.url):
            made["example"] = [button.url.partition("{{")[0] + button.example]
        return made
    if button.type == "phone":
        return {"type": "PHONE_NUMBER", "text": button.text, "phone_number": button.phone}
    if button.type == "copy_code":
        return {"type": "COPY_CODE", "example": button.example}
    return {"type": "QUICK_REPLY", "text": button.text}


def _authentication_components(draft: TemplateDraft) -> Components:
    """The network writes the text of these templates; only its parts are chosen."""
    button = draft.buttons[0]
    otp: dict[str, Any] = {"type": "OTP", "otp_type": button.otp_type.upper()}
    if button.text:
        otp["text"] = button.text
    if button.otp_type != "copy_code":
        otp["supported_apps"] = [
            {"package_name": app.package_name, "signature_hash": app.signature_hash}
            for app in button.apps
        ]
        if button.autofill_text:
            otp["autofill_text"] = button.autofill_text
    if button.otp_type == "zero_tap":
        otp["zero_tap_terms_accepted"] = button.terms_accepted
    body = {"type": "BODY", "add_security_recommendation": draft.security_recommendation}
    footer: Components = []
    if draft.code_expiration_minutes is not None:
        footer = [{"type": "FOOTER", "code_expiration_minutes": draft.code_expiration_minutes}]
    return [body, *footer, {"type": "BUTTONS", "buttons": [otp]}]


def _header_draft(header: dict[str, Any]) -> HeaderDraft:
    example = header.get("example")
    example = example if isinstance(example, dict) else {}
    sample = ""
    if isinstance(given := example.get("header_text"), list) and given:
        sample = str(given[0])
    elif isinstance(named := example.get("header_text_named_params"), list) and named:
        sample = str(named[0].get("example") or "") if isinstance(named[0], dict) else ""
    form = str(header.get("format") or "text").lower()
    return HeaderDraft(form, str(header.get("text") or "") if form == "text" else "", sample)


def _button_draft(button: dict[str, Any], category: str) -> ButtonDraft:
    kind = _NETWORK_BUTTONS.get(str(button.get("type")).upper(), "quick_reply")
    url = str(button.get("url") or "")
    example = button.get("example")
    example = example[0] if isinstance(example, list) and example else example
    example = str(example or "")
    text = str(button.get("text") or "")
    if category == AUTHENTICATION:
        return _otp_draft(button, url, text)
    if kind == "url":
        example = example.removeprefix(url.partition("{{")[0]) if "{{" in url else ""
    phone = str(button.get("phone_number") or "")
    return ButtonDraft(kind, text if kind != "copy_code" else "", url, example, phone)


def _otp_draft(button: dict[str, Any], url: str, text: str) -> ButtonDraft:
    """The network returns its one-time code buttons as URL buttons with the type in the query."""
    in_url = parse_qs(urlsplit(url).query).get("otp_type", [""])[0]
    otp_type = str(button.get("otp_type") or in_url or "copy_code").lower()
    apps = button.get("supported_apps")
    return ButtonDraft(
        type="otp",
        text=text,
        otp_type=otp_type if otp_type in OTP_TYPES else "copy_code",
        autofill_text=str(button.get("autofill_text") or ""),
        apps=tuple(
            AppSignature(str(one.get("package_name") or ""), str(one.get("signature_hash") or ""))
            for one in (apps if isinstance(apps, list) else ())
            if isinstance(one, dict)
        ),
        terms_accepted=bool(button.get("zero_tap_terms_accepted")),
    )


def _minutes(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
