"""An item that needs attention: its severity, a text, and a link to the page to act on."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AttentionItem:
    tone: str
    text: str
    url: str
    action: str
