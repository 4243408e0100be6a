"""The language of the simulator's pages: the portal's, else the browser's."""

from collections.abc import Callable

from aiohttp import web

from core.i18n.catalogs import SOURCE_LANGUAGE, Catalog

COOKIE = "phones_language"
Gettext = Callable[..., str]

_CATALOG = Catalog("simulator")


def language_of(request: web.Request) -> str:
    chosen = request.cookies.get(COOKIE, "")
    if chosen in _CATALOG.languages:
        return chosen
    accepted = request.headers.get("Accept-Language", "")
    languages = (part.strip()[:2].lower() for part in accepted.split(","))
    return next((one for one in languages if one in _CATALOG.languages), SOURCE_LANGUAGE)


def known_language(language: str) -> str:
    return language if language in _CATALOG.languages else SOURCE_LANGUAGE


def gettext_in(language: str) -> Gettext:
    return _CATALOG.template_functions(language)["_"]


def translate_for(request: web.Request, text: str) -> str:
    return gettext_in(language_of(request))(text)
