"""The network's limits for templates, checked before the network is asked."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

from core.errors import invalid
from messaging.templates.components import check_template_name, placeholders
from messaging.templates.drafts import (
    AUTHENTICATION,
    BUTTON_TYPES,
    HEADER_TYPES,
    OTP_TYPES,
    ButtonDraft,
    TemplateDraft,
)
from messaging.templates.languages import LANGUAGES
from messaging.templates.repository import CATEGORIES

LONGEST_HEADER, LONGEST_BODY, LONGEST_FOOTER = 60, 1024, 60
LONGEST_BUTTON, LONGEST_URL, LONGEST_PHONE, LONGEST_CODE = 25, 2000, 20, 15
LONGEST_EXAMPLE = 300
MOST_BUTTONS, MOST_APPS = 10, 5
MOST_OF_TYPE = {"url": 2, "phone": 1, "copy_code": 1, "otp": 1}
LONGEST_EXPIRATION = 90
_BRACES = re.compile(r"\{\{((?:(?!\{\{).)*?)\}\}", re.DOTALL)
_NAME = re.compile(r"[a-z][a-z0-9_]{0,99}|[1-9][0-9]?", re.ASCII)
_ADJACENT = re.compile(r"\}\}\s*\{\{")
_PHONE = re.compile(r"\+?[1-9][0-9]{6,14}", re.ASCII)
_PACKAGE = re.compile(r"[A-Za-z]\w*(?:\.[A-Za-z]\w*)+", re.ASCII)
_SIGNATURE = re.compile(r"[A-Za-z0-9+/=]{11}", re.ASCII)
_FORMATTING = "*~`"


def check_draft(draft: TemplateDraft) -> None:
    """Raise Invalid for the first part that the network would refuse."""
    for check in part_checks(draft):
        check()


def part_checks(draft: TemplateDraft) -> list[Callable[[], None]]:
    """The checks of a draft, one for each part."""
    checks: list[Callable[[], None]] = [lambda: _check_identity(draft)]
    if draft.category == AUTHENTICATION:
        return [*checks, lambda: _check_authentication(draft)]
    return [
        *checks,
        lambda: _check_header(draft),
        lambda: _check_body(draft),
        lambda: _check_footer(draft.footer),
        lambda: _check_buttons(draft.buttons),
    ]


def _check_identity(draft: TemplateDraft) -> None:
    check_template_name(draft.name, draft.language, "name", "language")
    if draft.language not in LANGUAGES:
        raise invalid(
            "language",
            "invalid_language",
            "WhatsApp has no templates in the language {language}.",
            language=draft.language,
        )
    if draft.category not in CATEGORIES:
        raise invalid("category", "invalid_category", "Choose a category.")


def _check_header(draft: TemplateDraft) -> None:
    header = draft.header
    if header is None:
        return
    if header.type not in HEADER_TYPES:
        raise invalid("header.type", "invalid_header", "Choose the type of the header.")
    if header.type != "text":
        return
    _check_length("header.text", header.text, LONGEST_HEADER)
    names = _check_placeholders("header.text", header.text)
    if len(names) > 1:
        raise invalid(
            "header.text", "too_many_placeholders", "A header can have only one placeholder."
        )
    if any(char in _FORMATTING or _is_emoji(char) for char in header.text):
        raise invalid(
            "header.text",
            "invalid_text",
            "A header cannot contain emojis or formatting characters such as *.",
        )
    _check_one_line("header.text", header.text)
    if names:
        _check_example("header.example", header.example, names[0])


def _check_body(draft: TemplateDraft) -> None:
    _check_length("body", draft.body, LONGEST_BODY)
    names = _check_placeholders("body", draft.body)
    header = placeholders(draft.header.text) if draft.header else ()
    if len({name.isdecimal() for name in (*names, *header)}) > 1:
        raise invalid(
            "body",
            "mixed_placeholders",
            "Use either numbers such as {numbered} or names such as {named}, not both.",
            numbered="{{1}}",
            named="{{first_name}}",
        )
    if names and names[0].isdecimal() and names != tuple(map(str, range(1, len(names) + 1))):
        raise invalid(
            "body",
            "placeholder_order",
            "Number the placeholders without gaps, starting with {first}.",
            first="{{1}}",
        )
    text = draft.body.strip()
    if text.startswith("{{") or text.endswith("}}"):
        raise invalid(
            "body",
            "placeholder_at_edge",
            "The text cannot begin or end with a placeholder. Add a word or a full stop.",
        )
    if _ADJACENT.search(text):
        raise invalid(
            "body", "adjacent_placeholders", "Put a word between two placeholders in a row."
        )
    for name in names:
        _check_example(f"examples.{name}", draft.examples.get(name, ""), name)


def _check_footer(footer: str) -> None:
    if not footer:
        return
    _check_length("footer", footer, LONGEST_FOOTER)
    _check_no_placeholders("footer", footer)
    _check_one_line("footer", footer)


def _check_buttons(buttons: tuple[ButtonDraft, ...]) -> None:
    if len(buttons) > MOST_BUTTONS:
        raise invalid(
            "buttons",
            "too_many_buttons",
            "A template can have at most {most} buttons.",
            most=MOST_BUTTONS,
        )
    for at, button in enumerate(buttons):
        _check_button(f"buttons.{at}", button)
    for kind, count in Counter(button.type for button in buttons).items():
        if count > MOST_OF_TYPE.get(kind, MOST_BUTTONS):
            raise invalid(
                "buttons",
                "too_many_buttons",
                "A template can have at most {most} buttons of the type {type}.",
                most=MOST_OF_TYPE[kind],
                type=kind,
            )
    titles = [button.text.casefold() for button in buttons if button.text]
    if len(set(titles)) < len(titles):
        raise invalid("buttons", "duplicate_button", "Give each button a different text.")
    changes = sum(
        (first.type == "quick_reply") != (second.type == "quick_reply")
        for first, second in pairwise(buttons)
    )
    if changes > 1:
        raise invalid(
            "buttons",
            "button_order",
            "Put all quick reply buttons together, before or after the other buttons.",
        )


def _check_button(place: str, button: ButtonDraft) -> None:
    if button.type not in BUTTON_TYPES:
        raise invalid(f"{place}.type", "invalid_button", "Choose the type of the button.")
    if button.type == "otp":
        raise invalid(
            f"{place}.type",
            "invalid_button",
            "Only authentication templates can have a button with a one-time code.",
        )
    if button.type == "copy_code":
        _check_length(f"{place}.example", button.example, LONGEST_CODE)
        return
    _check_button_text(f"{place}.text", button.text)
    if button.type == "url":
        _check_url(place, button)
    elif button.type == "phone" and not _PHONE.fullmatch(button.phone):
        raise invalid(
            f"{place}.phone",
            "invalid_phone",
            "Enter the phone number with its country code, such as +905321112233.",
        )


def _check_button_text(place: str, text: str) -> None:
    _check_length(place, text, LONGEST_BUTTON)
    _check_no_placeholders(place, text)
    _check_one_line(place, text)


def _check_url(place: str, button: ButtonDraft) -> None:
    _check_length(f"{place}.url", button.url, LONGEST_URL)
    if not re.match(r"https?://[^\s/{}]+", button.url) or re.search(r"\s", button.url):
        raise invalid(
            f"{place}.url", "invalid_url", "Enter a full address that begins with https://."
        )
    names = _check_placeholders(f"{place}.url", button.url)
    if not names:
        return
    if len(names) > 1 or not button.url.endswith("{{1}}"):
        raise invalid(
            f"{place}.url",
            "url_placeholder",
            "An address can have one placeholder, {first}, at its end.",
            first="{{1}}",
        )
    _check_example(f"{place}.example", button.example, names[0])


def _check_authentication(draft: TemplateDraft) -> None:
    if draft.body or draft.footer or draft.header is not None:
        raise invalid(
            "body" if draft.body else "footer" if draft.footer else "header",
            "fixed_text",
            "WhatsApp writes the text of authentication templates. Leave it empty.",
        )
    minutes = draft.code_expiration_minutes
    if minutes is not None and not 1 <= minutes <= LONGEST_EXPIRATION:
        raise invalid(
            "code_expiration_minutes",
            "out_of_range",
            "Enter a number of minutes from 1 to {most}.",
            most=LONGEST_EXPIRATION,
        )
    if len(draft.buttons) != 1 or draft.buttons[0].type != "otp":
        raise invalid(
            "buttons",
            "otp_button_needed",
            "An authentication template has exactly one button: the one-time code.",
        )
    _check_otp("buttons.0", draft.buttons[0])


def _check_otp(place: str, button: ButtonDraft) -> None:
    if button.otp_type not in OTP_TYPES:
        raise invalid(f"{place}.otp_type", "invalid_button", "Choose how the code is passed on.")
    for part, text in (("text", button.text), ("autofill_text", button.autofill_text)):
        if text:
            _check_button_text(f"{place}.{part}", text)
    if button.otp_type == "copy_code":
        return
    if not 1 <= len(button.apps) <= MOST_APPS:
        raise invalid(
            f"{place}.apps",
            "app_needed",
            "Name between 1 and {most} Android apps that may read the code.",
            most=MOST_APPS,
        )
    for at, app in enumerate(button.apps):
        if not _PACKAGE.fullmatch(app.package_name) or len(app.package_name) > 224:
            raise invalid(
                f"{place}.apps.{at}.package_name",
                "invalid_package",
                "Enter the package name of the app, such as com.example.app.",
            )
        if not _SIGNATURE.fullmatch(app.signature_hash):
            raise invalid(
                f"{place}.apps.{at}.signature_hash",
                "invalid_signature",
                "The signature hash of an app has 11 characters.",
            )
    if button.otp_type == "zero_tap" and not button.terms_accepted:
        raise invalid(
            f"{place}.terms_accepted",
            "terms_needed",
            "Accept WhatsApp's terms for zero-tap codes.",
        )


def _check_length(field: str, text: str, most: int) -> None:
    if not text.strip():
        raise invalid(field, "empty_text", "Fill in this field.")
    if len(text) > most:
        raise invalid(field, "too_long", "At most {most} characters are allowed here.", most=most)


def _check_example(field: str, example: str, name: str) -> None:
    if not example.strip():
        raise invalid(
            field,
            "example_needed",
            "WhatsApp needs a sample value for {place} to review the template.",
            place="{{" + name + "}}",
        )
    if len(example) > LONGEST_EXAMPLE or "{{" in example:
        raise invalid(field, "invalid_example", "This sample value cannot be used.")


def _check_placeholders(field: str, text: str) -> tuple[str, ...]:
    """Return the placeholders; every pair of double braces must be one."""
    for inside in _BRACES.findall(text):
        if not _NAME.fullmatch(inside.strip()):
            raise invalid(
                field,
                "bad_placeholder",
                "“{what}” is not a placeholder. Use a number or a name in lowercase letters, "
                "such as {numbered} or {named}.",
                what="{{" + inside[:60] + "}}",
                numbered="{{1}}",
                named="{{first_name}}",
            )
    return placeholders(text)


def _check_no_placeholders(field: str, text: str) -> None:
    if "{{" in text:
        raise invalid(field, "placeholder_not_allowed", "Placeholders are not allowed here.")


def _check_one_line(field: str, text: str) -> None:
    if "\n" in text:
        raise invalid(field, "one_line", "Line breaks are not allowed here.")


def _is_emoji(char: str) -> bool:
    return unicodedata.category(char) == "So" or ord(char) in (0xFE0F, 0x200D)
