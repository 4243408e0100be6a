"""Reads a page that our templates made, in half the time of html.parser.

Only for well-formed pages. Tests of hostile texts use tests/portal/page_reader.py.
"""

import html
import re

TOKEN = re.compile(
    r"""<!(?:--.*?--|[^>]*)>|<(/?)([a-z][a-z0-9-]*)((?:[^>"']+|"[^"]*"|'[^']*')*)>""", re.DOTALL
)
ATTRIBUTE = re.compile(r"""([^\s="'/]+)(?:="([^"]*)"|='([^']*)')?""")
WITHOUT_MARKUP = ("script", "style")


class MarkupReader:
    """Calls its methods for each tag and each text, as `html.parser.HTMLParser` does."""

    def feed(self, markup: str) -> None:
        place = 0
        while token := TOKEN.search(markup, place):
            if place < token.start():
                self.handle_data(html.unescape(markup[place : token.start()]))
            place = token.end()
            closes, tag, attributes = token.groups()
            if closes:
                self.handle_endtag(tag)
            elif tag:
                self.handle_starttag(tag, _read_attributes(attributes))
                if tag in WITHOUT_MARKUP:
                    end = markup.index(f"</{tag}>", place)
                    if place < end:
                        self.handle_data(markup[place:end])
                    place = end
        if place < len(markup):
            self.handle_data(html.unescape(markup[place:]))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str]]) -> None: ...

    def handle_endtag(self, tag: str) -> None: ...

    def handle_data(self, text: str) -> None: ...


def _read_attributes(written: str) -> list[tuple[str, str]]:
    if not written:
        return []
    return [
        (name, html.unescape(text) if "&" in (text := double or single) else text)
        for name, double, single in ATTRIBUTE.findall(written)
    ]
