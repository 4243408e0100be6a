"""Which of the events that an endpoint subscribes to are sent to it: by line and by fields.

A condition compares a field of the event's body with `==`, `in` or `>`. All conditions must hold;
an event without the field is left out. Events that belong to no line pass the choice of lines.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.errors import invalid
from core.values.text import BadText, normalize_text

OPERATORS = ("==", "in", ">")
MAX_CONDITIONS = 10
MAX_VALUES = 50
LONGEST_VALUE = 200
FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,40}(\.[A-Za-z_][A-Za-z0-9_]{0,40}){0,4}", re.ASCII)


Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Condition:
    field: str
    """The path in the body, such as `data.type`."""
    op: str
    value: Any

    def as_json(self) -> dict[str, Any]:
        return {"field": self.field, "op": self.op, "value": self.value}

    def holds(self, body: Mapping[str, Any]) -> bool:
        found: Any = body
        for name in self.field.split("."):
            if not isinstance(found, Mapping) or name not in found:
                return False
            found = found[name]
        if self.op == "==":
            return _same(found, self.value)
        if self.op == "in":
            return any(_same(found, one) for one in self.value)
        return _greater(found, self.value)


@dataclass(frozen=True)
class EventFilter:
    line_ids: frozenset[int] | None
    conditions: tuple[Condition, ...]

    @classmethod
    def of(cls, line_ids: Sequence[int] | None, filters: Iterable[Mapping[str, Any]]) -> Any:
        lines = None if line_ids is None else frozenset(line_ids)
        return cls(lines, tuple(Condition(**one) for one in filters))

    @property
    def accepts_all(self) -> bool:
        return self.line_ids is None and not self.conditions

    def accepts(self, body: Mapping[str, Any]) -> bool:
        line = body.get("instance_id")
        if self.line_ids is not None and line is not None and line not in self.line_ids:
            return False
        return all(one.holds(body) for one in self.conditions)


def clean_conditions(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """As they are stored. Raises Invalid."""
    if len(given) > MAX_CONDITIONS:
        raise invalid(
            "filters",
            "too_many_filters",
            "An endpoint can have at most {most} filters.",
            most=MAX_CONDITIONS,
        )
    return [_clean(one).as_json() for one in given]


def parse_conditions(text: str) -> list[dict[str, Any]]:
    """One condition on each line: `data.type in text, image`. Raises Invalid."""
    found = []
    for line in filter(None, map(str.strip, text.splitlines())):
        parts = _parts_of(line)
        if parts is None:
            raise invalid(
                "filters",
                "invalid_filter",
                "“{line}” is not a filter. Write a field, ==, in or >, and a value.",
                line=line[:80],
            )
        field, op, value = parts
        listed = [_typed(one) for one in value.split(",") if one.strip()]
        found.append({"field": field, "op": op, "value": listed if op == "in" else _typed(value)})
    return clean_conditions(found)


def format_conditions(conditions: Iterable[Mapping[str, Any]]) -> str:
    """As `parse_conditions` reads them."""
    lines = []
    for one in conditions:
        values = one["value"] if one["op"] == "in" else [one["value"]]
        lines.append(f"{one['field']} {one['op']} {', '.join(map(_written, values))}")
    return "\n".join(lines)


def _parts_of(line: str) -> tuple[str, str, str] | None:
    """Field, operator and value, by the first operator in the line."""
    found = [(line.find(sign), sign) for sign in ("==", ">", " in ") if line.find(sign) > 0]
    if not found:
        return None
    at, sign = min(found)
    field, value = line[:at].strip(), line[at + len(sign) :].strip()
    return (field, sign.strip(), value) if value and " " not in field else None


def _typed(text: str) -> Any:
    """A number, true, false or null; everything else, and everything in quotes, is a text."""
    text = text.strip()
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str | int | float | bool) or value is None else text


def _written(value: Scalar) -> str:
    plain = isinstance(value, str) and _typed(value) == value and "," not in value
    return str(value) if plain else json.dumps(value, ensure_ascii=False)


def conversation_of(body: Mapping[str, Any]) -> str | None:
    """What the events of an ordered endpoint are kept in order by: the customer on a line, or the
    order. None: the event belongs to neither.
    """
    data = body.get("data")
    if isinstance(data, Mapping):
        person = data.get("from") or data.get("to")
        if person and body.get("instance_id") is not None:
            return f"{body['instance_id']}:{person}"
    order = body.get("order_id")
    return f"order:{order}" if order else None


def _clean(given: Mapping[str, Any]) -> Condition:
    field, op, value = str(given.get("field", "")), given.get("op"), given.get("value")
    if not FIELD.fullmatch(field):
        raise invalid(
            "filters",
            "invalid_filter",
            "{field} is not a field. Use names with dots, such as data.type.",
            field=field[:60] or "…",
        )
    if op not in OPERATORS:
        raise invalid("filters", "invalid_filter", "Compare {field} with ==, in or >.", field=field)
    if op == "in":
        if not isinstance(value, list) or not 1 <= len(value) <= MAX_VALUES:
            raise invalid(
                "filters",
                "invalid_filter",
                "{field} in needs a list of 1 to {most} values.",
                field=field,
                most=MAX_VALUES,
            )
        return Condition(field, op, [_scalar(field, one) for one in value])
    if op == ">" and (isinstance(value, bool) or not isinstance(value, int | float | str)):
        raise invalid(
            "filters", "invalid_filter", "{field} > needs a number or a text.", field=field
        )
    return Condition(field, str(op), _scalar(field, value))


def _scalar(field: str, value: Any) -> Scalar:
    if isinstance(value, str):
        try:
            value = normalize_text(value)
        except BadText:
            value = None
        if value is not None and len(value) <= LONGEST_VALUE:
            return str(value)
    elif value is None or isinstance(value, bool | int | float):
        return value
    raise invalid(
        "filters",
        "invalid_filter",
        "{field} is compared with a text of at most {most} characters, a number, true or false.",
        field=field,
        most=LONGEST_VALUE,
    )


def _same(found: Any, value: Scalar) -> bool:
    """`true` is not 1."""
    return bool(found == value) and isinstance(found, bool) == isinstance(value, bool)


def _greater(found: Any, value: Any) -> bool:
    numbers = not isinstance(found, bool) and isinstance(found, int | float)
    if numbers and isinstance(value, int | float):
        return bool(found > value)
    return isinstance(found, str) and isinstance(value, str) and found > value
