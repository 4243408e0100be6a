"""Render pages of docs/ as HTML: no scripts, no raw HTML, and no broken links."""

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from flask_babel import gettext
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

DOCS = Path(__file__).parent.parent.parent / "docs"
LinkResolver = Callable[[str], str | None]
"""Maps a relative link in a file to a URL of the portal, or to None if there is no such page."""


@dataclass(frozen=True)
class Section:
    """The text under one heading; the section before the first heading has no title."""

    id: str
    title: str
    level: int
    text: str


@dataclass(frozen=True)
class RenderedPage:
    title: str
    lede: str
    html: Markup
    sections: tuple[Section, ...] = field(default=())


def render_page(text: str, leads: LinkResolver) -> RenderedPage:
    """Render a page: the first heading is the title, the first paragraph its summary in lists."""
    tokens = _markdown().parse(text)
    _tick_boxes(tokens)
    title, tokens = _title(tokens)
    sections = tuple(_sections(tokens))
    for token in tokens:
        if token.children:
            token.children = list(_resolve_links(token.children, leads))
    html = _markdown().renderer.render(tokens, _markdown().options, {})
    lede = next(
        (
            plain_text(one.content)
            for before, one in pairwise(tokens)
            if before.type == "paragraph_open"
        ),
        "",
    )
    return RenderedPage(title, lede, Markup(html), sections)  # noqa: S704 - escaped by the renderer


def render_inline(text: str) -> Markup:
    """Render a sentence of the API description: inline code and links, no blocks."""
    return Markup(_markdown().renderInline(text))  # noqa: S704 - escaped by the renderer


def plain_text(text: str) -> str:
    """The text without Markdown marks: `code`, **bold**, [a link](…)."""
    return " ".join(re.sub(r"[`*]|!?\[([^\[\]]*)\]\([^()]*\)", r"\1", text).split())


