"""Reads a response of the portal the way a person sees it."""

import html
import re
from html.parser import HTMLParser

from werkzeug.test import TestResponse

NEVER = ("iframe", "object", "embed", "base", "math", "style", "template")
LEADING = ("href", "src", "action", "formaction", "xlink:href")
ELSEWHERE = ("javascript:", "data:", "vbscript:", "//", "http:", "https:")


def text_of(answer: TestResponse) -> str:
    """The text of the page, without tags and scripts."""
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", answer.get_data(as_text=True), flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


def title_of(answer: TestResponse) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", answer.get_data(as_text=True), re.DOTALL)
    assert found, answer.get_data(as_text=True)[:500]
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", found[1])).split())


def nonce_of(answer):
    return answer.headers["Content-Security-Policy"].partition("'nonce-")[2].partition("'")[0]


class Page(HTMLParser):
    """A parsed page: its tags, their attributes, its text."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(markup)
        self.close()

    def updatepos(self, i, j):
        """Nobody asks for the line of a tag, and counting lines takes a sixth of the time."""
        return j

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    @property
    def values(self):
        return [value for _, attrs in self.tags for value in attrs.values() if value]


def faults(markup, nonce):
    """Find anything that would run code or load from another host.

    Accepts a parsed Page, which is not parsed again.
    """
    found = []
    for tag, attrs in (markup if isinstance(markup, Page) else Page(markup)).tags:
        if tag == "script" and attrs.get("nonce") != nonce:
            found.append(f"script without our nonce: {attrs}")
        if tag in NEVER:
            found.append(tag)
        for name, given in attrs.items():
            if name.startswith("on") or name == "style":
                found.append(f"{tag} {name}")
            if name in LEADING:
                value = (given or "").strip().lower().removeprefix("http://localhost/")
                if value.startswith(ELSEWHERE):
                    found.append(f"{tag} {name}={value}")
    return found
