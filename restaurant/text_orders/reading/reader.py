"""Reads an order, or a correction of one, clause by clause. Pure: menu and text in, draft out.

A clause ends at a comma, a full stop, a line break or "and". The clauses change the draft in their
order, so that "two teas, no, make it three" is three teas.
"""

from collections.abc import Collection, Sequence

from restaurant.menus.pricing import MAX_QUANTITY
from restaurant.text_orders.reading import lexicon
from restaurant.text_orders.reading.clause_reader import ClauseReader, Reading
from restaurant.text_orders.reading.drafts import Draft, fill_presets
from restaurant.text_orders.reading.labels import Labeller
from restaurant.text_orders.reading.menu_words import MenuWords
from restaurant.text_orders.reading.tokens import split_words

__all__ = ["Reading", "read_text"]


def read_text(
    menu: MenuWords, text: str, draft: Draft | None = None, tables: Collection[str] = ()
) -> Reading:
    tokens = split_words(text)
    reading = Reading(draft or Draft(), language=_language([one.word for one in tokens]))
    parts = Labeller(menu, tables).label(tokens)
    ClauseReader(menu, reading).read(parts)
    for item in reading.draft.items:
        item.quantity = min(item.quantity, MAX_QUANTITY)
        fill_presets(menu, item)
    reading.draft.merge_equal()
    return reading


def _language(words: Sequence[str]) -> str:
    found = [lexicon.LANGUAGE_OF_WORD.get(word) for word in words]
    turkish, english = found.count(lexicon.TURKISH), found.count(lexicon.ENGLISH)
    if turkish == english:
        return ""
    return lexicon.TURKISH if turkish > english else lexicon.ENGLISH
