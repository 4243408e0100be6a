"""The OpenAPI document, with an example for every body, response and parameter.

Examples come from the schemas: a field's own example, else one for its name, else one for its type.
A new operation therefore has examples without extra work.
"""

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from flask import Flask
from flask_openapi3.openapi import OpenAPI
from pydantic import BaseModel

from core.openapi.example_ids import ULID, id_of_operation, sample_id, with_own_id
from core.openapi.field_descriptions import add_descriptions
from core.openapi.lazy_blueprint import LazyBlueprint
from core.openapi.shared_parts import add_shared_parts, add_webhooks

Schema = dict[str, Any]

EXAMPLES_BY_NAME: dict[str, Any] = {
    "after": "msg_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z",
    "address": "Moda Cd. 12, Kadıköy",
    "caption": "This week's menu",
    "category": "utility",
    "cause": "accepted by the network",
    "country": "TR",
    "created_by": "Derya Aksoy",
    "currency": "TRY",
    "direction": "out",
    "email": "zeynep@example.com",
    "filename": "menu.pdf",
    "instance_id": 7,
    "language": "tr",
    "limit": 50,
    "media_url": "https://example.com/menu.pdf",
    "message_id": "wamid.HBgMOTA1MzIxMTEyMjMzFQIAERgS",
    "message": "Your table is ready.",
    "mode": "live",
    "name": "Lokanta Mavi",
    "next": None,
    "parameters": ["Zeynep", "20:00"],
    "phone": "905321112233",
    "reason": "The customer called",
    "reference": "order-184",
    "scopes": ["messages:send", "messages:read"],
    "state": "connected",
    "status": "success",
    "status_code": "sent",
    "tags": ["regular"],
    "text": "Your table is ready.",
    "type": "text",
    "url": "https://example.com/webhooks/comanda",
}
DAY, MOMENT = "2026-03-01", "2026-03-01T09:30:00Z"
REFUSALS = {
    "400": ("malformed_json", "The body is not JSON: Expecting value: line 1 column 1."),
    "401": ("invalid_key", "This API key is not valid or was revoked."),
    "402": ("quota_exceeded", "This month's 5000 messages are used. Choose a larger plan."),
    "403": ("missing_scope", "This key may not do that; it needs messages:send."),
    "404": ("not_found", "There is nothing here under that id."),
    "409": (
        "conflict",
        ("The message can no longer be cancelled. It was already sent or has ended."),
    ),
    "413": ("body_too_large", "The body is too large: at most 1 MiB, or 32 MiB for a file."),
    "415": ("unsupported_media_type", "Send the body as application/json."),
    "422": ("invalid_parameter", "limit: input should be less than or equal to 200"),
    "429": ("rate_limited", "More than 20 requests a second. Wait 1 s and try again."),
    "503": ("try_again", "The service cannot reach its database just now. Nothing was done."),
}
MAX_DEPTH = 8


def openapi_document(app: Flask) -> dict[str, Any]:
    """The document of this app, with examples. Built once."""
    known = app.extensions.get("openapi_document")
    if known is None:
        known = deepcopy(_document(app))
        known["servers"] = [{"url": app.extensions["comanda"].base_url}]
        _sort_tags(known, app.extensions.get("openapi_tags", ()))
        _join_lines(known)
        add_shared_parts(known)
        add_webhooks(known, app.extensions.get("openapi_webhooks", {}))
        restore_examples(known["components"]["schemas"])
        add_descriptions(known)
        add_examples(known)
        app.extensions["openapi_document"] = known
    found: dict[str, Any] = known
    return found


def _document(app: Flask) -> dict[str, Any]:
    if not isinstance(app, OpenAPI):
        raise TypeError("this app has no API to describe")
    for blueprint in app.blueprints.values():
        if isinstance(blueprint, LazyBlueprint):
            blueprint.describe(app)
    return dict(app.api_doc)


def _sort_tags(document: dict[str, Any], order: Sequence[str]) -> None:
    """Put the tags into the declared order. Raises RuntimeError if a tag is not declared."""
    tags = {tag["name"]: tag for tag in document.get("tags", [])}
    if missing := set(tags) - set(order):
        raise RuntimeError(f"add to TAGS: {', '.join(sorted(missing))}")
    document["tags"] = [tags[name] for name in order if name in tags]


def _join_lines(document: dict[str, Any]) -> None:
    """The framework puts an HTML line break at every line end of a docstring."""
    for _, _, operation in operations(document):
        if "description" in operation:
            operation["description"] = operation["description"].replace("<br/>", " ")


def restore_examples(shapes: dict[str, Schema]) -> None:
    """The framework drops the examples of fields; copy them from the models."""
    for model in all_models(BaseModel):
        shape = shapes.get(model.__name__)
        if shape is None or not model.__module__.startswith(("api.", "messaging.")):
            continue
        for name, field in model.model_fields.items():
            if field.examples and name in shape.get("properties", {}):
                shape["properties"][name].setdefault("examples", list(field.examples))


