"""Request and response models of the test clock."""

from pydantic import BaseModel, Field


class ClockAdvance(BaseModel):
    advance_seconds: int = Field(
        ge=1,
        le=366 * 86400,
        description="How far to move the clock forward.",
        examples=[86400],
    )


class ClockShape(BaseModel):
    now: str = Field(description="The time in test mode, RFC 3339.")
    advanced_seconds: int = Field(
        description="How far it is ahead of the real time.", examples=[86400]
    )
    test: bool = Field(description="Always true.", examples=[True])
