"""The words of a published menu, and which dishes and options a guest's words may mean.

Names in all languages, the owner's synonyms and item codes. Words are compared with suffixes
removed and with a few typing errors allowed, by length.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rapidfuzz import process
from rapidfuzz.distance import OSA

from core.values.text import strip_accents
from restaurant.text_orders.reading.lexicon import KNOWN_WORDS
from restaurant.text_orders.reading.numbers import NUMBER_WORDS
from restaurant.text_orders.reading.stems import stems, without
from restaurant.text_orders.reading.tokens import split_words

EXACT, STEM = 1.0, 0.97
CLOSE = 0.05
"""Two dishes whose scores differ by less are both possible."""
MOST_REMEMBERED = 5000
"""Words of guests that were compared with the menu, in each process."""
_IGNORED = frozenset({"ve", "and", "with", "of", "the", "ile", "de", "da", "a", "on", "in"})
_NO = frozenset({"no", "without", "ohne", "kein", "keine", "sin", "sans", "sem"})


@dataclass(frozen=True)
class Phrase:
    target: str
    """itm_… or opt_…"""
    words: tuple[str, ...]


@dataclass(frozen=True)
class Match:
    """Words that name a dish or an option; several targets if it is not clear which."""

    length: int
    targets: tuple[str, ...]
    score: float
    whole: bool
    """Whether all words of the name were written."""


@dataclass
class MenuWords:
    content: Mapping[str, Any]
    items: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    options: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    codes: dict[str, str] = field(default_factory=dict)
    """Item ids by code."""
    removals: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    """By option: the words of what it leaves out, such as `onion`."""
    _phrases: dict[str, list[Phrase]] = field(default_factory=lambda: defaultdict(list))
    """By each of their words."""
    _vocabulary: list[str] = field(default_factory=list)
    _by_stem: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _joined: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Targets by a name of several words written as one."""
    _known: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for category in self.content["categories"]:
            for item in category["items"]:
                self.items[item["id"]] = item
                self._add(item["id"], [*_names(item), *item.get("synonyms", ())])
                if item["code"]:
                    self.codes.setdefault(strip_accents(item["code"]), item["id"])
        used = {group_id for item in self.items.values() for group_id in item["groups"]}
        for group_id in used:
            for option in self.content["groups"][group_id]["options"]:
                self.options[option["id"]] = option
                self._add(option["id"], _names(option))
                self.removals[option["id"]] = _left_out(option)
        self._vocabulary = sorted({*self._phrases, *self._joined})
        for word in self._vocabulary:
            for stem in stems(word):
                self._by_stem[stem].add(word)

    def options_of(self, item_id: str) -> dict[str, str]:
        """Group ids by option."""
        groups = self.content["groups"]
        return {
            option["id"]: group_id
            for group_id in self.items[item_id]["groups"]
            for option in groups[group_id]["options"]
        }

    def match_at(self, words: Sequence[str], place: int, kind: str) -> Match | None:
        """The longest and best match that begins at this word. `kind`: itm or opt."""
        found = self._whole_matches(words, place, kind)
        best = max(found, key=lambda one: (one.length, one.score), default=None)
        part = self._partial_match(words, place, kind)
        if best is None or (part is not None and part.length > best.length):
            return part or best
        return best

    def similar(self, word: str) -> dict[str, float]:
        """The words of the menu that this word may be, with a score from 0 to 1."""
        known = self._known.get(word)
        if known is None:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            known = self._known[word] = self._similar(word)
        return known

    def means(self, word: str, wanted: str) -> bool:
        return wanted in stems(word) or bool(stems(word) & stems(wanted)) or _is_typo(word, wanted)

    def _similar(self, word: str) -> dict[str, float]:
        found = {word: EXACT} if word in self._by_stem.get(word, ()) else {}
        if word in KNOWN_WORDS or word in NUMBER_WORDS:
            return found
        for stem in stems(word):
            for known in self._by_stem.get(stem, ()):
                found.setdefault(known, STEM)
        if any(score >= STEM for score in found.values()) or len(word) < 4:
            return found
        for form in stems(word):
            limit = _allowed_typos(form + "_")  # a letter may be missing
            if not limit:
                continue
            close = process.extract(
                form, self._vocabulary, scorer=OSA.distance, score_cutoff=limit, limit=8
            )
            for known, distance, _ in close:
                if _same_start(form, known) and distance <= _allowed_typos(known):
                    # A typing error in the whole word is likelier than one in a guessed stem.
                    score = 0.95 - 0.12 * distance / max(limit, 1) - (0.02 if form != word else 0)
                    found[known] = max(found.get(known, 0), score)
        return found

    def _whole_matches(self, words: Sequence[str], place: int, kind: str) -> list[Match]:
        by_length: dict[int, dict[str, float]] = defaultdict(dict)
        for known, score in self.similar(words[place]).items():
            for target in self._joined.get(known, ()):
                if target.startswith(kind):
                    by_length[1][target] = max(by_length[1].get(target, 0), score - 0.01)
            for phrase in self._phrases.get(known, ()):
                if phrase.target.startswith(kind) and phrase.words[0] == known:
                    reached = self._follow(words, place, phrase)
                    if reached is not None:
                        length, whole = reached
                        targets = by_length[length]
                        targets[phrase.target] = max(targets.get(phrase.target, 0), whole)
        if _may_be_one_word(words[place : place + 2]):
            joined = words[place] + words[place + 1]
            for known, score in self.similar(joined).items():
                for phrase in self._phrases.get(known, ()):
                    close = len(known) > len(joined) - 3
                    if close and phrase.target.startswith(kind) and phrase.words == (known,):
                        by_length[2].setdefault(phrase.target, score - 0.02)
        return [_match(length, targets, whole=True) for length, targets in by_length.items()]

    def _follow(self, words: Sequence[str], place: int, phrase: Phrase) -> tuple[int, float] | None:
        """How many of the guest's words the whole phrase takes, and its score."""
        scores, at = [], place
        for number, wanted in enumerate(phrase.words):
            while number and at < len(words) and words[at] in _IGNORED and words[at] != wanted:
                at += 1
            if at >= len(words):
                return None
            score = self.similar(words[at]).get(wanted)
            if score is None:
                return None
            scores.append(score)
            at += 1
        return at - place, sum(scores) / len(scores)

    def _partial_match(self, words: Sequence[str], place: int, kind: str) -> Match | None:
        """Some words of a name, in any order: `omelette` for `Mushroom Omelette`."""
        if words[place] in KNOWN_WORDS or words[place] in NUMBER_WORDS:
            return None
        possible = self._targets_with(words[place], kind)
        length, at = 1, place + 1
        while possible and at < len(words):
            if words[at] in _IGNORED:
                at += 1
                continue
            further = self._targets_with(words[at], kind)
            both = {one: (possible[one] + further[one]) / 2 for one in possible if one in further}
            if not both or words[at] in KNOWN_WORDS:
                break
            possible, at = both, at + 1
            length = at - place
        return _match(length, possible, whole=False) if possible else None

    def _targets_with(self, word: str, kind: str) -> dict[str, float]:
        found: dict[str, float] = {}
        for known, score in self.similar(word).items():
            for phrase in self._phrases.get(known, ()):
                if phrase.target.startswith(kind):
                    found[phrase.target] = max(found.get(phrase.target, 0), score)
        return found

    def _add(self, target: str, names: Iterable[str]) -> None:
        for name in names:
            words = tuple(one for one in folded_words(name) if one not in _IGNORED)
            if not words:
                continue
            phrase = Phrase(target, words)
            for word in dict.fromkeys(words):
                self._phrases[word].append(phrase)
            if len(words) > 1:
                self._joined["".join(words)].add(target)


