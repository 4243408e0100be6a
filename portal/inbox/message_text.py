"""Message text as a phone shows it: links, *bold*, _italic_, ~strikethrough~, `monospace`."""

import re
from urllib.parse import urlsplit

from markupsafe import Markup, escape

_LINK = re.compile(r"https?://[^\s<>\"']+", re.IGNORECASE)
_TRAILING = ".,;:!?)]}»”’"
_MARKS = (
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), "strong"),
    (re.compile(r"(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])"), "em"),
    (re.compile(r"(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])"), "s"),
    (re.compile(r"(?<![\w`])`(?=\S)([^`\n]+?)(?<=\S)`(?![\w`])"), "code"),
)


def format_message_text(text: str) -> Markup:
    """Escape the text, then add only our own tags."""
    made, at = Markup(), 0
    for found in _LINK.finditer(text):
        url = found[0].rstrip(_TRAILING)
        made += _marked(text[at : found.start()])
        made += _link(url)
        at = found.start() + len(url)
    return made + _marked(text[at:])


def _marked(part: str) -> Markup:
    text = str(escape(part))
    for pattern, tag in _MARKS:
        text = pattern.sub(rf"<{tag}>\1</{tag}>", text)
    return Markup(text)  # noqa: S704 - escaped above, and only fixed tags were put in


def _link(url: str) -> Markup:
    try:
        if not urlsplit(url).hostname:
            return escape(url)
    except ValueError:
        return escape(url)
    return Markup(
        '<a href="{url}" target="_blank" rel="noopener noreferrer nofollow">{url}</a>'
    ).format(url=url)
