"""Parts of the OpenAPI document that all operations share: headers, errors, webhooks."""

from collections.abc import Mapping
from typing import Any, Protocol

from pydantic import BaseModel

REF = "#/components/"
ERROR = {"application/json": {"schema": {"$ref": f"{REF}schemas/ErrorBody"}}}
HEADERS = {
    "X-Request-Id": ("The id of this request, also in the portal's request log.", "string"),
    "API-Version": ("The version of the interface.", "string"),
    "RateLimit-Policy": ('The size of the bucket, such as `"tenant";q=40;w=1`.', "string"),
    "RateLimit": ('What is left of it, such as `"tenant";r=12;t=1`.', "string"),
    "Retry-After": ("Seconds to wait before the next attempt.", "integer"),
    "Idempotent-Replayed": ("`true` if this is the stored response of an earlier call.", "string"),
    "Location": ("The address of the new object.", "string"),
    "Preference-Applied": ("The preference that was applied.", "string"),
    "Allow": ("The methods that this address supports.", "string"),
}
ALWAYS_SENT = ("X-Request-Id", "API-Version")
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A unique key for the call, bare or quoted. A repeat with the same key and body "
    "gets the stored response for 7 days.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
}
PREFER = {
    "name": "Prefer",
    "in": "header",
    "required": False,
    "description": "`respond-async` answers 202 at once; `wait=N` waits 1 to 30 seconds.",
    "schema": {"type": "string", "pattern": "^(respond-async|wait=[0-9]{1,3})$"},
}
REFUSED = {"409": "Conflict", "413": "Content Too Large", "415": "Unsupported Media Type"}


def add_shared_parts(document: dict[str, Any]) -> None:
    document["components"]["headers"] = {
        name: {"description": text, "schema": {"type": kind}}
        for name, (text, kind) in HEADERS.items()
    }
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post", "put", "patch", "delete"):
                _add_to(operation, method, sends=path.rpartition("/")[2].startswith("send"))


def _add_to(operation: dict[str, Any], method: str, *, sends: bool) -> None:
    parameters = operation.setdefault("parameters", [])
    if method == "post":
        parameters.append(IDEMPOTENCY_KEY)
        if sends:
            parameters.append(PREFER)
    answers = operation["responses"]
    for status, name in REFUSED.items():
        if method != "get" and (status == "409" or operation.get("requestBody")):
            answers.setdefault(status, {"description": name, "content": ERROR})
    for status, answer in answers.items():
        names = [*ALWAYS_SENT]
        if status != "401":
            names += ["RateLimit-Policy", "RateLimit"]
        if status in ("429", "503"):
            names.append("Retry-After")
        if method == "post" and status.startswith("2"):
            names.append("Idempotent-Replayed")
            names += ["Preference-Applied"] if sends else []
            names += ["Location"] if sends and status == "202" else []
        answer["headers"] = {name: {"$ref": f"{REF}headers/{name}"} for name in names}


class DescribedEvent(Protocol):
    @property
    def model(self) -> type[BaseModel]: ...

    @property
    def summary(self) -> str: ...

    @property
    def example(self) -> dict[str, Any]: ...


def add_webhooks(document: dict[str, Any], events: Mapping[str, DescribedEvent]) -> None:
    """Add the OpenAPI 3.1 webhooks: what Comanda posts to the customer's server."""
    schemas, found = document["components"]["schemas"], {}
    for event, described in events.items():
        model = described.model
        schema = model.model_json_schema(ref_template=f"{REF}schemas/{{model}}")
        for name, inner in schema.pop("$defs", {}).items():
            schemas.setdefault(name, inner)
        schemas[model.__name__] = schema
        body = {
            "schema": {"$ref": f"{REF}schemas/{model.__name__}"},
            "example": described.example,
        }
        found[event] = {
            "post": {
                "summary": event,
                "description": described.summary,
                "operationId": event.replace(".", "_"),
                "requestBody": {"required": True, "content": {"application/json": body}},
                "responses": {"2XX": {"description": "Received. Any other status is retried."}},
            }
        }
    document["webhooks"] = found
