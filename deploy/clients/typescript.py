"""The generated half of the TypeScript client: `operations.js` and its types."""

import json
import re
from collections.abc import Iterable
from typing import Any

from deploy.clients.operations import Operation

NOTICE = "// Made from the OpenAPI document by `make clients`. Do not edit.\n"
PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*", re.ASCII)
SCALARS = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}


def script(found: Iterable[Operation]) -> str:
    lines = [NOTICE, "export class Operations {"]
    lines += ["  constructor(transport) {", "    this.transport = transport;", "  }"]
    for one in found:
        names = [*map(_camel, one.path_names)]
        arguments = [*names, *(["body"] if one.body else []), *(["query"] if one.query else [])]
        path = one.path
        for raw, name in zip(one.path_names, names, strict=True):
            path = path.replace(f"{{{raw}}}", f"${{encodeURIComponent({name})}}")
        given = ["body"] if one.body else []
        given += ["query"] if one.query else []
        options = f"{{ {', '.join([*given, '...options'])} }}"
        lines += [
            "",
            f"  {one.name}({', '.join([*arguments, 'options = {}'])}) {{",
            f"    return this.transport.call({json.dumps(one.method)}, `{path}`, {options});",
            "  }",
        ]
    return "\n".join([*lines, "}", ""])


def types(found: Iterable[Operation], schemas: dict[str, Any]) -> str:
    lines = [NOTICE, 'import type { CallOptions, Transport } from "./transport.js";', ""]
    for name in sorted(schemas):
        lines += [f"export type {name} = {type_of(schemas[name])};", ""]
    lines += ["export declare class Operations {", "  constructor(transport: Transport);"]
    for one in found:
        arguments = [f"{_camel(name)}: string | number" for name in one.path_names]
        if one.body:
            arguments.append(f"body{'' if one.body_required else '?'}: {type_of(one.body)}")
        if one.query:
            fields = ", ".join(
                f"{part['name']}?: {type_of(part.get('schema', {}))} | Date" for part in one.query
            )
            arguments.append(f"query?: {{ {fields} }}")
        answer = type_of(one.answer) if one.answer else "void"
        given = ", ".join([*arguments, "options?: CallOptions"])
        lines += [
            f"  /** {one.summary}: `{one.method} {one.path}` */",
            f"  {one.name}({given}): Promise<{answer}>;",
        ]
    return "\n".join([*lines, "}", ""])


def type_of(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        # Sorted: Python keeps one form of equal literals, so their order depends on the imports.
        return " | ".join(sorted(json.dumps(one, ensure_ascii=False) for one in schema["enum"]))
    for way in ("oneOf", "anyOf"):
        if way in schema:
            return _either([type_of(one) for one in schema[way]])
    if "allOf" in schema:
        return " & ".join(type_of(one) for one in schema["allOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return _either([type_of({**schema, "type": one}) for one in kind])
    if kind == "array":
        return f"Array<{type_of(schema.get('items', {}))}>"
    if kind == "object" or "properties" in schema:
        return _object(schema)
    return SCALARS.get(str(kind), "unknown")


def _object(schema: dict[str, Any]) -> str:
    needed = set(schema.get("required", []))
    fields = [
        f"{name if PLAIN_NAME.fullmatch(name) else json.dumps(name)}"
        f"{'' if name in needed else '?'}: {type_of(inner)}"
        for name, inner in schema.get("properties", {}).items()
    ]
    extra = schema.get("additionalProperties")
    if isinstance(extra, dict) and not fields:
        return f"Record<string, {type_of(extra)}>"
    if not fields:
        return "Record<string, unknown>"
    if extra:
        fields.append("[name: string]: unknown")
    return "{ " + "; ".join(fields) + " }"


def _either(names: list[str]) -> str:
    return " | ".join(dict.fromkeys(names))


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)
