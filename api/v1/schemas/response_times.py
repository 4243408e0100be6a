"""Schemas of the response-time report."""

from datetime import date, timedelta

from pydantic import BaseModel, Field, model_validator

from api.schemas import Day
from core.clock import now
from core.values.date_ranges import MAX_DAYS
from core.values.field_checks import field_error


class ResponseTimesQuery(BaseModel):
    since: Day | None = Field(
        None, description="The first day in your time zone; 30 days ago by default."
    )
    until: Day | None = Field(None, description="The last day in your time zone; today by default.")

    @model_validator(mode="after")
    def check_period(self) -> "ResponseTimesQuery":
        last = self.until or now().date() + timedelta(days=1)  # it may be tomorrow there
        first = self.since or last
        if 1970 <= first.year <= last.year < 9999 and 0 <= (last - first).days < MAX_DAYS:
            return self
        raise field_error(
            "invalid_period",
            f"a period has at most {MAX_DAYS} days, and since must not be after until",
            "since",
        )


class ResponseFigures(BaseModel):
    cases: int = Field(
        description="How often customers came with something. A message after 24 hours of silence,"
        " or after the conversation was closed, begins a new case."
    )
    answered: int = Field(description="Cases that a member answered.")
    closed: int = Field(description="Cases that were closed.")
    reply_median: int | None = Field(
        description="Seconds until the first reply; half of the cases were faster."
    )
    reply_p90: int | None = Field(description="The same; nine of ten cases were faster.")
    close_median: int | None = Field(
        description="Seconds until the conversation was closed; half of the cases were faster."
    )
    close_p90: int | None = Field(description="The same; nine of ten cases were faster.")
    ratings: int = Field(description="Answers to the satisfaction question.")
    satisfaction: int | None = Field(
        description="The average rating, from 0 (worst) to 100 (best)."
    )


class DayFigures(ResponseFigures):
    day: date = Field(description="The day on which the customer wrote.", examples=["2026-03-01"])


class MemberFigures(ResponseFigures):
    person_id: str = Field(examples=["per_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    name: str = Field(description="The member's name.", examples=["Selin Kaya"])


class LabelFigures(ResponseFigures):
    label_id: str = Field(examples=["lbl_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    name: str = Field(description="The label's name.", examples=["Complaint"])


class ResponseTimesAnswer(BaseModel):
    since: date = Field(description="The first day of the period.")
    until: date = Field(description="The last day of the period.")
    total: ResponseFigures
    days: list[DayFigures] = Field(description="Every day of the period.")
    members: list[MemberFigures] = Field(
        description="By the member who gave the first reply or closed the conversation."
    )
    labels: list[LabelFigures] = Field(description="By the labels of the conversation.")
