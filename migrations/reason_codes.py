"""How stored sentences become codes with values, and sentences again (core/values/reasons.py)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from alembic import op

# One tenant after the other, as row-level security holds for the owner too.
FOR_EVERY_TENANT = """
DO $migrate$
DECLARE
    mine bigint;
BEGIN
    FOR mine IN SELECT id FROM tenants ORDER BY id LOOP
        PERFORM app.set_tenant(mine);
        {statement};
    END LOOP;
    SET LOCAL app.tenant_id = '';
END
$migrate$
"""


@dataclass(frozen=True)
class ReasonColumn:
    """A text column with one reason; empty means none."""

    table: str
    column: str
    sentences: Mapping[str, str]
    """By code."""
    prefixes: Mapping[str, str] = field(default_factory=dict)
    """By code: beginnings of sentences that continue with a detail, joint included."""
    where: str = "true"
    only_known: bool = False
    """Other texts in the column were written by people and stay as they are."""

    def to_codes(self) -> None:
        cases = [
            f"WHEN {self.column} = {_quoted(sentence)} THEN {_quoted(code)}"
            for code, sentence in self.sentences.items()
        ]
        for code, start in self.prefixes.items():
            rest = f"substr({self.column}, {len(start) + 1})"
            cases.append(
                f"WHEN starts_with({self.column}, {_quoted(start)})"
                f" THEN {_stored(code, 'detail', rest)}"
            )
        rest = self.column if self.only_known else _stored("other", "text", self.column)
        self._update(cases, rest)

    def to_sentences(self) -> None:
        cases = [
            f"WHEN {self.column} = {_quoted(code)} THEN {_quoted(sentence)}"
            for code, sentence in self.sentences.items()
        ]
        for code, start in self.prefixes.items():
            cases.append(
                f"WHEN starts_with({self.column}, {_quoted(code + ' {')})"
                f" THEN {_quoted(start)} || ({self._values(code)} ->> 'detail')"
            )
        cases.append(
            f"WHEN starts_with({self.column}, 'other {{') THEN {self._values('other')} ->> 'text'"
        )
        self._update(cases, self.column)

    def _values(self, code: str) -> str:
        return f"substr({self.column}, {len(code) + 2})::jsonb"

    def _update(self, cases: list[str], rest: str) -> None:
        statement = (
            f"UPDATE {self.table} SET {self.column} = CASE {' '.join(cases)} ELSE {rest} END"
            f" WHERE tenant_id = mine AND {self.column} <> '' AND ({self.where})"
        )
        op.execute(FOR_EVERY_TENANT.replace("{statement}", statement).replace(":", "\\:"))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _stored(code: str, name: str, expression: str) -> str:
    """Built without JSON functions: Citus refuses those that are not immutable here."""
    for sign, escaped in (
        ("\\", "\\\\"),
        ('"', '\\"'),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\t", "\\t"),
    ):
        expression = f"replace({expression}, E'{_escape(sign)}', E'{_escape(escaped)}')"
    return f"""'{code} {{"{name}": "' || {expression} || '"}}'"""


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
