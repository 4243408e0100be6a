"""Clean request bodies before they are validated.

Unknown names are ignored but listed in the response's `warnings`, so that a typo is noticed. An
empty text in an optional field that is not a text counts as missing, because no-code tools send
every field of their form.
"""

from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import MinLen
from pydantic import AliasChoices, BaseModel
from pydantic.fields import FieldInfo

MOST_WARNINGS = 20
LONGEST_NAME = 100


@dataclass(frozen=True)
class FieldRule:
    """How one field is cleaned."""

    empty_is_absent: bool
    inner: type[BaseModel] | None


def clean_body(value: dict[str, Any], model: type[BaseModel]) -> tuple[dict[str, Any], list[str]]:
    """Return the body without empty optional fields, and the paths of unknown names."""
    unknown: list[str] = []
    # A body whose fields depend on its `type` has a model for each type.
    model_for = getattr(model, "model_for", None)
    return _clean(value, model_for(value) if model_for else model, "", unknown), unknown


def unknown_names(given: list[str], model: type[BaseModel] | None) -> list[str]:
    """Return the query parameters that the operation does not accept."""
    known = _fields(model) if model else {}
    return [name for name in dict.fromkeys(given) if name not in known]


def unknown_field_warnings(paths: list[str], what: str) -> list[str]:
    shown = [f"unknown {what} ignored: {path[:LONGEST_NAME]}" for path in paths[:MOST_WARNINGS]]
    if len(paths) > MOST_WARNINGS:
        shown.append(f"and {len(paths) - MOST_WARNINGS} more")
    return shown


def _clean(
    value: dict[str, Any], model: type[BaseModel], before: str, unknown: list[str]
) -> dict[str, Any]:
    known, cleaned = _fields(model), {}
    for name, part in value.items():
        field = known.get(name)
        if field is None:
            unknown.append(before + name)
        elif part == "" and field.empty_is_absent:
            continue
        elif field.inner is not None:
            part = _inside(part, field.inner, f"{before}{name}.", unknown)
        cleaned[name] = part
    return cleaned


def _inside(part: Any, model: type[BaseModel], before: str, unknown: list[str]) -> Any:
    if isinstance(part, dict):
        return _clean(part, model, before, unknown)
    if isinstance(part, list):
        return [
            _clean(one, model, f"{before}{place}.", unknown) if isinstance(one, dict) else one
            for place, one in enumerate(part)
        ]
    return part


@cache
def _fields(model: type[BaseModel]) -> dict[str, FieldRule]:
    found = {}
    for name, field in model.model_fields.items():
        rule = FieldRule(_empty_is_absent(field), _inner(field.annotation))
        for spelling in (name, *_aliases(field)):
            found[spelling] = rule
    return found


def _aliases(field: FieldInfo) -> list[str]:
    alias = field.validation_alias
    if isinstance(alias, AliasChoices):
        return [one for one in alias.choices if isinstance(one, str)]
    return [alias] if isinstance(alias, str) else []


def _empty_is_absent(field: FieldInfo) -> bool:
    if field.is_required():
        return False
    if any(isinstance(one, MinLen) and one.min_length > 0 for one in field.metadata):
        return True
    return not any(_allows_empty_text(one) for one in _union_members(field.annotation))


def _allows_empty_text(way: Any) -> bool:
    if get_origin(way) is Literal:
        return "" in get_args(way)
    return way is str or way is Any


def _union_members(annotation: Any) -> list[Any]:
    """Return the alternatives of a union, without their annotations."""
    if get_origin(annotation) is Annotated:
        return _union_members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [way for part in get_args(annotation) for way in _union_members(part)]
    return [annotation]


def _inner(annotation: Any) -> type[BaseModel] | None:
    """Return the one model in an annotation: itself, or the items of a list."""
    models = []
    for way in _union_members(annotation):
        parts = _union_members(get_args(way)[0]) if get_origin(way) is list else [way]
        models += [one for one in parts if isinstance(one, type) and issubclass(one, BaseModel)]
    return models[0] if len(models) == 1 else None
