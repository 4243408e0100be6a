"""Schemas of the report of ads."""

from datetime import date

from pydantic import BaseModel, Field, model_validator

from api.v1.schemas.usage import PeriodQuery
from core.values.field_checks import field_error


class AdReportQuery(PeriodQuery):
    @model_validator(mode="after")
    def check_years(self) -> "AdReportQuery":
        """Ids of messages begin in 1970."""
        for name, day in (("since", self.since), ("until", self.until)):
            if day is not None and not 1971 <= day.year < 9999:
                raise field_error("invalid_period", "enter a day between 1971 and 9998", name)
        return self


class AdFigures(BaseModel):
    source_id: str = Field(
        description="Meta's id of the ad or post; may be empty.", examples=["120210000000000001"]
    )
    source_type: str = Field(description="`ad` or `post`; may be empty.", examples=["ad"])
    source_url: str = Field(
        description="The address of the ad; may be empty.", examples=["https://fb.me/2aBcDeFgH"]
    )
    headline: str = Field(
        description="The headline, as in its newest conversation.", examples=["Weekend menu"]
    )
    conversations: int = Field(description="Customers who wrote from it.", examples=[48])
    orders: int | None = Field(
        description="Their orders in the 72 hours after that, without cancelled and refunded ones;"
        " null for keys without the scope `orders`.",
        examples=[17],
    )
    spent: str | None = Field(
        description="The value of these orders, in `currency`; null for keys without the scope"
        " `orders`.",
        examples=["6120.00"],
    )


class AdReportAnswer(BaseModel):
    since: date = Field(description="The first day of the period.")
    until: date = Field(description="The last day of the period.")
    currency: str = Field(
        description="Of `spent`: the one that most of your restaurants have. Orders in other"
        " currencies are counted, but not added up. Empty without restaurants.",
        examples=["TRY"],
    )
    ads: list[AdFigures] = Field(description="The ad with the most conversations first.")
