"""Types and models that all resources share, as the OpenAPI document shows them."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from core.values.field_checks import field_error

FURTHEST_OFFSET = timedelta(hours=16)  # PostgreSQL accepts offsets up to 15:59
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ].*)?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def _parse_moment(value: Any) -> Any:
    """Reject numbers, also as text: Pydantic would read them as Unix times."""
    if not isinstance(value, datetime) and not (
        isinstance(value, str) and _MOMENT.fullmatch(value.strip())
    ):
        raise ValueError("write a time as RFC 3339, such as 2026-03-01T10:00:00Z")
    return value


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    if abs(moment.utcoffset() or timedelta()) >= FURTHEST_OFFSET:
        raise ValueError("there is no such UTC offset")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("this moment is beyond the year 9999 or before the year 1") from None


def _with_offset(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise field_error("invalid_time", "a time needs its UTC offset, such as Z or +03:00")
    return moment


def _parse_day(value: Any) -> Any:
    if not isinstance(value, date) and not (isinstance(value, str) and _DAY.fullmatch(value)):
        raise ValueError("write a day as 2026-03-01")
    return value


def _restore_plus(value: Any) -> Any:
    """In a URL a plus sign is decoded as a space."""
    return value.strip().removeprefix("+") if isinstance(value, str) else value


# Digits, or the network's id of a sender without a known phone.
PhoneFilter = Annotated[
    str, BeforeValidator(_restore_plus), Field(max_length=64, pattern="^[0-9A-Za-z.@_-]+$")
]
# A time without an offset is in UTC.
Moment = Annotated[datetime, BeforeValidator(_parse_moment), AfterValidator(_in_utc)]
# For times in the future, where a missing offset would be ambiguous.
MomentWithOffset = Annotated[
    datetime,
    BeforeValidator(_parse_moment),
    AfterValidator(_with_offset),
    AfterValidator(_in_utc),
]
Day = Annotated[date, BeforeValidator(_parse_day)]


class SitePath(BaseModel):
    site_id: str = Field(max_length=40)


class OfSite(BaseModel):
    site_id: str = Field(max_length=40)


class ContactPath(BaseModel):
    contact_id: str = Field(max_length=64)


class Fault(BaseModel):
    field: str = Field(examples=["phone"])
    code: str = Field(
        examples=["invalid_phone"], description="A stable code for programs, such as `missing`."
    )
    message: str = Field(description="What is wrong with the field, in one sentence.")


class ErrorBody(BaseModel):
    """The body of every error."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": True})

    status: str = Field("error", examples=["error"], description="Always `error`.")
    code: str = Field(
        examples=["invalid_key"], description="A stable code for programs, such as `not_found`."
    )
    message: str = Field(description="A human-readable message.")
    errors: list[Fault] = Field(description="Errors by field, if any.")
    request_id: str = Field(examples=["req_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
