"""Reads the rows of a menu file (CSV, .xlsx or JSON) and maps the columns to our names."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from core.errors import DomainError, invalid
from core.storage import spreadsheets
from core.values.text import fold_case

# Column names that people use. A suffix such as `_tr` or `-tr` is the language of the column.
COLUMNS = {
    "category": "category|kategori|categoria|kategorie|section|bölüm",
    "name": "name|item|dish|product|ad|adı|isim|ürün|ürün adı|nome|nombre|gericht",
    "description": "description|açıklama|aciklama|içindekiler|descrição|descripción|beschreibung",
    "price": "price|fiyat|tutar|preço|precio|preis",
    "tax": "tax|tax_percent|vat|kdv|iva|mwst",
    "takeaway_price": "takeaway_price|takeaway price|paket fiyatı|gel al fiyatı",
    "takeaway_tax": "takeaway_tax|takeaway tax|paket kdv|gel al kdv",
    "delivery_price": "delivery_price|delivery price|teslimat fiyatı|eve servis fiyatı",
    "delivery_tax": "delivery_tax|delivery tax|teslimat kdv|eve servis kdv",
    "stations": "stations|station|istasyon|where",
    "allergens": "allergens|alerjen|alerjenler|alérgenos|allergene",
    "diets": "diets|diet|diyet|dieta",
    "synonyms": "synonyms|synonym|other names|diğer adlar|diğer adları|eş anlamlılar",
    "code": "code|sku|kod|ürün kodu|plu",
}
_COLUMN_BY_HEADER = {
    fold_case(word): name for name, words in COLUMNS.items() for word in words.split("|")
}
BY_LANGUAGE = {"category", "name", "description"}
MOST_ROWS = 5_000  # in a spreadsheet, including empty rows
LARGEST_FILE = 512 * 1024


def rows_of_csv(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    head = text.partition("\n")[0]
    delimiter = max(",;\t|", key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        names = [_column(name) for name in next(rows, [])]
        if "name" not in {name.partition("_")[0] for name in names} or "price" not in names:
            raise invalid(
                "file",
                "no_columns",
                "The first row must contain the column names: category, name, price.",
            )
        for cells in rows:
            if any(cell.strip() for cell in cells):
                yield rows.line_num, dict(zip(names, cells, strict=False))
    except csv.Error as error:
        raise _no_table() from error


def rows_of_json(text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Accepts a list of items, an object with `items` or `products` (and optionally `categories`
    by id), or a list of `categories` that each contain their items.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _no_table() from error
    listed = _items_in(found) if _is_given(found) else found
    named = found.get("categories") if _is_given(found) else {}
    categories = named if isinstance(named, dict) else {}
    if not isinstance(listed, list):
        raise invalid(
            "file",
            "not_a_table",
            "This JSON file has no list of items. It must contain items or "
            "products, or categories that each contain items.",
        )
    for number, one in enumerate(listed, 1):
        cells = {_column(str(key)): value for key, value in one.items()} if _is_given(one) else {}
        category: Any = categories.get(str(cells.get("category")))
        if _is_given(category):
            cells["category"] = category.get("name")
            cells |= {
                f"category_{key.removeprefix('name_')}": value
                for key, value in category.items()
                if str(key).startswith("name_")
            }
        yield number, cells


def _items_in(found: dict[str, Any]) -> Any:
    """The items of an object, including those inside its categories; None if it has none."""
    listed = _own_items(found)
    categories = found.get("categories")
    if listed is not None or not isinstance(categories, list):
        return listed
    nested = [(one, _own_items(one)) for one in categories if _is_given(one)]
    if all(items is None for _, items in nested):
        return None
    return [
        {**_category_names(category), **item} if _is_given(item) else item
        for category, items in nested
        for item in items or []
    ]


def _own_items(thing: dict[str, Any]) -> list[Any] | None:
    named = (thing.get("items"), thing.get("products"))
    return next((one for one in named if isinstance(one, list)), None)


def _category_names(category: dict[str, Any]) -> dict[str, Any]:
    """A category's `name`, `name_tr` etc. under the names that an item uses for its category."""
    names = {_column(str(key)): value for key, value in category.items()}
    return {
        key.replace("name", "category", 1): value
        for key, value in names.items()
        if key == "name" or key.startswith("name_")
    }


def _is_given(value: Any) -> bool:
    return isinstance(value, dict)


def _column(name: str) -> str:
    plain = fold_case(" ".join(name.replace("\ufeff", "").split()), "en")
    if plain in _COLUMN_BY_HEADER:
        return _COLUMN_BY_HEADER[plain]
    stem, _, language = plain.replace("-", "_").rpartition("_")
    column = _COLUMN_BY_HEADER.get(stem, "")
    return f"{column}_{language}" if column in BY_LANGUAGE else plain


def as_table(data: bytes) -> bytes:
    """Return a spreadsheet as CSV, any other file as is. Slow: call it before the transaction."""
    if len(data) > LARGEST_FILE:
        raise invalid("file", "too_large", "A menu file can be at most 512 KB.")
    if not spreadsheets.is_workbook(data):
        return data
    try:
        return spreadsheets.as_csv(io.BytesIO(data), MOST_ROWS, LARGEST_FILE)
    except spreadsheets.TooLarge as error:
        raise invalid(
            "file",
            "too_large",
            "This spreadsheet is too large for a menu. It may have at most {most} rows.",
            most=MOST_ROWS,
        ) from error
    except spreadsheets.NotReadable as error:
        raise _no_table() from error


def decode(data: bytes) -> str:
    for encoding in ("utf-8-sig", "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "cp1254"):
        try:
            return data.decode(encoding).replace("\0", "")
        except UnicodeDecodeError:
            continue
    raise _no_table()


def _no_table() -> DomainError:
    return invalid("file", "not_a_table", "This file is not a menu in CSV, .xlsx or JSON.")
