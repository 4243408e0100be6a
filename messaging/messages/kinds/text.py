"""Plain text."""

import re
from typing import Annotated, Any

from pydantic import Field

from core.i18n.catalogs import N_
from core.values.field_checks import required_text
from messaging.lines.drivers.base import Envelope
from messaging.lines.drivers.linked.client import MediaFileBody
from messaging.messages.kinds.base import MessageKind
from messaging.messages.kinds.fields import KindFields

LONGEST_TEXT = 4096
_LINK = re.compile(r"https?://\S", re.IGNORECASE)


class TextFields(KindFields):
    text: Annotated[str, required_text("text", LONGEST_TEXT)] = Field(
        description="1 to 4096 characters.", examples=["Your table is ready."]
    )

    def message_text(self) -> str:
        return self.text


def _cloud_part(envelope: Envelope) -> dict[str, Any]:
    return {"body": envelope.text, "preview_url": bool(_LINK.search(envelope.text))}


def _linked_part(
    envelope: Envelope, _media: MediaFileBody | None
) -> tuple[str, dict[str, Any], str]:
    return "conversation", {"text": envelope.text}, ""


TEXT = MessageKind(
    N_("Text"),
    fields=TextFields,
    is_written=True,
    event_text="always",
    cloud_part=_cloud_part,
    linked_part=_linked_part,
)
