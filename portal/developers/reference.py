"""The API reference: every call of the OpenAPI document with samples and a form to try it."""

import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, Flask, abort, current_app, render_template
from markupsafe import Markup

from core.i18n.catalogs import N_
from core.openapi.document import openapi_document, operations, resolve_schema
from portal.developers.api_keys import api_url
from portal.developers.code_samples import BYTES, Sample, Upload, code_samples
from portal.developers.markdown import render_inline
from portal.web.auth import open_to_all
from tenants.request_log import operation_name

developers = Blueprint("developers", __name__)

GROUPS = (
    N_("Instances"),
    N_("Print agents"),
    N_("Stores and automations"),
    N_("Test mode"),
    N_("Usage"),
)
PREFIX = "/api/v1"
DEEPEST = 3


@dataclass(frozen=True)
class FieldDoc:
    """A parameter, or a field of a request or response body."""

    name: str
    kind: str
    needed: bool
    text: Markup
    example: str = ""
    where: str = ""
    of_type: str = ""
    """The type of the body that has it; empty for a field of every body."""


@dataclass(frozen=True)
class ResponseDoc:
    status: str
    words: str
    example: str
    fields: list[FieldDoc] = field(default_factory=list)


@dataclass
class CallDoc:
    id: str
    method: str
    path: str
    title: str
    text: Markup
    scope: str
    parameters: list[FieldDoc]
    fields: list[FieldDoc]
    example: Any
    answers: list[ResponseDoc] = field(default_factory=list)

    @property
    def refusals(self) -> list[ResponseDoc]:
        return [answer for answer in self.answers if answer.status >= "400"]

    @property
    def successes(self) -> list[ResponseDoc]:
        return [answer for answer in self.answers if answer.status < "400"]

    @cached_property
    def body(self) -> str:
        return "" if self.example is None or self.takes_file else pretty_json(self.example)

    @property
    def takes_file(self) -> bool:
        return isinstance(self.example, Upload)

    def samples(self, base: str) -> list[Sample]:
        url = base + self.path
        for part in self.parameters:
            if part.where == "path":
                url = url.replace(f"{{{part.name}}}", part.example)
        required = [part for part in self.parameters if part.where == "query" and part.needed]
        if required:
            url += "?" + urlencode({part.name: part.example for part in required})
        return code_samples(self.method, url, self.example)


@dataclass
class CallGroup:
    slug: str
    name: str
    calls: list[CallDoc]


@developers.get("/reference")
@open_to_all
def reference() -> Any:
    return render_template("reference/index.html", groups=call_groups(), api_url=api_url())


@developers.get("/reference/<group>")
@open_to_all
def calls(group: str) -> Any:
    groups = call_groups()
    chosen = next((one for one in groups if one.slug == group), None)
    if chosen is None:
        abort(404)
    return render_template(
        "reference/group.html", groups=groups, group=chosen, api_url=api_url(), prefix=PREFIX
    )


def call_groups() -> list[CallGroup]:
    known: list[CallGroup] | None = current_app.extensions.get("reference_groups")
    if known is None:
        known = current_app.extensions["reference_groups"] = read_groups(current_app)
    return known


def read_groups(app: Flask) -> list[CallGroup]:
    document = openapi_document(app)
    shapes = document["components"]["schemas"]
    scopes = _scopes(app)
    names = [tag["name"] for tag in document["tags"]]
    groups = {name: CallGroup(name.lower().replace(" ", "-"), name, []) for name in names}
    for path, method, operation in operations(document):
        call = _call(path, method.upper(), operation, shapes, scopes)
        groups[operation["tags"][0]].calls.append(call)
    return list(groups.values())


def _call(
    path: str,
    method: str,
    operation: dict[str, Any],
    shapes: dict[str, Any],
    scopes: dict[str, str],
) -> CallDoc:
    short = path.removeprefix(PREFIX)
    contents = operation.get("requestBody", {}).get("content", {})
    body = contents.get("application/json", {})
    parameters = [_parameter(one, shapes) for one in operation.get("parameters", [])]
    file = next((one.example for one in parameters if one.name == "filename"), "file.bin")
    return CallDoc(
        id=f"{method.lower()}{short.replace('/', '-').replace('{', '').replace('}', '')}",
        method=method,
        path=short,
        title=operation.get("summary", ""),
        text=render_inline(operation.get("description", "")),
        scope=scopes.get(f"{method} {short}", ""),
        parameters=parameters,
        fields=body_fields(body.get("schema", {}), shapes),
        example=Upload(file) if BYTES in contents else body.get("example"),
        answers=_answers(operation["responses"], shapes),
    )


