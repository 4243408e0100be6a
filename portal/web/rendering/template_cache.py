"""Caches of what every page needs: translations, URLs, icons and the navigation."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from flask import Flask, has_app_context, has_request_context, render_template, request
from flask_babel import get_locale, get_timezone, get_translations
from flask_login import current_user
from markupsafe import Markup, escape
from werkzeug.routing import BuildError

LONGEST_CACHED = 400  # longer texts are usually written by users and rarely repeat
PLAIN_VALUE = re.compile(r"[A-Za-z0-9_-]{1,64}")
PLACEHOLDER = "0placeholder{}0"


@dataclass(slots=True)
class Rendering:
    """What the parts of a page ask for hundreds of times while it is rendered."""

    root: str | None
    """The prefix of all URLs; None outside a request."""
    language: str
    time_zone: Any


_rendering: ContextVar[Rendering | None] = ContextVar("rendering", default=None)


@contextmanager
def rendering() -> Iterator[None]:
    """Read the language, the time zone and the prefix of URLs once for everything in the block."""
    outer = _rendering.get()
    _rendering.set(None)  # a page can be rendered for another page, in another language
    root = request.root_path if has_request_context() else None
    _rendering.set(Rendering(root, language(), time_zone()))
    try:
        yield
    finally:
        _rendering.set(outer)


def translate(message: str, /, **values: Any) -> Markup:
    """Translate a message; the inserted values are escaped."""
    message = str(message)
    if values or len(message) > LONGEST_CACHED:
        return translated(message) % values
    return _cached_translation(language(), message)


def language() -> str:
    """The language of this request."""
    if (page := _rendering.get()) is not None:
        return page.language
    chosen = get_locale() if has_app_context() else None
    return str(chosen.language) if chosen else ""


def time_zone() -> Any:
    """The reader's time zone."""
    page = _rendering.get()
    return page.time_zone if page is not None else get_timezone()


@lru_cache(maxsize=8192)
def _cached_translation(language: str, message: str) -> Markup:  # noqa: ARG001 - it is the key
    return translated(message) % {}


def translated(message: str) -> Markup:
    """The translation, with the placeholders of its values."""
    return Markup(get_translations().ugettext(message))  # noqa: S704 - templates write these


def cache_urls(app: Flask) -> None:
    """Cache URLs for templates: without parameters, of static files, with ids filled in, and with
    other short values, such as a filter.
    """

    @lru_cache(maxsize=4096)
    def kept(_root: str, endpoint: str, filename: str) -> str:
        values: dict[str, Any] = {"filename": filename} if filename else {}
        return app.url_for(endpoint, **values)

    @lru_cache(maxsize=1024)
    def pattern(_root: str, endpoint: str, names: tuple[str, ...]) -> str:
        """The URL as a format; empty if a parameter must be something else, such as a number."""
        marks: dict[str, Any] = {
            name: PLACEHOLDER.format(number) for number, name in enumerate(names)
        }
        try:
            return _as_format(app.url_for(endpoint, **marks), marks)
        except (BuildError, ValueError):
            return ""

    @lru_cache(maxsize=4096)
    def built(_root: str, endpoint: str, values: tuple[tuple[str, str], ...]) -> str:
        options: dict[str, Any] = dict(values)
        return app.url_for(endpoint, **options)

    def filled(root: str, endpoint: str, values: dict[str, Any]) -> str:
        if all(map(_is_plain, values, values.values())):
            found = pattern(root, endpoint, tuple(values))
            if found:
                return found % values
        if all(type(value) is str for value in values.values()):
            return built(root, endpoint, tuple(values.items()))
        return app.url_for(endpoint, **values)

    def address(endpoint: str, **values: Any) -> str:
        root = _root()
        if root is None or endpoint[0] == ".":
            return app.url_for(endpoint, **values)
        filename = values.get("filename", "")
        if len(values) == bool(filename):
            return kept(root, endpoint, filename)
        return app.url_for(endpoint, **values) if filename else filled(root, endpoint, values)

    app.jinja_env.globals.update(
        url_for=address, drawn_icon=_cached_icons(address), gettext=translate, _=translate
    )


def _root() -> str | None:
    if (page := _rendering.get()) is not None:
        return page.root
    return request.root_path if has_request_context() else None


def _as_format(url: str, marks: dict[str, str]) -> str:
    found = url.replace("%", "%%")
    for name, mark in marks.items():
        found = found.replace(mark, f"%({name})s")
    return found


def _is_plain(name: str, value: object) -> bool:
    """Whether the value is the same in a URL as in the database."""
    if type(value) is str:
        return name[0] != "_" and PLAIN_VALUE.fullmatch(value) is not None
    return type(value) is int


def _cached_icons(address: Callable[..., str]) -> Callable[..., Markup]:
    @lru_cache(maxsize=4096)
    def drawn(sprite: str, name: str, size: str) -> Markup:
        kind = f"icon icon-{escape(size)}" if size else "icon"
        return Markup(  # noqa: S704 - its parts are escaped
            f'<svg class="{kind}" aria-hidden="true" focusable="false">'
            f'<use href="{escape(sprite)}#{escape(name)}"/></svg>'
        )

    def icon(name: str, size: str = "") -> Markup:
        return drawn(address("static", filename="icons.svg"), str(name), str(size))

    return icon


def cache_navigation(app: Flask) -> None:
    """Cache the navigation by page and by the rights of the person."""

    @lru_cache(maxsize=1024)
    def drawn(
        _root: str,
        _language: str,
        _page: str,
        _role: str,
        _there: bool,
        _runs: bool,
        unread: int,
        approvals: int,
    ) -> Markup:
        page = render_template("layout/nav.html", unread=unread, approvals=approvals)
        return Markup(page)  # noqa: S704

    def areas(unread: int, approvals: int) -> Markup:
        who = current_user
        return drawn(
            request.root_path,
            language(),
            request.endpoint or "",
            who.role or "",
            who.tenant is not None,
            who.is_operator,
            min(unread, 100),  # shown as "99+" from here on
            min(approvals, 100),
        )

    app.jinja_env.globals["nav_areas"] = areas
