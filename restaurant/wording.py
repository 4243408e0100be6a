"""What diners read in chat, in their own language: `words/<language>.json`.

Short, friendly, and always with what to do next. A new language is a new file.
"""

import json
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "words"


@cache
def spoken() -> frozenset[str]:
    return frozenset(path.stem for path in FOLDER.glob("*.json"))


@cache
def words(language: str) -> dict[str, str]:
    known: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text("utf-8"))
    return known


def say(language: str, key: str, /, **values: object) -> str:
    """In the language, in English where we do not speak it; no gap where a value is empty."""
    plain = language.partition("-")[0]
    sentence = words(plain if plain in spoken() else "en")[key].format(**values)
    return " ".join(sentence.replace(" !", "!").replace(" ،", "،").split())
