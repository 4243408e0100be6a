"""Audiences: saved filters over contacts and their orders."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import PageQuery, page
from api.v1 import v1
from api.v1.schemas.messaging.audiences import (
    AudienceChange,
    AudienceFacts,
    AudiencePage,
    AudiencePath,
    AudienceShape,
)
from core.clock import rfc3339
from core.db import tenant_scope
from messaging.campaigns import audiences
from messaging.models import Audience

TAG = Tag(name="Campaigns")


@v1.get("/audiences", tags=[TAG], summary="List audiences", responses={200: AudiencePage})
@key_may("campaigns")
def list_audiences(query: PageQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        rows = audiences.audience_page(query.after, query.limit + 1)
    return page(rows, query, lambda one: one.id, audience_json)


@v1.post("/audiences", tags=[TAG], summary="Save an audience", responses={201: AudienceShape})
@key_may("campaigns")
@idempotent
def add_audience(body: AudienceFacts) -> JsonAnswer:
    """The contacts in it are determined each time it is used."""
    made = audiences.save(body.name, body.filters.filled_values())
    return audience_json(made), 201


@v1.get(
    "/audiences/<audience_id>",
    tags=[TAG],
    summary="Get an audience",
    responses={200: AudienceShape},
)
@key_may("campaigns")
def read_audience(path: AudiencePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return audience_json(audiences.get(path.audience_id))


@v1.patch(
    "/audiences/<audience_id>",
    tags=[TAG],
    summary="Update an audience",
    responses={200: AudienceShape},
)
@key_may("campaigns")
def change_audience(path: AudiencePath, body: AudienceChange) -> dict[str, Any]:
    """Existing campaigns keep the filters they were created with."""
    filters = body.filters.filled_values() if body.filters else None
    with tenant_scope(g.tenant_id):
        changed = audiences.change(path.audience_id, body.name, filters)
        return audience_json(changed)


@v1.delete(
    "/audiences/<audience_id>", tags=[TAG], summary="Delete an audience", responses={204: None}
)
@key_may("campaigns")
def remove_audience(path: AudiencePath) -> tuple[str, int]:
    with tenant_scope(g.tenant_id):
        audiences.remove(path.audience_id)
    return "", 204


def audience_json(one: Audience) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "filters": one.filters,
        "created_at": rfc3339(one.created_at),
        "changed_at": rfc3339(one.changed_at),
    }
