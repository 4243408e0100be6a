"""Check a template message against the synced template."""

from dataclasses import dataclass
from typing import Any, NoReturn

from core.errors import invalid
from messaging.lines.drivers.cloud.templates.payload import is_by_section, template_payload
from messaging.models import Line, Template
from messaging.templates import repository as template_repository
from messaging.templates.components import (
    Components,
    TemplateParameters,
    body_placeholders,
    button_indexes,
    filled_body,
    required_parameters,
)

APPROVED = "approved"
MARKETING = "marketing"
FLOW_BUTTON = "flow"
TYPED_BUTTONS = ("catalog", FLOW_BUTTON)
"""Values that only a button of the same type takes."""


@dataclass(frozen=True)
class CheckedTemplate:
    content: dict[str, Any]
    """With the parameters that the network requires and callers may leave out."""
    category: str | None = None
    """None: it is not known."""


def check_template(line: Line, content: dict[str, Any], field: str = "") -> CheckedTemplate:
    """Raise Invalid if the network would refuse the template that `content` names.

    `field` is where the template is in the request.
    """
    if line.templates_at is None:
        return CheckedTemplate(content)
    place = f"{field}." if field else ""
    name, language = content["name"], content["language"]
    same_name = template_repository.templates_named(line, name)
    known = next((one for one in same_name if one.language == language), None)
    if known is None:
        there = ", ".join(sorted(one.language for one in same_name))
        if there:
            raise invalid(
                f"{place}language",
                "template_unusable",
                "The template {name} does not exist in {language}. Available languages: {there}.",
                name=name,
                language=language,
                there=there,
            )
        raise invalid(
            f"{place}name",
            "template_unusable",
            "The account of this line has no template named {name}.",
            name=name,
        )
    if known.state != APPROVED:
        raise invalid(
            f"{place}name",
            "template_unusable",
            "The template {name} cannot be sent. Its WhatsApp status is {state}.",
            name=name,
            state=known.state.replace("_", " "),
        )
    needs = required_parameters(known.components)
    _check_parameters(needs, content, f"{place}parameters")
    _check_button_types(known.components, content, f"{place}parameters")
    known_category = known.category in template_repository.CATEGORIES
    return CheckedTemplate(
        with_flow_buttons(needs, content), known.category if known_category else None
    )


def with_flow_buttons(needs: TemplateParameters, content: dict[str, Any]) -> dict[str, Any]:
    """Add a value for each button that opens a Flow: the network requires one, even without data.

    Returns the content itself if nothing is missing.
    """
    given: Any = content.get("parameters") or []
    by_section = given if is_by_section(given) else {"body": given}
    buttons = list(by_section.get("buttons") or [])
    missing = [at for at in needs.flows if at >= len(buttons) or buttons[at] is None]
    if not missing:
        return content
    buttons += [None] * (max(missing) + 1 - len(buttons))
    for at in missing:
        buttons[at] = {"type": FLOW_BUTTON}
    return {**content, "parameters": {**by_section, "buttons": buttons}}


def _check_button_types(components: Components, content: dict[str, Any], field: str) -> None:
    given: Any = content.get("parameters") or []
    buttons = given.get("buttons") if is_by_section(given) else None
    for at, button in enumerate(buttons if isinstance(buttons, list) else ()):
        kind = button.get("type") if isinstance(button, dict) else None
        if kind in TYPED_BUTTONS and at not in button_indexes(components, kind.upper()):
            raise invalid(
                f"{field}.buttons.{at}",
                "template_unusable",
                "Button {number} of the template is not of the type {type}.",
                number=at + 1,
                type=kind,
            )


def template_text(line: Line, content: dict[str, Any]) -> str:
    """Return the text that the recipient reads; "" if the template is not known."""
    return template_texts(line, [content])[0]


def template_texts(line: Line, contents: list[dict[str, Any]]) -> list[str]:
    """The same for several messages of one line, with one query."""
    names = {str(content["name"]) for content in contents}
    known = {
        (one.name, one.language): one
        for one in (template_repository.templates_named(line, *names) if names else ())
    }
    return [
        _filled_text(known.get((content["name"], content["language"])), content)
        for content in contents
    ]


def _filled_text(known: Template | None, content: dict[str, Any]) -> str:
    if known is None:
        return ""
    given: Any = content.get("parameters") or []
    body = given.get("body") or [] if is_by_section(given) else given
    if isinstance(body, dict):
        values = {str(name): str(value) for name, value in body.items()}
    else:
        each = body if isinstance(body, list) else [body]
        names = body_placeholders(known.components)
        values = {name: str(value) for name, value in zip(names, each, strict=False)}
    return filled_body(known.components, values)


def _check_parameters(needs: TemplateParameters, content: dict[str, Any], field: str) -> None:
    given: Any = content.get("parameters") or []
    by_places = is_by_section(given)
    body = given.get("body") or [] if by_places else given
    expected = len(needs.body)
    count = len(body) if isinstance(body, list | dict) else 1
    if count != expected:
        _wrong_parameter_count(field, expected, count)
    if isinstance(body, dict) and not all(name.isdecimal() for name in body):
        missing = [name for name in needs.body if name not in body]
        if missing:
            raise invalid(
                field,
                "template_unusable",
                "The template needs a value for {missing}.",
                missing=", ".join(missing),
            )
    needs_header = needs.header or needs.header_media or needs.header_location
    if needs_header and not (by_places and given.get("header")):
        raise invalid(
            field,
            "template_unusable",
            'The template has a header to fill in. Send {{"header": …, "body": […]}}.',
            header=needs.header_media,
        )
    buttons = given.get("buttons") or [] if by_places else []
    for at in needs.buttons:
        if not isinstance(buttons, list) or len(buttons) <= at or buttons[at] is None:
            raise invalid(
                field,
                "template_unusable",
                "Button {number} of the template needs the end of its URL. Send "
                '{{"buttons": […]}}.',
                number=at + 1,
            )
    for at in needs.codes:
        button = buttons[at] if isinstance(buttons, list) and len(buttons) > at else None
        if not isinstance(button, dict) or button.get("type") != "copy_code":
            raise invalid(
                field,
                "template_unusable",
                "Button {number} of the template needs a code to copy. Send {example}.",
                number=at + 1,
                example='{"buttons": [{"type": "copy_code", "code": "…"}]}',
            )
    template_payload(content)


def _wrong_parameter_count(field: str, expected: int, count: int) -> NoReturn:
    raise invalid(
        field,
        "template_unusable",
        "Wrong number of parameters: {count} sent, {wanted} needed.",
        wanted=expected,
        count=count,
    )
