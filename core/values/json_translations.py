"""Texts for guests and other people outside the portal: one JSON file for each language."""

import json
from functools import cached_property
from pathlib import Path


class JsonTranslations:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._words: dict[str, dict[str, str]] = {}

    @cached_property
    def spoken(self) -> frozenset[str]:
        return frozenset(path.stem for path in self.folder.glob("*.json"))

    def words(self, language: str) -> dict[str, str]:
        """The texts of a language; English if there is no file for it."""
        plain = language.partition("-")[0]
        name = plain if plain in self.spoken else "en"
        if name not in self._words:
            self._words[name] = json.loads((self.folder / f"{name}.json").read_text("utf-8"))
        return self._words[name]

    def say(self, language: str, key: str, /, **values: object) -> str:
        """Fill in the values. An empty value leaves no gap."""
        sentence = self.words(language)[key].format(**values)
        return " ".join(sentence.replace(" !", "!").replace(" ،", "،").split())
