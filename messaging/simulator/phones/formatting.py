"""Formatting of texts and times on the simulated phones."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import urlsplit

from babel.dates import format_date
from markupsafe import Markup, escape

from core.i18n.catalogs import N_
from messaging.simulator.i18n import Gettext
from messaging.simulator.network.state import ChatMessage

# Bold, italic and strikethrough, as in the real app: the mark stands at the edge of a word.
_STYLES = (
    (re.compile(r"(?<![\w*])\*(?=\S)([^\n*]*\S)\*(?![\w*])"), "strong"),
    (re.compile(r"(?<!\w)_(?=\S)([^\n_]*\S)_(?!\w)"), "em"),
    (re.compile(r"(?<![\w~])~(?=\S)([^\n~]*\S)~(?![\w~])"), "s"),
)
_LINK = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")
KIND_NAMES = {
    "image": N_("Photo"),
    "video": N_("Video"),
    "audio": N_("Voice message"),
    "voice": N_("Voice message"),
    "document": N_("Document"),
    "sticker": N_("Sticker"),
    "location": N_("Location"),
    "contacts": N_("Contact"),
    "reaction": N_("Reaction"),
    "interactive": N_("Buttons"),
    "flow_reply": N_("Form"),
    "order": N_("Order"),
    "poll": N_("Poll"),
}
ORDER_STATES = {
    "pending": N_("Pending"),
    "processing": N_("Processing"),
    "partially_shipped": N_("Partly shipped"),
    "shipped": N_("Shipped"),
    "completed": N_("Completed"),
    "canceled": N_("Cancelled"),
}
# The states of a customer's message, as they are shown.
MESSAGE_STATES = (N_("sent"), N_("delivered"), N_("read"))


def rich_text(text: str) -> Markup:
    """Escape the text, draw bold, italic and strikethrough, and make links clickable."""
    return with_links(text, _styled)


def with_links(text: str, plain: Callable[[str], Markup] = escape) -> Markup:
    """Escape the text and make its links clickable. `plain` writes what is between them."""
    made, end = Markup(""), 0
    for found in _LINK.finditer(text):
        made += plain(text[end : found.start()])
        made += Markup('<a href="{0}" target="_blank" rel="noopener noreferrer">{0}</a>').format(
            found[0]
        )
        end = found.end()
    return made + plain(text[end:])


def _styled(text: str) -> Markup:
    styled = str(escape(text))
    for pattern, tag in _STYLES:
        styled = pattern.sub(rf"<{tag}>\1</{tag}>", styled)
    return Markup(styled)  # noqa: S704 - escaped above; only our own tags were added


def chat_preview(bubble: ChatMessage, gettext: Gettext, *, plain: bool = False) -> str:
    """One line about a message. `plain`: without the name of the sender."""
    preview = bubble.text or gettext(KIND_NAMES.get(bubble.kind, bubble.kind))
    if bubble.deleted:
        preview = gettext("Deleted message")
    return preview if bubble.from_business or plain else gettext("You: {said}", said=preview)


def file_name(link: str) -> str:
    """The last part of a link's path, else its host."""
    parts = urlsplit(link)
    return parts.path.rsplit("/", 1)[-1] or parts.netloc


def format_time(at: float) -> str:
    return _local(at).strftime("%H:%M")


def format_day(at: float, language: str) -> str:
    return format_date(_local(at), "d MMMM yyyy", locale=language)


def initials(name: str) -> str:
    words = [word for word in name.split() if word[:1].isalnum()]
    return "".join(word[0] for word in [*words[:1], *words[1:][-1:]]).upper() or "#"


def _local(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC).astimezone()
