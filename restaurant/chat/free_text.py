"""Orders typed by hand: lines such as `2 x Ayran`, each matched against the menu."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import DomainError
from core.values.text import fold_case
from messaging.models import Line
from restaurant.chat_texts import chat_languages, unfilled_chat_text
from restaurant.menus import publishing
from restaurant.menus.pricing import PricedItem, PricedMenu, RequestedItem, price_items
from restaurant.models import Site, Table
from restaurant.sites import sites, tables

MAX_ITEMS = 40
SCANNED_CHARACTERS, MAX_ROW_LENGTH = (
    4000,
    200,
)  # characters; a longer text is not an order
_LINE = re.compile(r"([0-9]{1,2})\s{0,3}[x×*](.+)")


@dataclass(frozen=True)
class ParsedOrder:
    site: Site
    language: str
    items: list[PricedItem]
    table: Table | None
    unread: list[str]
    """Lines that match no item, for the staff."""


def looks_like_order(text: str) -> bool:
    return any(_quantity_and_name(row) for row in _rows(text))


def parse_order(line: Line, text: str) -> ParsedOrder | None:
    """None if no line of the text matches an item on the menu."""
    if not looks_like_order(text):
        return None
    rows = _rows(text)
    for site in sites.sites_of_line(line):
        if site.orders_in_words:  # the guest gets a proposal instead (restaurant/text_orders)
            continue
        found = _parse_for_site(site, rows)
        if found is not None:
            return found
    return None


def _parse_for_site(site: Site, rows: list[str]) -> ParsedOrder | None:
    version = publishing.published_version(site.menu_id or "")
    if version is None:
        return None
    names, options = _names(version.content), _options(version.content)
    requested: list[RequestedItem] = []
    unread: list[str] = []
    language = site.languages[0]
    for row in rows:
        if found := _quantity_and_name(row):
            quantity, name = found
            known = names.get(_normalize(name))
            if known is None:
                unread.append(row)
                continue
            item_id, language = known
            requested.append(RequestedItem(item_id, max(quantity, 1)))
        elif row.startswith("+") and requested:
            last = requested[-1]
            own_options = options.get(last.item_id, {})
            chosen = [own_options.get(_normalize(one)) for one in row[1:].split(",")]
            if None in chosen:
                unread.append(row)
            extra = tuple(one for one in chosen if one)
            requested[-1] = RequestedItem(last.item_id, last.quantity, (*last.options, *extra))
    if not requested:
        return None
    items, failed = _priced(PricedMenu(version.content), requested, language)
    return (
        ParsedOrder(site, language, items, _table(site, rows), unread + failed) if items else None
    )


def _rows(text: str) -> list[str]:
    rows = (row.strip() for row in text[:SCANNED_CHARACTERS].splitlines()[:MAX_ITEMS])
    return [row for row in rows if row and len(row) <= MAX_ROW_LENGTH]


def _quantity_and_name(row: str) -> tuple[int, str] | None:
    """`2 x Ayran: 90,00 TL` is two of “Ayran”: a price after the last colon is ignored."""
    found = _LINE.fullmatch(row)
    if found is None:
        return None
    name, colon, price = found[2].rpartition(":")
    name = (name if colon else price).strip()
    return (int(found[1]), name) if name else None


def _priced(
    priced_menu: PricedMenu, requested: list[RequestedItem], language: str
) -> tuple[list[PricedItem], list[str]]:
    items: list[PricedItem] = []
    failed: list[str] = []
    for item in requested:
        try:
            items += price_items(priced_menu, [item], language)
        except DomainError as error:
            failed.append(error.message)
    return items, failed


def _names(content: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        _normalize(texts["name"]): (item["id"], language)
        for category in content["categories"]
        for item in category["items"]
        for language, texts in item["texts"].items()
    }


def _options(content: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The option names of each item, by item."""
    found: dict[str, dict[str, str]] = {}
    for category in content["categories"]:
        for item in category["items"]:
            found[item["id"]] = {
                _normalize(texts["name"]): option["id"]
                for group_id in item["groups"]
                for option in content["groups"][group_id]["options"]
                for texts in option["texts"].values()
            }
    return found


def _table(site: Site, rows: list[str]) -> Table | None:
    for language in chat_languages():
        before, _, after = unfilled_chat_text(language, "table").partition("{table}")
        for row in rows:
            text = _normalize(row).strip("* ")
            if text.startswith(_normalize(before)) and text.endswith(_normalize(after)):
                number = row.strip("* ")[len(before.strip()) :].strip()
                table = tables.by_number(site.id, number)
                if table is not None:
                    return table
    return None


def _normalize(text: str) -> str:
    return " ".join(fold_case(text).replace("ı", "i").split())
