"""Schemas of templates."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery
from messaging.templates import repository as template_repository


class TemplatesQuery(PageQuery):
    state: Literal[template_repository.TEMPLATE_STATES] | None = None  # type: ignore[valid-type]
    category: Literal[template_repository.CATEGORIES] | None = None  # type: ignore[valid-type]
    name: str | None = Field(None, max_length=100, description="A part of the name.")
    instance_id: int | None = Field(
        None, ge=1, le=2**31 - 1, description="Only templates that this line can send."
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
    reason: str = Field(description="Why the network rejected or paused it; may be empty.")
    quality: str
    body: str = Field(description="The text with its placeholders.")
    preview: str = Field(description="The text with the author's sample values.")
    places: list[str] = Field(description="The placeholders that `parameters` fills, in order.")
    components: list[dict[str, Any]] = Field(description="In the network's own form.")
    instance_ids: list[int] = Field(description="The lines that can send it.")
    changed_at: str
    synced_at: str


class TemplatePage(BaseModel):
    data: list[TemplateShape]
    next: str | None = Field(description="The value for `?after=` if there are more results.")
