"""Splits the parts of a text into clauses, and tells what belongs together in one."""

from collections.abc import Sequence

from restaurant.text_orders.reading import lexicon
from restaurant.text_orders.reading.drafts import DraftItem
from restaurant.text_orders.reading.labels import BREAK, ITEM, NUMBER, OF_THEM, OPTION, REMOVE, Part


def clauses(parts: Sequence[Part]) -> list[list[Part]]:
    found: list[list[Part]] = [[]]
    for part in parts:
        if part.kind == BREAK:
            found.append([])
        elif part.kind == lexicon.ADD and part.value in lexicon.STARTS_A_CLAUSE:
            found.append([part])
        else:
            found[-1].append(part)
    return [one for one in found if one]


def numbers_follow(clause: list[Part]) -> bool:
    """`soup 2 tea 1`: each number stands after its dish."""
    kinds = [one.kind for one in clause if one.kind in (NUMBER, ITEM)]
    return (
        len(kinds) > 1
        and kinds[0] == ITEM
        and kinds[-1] == NUMBER
        and kinds.count(ITEM) == kinds.count(NUMBER)
    )


def item_ahead(clause: list[Part], place: int) -> bool:
    return any(one.kind == ITEM for one in clause[place + 1 :])


def has_item_ahead(clause: list[Part], place: int) -> bool:
    """Whether this number belongs to a dish: only options stand between them."""
    for one in clause[place + 1 :]:
        if one.kind == ITEM:
            return True
        if one.kind in (NUMBER, OF_THEM):
            return False
    return False


def counts_previous(last: DraftItem, clause: list[Part], place: int) -> bool:
    """A number after a dish that has none yet: at the end, or before the next number."""
    following = [one.kind for one in clause[place + 1 :]]
    if following[:1] == [NUMBER]:
        return not last.counted
    return not {ITEM, OPTION, REMOVE} & set(following) and any(
        one.kind == ITEM for one in clause[:place]
    )


def belongs_ahead(clause: list[Part], place: int) -> bool:
    """An option after a number belongs to the dish that follows: `a tea 2 spicy soups`."""
    for one in reversed(clause[:place]):
        if one.kind == NUMBER:
            return has_item_ahead(clause, place)
        if one.kind in (ITEM, OF_THEM):
            return False
    return False
