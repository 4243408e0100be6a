"""A small language for the fields of a request, and what the network answers if they are wrong.

A field returns a refusal or None. Names in details are written as the network does:
`interactive['body']['text']`.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from messaging.simulator.network.checks.refusals import refuse
from messaging.simulator.network.magic_numbers import Refusal


class Field(Protocol):
    def fault(self, value: Any, where: str) -> Refusal | None: ...


@dataclass(frozen=True)
class Text:
    most: int = 0
    """Characters. 0: no limit."""
    empty: bool = False
    choices: frozenset[str] = frozenset()
    pattern: "re.Pattern[str] | None" = None

    def fault(self, value: Any, where: str) -> Refusal | None:
        if not isinstance(value, str):
            return refuse(100, f"Param {where} must be a string.")
        if not self.empty and not value.strip():
            return refuse(131008, f"Required parameter is missing: {where}")
        if self.most and len(value) > self.most:
            return refuse(100, f"Param {where} must be at most {self.most} characters long.")
        if self.choices and value not in self.choices:
            known = ", ".join(sorted(self.choices))
            return refuse(100, f'Param {where} must be one of {{{known}}} - got "{value[:40]}".')
        if self.pattern and not self.pattern.fullmatch(value):
            return refuse(131009, f"Parameter value is not valid: {where}")
        return None


@dataclass(frozen=True)
class Number:
    least: float | None = None
    most: float | None = None

    def fault(self, value: Any, where: str) -> Refusal | None:
        try:  # the network also takes numbers in quotes
            number = float(value) if not isinstance(value, bool) else None
        except (TypeError, ValueError):
            number = None
        if number is None:
            return refuse(100, f"Param {where} must be a number.")
        low = self.least is not None and number < self.least
        if low or (self.most is not None and not number <= self.most):
            return refuse(131009, f"Parameter value is not valid: {where}")
        return None


@dataclass(frozen=True)
class Flag:
    def fault(self, value: Any, where: str) -> Refusal | None:
        if isinstance(value, bool):
            return None
        return refuse(100, f"Param {where} must be a boolean.")


@dataclass(frozen=True)
class Anything:
    def fault(self, value: Any, where: str) -> Refusal | None:  # noqa: ARG002 - any value is good
        return None


@dataclass(frozen=True)
class Items:
    of: Field
    least: int = 0
    most: int = 1000

    def fault(self, value: Any, where: str) -> Refusal | None:
        if not isinstance(value, list):
            return refuse(100, f"Param {where} must be an array.")
        if not self.least <= len(value) <= self.most:
            needs = f"{where} must have {self.least} to {self.most} entries"
            return refuse(131009, f"Parameter value is not valid: {needs}")
        for number, one in enumerate(value):
            if found := self.of.fault(one, f"{where}[{number}]"):
                return found
        return None


@dataclass(frozen=True)
class Object:
    required: Mapping[str, Field] = field(default_factory=dict)
    optional: Mapping[str, Field] = field(default_factory=dict)
    one_of: tuple[str, ...] = ()
    """Exactly one of these fields is given."""
    rule: Callable[[dict[str, Any], str], Refusal | None] | None = None
    """A check of the fields together."""

    def fault(self, value: Any, where: str) -> Refusal | None:
        if not isinstance(value, dict):
            return refuse(100, f"Param {where} must be a JSON object.")
        for name, one in value.items():
            known = self.required.get(name) or self.optional.get(name)
            if known is None:
                return refuse(100, f'Unexpected key "{name[:60]}" on param "{where}".')
            if found := known.fault(one, _inside(where, name)):
                return found
        for name in self.required:
            if name not in value:
                return refuse(131008, f"Required parameter is missing: {_inside(where, name)}")
        return self._one_of_fault(value, where) or (self.rule(value, where) if self.rule else None)

    def _one_of_fault(self, value: dict[str, Any], where: str) -> Refusal | None:
        if not self.one_of:
            return None
        given = [name for name in self.one_of if name in value]
        if len(given) == 1:
            return None
        names = " or ".join(_inside(where, name) for name in self.one_of)
        if not given:
            return refuse(131008, f"Required parameter is missing: {names}")
        return refuse(100, f"Only one of {names} can be given.")


def exactly(*values: str) -> Text:
    return Text(choices=frozenset(values))


def not_valid(where: str, why: str) -> Refusal:
    return refuse(131009, f"Parameter value is not valid: {where} {why}")


def _inside(where: str, name: str) -> str:
    return f"{where}['{name}']" if where else name
