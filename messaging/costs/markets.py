"""The network's pricing markets: a market is one country or a region of several countries.

The list is the network's, as of 1 October 2026. Volume tiers are reported by the market's name.
"""

from functools import cache

from babel import Locale

OTHER = "other"  # every country that no market names

REGIONS = {
    "North America": "US CA",
    "Rest of Africa": (
        "DZ AO BJ BW BF BI CM TD CG ER ET GA GM GH GW CI KE LS LR LY MG MW ML MR MZ NA NE RW SN"
        " SL SO SS SD SZ TZ TG TN UG ZM ZW"
    ),
    "Rest of Asia Pacific": "AF AU KH CN JP LA MN NZ PG PH TW TJ TH TM UZ VN",
    "Rest of Central & Eastern Europe": "AL AM AZ BY BG HR CZ GE GR LV LT MD MK RS SK SI",
    "Rest of Western Europe": "AT BE DK FI IE NO PT SE CH",
    "Rest of Latin America": "BO CR DO EC SV GT HT HN JM NI PA PY PR UY VE",
    "Rest of Middle East": "BH JO LB YE",
    "Other": OTHER,
}
COUNTRIES = (
    "AR BD BR CL CO EG FR DE HK HU IN ID IQ IL IT KZ KW MY MX MA NL NP NG OM PK PE PL QA RO RU SA"
    " SG ZA ES LK TR UA AE GB"
)
_NAMED = frozenset(" ".join((COUNTRIES, *REGIONS.values())).split())
# The network's names that differ from the usual English ones.
NAMES = {"turkey": "TR", "hong kong": "HK", "usa": "US"}


def market_countries(name: str) -> tuple[str, ...]:
    """Return the countries of a market by the network's name; () for an unknown name."""
    key = _simple(name)
    for region, countries in REGIONS.items():
        if _simple(region) == key:
            return tuple(countries.split())
    code = NAMES.get(key) or _country_codes().get(key)
    return (code,) if code else ()


def market_country(country: str) -> str:
    """Return the country, or OTHER if it belongs to no market that the network names."""
    return country if country in _NAMED else OTHER


def _simple(name: str) -> str:
    return " ".join(name.casefold().replace("&", "and").replace("_", " ").split())


@cache
def _country_codes() -> dict[str, str]:
    names = Locale("en").territories
    return {_simple(name): code for code, name in names.items() if len(code) == 2}
