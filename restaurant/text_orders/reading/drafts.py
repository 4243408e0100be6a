"""The dishes of a proposal while they are read and corrected. Prices are never part of it."""

from dataclasses import dataclass, field
from typing import Any

from core.values.text import one_line
from restaurant.menus.pricing import LONGEST_NOTE, MAX_QUANTITY, RequestedItem
from restaurant.text_orders.reading.menu_words import MenuWords

MOST_LINES = 30


@dataclass(eq=False)
class DraftItem:
    item_id: str
    quantity: int = 1
    options: list[str] = field(default_factory=list)
    note: str = ""
    counted: bool = False
    """Whether the guest gave the number."""

    def as_json(self) -> dict[str, Any]:
        return {
            "item_id": self.item_id,
            "quantity": self.quantity,
            "options": list(self.options),
            "note": self.note,
        }


@dataclass
class Unclear:
    """Words that may be one of several dishes, or none."""

    raw: str
    quantity: int = 1
    targets: tuple[str, ...] = ()
    options: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        return {
            "raw": self.raw[:80],
            "quantity": self.quantity,
            "targets": list(self.targets),
            "options": list(self.options),
        }


@dataclass
class Draft:
    items: list[DraftItem] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)
    focus: int = -1
    """The item that was named last: `make it three` is about it."""

    def focused(self) -> DraftItem | None:
        if not self.items:
            return None
        return self.items[self.focus] if -1 < self.focus < len(self.items) else self.items[-1]

    def find(self, targets: tuple[str, ...]) -> DraftItem | None:
        """The item that was added last among these."""
        for item in reversed(self.items):
            if item.item_id in targets:
                self.focus = self.items.index(item)
                return item
        return None

    def add(self, item: DraftItem) -> DraftItem:
        self.items.append(item)
        self.focus = len(self.items) - 1
        return item

    def remove(self, targets: tuple[str, ...]) -> bool:
        """Remove every item of these. False if there was none."""
        kept = [one for one in self.items if one.item_id not in targets]
        found = len(kept) < len(self.items)
        self.items, self.focus = kept, len(kept) - 1
        return found

    def split(self, item: DraftItem, count: int) -> DraftItem:
        """`count` of the item as an item of its own; all of it if there are not more."""
        if count >= item.quantity:
            return item
        item.quantity -= count
        part = DraftItem(item.item_id, count, list(item.options), item.note, counted=True)
        self.items.insert(self.items.index(item) + 1, part)
        return part

    def merge_equal(self) -> None:
        merged: list[DraftItem] = []
        focused = self.focused()
        for item in self.items:
            same = next((one for one in merged if _is_same(one, item)), None)
            if same is None:
                merged.append(item)
            else:
                same.quantity = min(same.quantity + item.quantity, MAX_QUANTITY)
                focused = same if focused is item else focused
        self.items = merged[:MOST_LINES]
        self.focus = next((n for n, one in enumerate(self.items) if one is focused), -1)

    def requested(self) -> tuple[RequestedItem, ...]:
        return tuple(
            RequestedItem(one.item_id, one.quantity, tuple(one.options), one.note)
            for one in self.items
        )


def choose_option(menu: MenuWords, item: DraftItem, options: tuple[str, ...]) -> bool:
    """Choose the one of these options that the item has. False if it has none or several."""
    groups = menu.options_of(item.item_id)
    own = [one for one in options if one in groups]
    if len(own) != 1:
        return False
    group = menu.content["groups"][groups[own[0]]]
    if own[0] in item.options:
        return True
    if group["most"] == 1:
        item.options = [one for one in item.options if groups.get(one) != groups[own[0]]]
    item.options.append(own[0])
    return True


def leave_out(menu: MenuWords, item: DraftItem, words: str, raw: str) -> None:
    """Deselect an option, choose the option that leaves this out, or add a note for the kitchen."""
    wanted = words.split()
    groups = menu.options_of(item.item_id)
    for option_id in groups:
        if any(_names_it(menu, wanted, left_out) for left_out in menu.removals[option_id]):
            choose_option(menu, item, (option_id,))
            return
    match = menu.match_at(wanted, 0, "opt")
    chosen = [one for one in item.options if match is not None and one in match.targets]
    if chosen:
        item.options = [one for one in item.options if one not in chosen]
        return
    add_note(item, raw)


def add_note(item: DraftItem, raw: str) -> None:
    if raw not in item.note:
        item.note = one_line(", ".join(one for one in (item.note, raw) if one), LONGEST_NOTE)


def fill_presets(menu: MenuWords, item: DraftItem) -> list[str]:
    """Choose the presets of required groups, as the menu page does. Returns the groups that are
    still open."""
    open_groups = []
    for group_id in menu.items[item.item_id]["groups"]:
        group = menu.content["groups"][group_id]
        of_group = [one["id"] for one in group["options"]]
        chosen = [one for one in item.options if one in of_group]
        if len(chosen) > group["most"]:
            item.options = [one for one in item.options if one not in chosen[group["most"] :]]
        if len(chosen) >= group["least"]:
            continue
        presets = [one["id"] for one in group["options"] if one["preset"] and not chosen]
        item.options += presets[: group["most"]]
        if len(chosen) + len(presets) < group["least"]:
            open_groups.append(group_id)
    return open_groups


def _names_it(menu: MenuWords, wanted: list[str], left_out: tuple[str, ...]) -> bool:
    return any(menu.means(word, other) for word in wanted for other in left_out)


def _is_same(one: DraftItem, other: DraftItem) -> bool:
    return (one.item_id, sorted(one.options), one.note) == (
        other.item_id,
        sorted(other.options),
        other.note,
    )
