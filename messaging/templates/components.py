"""The components of a template: parameters, sample values and a filled preview."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import invalid

_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_MEDIA = ("IMAGE", "VIDEO", "DOCUMENT")
Components = list[dict[str, Any]]


@dataclass(frozen=True)
class TemplateParameters:
    """The parameters that a message with this template needs."""

    body: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    header_media: str = ""
    """image, video or document"""
    buttons: tuple[int, ...] = ()
    """The indexes of buttons whose URL has a parameter."""
    header_location: bool = False
    codes: tuple[int, ...] = ()
    """The indexes of buttons that copy a code."""
    flows: tuple[int, ...] = ()
    """The indexes of buttons that open a Flow."""

    @property
    def only_body(self) -> bool:
        """Whether values of the body are enough; buttons that open a Flow need none."""
        header = self.header or self.header_media or self.header_location
        return not (header or self.buttons or self.codes)


@dataclass(frozen=True)
class TemplatePreview:
    """A template as the recipient's phone shows it."""

    header: str = ""
    header_media: str = ""
    body: str = ""
    footer: str = ""
    buttons: tuple[str, ...] = field(default=())
    links: tuple[str, ...] = field(default=())
    """The URL of each button; "" if it has none."""


def check_template_name(name: str, language: str, name_field: str, language_field: str) -> None:
    """Raise Invalid unless name and language have the network's format.

    `name_field` and `language_field` are the caller's field names for the error.
    """
    good = len(name) <= 512 and name.replace("_", "a").isalnum() and name.isascii()
    if not good or name != name.lower():
        raise invalid(
            name_field,
            "invalid_template",
            "A template name can only contain lowercase letters, digits and _.",
        )
    if not (2 <= len(language) <= 15 and language.replace("_", "").isalnum()):
        raise invalid(
            language_field, "invalid_language", "Enter the template's language, such as tr."
        )


def required_parameters(components: Components) -> TemplateParameters:
    header, buttons = find_part(components, "HEADER"), find_buttons(components)
    media = str(header.get("format") or "").upper()
    return TemplateParameters(
        body=body_placeholders(components),
        header=placeholders(header.get("text")) if media in ("", "TEXT") else (),
        header_media=media.lower() if media in _MEDIA else "",
        header_location=media == "LOCATION",
        buttons=tuple(at for at, button in enumerate(buttons) if placeholders(button.get("url"))),
        codes=button_indexes(components, "COPY_CODE"),
        flows=button_indexes(components, "FLOW"),
    )


def sample_values(components: Components) -> dict[str, str]:
    """Return the author's sample value for each parameter of the body."""
    example = find_part(components, "BODY").get("example")
    names = required_parameters(components).body
    if not isinstance(example, dict):
        return {}
    if isinstance(named := example.get("body_text_named_params"), list):
        return {
            str(one.get("param_name")): str(one.get("example"))
            for one in named
            if isinstance(one, dict)
        }
    rows = example.get("body_text")
    row = rows[0] if isinstance(rows, list) and rows else []
    row = row if isinstance(row, list) else [row]
    return {name: str(value) for name, value in zip(names, row, strict=False)}


def body_placeholders(components: Components) -> tuple[str, ...]:
    """The parameters of the body; `required_parameters` has those of all parts."""
    return placeholders(find_part(components, "BODY").get("text"))


def filled_body(components: Components, values: Mapping[str, str]) -> str:
    """The body alone, for the messages of a conversation."""
    return _fill(find_part(components, "BODY").get("text"), _value_or_name(values))


def _value_or_name(values: Mapping[str, str]) -> Callable[["re.Match[str]"], str]:
    return lambda place: values.get(place[1]) or f"[{place[1]}]"


def filled_preview(
    components: Components,
    values: Mapping[str, str],
    *,
    header: str = "",
    ends: Mapping[int, str] | None = None,
) -> TemplatePreview:
    """Return the preview. `ends` are the URL parameters of buttons.

    A parameter without a value is shown as its name in brackets.
    """
    given, known = header, ends or {}
    top = find_part(components, "HEADER")
    put_top = (lambda _place: given) if given else _header_value(top)
    buttons = find_buttons(components)
    needs = required_parameters(components)
    return TemplatePreview(
        header=_fill(top.get("text"), put_top) if not needs.header_media else "",
        header_media="location" if needs.header_location else needs.header_media,
        body=filled_body(components, values),
        footer=str(find_part(components, "FOOTER").get("text") or ""),
        buttons=tuple(str(one.get("text") or one.get("type") or "") for one in buttons),
        links=tuple(
            _fill(one.get("url"), lambda place, at=at: known.get(at) or f"[{place[1]}]")  # type: ignore[misc]
            for at, one in enumerate(buttons)
        ),
    )


def _header_value(header: dict[str, Any]) -> Callable[["re.Match[str]"], str]:
    example = header.get("example")
    given = example.get("header_text") if isinstance(example, dict) else None
    named = example.get("header_text_named_params") if isinstance(example, dict) else None
    sample = str(given[0]) if isinstance(given, list) and given else ""
    if isinstance(named, list) and named and isinstance(named[0], dict):
        sample = str(named[0].get("example") or "")
    return lambda place: sample or f"[{place[1]}]"


def button_indexes(components: Components, kind: str) -> tuple[int, ...]:
    """Where the buttons of a type are, by the network's name of the type."""
    buttons = find_buttons(components)
    return tuple(at for at, one in enumerate(buttons) if str(one.get("type")).upper() == kind)


def find_part(components: Components, kind: str) -> dict[str, Any]:
    return next((one for one in components if str(one.get("type")).upper() == kind), {})


def find_buttons(components: Components) -> list[dict[str, Any]]:
    found = find_part(components, "BUTTONS").get("buttons")
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def placeholders(template_text: Any) -> tuple[str, ...]:
    """Return each placeholder once; numbers in ascending order."""
    found = (
        dict.fromkeys(_PLACEHOLDER.findall(template_text)) if isinstance(template_text, str) else {}
    )
    if all(name.isdecimal() for name in found):
        return tuple(sorted(found, key=int))
    return tuple(found)


def _fill(template_text: Any, put: Callable[["re.Match[str]"], str]) -> str:
    return _PLACEHOLDER.sub(put, template_text) if isinstance(template_text, str) else ""
