"""Imports a menu from a file. All rows are checked and all errors listed before any write."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.db import db
from core.errors import DomainError, Invalid, invalid
from core.values.money import decimal_places
from core.values.text import BadText, fold_case, one_line
from restaurant.menus import import_files, import_synonyms, menus
from restaurant.menus import validation as menu_validation
from restaurant.models import Menu, MenuCategory, MenuItem, Site
from restaurant.sites import stations
from tenants import audit

MAX_ERRORS = 200
MOST_IGNORED = 20
_ALLERGENS = import_synonyms.build_lookup(import_synonyms.ALLERGENS)
_DIETS = import_synonyms.build_lookup(import_synonyms.DIETS)
_STATIONS = import_synonyms.build_lookup(import_synonyms.STATIONS)
NEW_STATION = "+"
"""Value to pass instead of a station's code to add the station that the file names."""
_NUMBER = re.compile(r"[0-9][0-9.,'\s]*")


@dataclass(frozen=True)
class RowError:
    row: int
    field: str
    error: DomainError


@dataclass(frozen=True)
class ParsedRow:
    number: int
    category: dict[str, dict[str, str]]
    """The category's texts by language."""
    values: dict[str, Any]
    """As returned by restaurant.menus.validation."""


@dataclass
class NewStation:
    """A station in the file that none of the restaurants has."""

    code: str
    name: str
    items: int = 0


@dataclass
class ParsedFile:
    rows: list[ParsedRow] = field(default_factory=list)
    faults: list[RowError] = field(default_factory=list)
    new_stations: dict[str, NewStation] = field(default_factory=dict)
    """By code. A decision about each is required before the import (see `apply_import`)."""
    ignored: list[str] = field(default_factory=list)
    """Unrecognized columns, as the file names them."""


@dataclass(frozen=True)
class ImportResult:
    added: int
    changed: int
    categories: int


def parse_file(
    menu: Menu, data: bytes, filename: str = "", sites: Sequence[Site] = ()
) -> ParsedFile:
    """Parse and check the file without writing anything. Raises Invalid if it is not a table.

    `data` comes from `import_files.as_table`.
    `sites` are the restaurants whose stations the file may name.
    """
    text = import_files.decode(data)
    looks_json = text.lstrip()[:1] in ("{", "[")
    raw = (
        import_files.rows_of_json(text)
        if looks_json or filename.lower().endswith(".json")
        else import_files.rows_of_csv(text)
    )
    reading = ParsedFile()
    known = {**_STATIONS, **station_names(sites)}
    for number, cells in raw:
        _note_ignored(menu, cells, reading)
        if len(reading.rows) >= menus.MOST_ITEMS:
            raise Invalid(
                "menu_full", "A menu can have at most {most} items.", most=menus.MOST_ITEMS
            )
        _parse_row(menu, number, cells, reading, known)
    if not reading.rows and not reading.faults:
        raise invalid("file", "empty_file", "This file contains no items.")
    del reading.faults[MAX_ERRORS:]
    return reading


def station_names(sites: Sequence[Site]) -> dict[str, str]:
    """Station names and codes of these restaurants."""
    found: dict[str, str] = {}
    for site in sites:
        for one in stations.listed(site.id):
            found |= {
                import_synonyms.normalize(one.code): one.code,
                import_synonyms.normalize(one.name): one.code,
            }
    return found