def _parameter(parameter: dict[str, Any], shapes: dict[str, Any]) -> FieldDoc:
    schema = resolve_schema(parameter.get("schema", {}), shapes)
    return FieldDoc(
        name=parameter["name"],
        kind=kind_of(schema, shapes),
        needed=bool(parameter.get("required")),
        text=render_inline(parameter.get("description") or schema.get("description", "")),
        example=str(parameter.get("example", "")),
        where=parameter["in"],
    )


def body_fields(
    schema: dict[str, Any], shapes: dict[str, Any], before: str = "", depth: int = 0
) -> list[FieldDoc]:
    """The fields of a body, required ones first; nested fields are named `outer.inner`."""
    schema = resolve_schema(schema, shapes)
    if variants := schema.get("oneOf"):
        return _fields_by_type([resolve_schema(one, shapes) for one in variants], shapes)
    needed = set(schema.get("required", []))
    found = []
    properties = schema.get("properties", {})
    for name in sorted(properties, key=lambda one: one not in needed):
        inner = _plain(properties[name], shapes)
        text = render_inline(inner.get("description", ""))
        found.append(
            FieldDoc(before + name, kind_of(inner, shapes), name in needed and not before, text)
        )
        many = inner.get("type") == "array"
        deeper = _plain(inner.get("items", {}), shapes) if many else inner
        if depth < DEEPEST and deeper.get("properties"):
            found += body_fields(
                deeper, shapes, f"{before}{name}{'[]' if many else ''}.", depth + 1
            )
    return found


def _fields_by_type(variants: list[dict[str, Any]], shapes: dict[str, Any]) -> list[FieldDoc]:
    """The fields that all types have, then those of each type with the type's name."""
    tables = {one["properties"]["type"]["const"]: body_fields(one, shapes) for one in variants}
    shared = set.intersection(*({field.name for field in table} for table in tables.values()))
    first = next(iter(tables.values()))
    common = [field for field in first if field.name in shared]
    found = [
        replace(field, kind=" | ".join(tables)) if field.name == "type" else field
        for field in common
    ]
    for name, table in tables.items():
        label = Markup("<code>{}</code>: ").format(name)
        own = [field for field in table if field.name not in shared]
        found += [replace(field, text=label + field.text, of_type=name) for field in own]
    return found


def _plain(schema: dict[str, Any], shapes: dict[str, Any]) -> dict[str, Any]:
    """The schema without its nullable wrapper; the description is kept."""
    outer = resolve_schema(schema, shapes)
    ways = [resolve_schema(way, shapes) for way in outer.get("anyOf") or outer.get("allOf") or []]
    real = [way for way in ways if way.get("type") != "null"]
    described = schema.get("description") or outer.get("description")
    plain = real[0] if len(real) == 1 else outer
    return {**plain, **({"description": described} if described else {})}


def kind_of(schema: dict[str, Any], shapes: dict[str, Any]) -> str:
    schema = _plain(schema, shapes)
    if schema.get("enum"):
        return " | ".join(map(str, schema["enum"]))
    if "const" in schema:
        return str(schema["const"])
    kind = schema.get("type")
    if kind == "array":
        return f"{kind_of(schema.get('items', {}), shapes)}[]"
    if schema.get("format") in ("date", "date-time"):
        return str(schema["format"])
    return str(kind or "any")


def _answers(responses: dict[str, Any], shapes: dict[str, Any]) -> list[ResponseDoc]:
    found = []
    for status, answer in responses.items():
        content = answer.get("content", {})
        shown = content.get("application/json", {})
        example = pretty_json(shown["example"]) if "example" in shown else ", ".join(content)
        fields = body_fields(shown.get("schema", {}), shapes) if status < "400" else []
        found.append(ResponseDoc(status, answer.get("description", ""), example, fields))
    return sorted(found, key=lambda answer: answer.status)


def _scopes(app: Flask) -> dict[str, str]:
    """The scope that each call needs, read from the guard of its view."""
    return {
        operation_name(method, rule.rule): getattr(
            app.view_functions[rule.endpoint], "key_scope", ""
        )
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("v1.")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


def pretty_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