def resolve_path(place: str, target: str) -> str:
    """Resolve a link in the file at `place` to a path relative to docs/."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), target))


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    """A parser that shows HTML as text and does not turn script URLs into links."""
    markdown = MarkdownIt("commonmark", {"html": False})
    markdown.enable("table")
    markdown.add_render_rule("table_open", _table)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    markdown.add_render_rule("heading_close", _heading_close)
    markdown.add_render_rule("fence", _fence)
    return markdown


def _table(*_: Any) -> str:
    """Wide tables scroll inside their own container, which can take the keyboard focus."""
    label = escape(gettext("Data table"))
    return f'<div class="guide-table" tabindex="0" role="region" aria-label="{label}"><table>'


def _highlighted(code: str, language: str) -> str:
    """Highlight with CSS classes; the content security policy forbids inline styles."""
    try:
        lexer = get_lexer_by_name(language or "text")
    except ClassNotFound:
        return str(escape(code))
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


TASK = re.compile(r"\[([ xX])\] ")
LANGUAGES = {"sh": "Shell", "bash": "Shell", "json": "JSON", "python": "Python", "php": "PHP"}
LANGUAGES |= {"javascript": "JavaScript", "js": "JavaScript", "sql": "SQL", "http": "HTTP"}


def _fence(_renderer: Any, tokens: list[Token], at: int, _options: Any, _env: Any) -> str:
    token = tokens[at]
    language = (token.info.split() or [""])[0]
    code = _highlighted(token.content, language)
    label, copy, copied = (
        escape(gettext("Code")),
        escape(gettext("Copy")),
        escape(gettext("Copied")),
    )
    return (
        '<div class="code guide-code"><div class="code-bar">'
        f'<span class="code-title code-title-shown">{escape(LANGUAGES.get(language, ""))}</span>'
        f'<button type="button" data-copy="" data-copy-from="code-{at}" data-copied="{copied}">'
        f'{copy}</button></div><pre tabindex="0" aria-label="{label}">'
        f'<code id="code-{at}">{code}</code></pre></div>\n'
    )


def _heading_close(renderer: Any, tokens: list[Token], at: int, options: Any, env: Any) -> str:
    opened = tokens[at - 2]
    anchor = ""
    if slug := opened.attrGet("id"):
        label = escape(gettext("Link to “%(heading)s”", heading=plain_text(tokens[at - 1].content)))
        anchor = f'<a class="anchor" href="#{escape(slug)}" aria-label="{label}">#</a>'
    return anchor + str(renderer.renderToken(tokens, at, options, env))


def _title(tokens: list[Token]) -> tuple[str, list[Token]]:
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return tokens[1].content, tokens[3:]
    return "", tokens


def _sections(tokens: list[Token]) -> Iterator[Section]:
    """Give each heading the id that GitHub gives it, and yield the text below it as a Section."""
    names: set[str] = set()
    slug, title, level, words, row = "", "", 1, list[str](), list[str]()
    for number, token in enumerate(tokens):
        if token.type == "heading_open":
            yield Section(slug, title, level, "\n".join(words))
            title, level, words = plain_text(tokens[number + 1].content), int(token.tag[1]), []
            slug = slug_of(title, names)
            token.attrSet("id", slug)
        elif token.type == "tr_close":
            words.append(" · ".join(filter(None, row)))
            row = []
        elif token.type == "inline" and tokens[number - 1].type in ("td_open", "th_open"):
            row.append(plain_text(token.content))
        elif token.type == "inline" and tokens[number - 1].type != "heading_open":
            words.append(plain_text(token.content))
        elif token.type == "fence":
            words.append(token.content)
    yield Section(slug, title, level, "\n".join(words))


def slug_of(title: str, used: set[str]) -> str:
    stem = re.sub(r"[^\w\- ]", "", title.lower().strip()).replace(" ", "-")
    slug, number = stem, 0
    while slug in used:
        number += 1
        slug = f"{stem}-{number}"
    used.add(slug)
    return slug


def _tick_boxes(tokens: list[Token]) -> None:
    """Turn `- [ ] task` into a checkbox with the text as its label."""
    for item, paragraph, words in zip(tokens, tokens[1:], tokens[2:], strict=False):
        mark = TASK.match(words.content)
        if (item.type, paragraph.type) != ("list_item_open", "paragraph_open") or not mark:
            continue
        item.attrJoin("class", "task")
        words.content = words.content[mark.end() :]
        first, *rest = words.children or []
        first.content = first.content[mark.end() :]
        ticked = " checked" if mark[1] != " " else ""
        box = f'<label><input class="form-check-input" type="checkbox"{ticked}> <span>'
        words.children = [_raw(box), first, *rest, _raw("</span></label>")]


def _raw(html: str) -> Token:
    return Token("html_inline", "", 0, content=html)


def _resolve_links(tokens: list[Token], leads: LinkResolver) -> Iterator[Token]:
    """Replace links and images that are not served with their text."""
    dropped = 0
    for token in tokens:
        if token.type == "link_open":
            target = leads(str(token.attrGet("href") or ""))
            dropped += target is None
            if target is not None:
                token.attrSet("href", target)
                yield token
        elif token.type == "link_close" and dropped:
            dropped -= 1
        elif token.type == "image":
            yield _picture(token, leads)
        else:
            yield token


def _picture(token: Token, leads: LinkResolver) -> Token:
    target = leads(str(token.attrGet("src") or ""))
    if target is None or not target.startswith("/docs/images/"):
        words = Token("text", "", 0)
        words.content = token.content
        return words
    token.attrSet("src", target)
    token.attrSet("loading", "lazy")
    if size := png_size(DOCS / target.removeprefix("/docs/")):
        token.attrSet("width", str(size[0]))
        token.attrSet("height", str(size[1]))
    return token


@lru_cache(maxsize=64)
def png_size(place: Path) -> tuple[int, int] | None:
    """Width and height, so that the page does not jump when the image loads. None if not a PNG."""
    if not place.is_file():
        return None
    head = place.open("rb").read(24)
    if head[:8] != b"\x89PNG\r\n\x1a\n":
        return None
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
