"""What publishing would change, as a list that people can read."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MenuDifference:
    what: str
    """One of: added, removed, price, renamed, moved, text, options, details, category_added,
    category_removed, category_renamed, options_changed, happy_hours, order."""
    name: str
    before: str = ""
    after: str = ""


def diff_versions(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> list[MenuDifference]:
    """`old` is the published content, or None if nothing is published."""
    found = [] if old is None else list(_diff(old, new))
    return found or ([] if old is not None else [MenuDifference("first", new["name"])])


def _diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[MenuDifference]:
    was, is_now = _items(old), _items(new)
    yield from _categories(old, new)
    for item_id, (item, category) in is_now.items():
        if item_id not in was:
            yield MenuDifference("added", _name(item, new), after=item["price"])
        else:
            yield from _item(*was[item_id], item, category, old, new)
    for item_id, (item, _) in was.items():
        if item_id not in is_now:
            yield MenuDifference("removed", _name(item, old))
    for group_id, group in new["groups"].items():
        if group_id in old["groups"] and old["groups"][group_id] != group:
            yield MenuDifference("options_changed", _name(group, new))
    if old.get("happy_hours") != new.get("happy_hours"):
        yield MenuDifference("happy_hours", new["name"])
    kept_before = [one for one in was if one in is_now]
    if kept_before != [one for one in is_now if one in was] or _kept_categories(
        old, new
    ) != _kept_categories(new, old):
        yield MenuDifference("order", new["name"])


def _item(
    was: Mapping[str, Any],
    was_in: Mapping[str, Any],
    item: Mapping[str, Any],
    category: Mapping[str, Any],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
) -> Iterator[MenuDifference]:
    name = _name(item, new)
    if _name(was, old) != name:
        yield MenuDifference("renamed", name, _name(was, old), name)
    elif was["texts"] != item["texts"]:
        yield MenuDifference("text", name)
    if was["price"] != item["price"]:
        yield MenuDifference("price", name, was["price"], item["price"])
    if was_in["id"] != category["id"]:
        yield MenuDifference("moved", name, _name(was_in, old), _name(category, new))
    if was["groups"] != item["groups"]:
        yield MenuDifference("options", name)
    if was["photo"] != item["photo"]:
        yield MenuDifference("photo", name)
    rest = ("tax", "stations", "allergens", "diets", "available", "code", "prices")
    synonyms = was.get("synonyms", []) != item.get("synonyms", [])  # older versions have none
    if synonyms or any(was.get(field) != item.get(field) for field in rest):
        yield MenuDifference("details", name)


def _categories(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[MenuDifference]:
    was = {one["id"]: one for one in old["categories"]}
    is_now = {one["id"]: one for one in new["categories"]}
    for category_id, category in is_now.items():
        name = _name(category, new)
        if category_id not in was:
            yield MenuDifference("category_added", name)
            continue
        before = was[category_id]
        if any(
            before.get(field, 0) != category.get(field, 0)
            for field in ("texts", "available", "course")
        ):
            yield MenuDifference("category_changed", name)
    for category_id, category in was.items():
        if category_id not in is_now:
            yield MenuDifference("category_removed", _name(category, old))


def _kept_categories(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    known = {category["id"] for category in other["categories"]}
    return [category["id"] for category in one["categories"] if category["id"] in known]


def _items(content: Mapping[str, Any]) -> dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]]:
    return {
        item["id"]: (item, category)
        for category in content["categories"]
        for item in category["items"]
    }


def _name(thing: Mapping[str, Any], content: Mapping[str, Any]) -> str:
    texts = thing["texts"]
    for language in content["languages"]:
        if language in texts:
            return str(texts[language]["name"])
    return next((str(text["name"]) for text in texts.values()), "")
