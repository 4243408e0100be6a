"""A thing that waits for somebody: how bad, in words, and where to see to it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class AttentionItem:
    tone: str
    text: str
    url: str
    action: str
