"""Guides for customers: pages of docs/, and only those named here, as pages of the portal."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Blueprint, abort, current_app, render_template, url_for
from flask_babel import force_locale, get_locale, gettext
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from portal.visitors import open_to_all

guides = Blueprint("guides", __name__)

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLE = "https://comanda.example.com"
# In the order they are read. A page that is not there is not offered.
PAGES = (
    *("quick-start", "magic-numbers", "going-live-cloud", "linked", "webhooks"),
    *("inbox", "contacts", "campaigns", "loyalty", "delivery", "print-agent", "errors"),
)


@dataclass(frozen=True)
class Heading:
    id: str
    text: str


@dataclass(frozen=True)
class Guide:
    name: str
    title: str
    lede: str
    html: Markup
    headings: tuple[Heading, ...]


@guides.get("/docs")
@open_to_all
def index() -> Any:
    return render_template("guides/index.html", guides=_all())


@guides.get("/docs/<guide>")
@open_to_all
def page(guide: str) -> Any:
    every = _all()
    at = next((number for number, one in enumerate(every) if one.name == guide), None)
    if at is None:
        abort(404)
    return render_template(
        "guides/guide.html",
        guide=every[at],
        guides=every,
        before=every[at - 1] if at > 0 else None,
        after=every[at + 1] if at + 1 < len(every) else None,
    )


def _all() -> list[Guide]:
    return guides_in(str(get_locale()), current_app.extensions["comanda"].base_url)


@lru_cache(maxsize=8)
def guides_in(locale: str, base_url: str) -> list[Guide]:
    """In the reader's language where it is written in it, with this service's own address."""
    found = []
    with force_locale(locale):
        for name in PAGES:
            place = DOCS / locale / f"{name}.md"
            place = place if place.is_file() else DOCS / f"{name}.md"
            found.append(read(name, place.read_text().replace(EXAMPLE, base_url)))
    return found


def read(name: str, text: str) -> Guide:
    """The first heading is the title, the first paragraph stands beside it in lists."""
    tokens = _markdown().parse(text)
    title, tokens = _title(tokens)
    headings = _mark_headings(tokens)
    lede = next((token.content for token in tokens if token.type == "inline"), "")
    html = _markdown().renderer.render(tokens, _markdown().options, {})
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", lede)
    return Guide(name, title or name, plain, Markup(html), headings)  # noqa: S704 - escaped by the renderer


def inline(text: str) -> Markup:
    """A sentence of the API's description: code and links, no blocks."""
    return Markup(_markdown().renderInline(text))  # noqa: S704 - escaped by the renderer


@lru_cache(maxsize=1)
def _markdown() -> MarkdownIt:
    """HTML in a page is shown as text; links to scripts are no links."""
    markdown = MarkdownIt("commonmark", {"html": False, "highlight": _highlighted})
    markdown.enable("table").disable("image")
    markdown.add_render_rule("table_open", _table)
    markdown.add_render_rule("table_close", lambda *_: "</table></div>")
    markdown.add_render_rule("fence", _fence)
    markdown.add_render_rule("link_open", _link)
    return markdown


def _table(*_: Any) -> str:
    """Wide ones scroll by themselves, also with the keyboard."""
    label = escape(gettext("Table"))
    return f'<div class="guide-table" tabindex="0" role="region" aria-label="{label}"><table>'


def _highlighted(code: str, language: str, _attributes: str) -> str:
    """Classes, no styles: the content policy allows none."""
    try:
        lexer = get_lexer_by_name(language or "text")
    except ClassNotFound:
        return str(escape(code))
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def _fence(_renderer: Any, tokens: list[Token], at: int, _options: Any, _env: Any) -> str:
    token = tokens[at]
    words = token.info.split()
    code = _highlighted(token.content, words[0] if words else "", "")
    label = escape(gettext("Code"))
    return (
        f'<div class="code guide-code"><pre tabindex="0" aria-label="{label}">'
        f"<code>{code}</code></pre></div>\n"
    )


def _link(renderer: Any, tokens: list[Token], at: int, options: Any, env: Any) -> str:
    """Pages that link to each other as files do so as pages too."""
    target = str(tokens[at].attrGet("href") or "")
    found = re.fullmatch(r"(?:\.\./)?([\w-]+)\.md(#[\w-]+)?", target)
    if found and found[1] in PAGES:
        tokens[at].attrSet("href", url_for("guides.page", guide=found[1]) + (found[2] or ""))
    return str(renderer.renderToken(tokens, at, options, env))


def _title(tokens: list[Token]) -> tuple[str, list[Token]]:
    if len(tokens) > 2 and tokens[0].type == "heading_open" and tokens[0].tag == "h1":
        return tokens[1].content, tokens[3:]
    return "", tokens


def _mark_headings(tokens: list[Token]) -> tuple[Heading, ...]:
    found = []
    for number, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            text = tokens[number + 1].content
            slug = re.sub(r"\W+", "-", text.lower()).strip("-")
            token.attrSet("id", slug)
            found.append(Heading(slug, re.sub(r"[`*]", "", text)))
    return tuple(found)
