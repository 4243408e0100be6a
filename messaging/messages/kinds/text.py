"""Plain text."""

import re
from typing import Any

from core.i18n.catalogs import N_
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import MessageKind

_LINK = re.compile(r"https?://\S", re.IGNORECASE)


def _cloud_part(envelope: Envelope) -> dict[str, Any]:
    return {"body": envelope.text, "preview_url": bool(_LINK.search(envelope.text))}


def _linked_part(
    envelope: Envelope, _media: MediaFileBody | None
) -> tuple[str, dict[str, Any], str]:
    return "conversation", {"text": envelope.text}, ""


TEXT = MessageKind(
    N_("Text"),
    is_written=True,
    event_text="always",
    cloud_part=_cloud_part,
    linked_part=_linked_part,
)
