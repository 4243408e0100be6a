"""Opening hours in the diner's language, and why the restaurant is closed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from itertools import groupby
from typing import Any

from babel.dates import format_skeleton, format_time, get_day_names

from core.clock import now, zone
from portal.diner.menu_cache import MenuFacts
from portal.diner.texts import diner_text
from restaurant import chat_texts
from restaurant.models import Site
from restaurant.sites import hours, sites

SHOWN_AHEAD = timedelta(days=60)


@dataclass(frozen=True)
class OpeningRow:
    days: str
    times: tuple[str, ...]
    """Empty if closed."""
    name: str = ""


def why_closed(facts: MenuFacts, language: str) -> str:
    """Why orders are not accepted and when they will be again; empty if they are."""
    if not facts.why_closed:
        return ""
    site = facts.site
    if facts.why_closed != "closed":
        return diner_text(language, facts.why_closed)
    special = hours.closed_all_day(site.special_days, site.time_zone, now())
    if special is None:
        text = diner_text(language, "closed")
    elif special["name"]:
        text = diner_text(language, "closed_today_named", name=special["name"])
    else:
        text = diner_text(language, "closed_today")
    at = sites.next_opening(site)
    if at is None:
        return text
    day, clock = chat_texts.opening_day(at, language), format_time(at, "short", locale=language)
    return f"{text} {diner_text(language, 'opens', day=day, time=clock)}"


def week(site: Site, language: str) -> list[OpeningRow]:
    """The weekly hours, with equal days in one row. Empty if the restaurant is always open."""
    if not any(site.hours.values()):
        return []
    names = get_day_names("wide", locale=language)
    times = [_times(site.hours.get(str(day), ()), language) for day in range(hours.DAYS)]
    rows = []
    for spans, group in groupby(range(hours.DAYS), key=lambda day: times[day]):
        days = list(group)
        ends = [names[days[0]]] if len(days) == 1 else [names[days[0]], names[days[-1]]]
        rows.append(OpeningRow(" – ".join(ends), spans))
    return rows


def special_days(site: Site, language: str) -> list[OpeningRow]:
    """The special days of the coming weeks."""
    last = (today(site) + SHOWN_AHEAD).isoformat()
    return [
        OpeningRow(_dates(one, language), _times(one["hours"], language), one["name"])
        for one in hours.coming(site.special_days, site.time_zone, now())
        if one["starts_on"] <= last
    ]


def today(site: Site) -> date:
    return now().astimezone(zone(site.time_zone)).date()


def _dates(special: Mapping[str, Any], language: str) -> str:
    first, last = (date.fromisoformat(special[name]) for name in ("starts_on", "ends_on"))
    if first == last:
        return str(format_skeleton("MMMMEEEEd", first, locale=language))
    return " – ".join(format_skeleton("MMMMd", day, locale=language) for day in (first, last))


def _times(spans: Sequence[Sequence[str]], language: str) -> tuple[str, ...]:
    return tuple(
        " – ".join(
            format_time(time.fromisoformat(clock), "short", locale=language) for clock in span
        )
        for span in spans
    )
