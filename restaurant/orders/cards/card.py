"""A chat message of the restaurant: a text, or a text with buttons, a link or a location request.

A line that has no such messages sends the same as a text (`messaging.lines.capabilities`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.kinds.base import Choice
from messaging.messages.kinds.interactive.base import FIELD, LONGEST_BODY, LONGEST_LABEL
from messaging.messages.kinds.interactive.buttons import MOST_BUTTONS
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.kinds.text import LONGEST_TEXT


@dataclass(frozen=True)
class Card:
    text: str
    kind: str = "text"
    content: dict[str, Any] = field(default_factory=dict)


def with_buttons(text: str, buttons: Sequence[Choice]) -> Card:
    """A text with up to three buttons; without any, only the text."""
    if not buttons:
        return Card(text)
    rows = [{"id": one.id, "title": one.title[:LONGEST_LABEL]} for one in buttons[:MOST_BUTTONS]]
    return _interactive("buttons", text, {"buttons": rows})


def with_link(text: str, label: str, url: str) -> Card:
    """A text with one button that opens a web page."""
    return _interactive("link_button", text, {"text": label[:LONGEST_LABEL], "url": url})


def location_request_card(text: str) -> Card:
    """A text with the network's button that shares the current location."""
    return _interactive("location_request", text, {})


def for_line(card: Card, line_kind: str) -> Card:
    """Return the card, or its plain text if the line or the length does not allow it."""
    kind = MESSAGE_KINDS[card.kind]
    possible = DRIVERS[line_kind].capability(kind) != "no"
    if card.kind == "text" or (possible and len(card.text) <= LONGEST_BODY):
        return card
    text = kind.plain_text(card.content) if kind.plain_text is not None else card.text
    return Card(text[:LONGEST_TEXT])


def _interactive(kind: str, text: str, parts: dict[str, Any]) -> Card:
    return Card(text, kind, {FIELD: {"body": text, **parts}})
