"""Kinds that only arrive: customers send them, staff and programs do not."""

from collections.abc import Mapping
from typing import Any

from core.i18n.catalogs import N_
from messaging.messages.kinds.base import MessageKind

MESSAGE_METADATA = (
    "reply_to",
    "forwarded",
    "referral",
    "referred_product",
    "handled_by",
    "sent_from",
    "edited_at",
    "deleted_at",
    "earlier",
)
"""Parts of the content that messages of any kind may have."""


def _public_content(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in MESSAGE_METADATA}


ORDER = MessageKind(N_("Order"), icon="shop", public_content=_public_content)
BUTTON = MessageKind(N_("Button"), is_written=True, public_content=_public_content)
WELCOME_REQUEST = MessageKind(N_("Opened the chat"), icon="chat")
UNSUPPORTED = MessageKind(N_("Unsupported"))
