"""The generated half of the PHP client: one method for each call, with array shapes as types."""

from collections.abc import Iterable
from typing import Any

from deploy.clients.operations import Operation

SCALARS = {
    "string": "string",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "null",
}
HEAD = """<?php

// Made from the OpenAPI document by `make clients`. Do not edit.

declare(strict_types=1);

namespace Comanda;

trait Operations
{
    abstract protected function transport(): Transport;

    /**
     * PHP has one empty array for the empty list and the empty object. These fields are objects.
     *
     * @param array<string, mixed> $body
     * @param list<string> $names
     * @return array<string, mixed>
     */
    private static function withObjects(array $body, array $names): array
    {
        foreach ($names as $name) {
            if (($body[$name] ?? null) === []) {
                $body[$name] = new \\stdClass();
            }
        }
        return $body;
    }
"""
DEEPEST = 3


def php_source(found: Iterable[Operation], schemas: dict[str, Any]) -> str:
    parts = [HEAD]
    for one in found:
        names = [f"${name}" for name in one.path_names]
        arguments = [f"string|int {name}" for name in names]
        notes = [f"     * {one.summary}: {one.method} {one.path}", "     *"]
        given = ["null", "[]", "$options"]
        if one.body:
            arguments.append("array $body" if one.body_required else "array $body = []")
            notes.append(f"     * @param {type_of(one.body, schemas)} $body")
            objects = ", ".join(f'"{name}"' for name in object_fields(one.body, schemas))
            given[0] = f"self::withObjects($body, [{objects}])" if objects else "$body"
        if one.query:
            arguments.append("array $query = []")
            fields = ", ".join(f"{part['name']}?: mixed" for part in one.query)
            notes.append(f"     * @param array{{{fields}}} $query")
            given[1] = "$query"
        answer = type_of(one.answer, schemas) if one.answer else "array{}"
        notes.append(f"     * @return {answer}")
        path = '"' + one.path + '"'
        for raw in one.path_names:
            path = path.replace(f"{{{raw}}}", f'" . rawurlencode((string) ${raw}) . "')
        path = path.removesuffix(' . ""')
        call = ", ".join([f'"{one.method}"', path, *given])
        parts.append(
            "\n    /**\n"
            + "\n".join(notes)
            + f"\n     */\n    public function {one.name}("
            + ", ".join([*arguments, "array $options = []"])
            + "): array\n    {\n"
            + f"        return $this->transport()->call({call});\n"
            + "    }\n"
        )
    return "".join([*parts, "}\n"])


def object_fields(schema: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    """The fields that take an object and no list; an empty array means the empty object there."""
    if "$ref" in schema:
        return object_fields(schemas[str(schema["$ref"]).rpartition("/")[2]], schemas)
    properties = schema.get("properties", {})
    return [
        name
        for name, inner in properties.items()
        if "object" in (kinds := _kinds(inner, schemas)) and "array" not in kinds
    ]


def _kinds(schema: dict[str, Any], schemas: dict[str, Any]) -> set[str]:
    if "$ref" in schema:
        return _kinds(schemas[str(schema["$ref"]).rpartition("/")[2]], schemas)
    for way in ("oneOf", "anyOf", "allOf"):
        if way in schema:
            return {kind for one in schema[way] for kind in _kinds(one, schemas)}
    return {str(schema.get("type"))}


def type_of(schema: dict[str, Any], schemas: dict[str, Any], depth: int = 0) -> str:
    if "$ref" in schema:
        return type_of(schemas[str(schema["$ref"]).rpartition("/")[2]], schemas, depth)
    for way in ("oneOf", "anyOf", "allOf"):
        if way in schema:
            return "|".join(dict.fromkeys(type_of(o, schemas, depth) for o in schema[way]))
    kind = schema.get("type")
    if kind == "array":
        return f"list<{type_of(schema.get('items', {}), schemas, depth)}>"
    properties = schema.get("properties", {})
    if properties and depth < DEEPEST:
        needed = set(schema.get("required", []))
        fields = (
            f"{name!r}{'' if name in needed else '?'}: {type_of(inner, schemas, depth + 1)}"
            for name, inner in properties.items()
        )
        return f"array{{{', '.join(fields)}}}"
    if kind == "object" or properties:
        return "array<string, mixed>"
    return SCALARS.get(str(kind), "mixed")
