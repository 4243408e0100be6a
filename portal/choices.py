"""What people choose from in forms: languages, time zones, countries, currencies."""

import zoneinfo
from datetime import date
from functools import cache

from babel.numbers import get_territory_currencies
from flask_babel import get_locale, gettext
from phonenumbers import SUPPORTED_REGIONS

LANGUAGES = [("en", "English"), ("tr", "Türkçe")]


@cache
def zones() -> list[tuple[str, str]]:
    """Places, not offsets: they follow daylight saving by themselves."""
    names = sorted(
        zone
        for zone in zoneinfo.available_timezones()
        if "/" in zone and not zone.startswith(("Etc/", "SystemV/"))
    )
    return [("UTC", "UTC"), *((name, name.replace("_", " ")) for name in names)]


def countries() -> list[tuple[str, str]]:
    names = get_locale().territories
    known = sorted(
        ((code, names[code]) for code in SUPPORTED_REGIONS if code in names),
        key=lambda pair: pair[1],
    )
    return [("", gettext("Not chosen")), *known]


@cache
def currency_codes() -> list[str]:
    """Those in use today somewhere."""
    today = date.today()  # noqa: DTZ011 - a day more or less does not matter
    return sorted(
        {code for region in SUPPORTED_REGIONS for code in get_territory_currencies(region, today)}
    )


def currencies() -> list[tuple[str, str]]:
    names = get_locale().currencies
    return [(code, f"{code} · {names.get(code, code)}") for code in currency_codes()]
