"""Templates of cloud lines, as last synced from the network."""

from typing import Any, Literal

from flask import g
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field

from api.auth import key_may
from api.paging import PageQuery, page
from api.v1 import v1
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from messaging.lines import repository as line_repository
from messaging.lines.api_caller import ApiCaller
from messaging.models import Line, Template
from messaging.templates import repository as template_repository
from messaging.templates.components import filled_preview, required_parameters, sample_values

TAG = Tag(name="Templates")


class TemplatesQuery(PageQuery):
    state: Literal[template_repository.TEMPLATE_STATES] | None = None  # type: ignore[valid-type]
    category: Literal[template_repository.CATEGORIES] | None = None  # type: ignore[valid-type]
    name: str | None = Field(None, max_length=100, description="A part of the name.")
    instance_id: int | None = Field(
        None, ge=1, le=2**31 - 1, description="Only what this line can send."
    )


class TemplatePath(BaseModel):
    template_id: str = Field(max_length=64)


class TemplateShape(BaseModel):
    id: str
    name: str = Field(examples=["order_confirmation"])
    language: str = Field(examples=["tr"])
    category: str = Field(examples=["utility"])
    state: str = Field(
        examples=["approved"],
        description="The network's decision, such as `approved` or `rejected`.",
    )
    reason: str = Field(description="Why the network refused or paused it; may be empty.")
    quality: str
    body: str = Field(description="The text with its places.")
    preview: str = Field(description="The text with the author's sample values.")
    places: list[str] = Field(description="What `parameters` has to fill, in order.")
    components: list[dict[str, Any]] = Field(description="In the network's own form.")
    instance_ids: list[int] = Field(description="The lines that can send it.")
    changed_at: str
    synced_at: str


class TemplatePage(BaseModel):
    data: list[TemplateShape]
    next: str | None = Field(description="For ?after=, when there are more.")


@v1.get("/templates", tags=[TAG], summary="List templates", responses={200: TemplatePage})
@key_may("lines", test_keys=True)
def list_templates(query: TemplatesQuery) -> dict[str, Any]:
    """By name. They are synced from the network every hour, and when it reports a change."""
    with tenant_scope(g.tenant_id):
        lines = _lines()
        chosen = [one for one in lines if query.instance_id in (None, one.id)]
        wanted = template_repository.TemplateFilters(
            state=query.state,
            category=query.category,
            name=query.name,
            accounts=frozenset(template_repository.template_account(line) for line in chosen),
        )
        rows = template_repository.list_templates(wanted, query.after, query.limit + 1)
    return page(rows, query, lambda row: row.id, lambda row: template_json(row, lines))


@v1.get(
    "/templates/<template_id>", tags=[TAG], summary="One template", responses={200: TemplateShape}
)
@key_may("lines", test_keys=True)
def read_template(path: TemplatePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        lines, known = _lines(), template_repository.get(path.template_id)
    if not template_repository.lines_of(known, lines):
        raise NotFound()
    return template_json(known, lines)


def _lines() -> list[Line]:
    """Return the lines the key may see; a template is visible through a line that can send it."""
    caller: ApiCaller = g.caller
    allowed = caller.visible_line_ids
    return [
        line
        for line in line_repository.list_lines()
        if line.test or allowed is None or line.id in allowed
    ]


def template_json(known: Template, lines: list[Line]) -> dict[str, Any]:
    needs = required_parameters(known.components)
    places = {name: f"{{{{{name}}}}}" for name in needs.body}
    return {
        "id": known.id,
        "name": known.name,
        "language": known.language,
        "category": known.category,
        "state": known.state,
        "reason": known.reason,
        "quality": known.quality,
        "body": filled_preview(known.components, places).body,
        "preview": filled_preview(known.components, sample_values(known.components)).body,
        "places": list(needs.body),
        "components": known.components,
        "instance_ids": [line.id for line in template_repository.lines_of(known, lines)],
        "changed_at": rfc3339(known.changed_at),
        "synced_at": rfc3339(known.synced_at),
    }
