"""Choices in forms: languages, time zones, countries, currencies."""

import unicodedata
from datetime import date
from functools import cache

from babel import Locale
from babel.numbers import get_territory_currencies
from flask_babel import get_locale, gettext
from phonenumbers import SUPPORTED_REGIONS

from core.clock import time_zones

LANGUAGES = [("en", "English"), ("tr", "Türkçe")]


@cache
def time_zone_choices() -> list[tuple[str, str]]:
    """Named zones rather than offsets, because they follow daylight saving."""
    names = sorted(
        zone for zone in time_zones() if "/" in zone and not zone.startswith(("Etc/", "SystemV/"))
    )
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in names)]


def sort_key(name: str) -> str:
    """Sorts accented letters next to their plain ones, as dictionaries do."""
    plain = unicodedata.normalize("NFD", name.replace("İ", "I").replace("ı", "i").casefold())
    return "".join(char for char in plain if not unicodedata.combining(char))


def countries() -> list[tuple[str, str]]:
    return [("", gettext("Not selected")), *_countries_in(str(get_locale()))]


@cache
def _countries_in(language: str) -> list[tuple[str, str]]:
    names = Locale.parse(language).territories
    known = ((code, names[code]) for code in SUPPORTED_REGIONS if code in names)
    return sorted(known, key=lambda pair: sort_key(pair[1]))


@cache
def currency_codes() -> list[str]:
    """Currencies that are in use today."""
    today = date.today()  # noqa: DTZ011 - a day more or less does not matter
    return sorted(
        {code for region in SUPPORTED_REGIONS for code in get_territory_currencies(region, today)}
    )


def currencies() -> list[tuple[str, str]]:
    names = get_locale().currencies
    return [(code, f"{code} · {names.get(code, code)}") for code in currency_codes()]
