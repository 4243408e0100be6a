"""A campaign's template: its values checked, kept, and filled for one person.

Kept as name, language, parameters (the body's), and where there are any: `header` (a text), `media`
(`{"url": …}`, or `{"file": …}` for one that was uploaded) and `buttons` (the ends of addresses, in
the buttons' places, null where a button takes none).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote, urlsplit

from core.errors import invalid
from messaging.inbox import files
from messaging.models import Template
from messaging.placeholders import fill, words
from messaging.template_parts import Bubble, Components, Needs, check_name, filled, needs_of

NOTHING = "–"
"""For a template's value that somebody does not have: the network takes no empty one."""
NO_END = "-"
"""The same in an address."""
MOST_PARAMETERS, MOST_BUTTONS = 20, 10
OF_A_FILE = ("key", "mime_type", "filename", "kind")
LONGEST_HEADER, LONGEST_END, LONGEST_URL = 200, 1024, 2048
KINDS = {
    **dict.fromkeys((".mp4", ".3gp"), "video"),
    **dict.fromkeys((".pdf", ".docx", ".xlsx", ".pptx", ".doc", ".xls", ".txt"), "document"),
}


@dataclass(frozen=True)
class Shape:
    """What is known of the template at the network."""

    components: Components
    needs: Needs
    named: bool


def shape_of(template: Template) -> Shape:
    named = template.parameter_format == "named"
    return Shape(template.components, needs_of(template.components), named)


def checked(given: Mapping[str, Any]) -> dict[str, Any]:
    name, language = str(given.get("name") or "").strip(), str(given.get("language") or "").strip()
    if not name:
        return {}
    check_name(name, language, "template", "template")
    parameters = [words(str(one), "parameters") for one in given.get("parameters") or []]
    if len(parameters) > MOST_PARAMETERS:
        raise invalid("parameters", "too_many", "A template takes at most 20 values.")
    if not all(parameters):
        raise invalid("parameters", "empty_text", "Fill in every value of the template.")
    made: dict[str, Any] = {"name": name, "language": language, "parameters": parameters}
    if header := words(str(given.get("header") or ""), "header", LONGEST_HEADER):
        made["header"] = " ".join(header.split())
    if media := _media(given.get("media") or {}):
        made["media"] = media
    if buttons := _ends(given.get("buttons") or []):
        made["buttons"] = buttons
    return made


def strings(template: Mapping[str, Any]) -> list[str]:
    """All that may have placeholders in it."""
    ends = [one for one in template.get("buttons", []) if one]
    header = [template["header"]] if template.get("header") else []
    return [*template.get("parameters", []), *header, *ends]


def media_of(file: files.Kept) -> dict[str, Any]:
    return {"file": {name: getattr(file, name) for name in OF_A_FILE}}


