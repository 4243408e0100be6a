"""Schemas of usage and costs."""

from datetime import date

from pydantic import BaseModel, Field, model_validator

from api.schemas import Day
from core.values.field_checks import field_error
from messaging.costs import usage as message_usage


class PeriodQuery(BaseModel):
    since: Day | None = Field(None, description="The first day (UTC); 30 days ago by default.")
    until: Day | None = Field(None, description="The last day (UTC); today by default.")
    instance_id: int | None = Field(None, ge=1, le=2**31 - 1, description="Only this line.")

    @model_validator(mode="after")
    def check_period(self) -> "PeriodQuery":
        try:
            message_usage.usage_period(self.since, self.until)
        except message_usage.InvalidPeriod as error:
            raise field_error("invalid_period", str(error), "since") from None
        return self


class DayShape(BaseModel):
    day: date = Field(examples=["2026-03-01"])
    instance_id: int = Field(examples=[7])
    sent: int
    delivered: int
    read: int
    failed: int
    received: int
    cost_usd: float = Field(examples=[0.0034])


class TotalShape(BaseModel):
    sent: int
    delivered: int
    read: int
    failed: int
    received: int
    cost_usd: float


class UsageAnswer(BaseModel):
    since: date = Field(description="The first day of the period.")
    until: date = Field(description="The last day of the period.")
    total: TotalShape
    data: list[DayShape] = Field(description="By day and line, the newest day first.")


class CostShape(BaseModel):
    day: date
    instance_id: int
    country: str = Field(
        description="ISO code, or `other` if the number does not show the country.", examples=["TR"]
    )
    category: str = Field(
        description="marketing, utility, authentication or service", examples=["utility"]
    )
    messages: int
    cost_usd: float


class FreeShape(BaseModel):
    instance_id: int
    category: str = Field(description="marketing, utility, authentication or service")
    reason: str = Field(
        description=(
            "`allowance`: a free service message of the month; `entry_point`: the customer came"
            " from an ad; `window`: the 24-hour window was open; `not_billed`: the network gave no"
            " reason."
        ),
        examples=["allowance"],
    )
    messages: int


class CostsAnswer(BaseModel):
    since: date = Field(description="The first day of the period.")
    until: date = Field(description="The last day of the period.")
    total_usd: float
    data: list[CostShape] = Field(
        description="By day, line, country and category, the newest day first."
    )
    free: list[FreeShape] = Field(
        description="Messages of the period that the network did not bill, and why."
    )
