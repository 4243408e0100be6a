"""The bodies every resource shares, as the OpenAPI document shows them."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _in_utc(moment: datetime) -> datetime:
    """The database knows offsets up to 15:59 only, and years from 1 to 9999 hold in UTC too."""
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("this moment is beyond all years") from None


Moment = Annotated[datetime, AfterValidator(_in_utc)]


class SitePath(BaseModel):
    site_id: str = Field(max_length=40)


class OfSite(BaseModel):
    site_id: str = Field(max_length=40)


class ContactPath(BaseModel):
    contact_id: str = Field(max_length=64)


class Fault(BaseModel):
    field: str = Field(examples=["phone"])
    code: str = Field(examples=["invalid_phone"])
    message: str


class ErrorBody(BaseModel):
    """What every error answers."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": True})

    status: str = Field("error", examples=["error"])
    code: str = Field(examples=["invalid_key"])
    message: str = Field(description="A sentence for a person.")
    errors: list[Fault] = Field(description="The faults by field, if any.")
    request_id: str = Field(examples=["req_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
