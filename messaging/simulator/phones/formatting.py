"""Formatting of texts and times on the simulated phones."""

import re
from datetime import UTC, datetime

from babel.dates import format_date
from markupsafe import Markup, escape

from core.i18n.catalogs import N_
from messaging.simulator.i18n import Gettext
from messaging.simulator.network.state import ChatMessage

_LINK = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")
KIND_NAMES = {
    "image": N_("Photo"),
    "video": N_("Video"),
    "audio": N_("Voice message"),
    "document": N_("Document"),
    "sticker": N_("Sticker"),
    "location": N_("Location"),
    "contacts": N_("Contact"),
    "reaction": N_("Reaction"),
    "interactive": N_("Buttons"),
    "flow_reply": N_("Form"),
    "poll": N_("Poll"),
}
# The states of a customer's message, as they are shown.
MESSAGE_STATES = (N_("sent"), N_("delivered"), N_("read"))


def with_links(text: str) -> Markup:
    """Escape the text and make its links clickable."""
    made, end = Markup(""), 0
    for found in _LINK.finditer(text):
        made += escape(text[end : found.start()])
        made += Markup('<a href="{0}" target="_blank" rel="noopener noreferrer">{0}</a>').format(
            found[0]
        )
        end = found.end()
    return made + escape(text[end:])


def chat_preview(bubble: ChatMessage, gettext: Gettext) -> str:
    preview = bubble.text or gettext(KIND_NAMES.get(bubble.kind, bubble.kind))
    return preview if bubble.from_business else gettext("You: {said}", said=preview)


def format_time(at: float) -> str:
    return _local(at).strftime("%H:%M")


def format_day(at: float, language: str) -> str:
    return format_date(_local(at), "d MMMM yyyy", locale=language)


def initials(name: str) -> str:
    words = [word for word in name.split() if word[:1].isalnum()]
    return "".join(word[0] for word in [*words[:1], *words[1:][-1:]]).upper() or "#"


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()