def apply_import(
    menu: Menu,
    reading: ParsedFile,
    chosen: Mapping[str, str] | None = None,
    sites: Sequence[Site] = (),
) -> ImportResult:
    """Update known items, found by code or else by name within their category; add the others.

    `chosen` maps each new station's code to the known station that gets its items, or to
    NEW_STATION.
    """
    if reading.faults:
        raise Invalid("rows_wrong", "Some rows have errors. Nothing was imported.")
    instead = _decide_stations(reading, chosen or {}, sites)
    language = menu.languages[0]
    known = menus.categories(menu.id)
    by_name = {_key(one.texts, language): one for one in known}
    items = menus.items(menu.id)
    if len(items) + len(reading.rows) > menus.MOST_ITEMS:
        raise Invalid("menu_full", "A menu can have at most {most} items.", most=menus.MOST_ITEMS)
    by_code = {item.code: item for item in items if item.code}
    by_place = {(item.category_id, _key(item.texts, language)): item for item in items}
    added = changed = made = 0
    for row in reading.rows:
        row.values["stations"] = list(
            dict.fromkeys(instead.get(code, code) for code in row.values["stations"])
        )
        category = by_name.get(_key(row.category, language))
        if category is None:
            category = _new_category(menu, row.category, len(by_name))
            by_name[_key(row.category, language)] = category
            made += 1
        place = (category.id, _key(row.values["texts"], language))
        item = by_code.get(row.values.get("code", "")) or by_place.get(place)
        if item is None:
            item = MenuItem(
                tenant_id=menu.tenant_id,
                menu_id=menu.id,
                category_id=category.id,
                position=len(items) + added,
                available={},
                groups=[],
                **{"allergens": [], "diets": [], "synonyms": [], "prices": {}, **row.values},
            )
            db.session.add(item)
            added += 1
        else:
            item.category_id = category.id
            for name, value in row.values.items():
                setattr(item, name, {**item.texts, **value} if name == "texts" else value)
            changed += 1
        by_place[place] = item
        if item.code:
            by_code[item.code] = item
    menus.touch(menu.id)
    db.session.flush()
    audit.record("menus.imported", menu.name, menu_id=menu.id, added=added, changed=changed)
    return ImportResult(added, changed, made)


def _decide_stations(
    reading: ParsedFile, chosen: Mapping[str, str], sites: Sequence[Site]
) -> dict[str, str]:
    """Add the stations chosen as NEW_STATION; return the replacement codes of the others."""
    known = set(station_names(sites).values()) | stations.BUILT_IN_STATIONS
    instead: dict[str, str] = {}
    for code, one in reading.new_stations.items():
        to = chosen.get(code, "")
        if to == NEW_STATION and sites:
            for site in sites:
                stations.add(site, code, one.name)
        elif to in known:
            instead[code] = to
        else:
            raise invalid(
                "stations",
                "unknown_station",
                "No restaurant has the station “{name}”. Add it or choose another one.",
                name=one.name,
            )
    return instead


def normalize_price(text: str, currency: str) -> str:
    """Convert `500₺`, `185 ₺`, `1.250,50 TL` or `$12` to digits with a decimal point."""
    found = _NUMBER.search(text)
    if found is None or re.search(r"-\s*[0-9]", text):
        return text.strip()
    digits = re.sub(r"['\s]", "", found[0]).rstrip(".,")
    dots, commas = digits.count("."), digits.count(",")
    if dots and commas:
        point = max(digits.rfind("."), digits.rfind(","))
    elif dots + commas == 1:
        point = max(digits.rfind("."), digits.rfind(","))
        if len(digits) - point - 1 == 3 and decimal_places(currency) != 3:
            point = -1  # 1.250 means 1250 unless the currency has three decimal places
    else:
        point = -1
    if point < 0:
        return re.sub("[.,]", "", digits).lstrip("0") or "0"
    whole = re.sub("[.,]", "", digits[:point]).lstrip("0") or "0"
    return f"{whole}.{digits[point + 1 :]}"


def _parse_row(
    menu: Menu,
    number: int,
    cells: Mapping[str, Any],
    reading: ParsedFile,
    known_stations: Mapping[str, str],
) -> None:
    values: dict[str, Any] = {}
    category: dict[str, dict[str, str]] = {}
    before = len(reading.faults)

    def checked(name: str, check: Any) -> Any:
        try:
            return check()
        except DomainError as error:
            reading.faults.append(RowError(number, name, error))
        except BadText:
            wrong = invalid(name, "invalid_text", "The text contains an invalid character.")
            reading.faults.append(RowError(number, name, wrong))
        return None

    texts = {
        language: {
            "name": _cell(cells, "name", language, menu),
            "description": _cell(cells, "description", language, menu),
        }
        for language in menu.languages
    }
    values["texts"] = checked("name", lambda: menu_validation.check_texts(menu, texts))
    category_texts = {
        language: {"name": _cell(cells, "category", language, menu)} for language in menu.languages
    }
    if not category_texts[menu.languages[0]]["name"]:
        missing = invalid("category", "missing", "Enter the item's category.")
        reading.faults.append(RowError(number, "category", missing))
    else:
        category = (
            checked("category", lambda: menu_validation.check_texts(menu, category_texts)) or {}
        )
    price = normalize_price(str(cells.get("price") or ""), menu.currency)
    values["price"] = checked(
        "price", lambda: menu_validation.check_amount("price", price, menu.currency)
    )
    if cells.get("tax"):
        tax = str(cells["tax"]).replace("%", "").replace(",", ".").strip()
        values["tax_percent"] = checked("tax", lambda: menu_validation.check_percent("tax", tax))
    values |= checked("prices", lambda: _other_prices(menu, cells)) or {}
    named = {
        known_stations.get(import_synonyms.normalize(word))
        or import_synonyms.station_code(word): word
        for word in _words(cells.get("stations"))
    }
    values["stations"] = checked(
        "stations", lambda: stations.check_station_codes(list(named) or ["kitchen"])
    )
    for name, known, synonyms in (
        ("allergens", menu_validation.ALLERGENS, _ALLERGENS),
        ("diets", menu_validation.DIETS, _DIETS),
    ):
        if names := _words(cells.get(name)):
            values[name] = checked(name, lambda: _known_values(name, names, known, synonyms))  # noqa: B023 - called now
    if cells.get("code"):
        values["code"] = checked("code", lambda: one_line(str(cells["code"]), 40))
    _parse_synonyms(cells, values, checked)
    if len(reading.faults) == before:
        reading.rows.append(ParsedRow(number, category, values))
        for code, word in named.items():
            if code not in known_stations.values():
                new = reading.new_stations.setdefault(code, NewStation(code, word[:60]))
                new.items += 1


