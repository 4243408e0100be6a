"""Schemas of saved audiences."""

from typing import Annotated, Any

from pydantic import BaseModel, Field

AUDIENCE_ID = "aud_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"


Days = Annotated[int, Field(ge=1, le=3650)]


class FilterFacts(BaseModel):
    """All given filters must match. Opted-out, blocked, unreachable and recently messaged contacts
    are always left out.
    """

    model_config = {"extra": "forbid"}

    tags: list[str] | None = Field(
        None, max_length=20, description="Only contacts with at least one of these tags."
    )
    without_tags: list[str] | None = Field(None, max_length=20)
    languages: list[str] | None = Field(
        None,
        max_length=20,
        examples=[["tr"]],
        description="Only contacts with one of these languages.",
    )
    birthday_within_days: int | None = Field(None, ge=0, le=60, description="0: today.")
    consent: bool | None = Field(None, description="`true`: only contacts with marketing consent.")
    seen_within_days: Days | None = Field(
        None, description="Only contacts who messaged you within this many days."
    )
    not_messaged_days: Days | None = Field(
        None, description="Only contacts without a marketing message in this many days."
    )
    site_id: str | None = Field(None, max_length=40, description="Orders of this site only.")
    ordered_within_days: Days | None = None
    not_ordered_days: Days | None = Field(
        None, description="Only contacts whose last order is at least this many days ago."
    )
    orders_at_least: int | None = Field(None, ge=0, le=100_000)
    orders_at_most: int | None = Field(None, ge=0, le=100_000)
    spent_at_least: str | None = Field(None, max_length=20, examples=["250.00"])

    def filled_values(self) -> dict[str, Any]:
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
