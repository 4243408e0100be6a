"""How stored sentences become codes with values, and sentences again (core/values/reasons.py)."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from alembic import op
from sqlalchemy import text

from core.values.reasons import ReasonSentences, encode_other, encode_reason

QUOTE = "network_says"  # its sentence precedes the network's own message


@dataclass(frozen=True)
class ReasonColumn:
    """A text column with one reason; empty means none."""

    table: str
    column: str
    sentences: Mapping[str, str]
    """By code. A detail may follow a sentence."""
    joint: str = " "
    """Between a sentence and its detail."""
    keep: frozenset[str] = field(default_factory=frozenset)
    """Texts that stay as they are."""
    whole: frozenset[str] = field(default_factory=frozenset)
    """Codes whose sentence no detail follows."""
    by_line: bool = False
    """Each line of the text is a reason of its own."""
    has_codes: bool = False
    """It holds codes already; only these sentences, or their codes, are rewritten."""

    def to_codes(self) -> None:
        self._rewrite(self.encode)

    def to_sentences(self) -> None:
        self._rewrite(self.decode)

    def encode(self, stored: str) -> str:
        if stored in self.keep:
            return stored
        if self.has_codes:
            return self._codes.get(stored, stored)
        lines = stored.split("\n") if self.by_line else [stored]
        return "\n".join(self._known(line) or encode_other(line) for line in lines)

    def decode(self, stored: str) -> str:
        if stored in self.keep:
            return stored
        if self.has_codes:
            return self.sentences.get(stored, stored)
        lines = stored.split("\n") if self.by_line else [stored]
        sentences = ReasonSentences(self.sentences, joint=self.joint)
        return "\n".join(sentences.english(line) for line in lines)

    def _known(self, stored: str) -> str:
        if code := self._codes.get(stored):
            return code
        for code, pattern in self._patterns.items():
            if found := pattern.fullmatch(stored):
                return encode_reason(code, **found.groupdict())
        head, mark, quote = stored.partition(f" {self.sentences.get(QUOTE, '')} ")
        if mark and quote and (code := self._codes.get(head)):
            return encode_reason(code, then=encode_reason(QUOTE, detail=quote))
        for code, sentence in self.sentences.items():
            if code not in self.whole and stored.startswith(sentence + self.joint):
                detail = stored.removeprefix(sentence + self.joint)
                return self._followed(code, detail)
        return ""

    def _followed(self, code: str, rest: str) -> str:
        """By a sentence with values, or by a detail."""
        for other, pattern in self._patterns.items():
            if found := pattern.fullmatch(rest):
                return encode_reason(code, then=encode_reason(other, **found.groupdict()))
        return encode_reason(code, detail=rest)

    @cached_property
    def _codes(self) -> dict[str, str]:
        return {sentence: code for code, sentence in self.sentences.items()}

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern[str]]:
        return {
            code: re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+)", re.escape(sentence)))
            for code, sentence in self.sentences.items()
            if "{" in sentence
        }

    def _rewrite(self, change: Callable[[str], str]) -> None:
        """One tenant after the other, as row-level security holds for the owner too."""
        connection = op.get_bind()
        for tenant_id in connection.scalars(text("SELECT id FROM tenants ORDER BY id")).all():
            params = {"tenant_id": tenant_id}
            connection.execute(text("SELECT app.set_tenant(:tenant_id)"), params)
            stored = connection.scalars(
                text(
                    f"SELECT DISTINCT {self.column} FROM {self.table}"
                    f" WHERE tenant_id = :tenant_id AND {self.column} <> ''"
                ),
                params,
            )
            changed = {one: new for one in stored if (new := change(one)) != one}
            if changed:
                connection.execute(
                    text(
                        f"UPDATE {self.table} SET {self.column} = mine.new_text"
                        " FROM unnest(CAST(:old AS text[]), CAST(:new AS text[]))"
                        " AS mine (old_text, new_text)"
                        f" WHERE tenant_id = :tenant_id AND {self.column} = mine.old_text"
                    ),
                    {**params, "old": list(changed), "new": list(changed.values())},
                )
        connection.execute(text("SET LOCAL app.tenant_id = ''"))
