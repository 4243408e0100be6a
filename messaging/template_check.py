"""A template's send, held against what the network told of that template."""

from dataclasses import replace
from typing import Any, NoReturn

from core.errors import invalid
from messaging import contacts, templates
from messaging.lines.cloud_template import is_by_places, template
from messaging.models import Line
from messaging.sending import Draft
from messaging.template_parts import Needs, filled, needs_of

SENDABLE = "approved"
MARKETING = "marketing"


def checked(draft: Draft, line: Line) -> Draft:
    """A template's draft with the price category of that template. Raises Invalid for one that
    the network would refuse, and for marketing to who wants none; what was never synced is left
    to the network."""
    if draft.kind != "template":
        if (other := draft.content.get("fallback")) and line.kind == "cloud":
            check(line, other, "fallback_template")
        return draft
    category = check(line, draft.content)
    if category == MARKETING and contacts.wants_no_marketing(draft.phone):
        raise invalid(
            "phone",
            "recipient_opted_out",
            "This contact has opted out of marketing, and {name} is a marketing template.",
            name=draft.content["name"],
        )
    words = wording(line, draft.content)
    return replace(draft, category=category or draft.category, text=words)


def check(line: Line, content: dict[str, Any], field: str = "") -> str | None:
    """The category of the template that `content` names; None when nothing is known of it.

    `field` is where in the request the template stands.
    """
    if line.templates_at is None:
        return None
    place = f"{field}." if field else ""
    name, language = content["name"], content["language"]
    same_name = templates.named(line, name)
    known = next((one for one in same_name if one.language == language), None)
    if known is None:
        there = ", ".join(sorted(one.language for one in same_name))
        if there:
            raise invalid(
                f"{place}language",
                "template_unusable",
                "The template {name} is not there in the language {language}; it is in {there}.",
                name=name,
                language=language,
                there=there,
            )
        raise invalid(
            f"{place}name",
            "template_unusable",
            "This line's account has no template named {name}.",
            name=name,
        )
    if known.state != SENDABLE:
        raise invalid(
            f"{place}name",
            "template_unusable",
            "The template {name} cannot be sent: the network calls it {state}.",
            name=name,
            state=known.state.replace("_", " "),
        )
    _check_parameters(needs_of(known.components), content, f"{place}parameters")
    return known.category if known.category in templates.CATEGORIES else None


def wording(line: Line, content: dict[str, Any]) -> str:
    """What the recipient reads, as far as it is known here."""
    known = next(
        (
            one
            for one in templates.named(line, content["name"])
            if one.language == content["language"]
        ),
        None,
    )
    if known is None:
        return ""
    given: Any = content.get("parameters") or []
    body = given.get("body") or [] if is_by_places(given) else given
    if isinstance(body, dict):
        values = {str(name): str(value) for name, value in body.items()}
    else:
        each = body if isinstance(body, list) else [body]
        names = needs_of(known.components).body
        values = {name: str(value) for name, value in zip(names, each, strict=False)}
    return filled(known.components, values).body


def _check_parameters(needs: Needs, content: dict[str, Any], field: str) -> None:
    given: Any = content.get("parameters") or []
    by_places = is_by_places(given)
    body = given.get("body") or [] if by_places else given
    wanted = len(needs.body)
    count = len(body) if isinstance(body, list | dict) else 1
    if count != wanted:
        _wrong_number(field, wanted, count)
    if isinstance(body, dict) and not all(name.isdecimal() for name in body):
        missing = [name for name in needs.body if name not in body]
        if missing:
            raise invalid(
                field,
                "template_unusable",
                "The template has no value for {missing}.",
                missing=", ".join(missing),
            )
    if (needs.header or needs.header_media) and not (by_places and given.get("header")):
        raise invalid(
            field,
            "template_unusable",
            'The template has a header to fill: give {{"header": …, "body": […]}}.',
            header=needs.header_media,
        )
    buttons = given.get("buttons") or [] if by_places else []
    for at in needs.buttons:
        if not isinstance(buttons, list) or len(buttons) <= at or buttons[at] is None:
            raise invalid(
                field,
                "template_unusable",
                "Button {number} of the template has the end of an address to fill:"
                ' give {{"buttons": […]}}.',
                number=at + 1,
            )
    template(content)


def _wrong_number(field: str, wanted: int, count: int) -> NoReturn:
    raise invalid(
        field,
        "template_unusable",
        "The template takes {wanted} parameters, and {count} are given.",
        wanted=wanted,
        count=count,
    )
