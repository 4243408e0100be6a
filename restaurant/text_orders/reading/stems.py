"""The forms in which a word of the menu appears in a sentence: Turkish suffixes, English plurals.

All words are folded (`core.values.text.strip_accents`), so that each suffix has few forms.
"""

from functools import lru_cache

SHORTEST_STEM = 3
_SUFFIXES = (
    "larindan", "lerinden", "larimizi", "lerimizi", "larini", "lerini", "lardan", "lerden",
    "larin", "lerin", "lari", "leri", "lara", "lere", "lar", "ler",
    "sinden", "sundan", "sindan", "sunden", "sini", "sunu", "sina", "sine", "suna", "sune",
    "imiz", "umuz", "miz", "muz", "nin", "nun", "dan", "den", "tan", "ten", "yla", "yle",
    "yi", "yu", "si", "su", "ya", "ye", "ni", "nu", "li", "lu", "la", "le", "da", "de", "ta", "te",
    "in", "un", "im", "um", "i", "u", "a", "e",
)  # fmt: skip
_ENGLISH = ("ies", "es", "s")
# A consonant that is softened before a vowel: börek, böreği.
_HARD = {"g": "k", "b": "p", "d": "t", "c": "c"}


_IRREGULAR = dict.fromkeys(("suyu", "suya", "sudan", "sular", "sulari", "suyun"), "su")


@lru_cache(maxsize=20_000)
def stems(word: str) -> frozenset[str]:
    """The word and what may remain of it without its suffixes. Not every one is a real word."""
    found = {word, _IRREGULAR.get(word, word)}
    newest = {word}
    for _ in range(2):
        newest = {stem for one in newest for stem in _without_one_suffix(one)} - found
        found |= newest
    return frozenset(found)


def _without_one_suffix(word: str) -> set[str]:
    found = set()
    for suffix in _SUFFIXES:
        stem = word[: -len(suffix)]
        if len(stem) >= SHORTEST_STEM and word.endswith(suffix):
            found.add(stem)
            if suffix[0] in "iuae" and stem[-1] in _HARD:
                found.add(stem[:-1] + _HARD[stem[-1]])
    for suffix in _ENGLISH:
        stem = word[: -len(suffix)]
        if len(stem) >= SHORTEST_STEM and word.endswith(suffix):
            found.add(stem + "y" if suffix == "ies" else stem)
    return found


def without(word: str) -> str:
    """`sogan` for `sogansiz`: what the dish is to be without; empty for other words."""
    for suffix in ("siz", "suz", "less"):
        stem = word.removesuffix(suffix)
        if stem != word and len(stem) >= 2:
            return stem
    return ""
