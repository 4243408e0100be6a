"""An emoji at another message."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from core.i18n.catalogs import N_
from core.values.field_checks import field_error
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.fields import KindFields, ResolveFile

LONGEST_EMOJI = 16  # families and flags consist of several characters


def _emoji(text: str) -> str:
    emoji = text.strip()
    if len(emoji) > LONGEST_EMOJI or any(char.isalnum() and char.isascii() for char in emoji):
        raise field_error("invalid_emoji", "emoji must be a single emoji, or empty to remove it")
    return emoji


class ReactionFields(KindFields):
    message_id: str = Field(
        min_length=1,
        max_length=200,
        description="The message of the customer, by the network's id or by ours.",
        examples=["wamid.HBgMOTA1MzIxMTEyMjMzFQIAERgS"],
    )
    emoji: Annotated[str, AfterValidator(_emoji)] = Field(
        max_length=64, description="One emoji; empty removes the reaction.", examples=["👍"]
    )

    def message_text(self) -> str:
        return self.emoji

    def message_content(self, _resolve_file: ResolveFile) -> dict[str, Any]:
        return {"message_id": self.message_id, "emoji": self.emoji}


def _cloud_part(envelope: Envelope) -> dict[str, Any]:
    return {"message_id": envelope.content["message_id"], "emoji": envelope.content["emoji"]}


def _linked_part(
    envelope: Envelope, _media: MediaFileBody | None
) -> tuple[str, dict[str, Any], str]:
    """Staff and programs react to messages of the customer, never to their own."""
    address = envelope.phone if "@" in envelope.phone else f"{envelope.phone}@s.whatsapp.net"
    key = {"remoteJID": address, "fromMe": False, "ID": envelope.content["message_id"]}
    return "reactionMessage", {"key": key, "text": envelope.content["emoji"]}, ""


def _public_content(content: Mapping[str, Any]) -> dict[str, Any]:
    return {"message_id": content["message_id"], "emoji": content["emoji"]}


REACTION = MessageKind(
    N_("Reaction"),
    fields=ReactionFields,
    has_fallback=False,
    cloud_part=_cloud_part,
    linked_part=_linked_part,
    public_content=_public_content,
)
