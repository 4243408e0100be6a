"""The template of a campaign: check its values, store them, and fill them for one recipient.

Stored as name, language, parameters (the body's), and if there are any: `header` (a text), `media`
(`{"url": …}`, or `{"file": …}` for an upload), `location` (of a map above the text) and `buttons`
(by button index: the URL suffix, or the code that a button copies; null for a button without one).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlsplit

from core.errors import invalid
from core.values.text import one_line
from messaging.messages.media import uploads as media_uploads
from messaging.models import Template
from messaging.templates.components import (
    Components,
    TemplateParameters,
    TemplatePreview,
    check_template_name,
    filled_preview,
    required_parameters,
)
from messaging.templates.draft_checks import LONGEST_CODE
from messaging.templates.placeholders import clean_text, fill_placeholders, placeholders_in
from messaging.templates.validation import with_flow_buttons

EMPTY_VALUE = "–"
"""Replaces a missing value, because the network accepts no empty one."""
EMPTY_SUFFIX = "-"
"""The same in a URL."""
MOST_PARAMETERS, MOST_BUTTONS = 20, 10
FILE_FIELDS = ("key", "mime_type", "filename", "kind")
LONGEST_HEADER, LONGEST_SUFFIX, LONGEST_URL = 200, 1024, 2048
LONGEST_PLACE = 200
KINDS = {
    **dict.fromkeys((".mp4", ".3gp"), "video"),
    **dict.fromkeys((".pdf", ".docx", ".xlsx", ".pptx", ".doc", ".xls", ".txt"), "document"),
}


@dataclass(frozen=True)
class TemplateShape:
    """The template's structure at the network."""

    components: Components
    needs: TemplateParameters
    named: bool


def template_shape(template: Template) -> TemplateShape:
    named = template.parameter_format == "named"
    return TemplateShape(template.components, required_parameters(template.components), named)


def checked_template(given: Mapping[str, Any]) -> dict[str, Any]:
    name, language = str(given.get("name") or "").strip(), str(given.get("language") or "").strip()
    if not name:
        return {}
    check_template_name(name, language, "template", "template")
    parameters = [clean_text(str(one), "parameters") for one in given.get("parameters") or []]
    if len(parameters) > MOST_PARAMETERS:
        raise invalid("parameters", "too_many", "A template can have at most 20 values.")
    if not all(parameters):
        raise invalid("parameters", "empty_text", "Fill in all values of the template.")
    made: dict[str, Any] = {"name": name, "language": language, "parameters": parameters}
    if header := clean_text(str(given.get("header") or ""), "header", LONGEST_HEADER):
        made["header"] = " ".join(header.split())
    if media := _media(given.get("media") or {}):
        made["media"] = media
    if location := _location(given.get("location") or {}):
        made["location"] = location
    if buttons := _checked_suffixes(given.get("buttons") or []):
        made["buttons"] = buttons
    return made


def placeholder_texts(template: Mapping[str, Any]) -> list[str]:
    """Return all texts that may have placeholders."""
    ends = [one for one in template.get("buttons", []) if one]
    header = [template["header"]] if template.get("header") else []
    return [*template.get("parameters", []), *header, *ends]


def media_from_upload(file: media_uploads.UploadedFile) -> dict[str, Any]:
    return {"file": {name: getattr(file, name) for name in FILE_FIELDS}}


