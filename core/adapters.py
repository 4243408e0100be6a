"""What the adapters of several families share: texts for translation, and setup instructions."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SetupStep:
    """A step of the instructions for connecting a provider, as its page shows them."""

    title: str
    text: str = ""
    url_label: str = ""
    """With a label, the step shows the address to copy."""
    secret_label: str = ""
    """With a label, the step shows the secret to copy."""
    names: tuple[str, ...] = ()
    """Names to choose at the provider, such as event types."""
    codes: tuple[str, ...] = ()
    """The same, for names that are code."""
    guide: tuple[tuple[str, str], ...] = ()
    """Products, each with where its setting is."""
    samples: Callable[[str, str], list[tuple[str, str]]] | None = None
    """(language, code) pairs, given the address and the secret."""
