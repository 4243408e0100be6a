"""Messages with more than a text, as members write them in the reply box and in quick replies.

The checks repeat the network's limits in the words of the page. Programs give the same content with
`POST /messages`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from core.errors import Invalid, invalid
from core.values.phone import normalize_phone
from core.values.text import BadText, one_line
from messaging.messages.kinds.contacts import ContactsFields
from messaging.messages.kinds.fields import FileReference, KindFields
from messaging.messages.kinds.interactive.base import LONGEST_BODY, LONGEST_LABEL
from messaging.messages.kinds.interactive.buttons import MOST_BUTTONS, ButtonsFields
from messaging.messages.kinds.interactive.choice_list import (
    LONGEST_DESCRIPTION,
    LONGEST_TITLE,
    MOST_ROWS,
    ListFields,
)
from messaging.messages.kinds.interactive.link_button import LinkButtonFields

CHOICE_KINDS = ("buttons", "list")
"""What quick replies can have."""
WRITTEN_KINDS = (*CHOICE_KINDS, "link_button")
"""What automations and campaigns can have."""
COMPOSED_KINDS = (*CHOICE_KINDS, "link_button", "contacts")
ROW_SEPARATOR = "|"
EXAMPLE_URL = "https://example.com"


@dataclass(frozen=True)
class ComposedCard:
    """The fields of the reply box beside its text; which ones count depends on `kind`."""

    kind: str
    buttons: tuple[str, ...] = ()
    list_button: str = ""
    rows: tuple[str, ...] = ()
    """One choice in each: a title, or a title and a description with `|` between."""
    link_text: str = ""
    link_url: str = ""
    contact_name: str = ""
    contact_phone: str = ""

    def as_json(self) -> dict[str, Any]:
        """What quick replies, automations and campaigns store."""
        if self.kind == "buttons":
            return {"kind": self.kind, "buttons": list(self.buttons)}
        if self.kind == "link_button":
            return {"kind": self.kind, "link_text": self.link_text, "link_url": self.link_url}
        return {"kind": self.kind, "list_button": self.list_button, "rows": list(self.rows)}


def read_json(stored: Mapping[str, Any]) -> ComposedCard | None:
    """The card of a quick reply, automation or campaign; None if it is only a text."""
    if not stored:
        return None
    return ComposedCard(
        kind=stored["kind"],
        buttons=tuple(stored.get("buttons", ())),
        list_button=stored.get("list_button", ""),
        rows=tuple(stored.get("rows", ())),
        link_text=stored.get("link_text", ""),
        link_url=stored.get("link_url", ""),
    )


def stored_card(card: ComposedCard | None, text: str) -> dict[str, Any]:
    """Check the card of an automation or campaign, and return what is stored.

    The address of a link may have placeholders, which are filled in later.
    """
    if card is None or card.kind not in WRITTEN_KINDS:
        return {}
    has_placeholder = "{{" in card.link_url
    message_fields(replace(card, link_url=EXAMPLE_URL) if has_placeholder else card, text)
    return card.as_json()


def message_of(card: ComposedCard | None, text: str) -> tuple[str, str, dict[str, Any]]:
    """The kind, the text and the content of a message; a card that cannot be sent is left out."""
    if card is None:
        return "text", text, {}
    try:
        fields = message_fields(card, text)
    except Invalid:
        return "text", text, {}
    return card.kind, fields.message_text(), content_of(fields)


def message_fields(card: ComposedCard, text: str) -> KindFields:
    """Check a card with its text. Raises Invalid with a sentence for the page."""
    try:
        return _BUILDERS[card.kind](card, text)
    except ValidationError as error:
        raise Invalid(
            "invalid_message", "This message cannot be sent. Check its text and its buttons."
        ) from error
    except BadText as error:
        raise invalid("text", error.code, "{fault}", fault=str(error)) from None


def content_of(fields: KindFields) -> dict[str, Any]:
    return fields.message_content(_no_file)


def _buttons(card: ComposedCard, text: str) -> KindFields:
    titles = _filled(card.buttons)
    if not titles:
        raise invalid("button_1", "empty_buttons", "Enter the text of at least one button.")
    if len(titles) > MOST_BUTTONS:
        raise invalid("button_1", "too_many", "A message can have at most 3 buttons.")
    for title in titles:
        _check_length("button_1", title, LONGEST_LABEL)
    _check_different("button_1", titles)
    return ButtonsFields.model_validate(
        {"body": _body(text), "buttons": [{"id": title, "title": title} for title in titles]}
    )


def _list(card: ComposedCard, text: str) -> KindFields:
    rows = [_row(line) for line in _filled(card.rows)]
    if not rows:
        raise invalid("rows", "empty_rows", "Enter at least one choice for the list.")
    if len(rows) > MOST_ROWS:
        raise invalid("rows", "too_many", "A list can have at most 10 choices.")
    _check_different("rows", [row["title"] for row in rows])
    label = one_line(card.list_button)
    if not label:
        raise invalid("list_button", "empty_button", "Enter the text of the list's button.")
    _check_length("list_button", label, LONGEST_LABEL)
    return ListFields.model_validate(
        {"body": _body(text), "button": label, "sections": [{"rows": rows}]}
    )


def _row(line: str) -> dict[str, str]:
    title, _, description = (part.strip() for part in line.partition(ROW_SEPARATOR))
    _check_length("rows", title, LONGEST_TITLE)
    _check_length("rows", description, LONGEST_DESCRIPTION)
    row = {"id": title, "title": title}
    return {**row, "description": description} if description else row


def _link_button(card: ComposedCard, text: str) -> KindFields:
    label, url = one_line(card.link_text), one_line(card.link_url)
    if not label:
        raise invalid("link_text", "empty_button", "Enter the text of the button.")
    _check_length("link_text", label, LONGEST_LABEL)
    if not url.startswith(("https://", "http://")):
        raise invalid("link_url", "invalid_url", "Enter a link that starts with https://.")
    return LinkButtonFields.model_validate({"body": _body(text), "text": label, "url": url})


def _contacts(card: ComposedCard, _text: str) -> KindFields:
    name, phone = one_line(card.contact_name), normalize_phone(card.contact_phone, None)
    if not name:
        raise invalid("contact_name", "empty_name", "Enter the name on the contact card.")
    if phone is None:
        raise invalid(
            "contact_phone",
            "invalid_phone",
            "This is not a valid phone number. Enter it with its country code, "
            "such as 905321112233.",
        )
    number = {"phone": f"+{phone}", "wa_id": phone, "type": "CELL"}
    return ContactsFields.model_validate({"contacts": [{"name": name, "phones": [number]}]})


_BUILDERS = {
    "buttons": _buttons,
    "list": _list,
    "link_button": _link_button,
    "contacts": _contacts,
}


def _body(text: str) -> str:
    if not text.strip():
        raise invalid("text", "empty_text", "Enter the text of the message first.")
    if len(text.strip()) > LONGEST_BODY:
        raise invalid(
            "text",
            "long_text",
            "The text above buttons can have at most {most} characters.",
            most=LONGEST_BODY,
        )
    return text


def _filled(lines: Sequence[str]) -> list[str]:
    return [cleaned for line in lines if (cleaned := one_line(line))]


def _check_length(field: str, text: str, most: int) -> None:
    if len(text) > most:
        raise invalid(
            field,
            "long_title",
            "“{text}” is too long. Use at most {most} characters.",
            text=text[:60],
            most=most,
        )


def _check_different(field: str, titles: Sequence[str]) -> None:
    if len(set(titles)) < len(titles):
        raise invalid(field, "repeated_title", "Two choices have the same text.")


def _no_file(_reference: FileReference, _place: str, _kind: str) -> dict[str, Any]:
    raise ValueError("the reply box gives no file for a header")
