"""Templates of cloud lines, as last synced from the network."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.paging import page
from api.v1 import v1
from api.v1.schemas.messaging.templates import (
    TemplatePage,
    TemplatePath,
    TemplateShape,
    TemplatesQuery,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from messaging.api_caller import ApiCaller
from messaging.lines import repository as line_repository
from messaging.models import Line, Template
from messaging.templates import repository as template_repository
from messaging.templates.components import filled_preview, required_parameters, sample_values

TAG = Tag(name="Templates")


@v1.get("/templates", tags=[TAG], summary="List templates", responses={200: TemplatePage})
@key_may("lines", test_keys=True)
def list_templates(query: TemplatesQuery) -> dict[str, Any]:
    """By name. They are synced from the network every hour, and when it reports a change."""
    with tenant_scope(g.tenant_id):
        lines = _lines()
        chosen = [one for one in lines if query.instance_id in (None, one.id)]
        filters = template_repository.TemplateFilters(
            state=query.state,
            category=query.category,
            name=query.name,
            accounts=frozenset(template_repository.template_account(line) for line in chosen),
        )
        rows = template_repository.list_templates(filters, query.after, query.limit + 1)
    return page(rows, query, lambda row: row.id, lambda row: template_json(row, lines))


@v1.get(
    "/templates/<template_id>", tags=[TAG], summary="Get a template", responses={200: TemplateShape}
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
