"""Kinds that only arrive: customers send them, staff and programs do not."""

from collections.abc import Mapping
from typing import Any

from core.i18n.catalogs import N_
from messaging.messages.kinds.base import MessageKind

_MESSAGE_METADATA = ("reply_to", "forwarded", "referral")


def _public_content(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in _MESSAGE_METADATA}


ORDER = MessageKind(N_("Order"), icon="shop", public_content=_public_content)
BUTTON = MessageKind(N_("Button"), is_written=True, public_content=_public_content)
UNSUPPORTED = MessageKind(N_("Unsupported"))
