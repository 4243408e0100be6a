"""Translated texts from compiled gettext catalogs: `translations/<language>/LC_MESSAGES/*.mo`.

Texts are written in English in the code. Each group of readers has a catalog of its own, because
guests read more languages than the staff. `make translations` collects and compiles the texts.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from gettext import GNUTranslations, NullTranslations
from pathlib import Path

from core.i18n.plurals import Message, Plural
from core.logs import logger

TRANSLATIONS = Path(__file__).parent / "translations"
SOURCE_LANGUAGE = "en"
N_ = str  # collected for translation here, translated where it is shown

log = logger(__name__)

# The comma before a name that is not known: "Danke, !" and "Gracias, , hemos recibido".
_EMPTY_NAME = re.compile(r",\s*(?=[,!.])")


class Catalog:
    """The texts of one domain in all its languages; each language is loaded once."""

    def __init__(self, domain: str, folder: Path = TRANSLATIONS) -> None:
        self.domain = domain
        self._folder = folder
        self._loaded: dict[str, NullTranslations] = {SOURCE_LANGUAGE: NullTranslations()}

    @cached_property
    def languages(self) -> frozenset[str]:
        found = {path.parts[-3] for path in self._folder.glob(f"*/LC_MESSAGES/{self.domain}.mo")}
        if not found:
            log.warning("translations not compiled", catalog=self.domain)
        return frozenset({SOURCE_LANGUAGE, *found})

    def gettext(self, language: str, message: str) -> str:
        """The text with its placeholders; English if there is no translation."""
        return self._translations(language).gettext(message)

    def text(self, language: str, message: Message, /, **values: object) -> str:
        """The text with its values filled in. An empty value leaves no gap."""
        known = self._translations(language)
        if isinstance(message, Plural):
            number = message.count(values)
            return _fill(known.ngettext(message.one, message.other, number), values)
        return _fill(known.gettext(message), values)

    def text_in_context(
        self, language: str, context: str, message: str, /, **values: object
    ) -> str:
        """For an English text with two meanings that other languages express differently."""
        return _fill(self._translations(language).pgettext(context, message), values)

    def template_functions(self, language: str) -> dict[str, Callable[..., str]]:
        """`_` and `pgettext` for a page in this language."""
        return {
            "_": partial(self.text, language),
            "pgettext": partial(self.text_in_context, language),
        }

    def _translations(self, language: str) -> NullTranslations:
        name = language.partition("-")[0]
        if name not in self.languages:
            name = SOURCE_LANGUAGE
        if name not in self._loaded:
            path = self._folder / name / "LC_MESSAGES" / f"{self.domain}.mo"
            with path.open("rb") as file:
                self._loaded[name] = GNUTranslations(file)
        return self._loaded[name]


class KeyedTexts:
    """Texts that the code chooses by a key, such as a state or an error code."""

    def __init__(self, domain: str, texts: Mapping[str, Message]) -> None:
        self.catalog = Catalog(domain)
        self._texts = texts

    def text(self, language: str, key: str, /, **values: object) -> str:
        return self.catalog.text(language, self._texts[key], **values)

    def unfilled(self, language: str, key: str) -> str:
        """The text with its placeholders."""
        message = self._texts[key]
        if isinstance(message, Plural):
            raise TypeError(f"{key} depends on a number")
        return self.catalog.gettext(language, message)

    def languages(self) -> frozenset[str]:
        return self.catalog.languages

    def template_functions(self, language: str) -> dict[str, Callable[..., str]]:
        """For a page: `_` and `pgettext` translate a text, `label` the text of a key."""
        functions = self.catalog.template_functions(language)
        return {**functions, "label": partial(self.text, language)}


PORTAL_TEXTS = Catalog("messages")
"""For e-mails and documents, which are written without a request."""


def _fill(sentence: str, values: Mapping[str, object]) -> str:
    filled = sentence.format(**values)
    if "" in values.values():
        filled = _EMPTY_NAME.sub("", filled)
    return " ".join(filled.replace(" !", "!").replace(" ،", "،").split())
