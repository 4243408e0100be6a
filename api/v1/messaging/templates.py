"""Templates of cloud lines: a copy of the network's list, and changes that it reviews."""

from dataclasses import replace
from typing import Any

from flask import Response, current_app, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, earlier_request, idempotency_key, idempotent
from api.paging import page
from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.schemas.messaging.templates import (
    CheckedTemplate,
    DuplicateTemplate,
    NewTemplate,
    TemplateContent,
    TemplateFindings,
    TemplateHeaderFacts,
    TemplatePage,
    TemplatePath,
    TemplatesQuery,
    TemplateToCheck,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound, invalid
from messaging.api_caller import ApiCaller
from messaging.lines import repository as line_repository
from messaging.lines.drivers.cloud.templates.calls import SubmittedTemplate
from messaging.messages.media import library as media_library
from messaging.models import Line, Template
from messaging.templates import authoring
from messaging.templates import repository as template_repository
from messaging.templates.authoring import StoredHeaderFile, TemplatePlan
from messaging.templates.components import filled_preview, required_parameters, sample_values
from messaging.templates.drafts import TemplateDraft, is_draftable
from messaging.templates.lint import lint

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
    "/templates/<template_id>",
    tags=[TAG],
    summary="Get a template",
    responses={200: CheckedTemplate},
)
@key_may("lines", test_keys=True)
def read_template(path: TemplatePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        lines = _lines()
        return checked_json(_visible(path.template_id, lines), lines)


@v1.post(
    "/templates",
    tags=[TAG],
    summary="Create a template",
    responses={201: CheckedTemplate, 409: ErrorBody},
)
@key_may("lines", test_keys=True)
def create_template(body: NewTemplate) -> Response:
    """WhatsApp reviews it, usually within minutes. Its `state` is `pending` until then."""
    if (answer := _earlier_answer()) is not None:
        return answer
    with tenant_scope(g.tenant_id):
        lines = _lines()
        line = authoring.line_for_templates(body.instance_id, lines)
        draft = body.to_draft(body.name, body.language, "")
        plan = authoring.plan_new(draft, line, _header_file(body.header))
    return _store_new(*_submit(plan))


@v1.post(
    "/templates/check",
    tags=[TAG],
    summary="Check a template without creating it",
    responses={200: TemplateFindings},
)
@key_may("lines", test_keys=True)
def check_template(body: TemplateToCheck) -> dict[str, Any]:
    """What WhatsApp would refuse or change, in the words of the editor. Stores nothing and does
    not ask WhatsApp; sample files are not checked.
    """
    return {"findings": findings_json(body.to_draft(body.name, body.language, ""))}


@v1.post(
    "/templates/<template_id>/duplicate",
    tags=[TAG],
    summary="Duplicate a template",
    responses={201: CheckedTemplate, 409: ErrorBody},
)
@key_may("lines", test_keys=True)
def duplicate_template(path: TemplatePath, body: DuplicateTemplate) -> Response:
    """A new template with the same content, under another name or in another language."""
    if (answer := _earlier_answer()) is not None:
        return answer
    with tenant_scope(g.tenant_id):
        lines = _lines()
        known = _visible(path.template_id, lines)
        line = template_repository.lines_of(known, lines)[0]
        language = body.language or known.language
        names = {one.name for one in template_repository.templates_named(line, known.name)}
        name = body.name or authoring.copy_name(known.name, names)
        draft = replace(authoring.draft_to_change(known), name=name, language=language)
        plan = authoring.plan_new(draft, line, authoring.header_file_of(known))
    return _store_new(*_submit(plan))


@v1.patch(
    "/templates/<template_id>",
    tags=[TAG],
    summary="Update a template",
    responses={200: CheckedTemplate, 409: ErrorBody},
)
@key_may("lines", test_keys=True)
def change_template(path: TemplatePath, body: TemplateContent) -> dict[str, Any]:
    """Replaces the whole content, and WhatsApp reviews it again. An approved template can be
    changed once a day and ten times in 30 days.
    """
    with tenant_scope(g.tenant_id):
        lines = _lines()
        known = _visible(path.template_id, lines)
        draft = body.to_draft(known.name, known.language, known.category)
        plan = authoring.plan_edit(known, draft, lines, _header_file(body.header))
    submitted = _submit(plan)
    with tenant_scope(g.tenant_id):
        return checked_json(authoring.store_submitted(*submitted), lines)


@v1.delete(
    "/templates/<template_id>", tags=[TAG], summary="Delete a template", responses={204: None}
)
@key_may("lines", test_keys=True)
def delete_template(path: TemplatePath) -> tuple[str, int]:
    """Deletes this language. WhatsApp does not allow its name again for 30 days."""
    with tenant_scope(g.tenant_id):
        lines = _lines()
        plan = authoring.plan_deletion(_visible(path.template_id, lines), lines)
    authoring.delete_on_network(current_app.extensions["comanda"], plan)
    with tenant_scope(g.tenant_id):
        authoring.forget_template(plan)
    return "", 204


def _earlier_answer() -> Response | None:
    """The answer to the first request with this Idempotency-Key, before WhatsApp is asked again."""
    key = idempotency_key()
    return earlier_request(key).answer if key is not None else None


@idempotent
def _store_new(plan: TemplatePlan, answer: SubmittedTemplate) -> JsonAnswer:
    return checked_json(authoring.store_submitted(plan, answer), _lines()), 201


def _submit(plan: TemplatePlan) -> tuple[TemplatePlan, SubmittedTemplate]:
    settings, blobs = current_app.extensions["comanda"], current_app.extensions["blobs"]
    answer = authoring.submit(settings, blobs, plan)
    return authoring.with_own_file(blobs, plan, g.tenant_id), answer


def _header_file(header: TemplateHeaderFacts | None) -> StoredHeaderFile | None:
    if header is None or not header.media_id:
        return None
    found = media_library.find(header.media_id, test=g.caller.test)
    if found is None:
        raise invalid("header.media_id", "unknown_media", "There is no uploaded file with this id.")
    return StoredHeaderFile(found.blob_key, found.mime_type, found.filename)


def _visible(template_id: str, lines: list[Line]) -> Template:
    """Return the template. Raises NotFound if no line that the key may use can send it."""
    known = template_repository.get(template_id)
    if not template_repository.lines_of(known, lines):
        raise NotFound()
    return known


def _lines() -> list[Line]:
    """Return the lines the key may see; a template is visible through a line that can send it."""
    caller: ApiCaller = g.caller
    allowed = caller.visible_line_ids
    return [
        line
        for line in line_repository.list_lines()
        if line.test or allowed is None or line.id in allowed
    ]


def checked_json(known: Template, lines: list[Line]) -> dict[str, Any]:
    """With findings; templates with parts that we cannot write have none."""
    draft = authoring.draft_of_template(known) if is_draftable(known.components) else None
    return {**template_json(known, lines), "findings": findings_json(draft) if draft else []}


def findings_json(draft: TemplateDraft) -> list[dict[str, str]]:
    return [
        {
            "severity": one.severity,
            "field": one.field,
            "code": one.code,
            "message": one.message,
        }
        for one in lint(draft)
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
        "next_category": known.next_category,
        "body": filled_preview(known.components, places).body,
        "preview": filled_preview(known.components, sample_values(known.components)).body,
        "places": list(needs.body),
        "components": known.components,
        "instance_ids": [line.id for line in template_repository.lines_of(known, lines)],
        "changed_at": rfc3339(known.changed_at),
        "synced_at": rfc3339(known.synced_at),
    }