def folded_words(name: str) -> list[str]:
    return [token.word for token in split_words(name)]


def _names(thing: Mapping[str, Any]) -> list[str]:
    return [str(texts["name"]) for texts in thing["texts"].values() if texts.get("name")]


def _left_out(option: Mapping[str, Any]) -> list[tuple[str, ...]]:
    found = []
    for name in _names(option):
        words = folded_words(name)
        if words and words[0] in _NO:
            found.append(tuple(words[1:]))
        elif words and without(words[-1]):
            found.append((*words[:-1], without(words[-1])))
    return [one for one in found if one]


def _match(length: int, targets: Mapping[str, float], *, whole: bool) -> Match:
    best = max(targets.values())
    near = sorted(one for one, score in targets.items() if score > best - CLOSE)
    exact = [one for one in near if targets[one] == EXACT]
    return Match(length, tuple(exact or near), best if whole else best - 0.1, whole)


def _may_be_one_word(words: Sequence[str]) -> bool:
    """A name of one word is sometimes written as two: `ham burger`."""
    return (
        len("".join(words)) > 5
        and len(words) == 2
        and all(
            one.isalpha() and len(one) > 1 and one not in KNOWN_WORDS and one not in NUMBER_WORDS
            for one in words
        )
    )


def _allowed_typos(word: str) -> int:
    if len(word) < 5:
        return 0
    return 1 if len(word) < 8 else 2 if len(word) < 13 else 3


def _same_start(word: str, known: str) -> bool:
    return word[0] == known[0] or (len(known) > 5 and word[:2] == known[1::-1]) or len(known) > 7


def _is_typo(word: str, wanted: str) -> bool:
    limit = min(_allowed_typos(word), _allowed_typos(wanted))
    return bool(limit) and OSA.distance(word, wanted, score_cutoff=limit) <= limit
