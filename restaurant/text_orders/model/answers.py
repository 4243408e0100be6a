"""Checks what a language model answered against the published menu and the guest's own words.

An answer with anything that is not allowed is refused as a whole; the rules' reading is used then.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from core.values.text import BadText, one_line
from restaurant.menus.pricing import LONGEST_NOTE, MAX_QUANTITY
from restaurant.text_orders.reading.drafts import MOST_LINES, Draft, DraftItem
from restaurant.text_orders.reading.menu_words import MenuWords, folded_words

MOST_ASKED, LONGEST_ASKED = 6, 60
_ITEM_FIELDS = {"item_id", "quantity", "option_ids", "note"}


class RefusedAnswer(Exception):
    """`reason` is a short code for the timeline."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def checked_answer(
    menu: MenuWords, answer: Mapping[str, Any], texts: Sequence[str]
) -> tuple[Draft, list[str]]:
    """The draft and the words that are not clear. Raises RefusedAnswer.

    `texts` are what the guest wrote: notes and questions may only repeat words of them.
    """
    if set(answer) - {"items", "ask"}:
        raise RefusedAnswer("unknown_field")
    rows, asked = answer.get("items"), answer.get("ask", [])
    if not isinstance(rows, list) or not isinstance(asked, list) or len(rows) > MOST_LINES:
        raise RefusedAnswer("invalid_shape")
    written = {word for text in texts for word in folded_words(text)}
    draft = Draft([_item(menu, row, written) for row in rows])
    draft.merge_equal()
    return draft, [_words(one, written, LONGEST_ASKED) for one in asked[:MOST_ASKED]]


def _item(menu: MenuWords, row: object, written: set[str]) -> DraftItem:
    if not isinstance(row, dict) or set(row) - _ITEM_FIELDS:
        raise RefusedAnswer("unknown_field")
    item_id, quantity = row.get("item_id"), row.get("quantity")
    if item_id not in menu.items:
        raise RefusedAnswer("unknown_item")
    if type(quantity) is not int or not 1 <= quantity <= MAX_QUANTITY:
        raise RefusedAnswer("invalid_quantity")
    options = row.get("option_ids", [])
    known = menu.options_of(item_id)
    if not isinstance(options, list) or any(one not in known for one in options):
        raise RefusedAnswer("unknown_option")
    if len(set(options)) != len(options):
        raise RefusedAnswer("repeated_option")
    for group_id in set(known.values()):
        chosen = [one for one in options if known[one] == group_id]
        if len(chosen) > menu.content["groups"][group_id]["most"]:
            raise RefusedAnswer("too_many_options")
    note = _words(row.get("note") or "", written, LONGEST_NOTE)
    return DraftItem(item_id, quantity, list(options), note, counted=True)


def _words(given: object, written: set[str], longest: int) -> str:
    """Only words that the guest wrote; a model cannot put anything else before people."""
    if not isinstance(given, str):
        raise RefusedAnswer("invalid_shape")
    try:
        text = one_line(given, longest)
    except BadText:
        raise RefusedAnswer("invalid_shape") from None
    if set(folded_words(text)) - written or any(sign in text for sign in "/@<>{}"):
        raise RefusedAnswer("words_not_written")
    return text
