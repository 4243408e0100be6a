"""The values of a template that a member fills in, as a message carries them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import invalid
from core.values.text import BadText, one_line
from messaging.messages.media.uploads import UploadedFile
from messaging.models import Template
from messaging.templates.components import TemplateParameters, required_parameters

LONGEST_VALUE, LONGEST_PLACE = 1024, 200


@dataclass(frozen=True)
class SubmittedValues:
    body: tuple[str, ...] = ()
    header: str = ""
    file: UploadedFile | None = None
    place: tuple[float, float, str] | None = None
    place_name: str = ""
    place_address: str = ""
    buttons: Mapping[int, str] = field(default_factory=dict)
    """The end of a button's URL, or its code, by the button's index."""


def message_parameters(template: Template, given: SubmittedValues) -> Any:
    """Check that everything is filled in. Raises Invalid with a sentence for the page."""
    needs = required_parameters(template.components)
    named = template.parameter_format == "named"
    values = [_text(f"body_{at}", one) for at, one in enumerate(given.body)]
    body: Any = dict(zip(needs.body, values, strict=True)) if named else values
    made: dict[str, Any] = {}
    if (header := _header(needs, given, named)) is not None:
        made["header"] = header
    if given.buttons:
        made["buttons"] = _buttons(needs, given.buttons)
    if not made and not named:
        return body
    return {"body": body, **made}


def _header(needs: TemplateParameters, given: SubmittedValues, named: bool) -> Any:
    if needs.header_media:
        return _media(needs.header_media, given.file)
    if needs.header_location:
        return {"location": _location(given)}
    if needs.header:
        text = _text("header", given.header)
        return {needs.header[0]: text} if named else [text]
    return None


def _media(kind: str, file: UploadedFile | None) -> dict[str, str]:
    if file is None:
        raise invalid("header_file", "file_missing", "Choose the file above the text.")
    if kind != "document" and file.kind != kind:
        raise invalid(
            "header_file",
            "wrong_file",
            "This template needs another kind of file above its text: {kind}.",
            kind=kind,
        )
    return {kind: file.url, **({"filename": file.filename} if kind == "document" else {})}


def _location(given: SubmittedValues) -> dict[str, Any]:
    if given.place is None:
        raise invalid(
            "place", "invalid_place", "Enter latitude and longitude, or paste a map link."
        )
    latitude, longitude, name = given.place
    return {
        "latitude": latitude,
        "longitude": longitude,
        "name": _text("place_name", given.place_name or name)[:LONGEST_PLACE],
        "address": _text("place_address", given.place_address)[:LONGEST_PLACE],
    }


def _buttons(needs: TemplateParameters, given: Mapping[int, str]) -> list[Any]:
    made: list[Any] = [None] * (max(given) + 1)
    for at, written in given.items():
        value = _text(f"button_{at}", written)
        made[at] = {"type": "copy_code", "code": value} if at in needs.codes else value
    return made


def _text(name: str, written: str) -> str:
    try:
        value = one_line(written)
    except BadText as error:
        raise invalid(name, error.code, "{fault}", fault=str(error)) from None
    if not value:
        raise invalid(name, "empty_value", "Fill in all values of the template.")
    if len(value) > LONGEST_VALUE:
        raise invalid(
            name,
            "long_value",
            "The text is too long. Use at most {most} characters.",
            most=LONGEST_VALUE,
        )
    return value
