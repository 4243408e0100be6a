"""The calls of the OpenAPI document with the names that they have in the clients."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from core.openapi.document import operations

PREFIX = "/api/v1"
JSON = "application/json"


@dataclass(frozen=True)
class Operation:
    name: str
    method: str
    path: str
    """Without the prefix; parameters in braces."""
    summary: str
    path_names: list[str]
    query: list[dict[str, Any]]
    body: dict[str, Any] | None
    """The schema of the JSON body."""
    body_required: bool
    answer: dict[str, Any] | None
    """The schema of the first successful response."""
    is_page: bool
    """The response is a page of a list: `data` and `next`."""


def read_operations(document: dict[str, Any]) -> Iterator[Operation]:
    """In a fixed order. Uploads of files are left out."""
    schemas = document["components"]["schemas"]
    for path, method, operation in sorted(operations(document), key=lambda one: (one[0], one[1])):
        content = operation.get("requestBody", {}).get("content", {})
        if content and JSON not in content:
            continue
        short = path.removeprefix(PREFIX)
        answer = _answer(operation["responses"])
        shape = schemas.get(str((answer or {}).get("$ref", "")).rpartition("/")[2], {})
        body = content.get(JSON, {}).get("schema")
        yield Operation(
            name=method_name(method, short),
            method=method.upper(),
            path=short,
            summary=operation.get("summary", ""),
            path_names=re.findall(r"{(\w+)}", short),
            query=[one for one in operation.get("parameters", []) if one["in"] == "query"],
            body=body,
            body_required=_is_required(body, schemas),
            answer=answer,
            is_page=method == "get" and {"data", "next"} <= set(shape.get("properties", {})),
        )


def method_name(method: str, path: str) -> str:
    """`GET /messages/{id}/timeline` is `getMessagesByIdTimeline`."""
    words = [method]
    for part in filter(None, path.split("/")):
        if part.startswith("{"):
            words += ["by", *part.strip("{}").split("_")]
        else:
            words += re.split(r"[-_.]", part)
    return words[0] + "".join(word[:1].upper() + word[1:] for word in words[1:] if word)


def _answer(responses: dict[str, Any]) -> dict[str, Any] | None:
    for status in sorted(responses):
        if status.startswith("2"):
            found: dict[str, Any] | None = (
                responses[status].get("content", {}).get(JSON, {}).get("schema")
            )
            return found
    return None


def _is_required(body: dict[str, Any] | None, schemas: dict[str, Any]) -> bool:
    if body is None:
        return False
    shape = schemas.get(str(body.get("$ref", "")).rpartition("/")[2], body)
    return bool(shape.get("required")) or "oneOf" in shape