def _other_prices(menu: Menu, cells: Mapping[str, Any]) -> dict[str, Any]:
    """The price and tax of takeaway and delivery, from their columns. Empty if there are none."""
    found: dict[str, dict[str, str]] = {}
    for order_type in menu_validation.OTHER_PRICES:
        price, tax = (str(cells.get(f"{order_type}_{name}") or "") for name in ("price", "tax"))
        if price.strip() or tax.strip():
            found[order_type] = {
                "price": normalize_price(price, menu.currency) if price.strip() else "",
                "tax": tax.replace("%", "").replace(",", ".").strip(),
            }
    return {"prices": menu_validation.check_prices(menu, found)} if found else {}


def _parse_synonyms(cells: Mapping[str, Any], values: dict[str, Any], checked: Any) -> None:
    if names := _words(cells.get("synonyms")):
        values["synonyms"] = checked("synonyms", lambda: menu_validation.check_synonyms(names))


def _known_values(
    name: str, names: list[str], known: tuple[str, ...], synonyms: Mapping[str, str]
) -> list[str]:
    unknown = [word for word in names if import_synonyms.normalize(word) not in synonyms]
    if unknown:
        raise invalid(
            name,
            "unknown_word",
            "“{word}” is not valid here. Valid values: {known}.",
            word=unknown[0][:40],
            known=", ".join(known),
        )
    requested = {synonyms[import_synonyms.normalize(word)] for word in names}
    return [one for one in known if one in requested]


def _note_ignored(menu: Menu, cells: Mapping[str, Any], reading: ParsedFile) -> None:
    """Collect unrecognized columns, so that a misspelt one is reported and not silently lost."""
    if len(reading.ignored) >= MOST_IGNORED:
        return
    for name in cells:
        stem, _, language = name.rpartition("_")
        by_language = stem in import_files.BY_LANGUAGE and language in menu.languages
        shown = "".join(sign for sign in name if sign.isprintable()).strip()[:40]
        if (
            name not in import_files.COLUMNS
            and not by_language
            and shown
            and shown not in reading.ignored
        ):
            reading.ignored.append(shown)


def _cell(cells: Mapping[str, Any], name: str, language: str, menu: Menu) -> str:
    value = cells.get(f"{name}_{language}")
    if value is None and language == menu.languages[0]:
        value = cells.get(name)
    return " ".join(str(value or "").split())


def _words(value: Any) -> list[str]:
    if isinstance(value, list):
        return [str(one).strip() for one in value if str(one).strip()]
    return [word.strip() for word in re.split("[,;|/]", str(value or "")) if word.strip()]


def _key(texts: Mapping[str, Any], language: str) -> str:
    return fold_case(str((texts.get(language) or {}).get("name", "")), language)


def _new_category(menu: Menu, texts: dict[str, dict[str, str]], position: int) -> MenuCategory:
    category = MenuCategory(
        tenant_id=menu.tenant_id, menu_id=menu.id, texts=texts, available={}, position=position
    )
    db.session.add(category)
    db.session.flush()
    return category
