"""The parts of a message besides its text, as events and the API show them."""

from collections.abc import Mapping
from typing import Any

from messaging.messages.kinds.registry import MESSAGE_KINDS


def public_fields() -> list[str]:
    """The fields that can have content, in the order of the kinds."""
    fields = (k.public_field or code for code, k in MESSAGE_KINDS.items() if k.public_content)
    return list(dict.fromkeys(fields))


def public_content(code: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return for example {"location": {…}} for a location. Empty for texts and media."""
    kind = MESSAGE_KINDS.get(code)
    if kind is None or kind.public_content is None:
        return {}
    return {kind.public_field or code: kind.public_content(content)}
