"""Changes a draft clause by clause: adds dishes, sets numbers, chooses options, corrects."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from restaurant.text_orders.reading import lexicon
from restaurant.text_orders.reading.clauses import (
    belongs_ahead,
    clauses,
    counts_previous,
    has_item_ahead,
    item_ahead,
    numbers_follow,
)
from restaurant.text_orders.reading.drafts import (
    Draft,
    DraftItem,
    Unclear,
    add_note,
    choose_option,
    leave_out,
)
from restaurant.text_orders.reading.labels import (
    ITEM,
    NUMBER,
    OF_THEM,
    OPTION,
    PAYMENT,
    REMOVE,
    TABLE,
    TYPE,
    UNKNOWN,
    Part,
)
from restaurant.text_orders.reading.menu_words import MenuWords
from restaurant.text_orders.reading.tokens import split_words

MOST_UNKNOWN = 6


@dataclass
class Reading:
    draft: Draft
    table: str = ""
    """As it was written, folded."""
    order_type: str = ""
    payment: str = ""
    """cash or card"""
    unknown: list[str] = field(default_factory=list)
    language: str = ""
    """tr or en; empty if the words do not tell."""
    understood: bool = False
    """Whether anything in the text named a dish or changed the draft."""
    cancelled: bool = False
    """The guest does not want the order any more."""


class ClauseReader:
    def __init__(self, menu: MenuWords, reading: Reading) -> None:
        self.menu, self.reading, self.draft = menu, reading, reading.draft
        self.base: DraftItem | None = None
        """The item that `one of them` takes its part from."""
        self.correcting = False
        self.rejected: tuple[str, ...] = ()
        """Items of a clause such as `not the tea`: the next item replaces them."""
        self.headless: list[tuple[int, list[Part]]] = []
        """`2 spicy, 1 mild …` before the dish is named."""

    def read(self, parts: Sequence[Part]) -> None:
        for clause in clauses(parts):
            self._read_clause(clause)
        self._flush_headless()
        if not self.draft.items and any(one.kind == lexicon.DROP for one in parts):
            self.reading.cancelled = self.reading.understood = True

    def _read_clause(self, clause: list[Part]) -> None:
        clause = self._without_general_parts(clause)
        kinds = {one.kind for one in clause}
        if not kinds:
            return
        if lexicon.CORRECT in kinds:
            self.correcting = True
        if lexicon.DROP in kinds and (lexicon.ALL in kinds or self._is_bare(clause)):
            self.draft.items, self.reading.understood = [], True
        elif lexicon.INSTEAD in kinds:
            self._replace(clause, lexicon.INSTEAD)
        elif lexicon.NOT in kinds and ({ITEM, NUMBER} & kinds):
            self._replace(clause, lexicon.NOT)
        elif lexicon.DROP in kinds:
            self._drop(clause)
        elif ITEM not in kinds:
            self._change_focused(clause, kinds)
        elif self._is_change(clause, kinds):
            self._set(clause)
        else:
            self._add(clause)

    def _without_general_parts(self, clause: list[Part]) -> list[Part]:
        for part in clause:
            if part.kind == TABLE:
                self.reading.table, self.reading.understood = part.value, True
            elif part.kind == TYPE:
                self.reading.order_type = part.value
            elif part.kind == PAYMENT:
                self.reading.payment = part.value
        general = (TABLE, TYPE, PAYMENT)
        return [one for one in clause if one.kind not in general]

    def _is_bare(self, clause: list[Part]) -> bool:
        """Only a verb such as `cancel`, with nothing that it is about."""
        return bool(self.draft.items) and {one.kind for one in clause} <= {
            lexicon.DROP, lexicon.CORRECT, lexicon.SET,
        }  # fmt: skip

    def _is_change(self, clause: list[Part], kinds: set[str]) -> bool:
        """Whether the clause changes an item instead of adding one."""
        if lexicon.ADD in kinds:
            return False
        if self.rejected:
            return True
        items = [one for one in clause if one.kind == ITEM]
        known = all(self.draft.find(one.targets) for one in items)
        if self.correcting:
            return bool(self.draft.items) and len(items) == 1
        return lexicon.SET in kinds and known and self.draft.items != []

    def _add(self, clause: list[Part]) -> None:
        """One or more dishes with numbers before or after them, and their options."""
        self.correcting = False
        clause = self._without_headless(clause)
        after = numbers_follow(clause)
        number, options = 0, list[Part]()
        last: DraftItem | None = None
        in_clause = False
        for place, part in enumerate(clause):
            if part.kind == NUMBER:
                if after or (last and in_clause and counts_previous(last, clause, place)):
                    if last is not None:
                        last.quantity, last.counted = part.number, True
                elif has_item_ahead(clause, place):
                    number = part.number
                else:
                    last = self._split_off(part.number, clause, place) or last
                    number, in_clause = 0, last is not None
            elif part.kind == OF_THEM:
                last = self._of_them(part.number)
                in_clause = last is not None
            elif part.kind in (OPTION, REMOVE):
                if not self._apply_in_clause(clause, place, last if in_clause else None):
                    options.append(part)
            elif part.kind == ITEM:
                last = self._new_item(part, number or 1, options, counted=bool(number))
                number, options, in_clause = 0, [], True
            elif part.kind == UNKNOWN:
                self._unknown(part.raw)

    def _apply_in_clause(self, clause: list[Part], place: int, last: DraftItem | None) -> bool:
        """Apply an option to the dish before it. False if it belongs to a dish ahead."""
        if last is not None and not belongs_ahead(clause, place):
            self._apply(last, clause[place])
        elif item_ahead(clause, place):
            return False
        elif last is not None or self.draft.items:
            self._apply(last or self.draft.items[-1], clause[place])
        return True

    def _new_item(
        self, part: Part, quantity: int, options: list[Part], *, counted: bool
    ) -> DraftItem | None:
        self.reading.understood = True
        if len(part.targets) > 1 or part.value:
            self.draft.unclear.append(
                Unclear(part.raw, quantity, part.targets, [id_ for one in options
                                                           for id_ in one.targets])
            )  # fmt: skip
            return None
        rows = [*self.headless, (quantity, options)]
        if self.headless and not counted and not options:
            rows = self.headless
        self.headless = []
        made = None
        for count, own in rows:
            made = self.draft.add(DraftItem(part.targets[0], count, counted=counted or bool(own)))
            for one in own:
                self._apply(made, one)
        self.base = made
        return made

    def _apply(self, item: DraftItem, part: Part) -> None:
        self.reading.understood = True
        if part.kind == REMOVE:
            # `no tea` removes the tea of the draft, if there is one.
            if not (part.targets and self.draft.remove(part.targets)):
                leave_out(self.menu, item, part.value, part.raw)
        elif not choose_option(self.menu, item, part.targets):
            add_note(item, part.raw)

    def _of_them(self, count: int) -> DraftItem | None:
        base = self.base or self.draft.focused()
        if base is None:
            return None
        self.base = base
        part = self.draft.split(base, count)
        self.draft.focus = self.draft.items.index(part)
        return part

    def _split_off(self, count: int, clause: list[Part], place: int) -> DraftItem | None:
        """`3 soups, 2 spicy`: two of the last dish; before any dish, two of the next one."""
        following = [one for one in clause[place + 1 :] if one.kind in (OPTION, REMOVE)]
        if not following:
            return None
        if self.base is None and not self.draft.items:
            return None
        return self._of_them(count)

    def _change_focused(self, clause: list[Part], kinds: set[str]) -> None:
        """A clause without a dish is about the last one."""
        numbers = [one.number for one in clause if one.kind == NUMBER]
        options = [one for one in clause if one.kind in (OPTION, REMOVE)]
        if not self.draft.items and numbers and options:
            self._collect_headless(clause)
            return
        target = self.base or self.draft.focused()
        if OF_THEM in kinds or (numbers and options):
            self._split_clause(clause)
        elif numbers and target is not None and self._may_set_number(kinds):
            item = self.draft.focused()
            if item is not None:
                added = item.quantity if lexicon.ADD in kinds else 0
                item.quantity, self.reading.understood = numbers[-1] + added, True
        elif options and target is not None:
            item = self.draft.focused() or target
            for part in options:
                self._apply(item, part)
        elif numbers or options:
            self._unknown(" ".join(one.raw for one in clause))
        for part in clause:
            if part.kind == UNKNOWN:
                self._unknown(part.raw)

    def _may_set_number(self, kinds: set[str]) -> bool:
        return self.correcting or bool(kinds & {lexicon.SET, lexicon.ADD})

    def _split_clause(self, clause: list[Part]) -> None:
        item: DraftItem | None = None
        for part in clause:
            if part.kind in (NUMBER, OF_THEM):
                item = self._of_them(part.number)
            elif part.kind in (OPTION, REMOVE):
                self._apply_if_any(item or self.draft.focused(), part)

    def _apply_if_any(self, item: DraftItem | None, part: Part) -> None:
        if item is not None:
            self._apply(item, part)

    def _collect_headless(self, clause: list[Part]) -> None:
        for part in clause:
            if part.kind == NUMBER:
                self.headless.append((part.number, []))
            elif part.kind in (OPTION, REMOVE) and self.headless:
                self.headless[-1][1].append(part)

    def _without_headless(self, clause: list[Part]) -> list[Part]:
        """`2 spicy 1 mild soup`: the first part has no dish of its own."""
        numbers = [n for n, one in enumerate(clause) if one.kind == NUMBER]
        first = next((n for n, one in enumerate(clause) if one.kind == ITEM), 0)
        before = [n for n in numbers if n < first]
        if self.draft.items or len(before) < 2:
            return clause
        self._collect_headless(clause[: before[-1]])
        return clause[before[-1] :]

    def _flush_headless(self) -> None:
        for count, options in self.headless:
            self._unknown(f"{count} {' '.join(one.raw for one in options)}")

    def _set(self, clause: list[Part]) -> None:
        """A correction that names the dish: its number, its options, or another dish."""
        self.reading.understood = True
        named = next(one for one in clause if one.kind == ITEM)
        number = next((one.number for one in clause if one.kind == NUMBER), 0)
        old = self.draft.find(self.rejected) if self.rejected else None
        item = self.draft.find(named.targets) if old is None else None
        if item is None:
            old = old or self.draft.focused()
            if len(named.targets) > 1 or old is None:
                self._add(clause)
                return
            item = self._exchange(old, named.targets[0], number)
        elif number:
            item.quantity, item.counted = number, True
        for part in clause:
            if part.kind == OF_THEM:
                self.base = item
                item = self._of_them(part.number) or item
            elif part.kind in (OPTION, REMOVE):
                self._apply(item, part)
        self.rejected, self.correcting = (), False

    def _exchange(self, old: DraftItem, item_id: str, number: int) -> DraftItem:
        old.item_id, old.options, old.note = item_id, [], ""
        old.quantity = number or old.quantity
        self.draft.focus = self.draft.items.index(old)
        self.base = old
        return old

    def _replace(self, clause: list[Part], mark: str) -> None:
        """`tea instead of coffee`, `kahve yerine çay`, `kahve değil çay`, `3 değil 2`."""
        place = next(n for n, one in enumerate(clause) if one.kind == mark)
        before, after = clause[:place], clause[place + 1 :]
        english = clause[place].raw.lower() in ("instead of", "rather than", "in place of",
                                                "instead", "not")  # fmt: skip
        old_parts, new_parts = (after, before) if english else (before, after)
        if mark == lexicon.NOT and english and not before:
            new_parts = []
        old = next((one for one in old_parts if one.kind == ITEM), None)
        new = next((one for one in new_parts if one.kind == ITEM), None)
        number = next((one.number for one in new_parts if one.kind == NUMBER), 0)
        if old is not None and new is None:
            self.rejected, self.correcting = old.targets, True
            return
        if new is None:
            self._set_number(number)
            return
        found = self.draft.find(old.targets) if old is not None else self.draft.focused()
        if found is None or len(new.targets) > 1:
            self._add([one for one in new_parts if one.kind != mark])
            return
        self.reading.understood = True
        item = self._exchange(found, new.targets[0], number)
        for part in new_parts:
            if part.kind in (OPTION, REMOVE):
                self._apply(item, part)

    def _set_number(self, number: int) -> None:
        item = self.draft.focused()
        if item is not None and number:
            item.quantity, self.reading.understood = number, True
        self.correcting = True

    def _drop(self, clause: list[Part]) -> None:
        """`no tea`, `ayranı çıkar`; with more words, what the dish is to be without."""
        places = [n for n, one in enumerate(clause) if one.kind == ITEM]
        if len(places) > 1 and not clause[places[-1]].whole:
            places.pop()  # `lahmacun, domates olmasın`: not the tomato soup
        last = max(places, default=-1)
        left_out = [
            one for one in clause[last + 1 :] if one.kind in (OPTION, UNKNOWN, REMOVE, ITEM)
        ]
        self.correcting = False
        if left_out:
            note = " ".join(one.raw for one in clause[last + 1 :])
            self._leave_out(clause[: last + 1], left_out, note)
            return
        number = next((one.number for one in clause if one.kind == NUMBER), 0)
        named = [one for one in clause if one.kind == ITEM]
        found = [item for item in (self.draft.find(one.targets) for one in named) if item]
        for item in found:
            if 0 < number < item.quantity:
                item.quantity -= number
            else:
                self.draft.remove((item.item_id,))
        focused = self.draft.focused()
        if not found and named and focused is not None:
            note = " ".join(one.raw for one in clause)
            self._leave_out([], named, note)  # not ordered as a dish, so it is part of one
        elif not found:
            self._unknown(" ".join(one.raw for one in clause))
        self.reading.understood = self.reading.understood or bool(found)

    def _leave_out(self, dish: list[Part], left_out: list[Part], note: str) -> None:
        """`dish` is the part of the clause that names the dish; empty: the last one. `note` is for
        the kitchen, if no option of the menu leaves this out."""
        named = next((one for one in reversed(dish) if one.kind == ITEM), None)
        item = self.draft.find(named.targets) if named is not None else self.draft.focused()
        if item is None and named is not None:
            self._add(dish)
            item = self.draft.focused()
        if item is None:
            self._unknown(" ".join(one.raw for one in left_out))
            return
        self.reading.understood = True
        for part in left_out:
            words = part.value or " ".join(one.word for one in split_words(part.raw))
            leave_out(self.menu, item, words, note)

    def _unknown(self, raw: str) -> None:
        unknown = self.reading.unknown
        if raw and len(unknown) < MOST_UNKNOWN:
            unknown.append(raw[:60])