def all_models(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for inner in model.__subclasses__():
        yield inner
        yield from all_models(inner)


def add_examples(document: dict[str, Any]) -> None:
    shapes = document.get("components", {}).get("schemas", {})
    for path, _, operation in operations(document):
        for parameter in operation.get("parameters", []):
            if parameter.get("required"):
                example = example_of(parameter["schema"], shapes, parameter["name"])
                parameter.setdefault("example", example)
        _fill(operation.get("requestBody"), shapes, for_request=True)
        for status, answer in operation["responses"].items():
            if status in REFUSALS:
                _fill_refusal(answer, *REFUSALS[status])
            else:
                name = id_of_operation(path, list(document["paths"]))
                _fill(answer, shapes, for_request=False, named=name)
                if status == "202":
                    _without_network_id(answer)


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """(path, method, operation), in the document's order."""
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "put", "patch", "delete")
    ]


def example_of(
    schema: Schema,
    shapes: dict[str, Schema],
    name: str = "",
    *,
    for_request: bool = False,
    depth: int = 0,
) -> Any:
    """`asked`: for a request body, in which optional fields are left out."""
    schema = resolve_schema(schema, shapes)
    for key in ("example", "const"):
        if key in schema:
            return schema[key]
    if schema.get("examples"):
        return schema["examples"][0]
    if "allOf" in schema and len(schema["allOf"]) == 1:
        return example_of(schema["allOf"][0], shapes, name, for_request=for_request, depth=depth)
    ways = [resolve_schema(way, shapes) for way in schema.get("anyOf") or schema.get("oneOf") or []]
    if ways:
        null = any(way.get("type") == "null" for way in ways)
        vague = [way for way in ways if way.get("type") == "object" and not way.get("properties")]
        if null and (name == "next" or vague or depth >= MAX_DEPTH):
            return None
        way = next((way for way in ways if way.get("type") != "null"), {"type": "null"})
        return example_of(way, shapes, name, for_request=for_request, depth=depth)
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("type") == "object" or "properties" in schema:
        return _object(schema, shapes, for_request, depth)
    if schema.get("type") == "array":
        if depth >= MAX_DEPTH:
            return []
        if isinstance(EXAMPLES_BY_NAME.get(name), list):
            return EXAMPLES_BY_NAME[name]
        return [
            example_of(
                schema.get("items", {}), shapes, name, for_request=for_request, depth=depth + 1
            )
        ]
    return _plain(schema, name)


def resolve_schema(schema: Schema, shapes: dict[str, Schema]) -> Schema:
    while "$ref" in schema:
        schema = shapes[schema["$ref"].rpartition("/")[2]]
    return schema


def _object(
    schema: Schema, shapes: dict[str, Schema], for_request: bool, depth: int
) -> dict[str, Any]:
    if depth >= MAX_DEPTH:
        return {}
    needed = set(schema.get("required", []))
    return {
        name: example_of(inner, shapes, name, for_request=for_request, depth=depth + 1)
        for name, inner in schema.get("properties", {}).items()
        if name in needed
        or (not for_request and name != "warnings")  # only present if something was ignored
        or (for_request and resolve_schema(inner, shapes).get("examples"))
    }


def _plain(schema: Schema, name: str) -> Any:
    kind = schema.get("type")
    if kind == "boolean":
        return bool(schema.get("default", False))
    if kind in ("integer", "number"):
        return _number(schema, name, kind)
    if kind == "null":
        return None
    known = EXAMPLES_BY_NAME.get(name)
    if isinstance(known, str):
        return known
    if schema.get("format") == "date" or name == "day":
        return DAY
    if schema.get("format") == "date-time" or name.endswith(("_at", "_until")) or name == "at":
        return MOMENT
    if name == "id" or name.endswith("_id"):
        return sample_id(name)
    if isinstance(schema.get("default"), str):
        return schema["default"]
    return "…"[: schema.get("maxLength", 1)] if kind in ("string", None) else None


def _number(schema: Schema, name: str, kind: str) -> int | float:
    known = EXAMPLES_BY_NAME.get(name)
    if isinstance(known, int):
        return known
    if isinstance(schema.get("default"), int | float):
        number: int | float = schema["default"]
        return number
    if name.endswith("usd"):
        return 0.0053
    least: float = schema.get("minimum", schema.get("exclusiveMinimum")) or 0
    return max(1, int(least)) if kind == "integer" else max(1.0, float(least))


def _fill(
    part: dict[str, Any] | None, shapes: dict[str, Schema], *, for_request: bool, named: str = ""
) -> None:
    content = (part or {}).get("content", {}).get("application/json")
    if content and "example" not in content and "examples" not in content:
        example = example_of(content.get("schema", {}), shapes, for_request=for_request)
        content["example"] = with_own_id(example, named)


def _without_network_id(part: dict[str, Any]) -> None:
    """An accepted message has no id from the network yet."""
    example = part.get("content", {}).get("application/json", {}).get("example")
    if isinstance(example, dict) and "status_code" in example:
        example |= {"status_code": "queued"}
        if "message_id" in example:
            example["message_id"] = None


def _fill_refusal(part: dict[str, Any], code: str, message: str) -> None:
    content = part.get("content", {}).get("application/json")
    if content and "example" not in content:
        faults = []
        if code == "invalid_parameter":
            faults = [{"field": "limit", "code": "invalid", "message": message}]
        content["example"] = {
            "status": "error",
            "code": code,
            "message": message,
            "errors": faults,
            "request_id": f"req_{ULID}",
        }