def keeping_file(given: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """The file stays while the template stays, unless an address takes its place."""
    same = all(given.get(name) == before.get(name) for name in ("name", "language"))
    return {**given, "media": before.get("media")} if same and not given.get("media") else given


def blob_of(template: Mapping[str, Any]) -> str | None:
    """The uploaded file, in our own store."""
    found = template.get("media", {}).get("file", {}).get("key")
    return str(found) if found else None


def content(
    template: Mapping[str, Any], values: Mapping[str, str], shape: Shape | None
) -> dict[str, Any]:
    """A message's content, as the line's driver wants it."""
    body: Any = [fill(one, values).text or NOTHING for one in template["parameters"]]
    if shape is not None and shape.named:
        body = {"body": dict(zip(shape.needs.body, body, strict=False))}
    places: dict[str, Any] = {}
    if (header := _header(template, values, shape)) is not None:
        places["header"] = header
    if template.get("buttons"):
        places["buttons"] = [_end(one, values) for one in template["buttons"]]
    if places:
        body = {**(body if isinstance(body, dict) else {"body": body}), **places}
    return {"name": template["name"], "language": template["language"], "parameters": body}


def shown(template: Mapping[str, Any], values: Mapping[str, str], shape: Shape) -> Bubble:
    """As the recipient's phone will show it."""
    given = [fill(one, values).text or NOTHING for one in template["parameters"]]
    header = template.get("header")
    ends = template.get("buttons", [])
    return filled(
        shape.components,
        dict(zip(shape.needs.body, given, strict=False)),
        header=(fill(header, values).text or NOTHING) if header else "",
        ends={at: _end(one, values) or "" for at, one in enumerate(ends) if one},
    )


def check(template: Mapping[str, Any], shape: Shape) -> None:
    """As much around the body as the template has places for; the body, template_check counts."""
    needs, media = shape.needs, template.get("media", {})
    if needs.header_media and not media:
        raise invalid(
            "header_url",
            "template_unusable",
            "The template has a picture or a file above its text: give its address, or upload it.",
        )
    if needs.header and not template.get("header"):
        raise invalid(
            "header", "template_unusable", "The template has a value in its header: fill it in."
        )
    if template.get("header") and not needs.header:
        raise invalid("header", "template_unusable", "The template has no value in its header.")
    if media and not needs.header_media:
        raise invalid(
            "header_url", "template_unusable", "The template has no picture or file above its text."
        )
    kind = media.get("file", {}).get("kind", needs.header_media)
    if kind != needs.header_media:
        raise invalid(
            "header_file",
            "template_unusable",
            "The template wants another kind of file above its text: {wanted}.",
            wanted=needs.header_media,
        )
    ends = template.get("buttons", [])
    for at in needs.buttons:
        if at >= len(ends) or not ends[at]:
            raise invalid(
                "buttons",
                "template_unusable",
                "Button {number} of the template leads to an address: fill in what it ends with.",
                number=at + 1,
            )
    for at, end in enumerate(ends):
        if end and at not in needs.buttons:
            raise invalid(
                "buttons",
                "template_unusable",
                "Button {number} of the template has no end of an address to fill.",
                number=at + 1,
            )


def _header(template: Mapping[str, Any], values: Mapping[str, str], shape: Shape | None) -> Any:
    if media := template.get("media"):
        file = media.get("file")
        url = _lent(file) if file else media["url"]
        kind = (shape.needs.header_media if shape else "") or (file or {}).get("kind")
        kind = kind or _kind_of(url)
        names = {"filename": file["filename"]} if file and kind == "document" else {}
        return {kind: url, **names}
    if header := template.get("header"):
        text = fill(header, values).text or NOTHING
        named = shape is not None and shape.named and shape.needs.header
        return {shape.needs.header[0]: text} if named and shape else [text]
    return None


def _lent(file: Mapping[str, Any]) -> str:
    """Signed for this message: a campaign may wait longer than any link is good for."""
    return files.url_for_network(file["key"], file["mime_type"], file["filename"])


def _end(end: str | None, values: Mapping[str, str]) -> str | None:
    """What stands for a person is made fit for an address; what was typed is taken as it is."""
    if not end:
        return None
    safe = {name: quote(value, safe="") for name, value in values.items()}
    return "".join(fill(end, safe).text.split()) or NO_END


def _media(given: Mapping[str, Any]) -> dict[str, Any]:
    if file := given.get("file"):
        return {"file": {name: file[name] for name in OF_A_FILE}}
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
            "header_url", "invalid_url", "Write the whole address of the file, with https://."
        )
    return {"url": url}


def _ends(given: Any) -> list[str | None]:
    if len(given) > MOST_BUTTONS:
        raise invalid("buttons", "too_many", "A template has at most 10 buttons.")
    ends = [words(str(one), "buttons", LONGEST_END) or None if one else None for one in given]
    while ends and ends[-1] is None:
        ends.pop()
    return ends


def _kind_of(url: str) -> str:
    return KINDS.get(PurePosixPath(urlsplit(url).path).suffix.lower(), "image")
