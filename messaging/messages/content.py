"""The parts of a message as events and the API show them."""

from collections.abc import Mapping
from typing import Any
from unicodedata import normalize

from messaging.messages.kinds.registry import MESSAGE_KINDS, has_file
from messaging.messages.media import files as media_files

PUBLIC_METADATA = (
    "reply_to",
    "forwarded",
    "referral",
    "referred_product",
    "handled_by",
    "sent_from",
    "transcript",
)


def public_fields() -> list[str]:
    """The fields that can have content, in the order of the kinds."""
    fields = (k.public_field or code for code, k in MESSAGE_KINDS.items() if k.public_content)
    return list(dict.fromkeys(fields))


def public_content(code: str, content: Mapping[str, Any]) -> dict[str, Any]:
    """Return for example {"location": {…}} for a location. Empty for texts and media."""
    kind = MESSAGE_KINDS.get(code)
    if kind is None or kind.public_content is None or "deleted_at" in content:
        return {}
    return {kind.public_field or code: kind.public_content(content)}


def content_fields(
    code: str, text: str, content: Mapping[str, Any], message_id: str
) -> dict[str, Any]:
    """Return what the event of a message shows: its text or file, its parts and its context."""
    fields: dict[str, Any] = {}
    if has_file(code):
        fields["media"] = {
            "mime_type": content.get("mime_type"),
            "url": media_files.signed_link(message_id) if content.get("id") else None,
            "size": content.get("size"),
            "sha256": media_files.hex_digest(str(content.get("sha256") or "")) or None,
            "caption": content.get("caption"),
            "filename": content.get("filename"),
        }
    elif _shows_text(code, text):
        fields["text"] = normalize("NFC", text)
    return fields | public_content(code, content) | public_metadata(content)


def public_metadata(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a message of any kind may have: what it replies to, its ad, and so on."""
    return {name: content[name] for name in PUBLIC_METADATA if content.get(name)}


def other_party(direction: str, address: str) -> dict[str, str]:
    """Return who wrote a message, or who got it. Some people have no phone number here."""
    name = "from" if direction == "in" else "to"
    return {name: address, f"{name}_kind": "phone" if address.isdecimal() else "network_id"}


def _shows_text(code: str, text: str) -> bool:
    kind = MESSAGE_KINDS.get(code)
    rule = kind.event_text if kind else "given"
    return rule == "always" or (rule == "given" and bool(text))