def with_stored_file(given: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the uploaded file for the same template, unless a URL replaces it."""
    same = all(given.get(name) == before.get(name) for name in ("name", "language"))
    return {**given, "media": before.get("media")} if same and not given.get("media") else given


def uploaded_blob_key(template: Mapping[str, Any]) -> str | None:
    """Return the blob key of the uploaded file; None if there is none."""
    found = template.get("media", {}).get("file", {}).get("key")
    return str(found) if found else None


def message_content(
    template: Mapping[str, Any], values: Mapping[str, str], shape: TemplateShape | None
) -> dict[str, Any]:
    """Return a message's content in the format of the line's driver."""
    body: Any = [
        fill_placeholders(one, values).text or EMPTY_VALUE for one in template["parameters"]
    ]
    if shape is not None and shape.named:
        body = {"body": dict(zip(shape.needs.body, body, strict=False))}
    places: dict[str, Any] = {}
    if (header := _header(template, values, shape)) is not None:
        places["header"] = header
    if template.get("buttons"):
        codes = shape.needs.codes if shape is not None else ()
        places["buttons"] = [
            _filled_code(one, values) if at in codes and one else filled_url(one, values)
            for at, one in enumerate(template["buttons"])
        ]
    if places:
        body = {**(body if isinstance(body, dict) else {"body": body}), **places}
    content = {"name": template["name"], "language": template["language"], "parameters": body}
    return content if shape is None else with_flow_buttons(shape.needs, content)


def template_preview(
    template: Mapping[str, Any], values: Mapping[str, str], shape: TemplateShape
) -> TemplatePreview:
    """Return the preview as the recipient's phone shows it."""
    given = [fill_placeholders(one, values).text or EMPTY_VALUE for one in template["parameters"]]
    header = template.get("header")
    ends = template.get("buttons", [])
    return filled_preview(
        shape.components,
        dict(zip(shape.needs.body, given, strict=False)),
        header=(fill_placeholders(header, values).text or EMPTY_VALUE) if header else "",
        ends={at: filled_url(one, values) or "" for at, one in enumerate(ends) if one},
    )


def check_template_values(template: Mapping[str, Any], shape: TemplateShape) -> None:
    """Check header and buttons against the template; templates/validation.py checks the body."""
    needs, media = shape.needs, template.get("media", {})
    if needs.header_media and not media:
        raise invalid(
            "header_url",
            "template_unusable",
            "The template has an image or file above its text. Enter its URL, or upload it.",
        )
    if needs.header and not template.get("header"):
        raise invalid(
            "header", "template_unusable", "The template has a value in its header. Fill it in."
        )
    if template.get("header") and not needs.header:
        raise invalid("header", "template_unusable", "The template has no value in its header.")
    if media and not needs.header_media:
        raise invalid(
            "header_url", "template_unusable", "The template has no image or file above its text."
        )
    _check_location(needs, template.get("location"))
    kind = media.get("file", {}).get("kind", needs.header_media)
    if kind != needs.header_media:
        raise invalid(
            "header_file",
            "template_unusable",
            "The template needs a different type of file above its text: {wanted}.",
            wanted=needs.header_media,
        )
    ends = template.get("buttons", [])
    for at in needs.buttons:
        if at >= len(ends) or not ends[at]:
            raise invalid(
                "buttons",
                "template_unusable",
                "Button {number} of the template opens a URL. Fill in the end of the URL.",
                number=at + 1,
            )
    _check_codes(needs, ends)
    for at, end in enumerate(ends):
        if end and at not in (*needs.buttons, *needs.codes):
            raise invalid(
                "buttons",
                "template_unusable",
                "Button {number} of the template has no URL to complete.",
                number=at + 1,
            )


def _check_location(needs: TemplateParameters, location: Any) -> None:
    if needs.header_location and not location:
        raise invalid(
            "location",
            "template_unusable",
            "The template shows a map above its text. Enter the place.",
        )
    if location and not needs.header_location:
        raise invalid("location", "template_unusable", "The template shows no map above its text.")


def _check_codes(needs: TemplateParameters, ends: list[str | None]) -> None:
    for at in needs.codes:
        code = ends[at] if at < len(ends) else None
        if not code:
            raise invalid(
                "code",
                "template_unusable",
                "Button {number} of the template copies a code. Enter the code, or {placeholder}.",
                number=at + 1,
                placeholder="{{coupon}}",
            )
        if not placeholders_in(code) and len(code) > LONGEST_CODE:
            raise invalid(
                "code",
                "long_code",
                "A code that a button copies can have at most {most} characters.",
                most=LONGEST_CODE,
            )


def _header(
    template: Mapping[str, Any], values: Mapping[str, str], shape: TemplateShape | None
) -> Any:
    if media := template.get("media"):
        file = media.get("file")
        url = _signed_media_url(file) if file else media["url"]
        kind = (shape.needs.header_media if shape else "") or (file or {}).get("kind")
        kind = kind or _kind_of(url)
        names = {"filename": file["filename"]} if file and kind == "document" else {}
        return {kind: url, **names}
    if location := template.get("location"):
        return {"location": dict(location)}
    if header := template.get("header"):
        text = fill_placeholders(header, values).text or EMPTY_VALUE
        named = shape is not None and shape.named and shape.needs.header
        return {shape.needs.header[0]: text} if named and shape else [text]
    return None


def _signed_media_url(file: Mapping[str, Any]) -> str:
    """Signed per message: a campaign may wait longer than a link is valid."""
    return media_uploads.url_for_network(file["key"], file["mime_type"], file["filename"])


def _filled_code(code: str, values: Mapping[str, str]) -> dict[str, str]:
    filled = fill_placeholders(code, values).text.strip()
    return {"type": "copy_code", "code": filled or EMPTY_SUFFIX}


def filled_url(end: str | None, values: Mapping[str, str]) -> str | None:
    """Fill a URL or its end. Values are URL-encoded; the text that was typed is not."""
    if not end:
        return None
    safe = {name: quote(value, safe="") for name, value in values.items()}
    return "".join(fill_placeholders(end, safe).text.split()) or EMPTY_SUFFIX


def _media(given: Mapping[str, Any]) -> dict[str, Any]:
    if file := given.get("file"):
        return {"file": {name: file[name] for name in FILE_FIELDS}}
    url = str(given.get("url") or "").strip()
    if not url:
        return {}
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good or len(url) > LONGEST_URL or any(one.isspace() or one == "\0" for one in url):
        raise invalid(
            "header_url", "invalid_url", "Enter the full URL of the file, including https://."
        )
    return {"url": url}


def _location(given: Mapping[str, Any]) -> dict[str, Any]:
    """The place of a map. The network wants its name and its address too."""
    if not given:
        return {}
    try:
        place = {name: float(given[name]) for name in ("latitude", "longitude")}
    except (KeyError, TypeError, ValueError):
        place = {"latitude": 999.0, "longitude": 999.0}
    if not (abs(place["latitude"]) <= 90 and abs(place["longitude"]) <= 180):
        raise invalid(
            "location", "invalid_place", "Enter latitude and longitude, or paste a map link."
        )
    texts = {
        name: one_line(str(given.get(name) or ""))[:LONGEST_PLACE] for name in ("name", "address")
    }
    for name, written in texts.items():
        if not written:
            raise invalid(
                f"location_{name}", "empty_text", "Enter the name and the address of the place."
            )
    return {**place, **texts}


def _checked_suffixes(given: Any) -> list[str | None]:
    if len(given) > MOST_BUTTONS:
        raise invalid("buttons", "too_many", "A template can have at most 10 buttons.")
    ends = [
        clean_text(str(one), "buttons", LONGEST_SUFFIX) or None if one else None for one in given
    ]
    while ends and ends[-1] is None:
        ends.pop()
    return ends


def _kind_of(url: str) -> str:
    return KINDS.get(PurePosixPath(urlsplit(url).path).suffix.lower(), "image")
