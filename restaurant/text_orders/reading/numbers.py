"""Number words in Turkish and English."""

from collections.abc import Sequence

from restaurant.text_orders.reading.tokens import Token

MOST = 99
_UNITS = {
    "bir": 1, "iki": 2, "uc": 3, "dort": 4, "bes": 5, "alti": 6, "yedi": 7, "sekiz": 8,
    "dokuz": 9, "tek": 1, "cift": 2, "birer": 1, "ikiser": 2,
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "a": 1, "an": 1, "another": 1, "single": 1, "double": 2, "couple": 2,
}  # fmt: skip
_TENS = {"on": 10, "yirmi": 20, "otuz": 30, "kirk": 40, "elli": 50}
_WHOLE = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
    "twenty": 20, "thirty": 30, "dozen": 12, "duzine": 12, "onbir": 11, "oniki": 12, "onbes": 15,
}  # fmt: skip
_ENGLISH_AFTER_ON = frozenset({"the", "my", "our", "table", "it", "them", "top", "a"})
NUMBER_WORDS = frozenset({*_UNITS, *_TENS, *_WHOLE})
_OF_THEM = {
    "biri": 1, "birisi": 1, "birini": 1, "birinde": 1, "ikisi": 2, "ikisini": 2, "ikisinde": 2,
    "ucu": 3, "ucunu": 3, "dordu": 4, "dordunu": 4, "besi": 5, "altisi": 6,
    "digeri": 1, "digerini": 1, "oteki": 1,
}  # fmt: skip
_OF_THEM_SUFFIXES = frozenset({"i", "u", "si", "su", "ini", "unu", "sini", "sunu"})


def number_at(tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
    """The number that begins at this word, and how many words it has."""
    word = tokens[place].word
    following = tokens[place + 1].word if place + 1 < len(tokens) else ""
    if word.isdigit():
        return (int(word), 1) if 1 <= int(word) <= MOST else None
    if word in _TENS:
        if word == "on" and following in _ENGLISH_AFTER_ON:
            return None
        if _UNITS.get(following, 0) and following not in ("a", "an", "tek", "another"):
            return _TENS[word] + _UNITS[following], 2
        return _TENS[word], 1
    if word in ("a", "one") and following in ("couple", "dozen"):
        return (2, 2) if following == "couple" else (12, 2)
    number = _WHOLE.get(word) or _UNITS.get(word)
    return (number, 1) if number else None


def of_them_at(tokens: Sequence[Token], place: int) -> tuple[int, int] | None:
    """`biri`, `1'i` or `one of them`: how many of the last dish are meant, and how many words."""
    token = tokens[place]
    if token.word in _OF_THEM:
        return _OF_THEM[token.word], 1
    if token.word.isdigit() and token.suffix in _OF_THEM_SUFFIXES:
        return int(token.word), 1
    words = [one.word for one in tokens[place : place + 4]]
    if len(words) > 2 and words[1] == "of" and words[2] in ("them", "these", "those", "which"):
        found = number_at(tokens, place)
        return (found[0], 3) if found else None
    if words[:2] == ["the", "other"]:
        return 1, 2
    return None
