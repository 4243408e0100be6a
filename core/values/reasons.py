"""Stored reasons: a stable code with its values, and the sentence that is made from it.

A text column holds `code` or `code {"name": "value"}`. The sentence is made where it is shown, in
the reader's language. Text that did not come from this program (a printer's own words) is stored
under the code `other`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import DomainError

OTHER, ERROR = "other", "error"
DETAIL = "detail"
"""The value that is shown after the sentence: it has no translation."""
THEN = "then"
"""A second reason, in its stored form, that is shown after the first."""

Translate = Callable[[str], str]


@dataclass(frozen=True)
class Reason:
    code: str
    values: Mapping[str, Any] = field(default_factory=dict)


def encode_reason(code: str, **values: Any) -> str:
    """As it is stored. Equal reasons are stored as equal texts."""
    given = {name: value for name, value in values.items() if value not in ("", None, {})}
    return f"{code} {json.dumps(given, ensure_ascii=False, sort_keys=True)}" if given else code


def encode_other(text: str) -> str:
    """Free text; an empty one stays empty."""
    return encode_reason(OTHER, text=text) if text else ""


def encode_error(error: DomainError) -> str:
    """A refusal, with its code and the template and values of its sentence."""
    values = {name: str(value) for name, value in error.values.items()}
    return encode_reason(ERROR, error=error.code, template=error.template, values=values)


def decode_reason(stored: str) -> Reason:
    """Text that is not in the stored form is read as free text."""
    code, mark, values = stored.partition(" ")
    if not mark:
        return Reason(code)
    try:
        found = json.loads(values)
    except ValueError:
        found = None
    return Reason(code, found) if isinstance(found, dict) else Reason(OTHER, {"text": stored})


def reason_code(stored: str) -> str:
    return decode_reason(stored).code if stored else ""


def join_reasons(reasons: Iterable[str]) -> str:
    """Several reasons in one column: one in each line."""
    return "\n".join(reasons)


def split_reasons(stored: str | None) -> list[str]:
    return [line for line in (stored or "").split("\n") if line]


class ReasonSentences:
    """The codes of one kind of reason and the English sentence of each.

    A sentence may contain `{name}` for a value. `joint` stands between it and its detail.
    """

    def __init__(self, sentences: Mapping[str, str], *, joint: str = " ") -> None:
        self._sentences = dict(sentences)
        self._joint = joint

    def __iter__(self) -> Iterator[str]:
        return iter(self._sentences)

    def __contains__(self, code: object) -> bool:
        return code in self._sentences

    def __getitem__(self, code: str) -> str:
        return self._sentences[code]

    def english(self, stored: str | None) -> str:
        return self.translated(stored, str)

    def translated(self, stored: str | None, translate: Translate) -> str:
        """An unknown code is shown as it is stored, so that nothing is hidden."""
        if not stored:
            return ""
        reason = decode_reason(stored)
        if reason.code == OTHER:
            return str(reason.values.get("text", ""))
        if reason.code == ERROR:
            return _error_sentence(reason.values, translate)
        template = self._sentences.get(reason.code)
        if template is None:
            return stored
        values = dict(reason.values)
        detail, then = values.pop(DETAIL, ""), values.pop(THEN, "")
        sentence = str(translate(template))
        if values:
            sentence = sentence.format(**values)
        if detail:
            sentence = f"{sentence}{self._joint}{detail}"
        return f"{sentence} {self.translated(then, translate)}" if then else sentence

    def translated_lines(
        self, stored: str | None, translate: Translate = str, *, joint: str = "\n"
    ) -> str:
        """The sentences of several reasons, with `joint` between them."""
        return joint.join(self.translated(one, translate) for one in split_reasons(stored))


def _error_sentence(stored: Mapping[str, Any], translate: Translate) -> str:
    sentence, values = translate(str(stored.get("template", ""))), stored.get("values")
    return sentence.format(**values) if values else sentence
