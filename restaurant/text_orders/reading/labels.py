"""Gives each part of a guest's text its meaning: a number, a dish, an option, a table …"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from restaurant.text_orders.reading import lexicon
from restaurant.text_orders.reading.menu_words import Match, MenuWords
from restaurant.text_orders.reading.numbers import NUMBER_WORDS, number_at, of_them_at
from restaurant.text_orders.reading.stems import without
from restaurant.text_orders.reading.tokens import Token

NUMBER, ITEM, OPTION, REMOVE, OF_THEM = "number", "item", "option", "remove", "of_them"
BREAK, TABLE, TYPE, PAYMENT, UNKNOWN = "break", "table", "type", "payment", "unknown"
MORE_THAN_A_DISH = frozenset({"corba", "icecek", "tatli"})


@dataclass(frozen=True)
class Part:
    kind: str
    """One of the constants above, or an action of `lexicon`."""
    raw: str = ""
    number: int = 0
    targets: tuple[str, ...] = ()
    """Items or options."""
    value: str = ""
    """A table, an order type, a payment method, or the folded words of what is left out."""
    whole: bool = True


class Labeller:
    def __init__(self, menu: MenuWords, tables: Collection[str] = ()) -> None:
        self.menu = menu
        self.tables = frozenset(tables)
        """The table numbers of the restaurant, folded."""

    def label(self, tokens: Sequence[Token]) -> list[Part]:
        parts: list[Part] = []
        place = 0
        while place < len(tokens):
            if tokens[place].starts and parts:
                parts.append(Part(BREAK))
            part, length = self._part_at(tokens, place)
            if part is not None:
                parts.append(part)
            place += length
        return parts

    def _part_at(self, tokens: Sequence[Token], place: int) -> tuple[Part | None, int]:
        clause = _clause(tokens, place)
        for find in (
            self._table, self._fixed_phrase, self._removal, self._of_them, self._named,
            self._number, self._action,
        ):  # fmt: skip
            found = find(clause)
            if found is not None:
                part, length = found
                return part, length
        word = clause[0].word
        if word in lexicon.FILLERS or word in lexicon.NUMBER_MARKS | lexicon.TABLE_WORDS:
            return None, 1
        if len(word) < 2 or (len(word) < 4 and place and tokens[place - 1].word.isdigit()):
            return None, 1  # a suffix that was written apart from its number
        return Part(UNKNOWN, clause[0].raw), 1

    def _table(self, clause: Sequence[Token]) -> tuple[Part, int] | None:
        words = [one.word for one in clause[:4]]
        raw = clause[0].raw
        if words[0] in lexicon.TABLE_WORDS:
            at = 1
            while at < len(words) and words[at] in lexicon.NUMBER_MARKS | {"numaram", "numaramiz"}:
                at += 1
            number = self._table_number(clause, at)
            if number:
                return Part(TABLE, raw, value=number), at + 1
        if len(words) > 1 and self._table_number(clause, 0):
            number = self._table_number(clause, 0)
            rest = words[1:]
            if rest[0] in lexicon.TABLE_WORDS:
                return Part(TABLE, raw, value=number), 2
            if rest[0] in lexicon.NUMBER_MARKS - {"no", "number"}:
                if len(rest) > 1 and rest[1] in lexicon.TABLE_WORDS:
                    return Part(TABLE, raw, value=number), 3
                return self._table_or_code(clause, number, rest)
        return None

    def _table_or_code(
        self, clause: Sequence[Token], number: str, rest: Sequence[str]
    ) -> tuple[Part, int]:
        """`5 numara`: the table, the item with this code, or both."""
        item = self.menu.codes.get(number)
        length = 3 if len(rest) > 1 and rest[1] in lexicon.MENU_WORDS else 2
        raw = " ".join(one.raw for one in clause[:length])
        if item and (length == 3 or number not in self.tables):
            return Part(ITEM, raw, targets=(item,)), length
        if item:
            return Part(ITEM, raw, targets=(item,), value=number, whole=False), length
        return Part(TABLE, raw, value=number), length

    def _table_number(self, clause: Sequence[Token], place: int) -> str:
        if place >= len(clause):
            return ""
        word = clause[place].word
        if word.isdigit() or any(sign.isdigit() for sign in word) or word in self.tables:
            return word
        if word in NUMBER_WORDS and word not in ("a", "an"):
            found = number_at(clause, place)
            return str(found[0]) if found else ""
        return ""

    def _fixed_phrase(self, clause: Sequence[Token]) -> tuple[Part, int] | None:
        words = tuple(one.word for one in clause[:4])
        for kind, phrases in ((TYPE, lexicon.ORDER_TYPES), (PAYMENT, lexicon.PAYMENTS)):
            for length in range(len(words), 0, -1):
                value = phrases.get(words[:length])
                if value:
                    return Part(kind, clause[0].raw, value=value), length
        return None

    def _removal(self, clause: Sequence[Token]) -> tuple[Part, int] | None:
        """`without onion`, `no onion`, `soğansız`."""
        words = [one.word for one in clause]
        option = self.menu.match_at(words, 0, "opt")
        if option is not None and option.whole and option.score > 0.9:
            return None  # the option that says so is found by its name
        if without(words[0]) and not self._is_whole_item(words):
            return Part(REMOVE, clause[0].raw, value=without(words[0])), 1
        if words[0] not in ("no", "without", "minus", "hold") or len(words) < 2:
            return None
        start = 2 if words[1] in ("the", "any") and len(words) > 2 else 1
        if words[start] in lexicon.KNOWN_WORDS or words[start] in NUMBER_WORDS:
            return None
        item = self.menu.match_at(words, start, "itm")
        left_out = self.menu.match_at(words, start, "opt")
        length = left_out.length if left_out and (not item or not item.whole) else 1
        if item and item.whole:
            raw = " ".join(one.raw for one in clause[: start + item.length])
            value = " ".join(words[start : start + item.length])
            return Part(REMOVE, raw, targets=item.targets, value=value), start + item.length
        raw = " ".join(one.raw for one in clause[: start + length])
        return Part(REMOVE, raw, value=" ".join(words[start : start + length])), start + length

    def _is_whole_item(self, words: Sequence[str]) -> bool:
        item = self.menu.match_at(words, 0, "itm")
        return item is not None and item.whole

    def _of_them(self, clause: Sequence[Token]) -> tuple[Part, int] | None:
        found = of_them_at(clause, 0)
        return (Part(OF_THEM, clause[0].raw, found[0]), found[1]) if found else None

    def _named(self, clause: Sequence[Token]) -> tuple[Part, int] | None:
        words = [one.word for one in clause]
        item = self.menu.match_at(words, 0, "itm")
        option = self.menu.match_at(words, 0, "opt")
        best, kind = _better(item, option)
        if best is None:
            return None
        if best.length == 1 and _is_ordinary(words[0]) and not (best.whole and best.score == 1):
            return None
        raw = " ".join(one.raw for one in clause[: best.length])
        return Part(kind, raw, targets=best.targets, whole=best.whole), best.length

    def _number(self, clause: Sequence[Token]) -> tuple[Part, int] | None:
        words = tuple(one.word for one in clause[:2])
        if words in lexicon.ACTIONS:  # for example `bir de`
            return None
        found = number_at(clause, 0)
        return (Part(NUMBER, clause[0].raw, found[0]), found[1]) if found else None

    def _action(self, clause: Sequence[Token]) -> tuple[Part, int] | None:
        words = tuple(one.word for one in clause[: lexicon.LONGEST_ACTION])
        for length in range(len(words), 0, -1):
            kind = lexicon.ACTIONS.get(words[:length])
            if kind is not None:
                raw = " ".join(one.raw for one in clause[:length])
                value = " ".join(words[:length])
                return Part(BREAK if kind == lexicon.AND else kind, raw, value=value), length
        if words[0] == "no":
            return Part(lexicon.CORRECT, clause[0].raw), 1
        return None


def _clause(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    end = place + 1
    while end < len(tokens) and not tokens[end].starts:
        end += 1
    return tokens[place:end]


def _is_ordinary(word: str) -> bool:
    return word in lexicon.KNOWN_WORDS or word in NUMBER_WORDS


def _better(item: Match | None, option: Match | None) -> tuple[Match | None, str]:
    """The longer one; then a whole name; then a dish."""
    if item is None or option is None:
        return (item, ITEM) if option is None else (option, OPTION)
    rank_item = (item.whole, item.length, item.score)
    rank_option = (option.whole, option.length, option.score)
    return (item, ITEM) if rank_item >= rank_option else (option, OPTION)
