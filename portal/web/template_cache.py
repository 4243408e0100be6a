"""Caches of what every page needs: translations, URLs, icons and the navigation."""

from functools import lru_cache
from typing import Any

from flask import Flask, has_request_context, render_template, request
from flask_babel import get_locale, get_translations
from flask_login import current_user
from markupsafe import Markup, escape

LONGEST_CACHED = 400  # longer texts are usually written by users and rarely repeat


def translate(message: str, /, **values: Any) -> Markup:
    """Translate a message; the inserted values are escaped."""
    message = str(message)
    if values or len(message) > LONGEST_CACHED:
        return _translated(message) % values
    return _cached_translation(_language(), message)


def _language() -> str:
    return getattr(get_locale(), "language", "")


@lru_cache(maxsize=8192)
def _cached_translation(language: str, message: str) -> Markup:  # noqa: ARG001 - it is the key
    return _translated(message) % {}


def _translated(message: str) -> Markup:
    return Markup(get_translations().ugettext(message))  # noqa: S704 - templates write these


def cache_urls(app: Flask) -> None:
    """Cache URLs without parameters, and URLs of static files, for templates."""

    @lru_cache(maxsize=4096)
    def kept(_root: str, endpoint: str, filename: str) -> str:
        values: dict[str, Any] = {"filename": filename} if filename else {}
        return app.url_for(endpoint, **values)

    def address(endpoint: str, **values: Any) -> str:
        filename = values.get("filename", "")
        if len(values) > bool(filename) or endpoint[0] == "." or not has_request_context():
            return app.url_for(endpoint, **values)
        return kept(request.root_path, endpoint, filename)

    @lru_cache(maxsize=4096)
    def drawn(sprite: str, name: str, size: str) -> Markup:
        kind = f"icon icon-{escape(size)}" if size else "icon"
        return Markup(  # noqa: S704 - its parts are escaped
            f'<svg class="{kind}" aria-hidden="true" focusable="false">'
            f'<use href="{escape(sprite)}#{escape(name)}"/></svg>'
        )

    def icon(name: str, size: str = "") -> Markup:
        return drawn(address("static", filename="icons.svg"), str(name), str(size))

    app.jinja_env.globals.update(url_for=address, drawn_icon=icon, gettext=translate, _=translate)


def cache_navigation(app: Flask) -> None:
    """Cache the navigation by page and by the rights of the person."""

    @lru_cache(maxsize=1024)
    def drawn(
        _root: str, _language: str, _page: str, _role: str, _there: bool, _runs: bool, unread: int
    ) -> Markup:
        return Markup(render_template("layout/nav.html", unread=unread))  # noqa: S704

    def areas(unread: int) -> Markup:
        who = current_user
        return drawn(
            request.root_path,
            _language(),
            request.endpoint or "",
            who.role or "",
            who.tenant is not None,
            who.is_operator,
            min(unread, 100),  # shown as "99+" from here on
        )

    app.jinja_env.globals["nav_areas"] = areas
