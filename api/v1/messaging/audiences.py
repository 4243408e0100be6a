"""Audiences: saved filters over contacts and their orders."""

from typing import Annotated, Any

from flask import g
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import PageQuery, page
from api.v1 import v1
from core.clock import rfc3339
from core.db import tenant_scope
from messaging.campaigns import audiences
from messaging.models import Audience

TAG = Tag(name="Campaigns")
AUDIENCE_ID = "aud_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
Days = Annotated[int, Field(ge=1, le=3650)]


class FilterFacts(BaseModel):
    """Everything that is said must hold. Opted-out, blocked, unreachable and recently messaged
    contacts are always left out."""

    model_config = {"extra": "forbid"}

    tags: list[str] | None = Field(None, max_length=20, description="One of them is enough.")
    without_tags: list[str] | None = Field(None, max_length=20)
    languages: list[str] | None = Field(
        None,
        max_length=20,
        examples=[["tr"]],
        description="Only contacts with one of these languages.",
    )
    birthday_within_days: int | None = Field(None, ge=0, le=60, description="0: today.")
    consent: bool | None = Field(None, description="true: only who agreed to marketing.")
    seen_within_days: Days | None = Field(None, description="Wrote to you within.")
    not_messaged_days: Days | None = Field(None, description="No marketing since.")
    site_id: str | None = Field(None, max_length=40, description="Orders of this site only.")
    ordered_within_days: Days | None = None
    not_ordered_days: Days | None = Field(None, description="Ordered, but not since.")
    orders_at_least: int | None = Field(None, ge=0, le=100_000)
    orders_at_most: int | None = Field(None, ge=0, le=100_000)
    spent_at_least: str | None = Field(None, max_length=20, examples=["250.00"])

    def given(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


class AudienceFacts(BaseModel):
    name: str = Field(max_length=240, examples=["Regulars of the bistro"])
    filters: FilterFacts = Field(default_factory=FilterFacts)


class AudienceChange(BaseModel):
    name: str | None = Field(None, max_length=240)
    filters: FilterFacts | None = None


class AudiencePath(BaseModel):
    audience_id: str = Field(max_length=40)


class AudienceShape(BaseModel):
    id: str = Field(examples=[AUDIENCE_ID])
    name: str
    filters: dict[str, Any]
    created_at: str
    changed_at: str


class AudiencePage(BaseModel):
    data: list[AudienceShape]
    next: str | None


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
    """Who is in it is asked anew whenever it is used."""
    made = audiences.save(body.name, body.filters.given())
    return audience_json(made), 201


@v1.get(
    "/audiences/<audience_id>", tags=[TAG], summary="One audience", responses={200: AudienceShape}
)
@key_may("campaigns")
def read_audience(path: AudiencePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return audience_json(audiences.get(path.audience_id))


@v1.patch(
    "/audiences/<audience_id>",
    tags=[TAG],
    summary="Change an audience",
    responses={200: AudienceShape},
)
@key_may("campaigns")
def change_audience(path: AudiencePath, body: AudienceChange) -> dict[str, Any]:
    """Campaigns that were made with it keep what they were made with."""
    given = body.filters.given() if body.filters else None
    with tenant_scope(g.tenant_id):
        changed = audiences.change(path.audience_id, body.name, given)
        return audience_json(changed)


@v1.delete(
    "/audiences/<audience_id>", tags=[TAG], summary="Remove an audience", responses={204: None}
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
