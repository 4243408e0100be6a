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
            given[0] = "$body"
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
