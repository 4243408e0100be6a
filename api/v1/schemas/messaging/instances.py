"""Schemas of lines and their pairing."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field, StrictInt, StringConstraints

from messaging.lines.direct_send import DIRECT_SEND_STATES


class InstancePath(BaseModel):
    instance_id: int = Field(ge=1, le=2**31 - 1)


class RecipientLimitShape(BaseModel):
    per_day: int | None = Field(
        description="How many different people the business portfolio may write to outside the"
        " 24-hour window in 24 hours; null: as many as it wants.",
        examples=[2000],
    )
    used: int | None = Field(
        description="How many were counted in the last 24 hours, over all lines of the portfolio."
    )


class InstanceShape(BaseModel):
    id: int
    name: str
    kind: str = Field(description="cloud or linked", examples=["cloud"])
    network: str = Field(examples=["whatsapp"])
    phone: str = Field(description="The line's own number.")
    state: str = Field(
        examples=["connected"],
        description="The state of the connection. Only `connected` lines send.",
    )
    state_because: str
    state_at: str
    enabled: bool
    is_default: bool = Field(description="Used if a send has no `instance_id`.")
    test: bool = Field(description="The simulated line of test keys.")
    messages_per_second: float
    fallback_instance_id: int | None = Field(
        description="The line that takes over while this one is down."
    )
    created_at: str
    can: dict[str, Literal["yes", "as_text", "no"]] = Field(
        description="The message types of `POST /messages`: `yes`, `no`, or `as_text` for a type "
        "that the line sends as a text with numbered choices.",
        examples=[dict(text="yes", buttons="as_text", flow="no")],  # noqa: C408 - no table of kinds,
    )
    quality: str | None = Field(
        description="green, yellow or red; null if WhatsApp has not reported it.",
        examples=["green"],
    )
    recipient_limit: RecipientLimitShape | None = Field(
        description="null if WhatsApp has not reported a limit."
    )
    direct_send: Literal[DIRECT_SEND_STATES] = Field(  # type: ignore[valid-type]
        description="`on` or `off`; `not_enabled`, `blocked` or `limited` if WhatsApp refused it."
    )


class InstanceChange(BaseModel):
    direct_send: Literal["on", "off"] | None = Field(
        None,
        description="Whether texts and buttons outside the 24-hour window are sent with WhatsApp's"
        " Direct Send, as utility messages. It applies to all lines of the business account.",
    )
    fallback_instance_id: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)] | None = Field(
        None, description="null: no fallback; its messages wait."
    )


class InstancePage(BaseModel):
    data: list[InstanceShape]
    next: None


class NewInstance(BaseModel):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        max_length=120, description="A name that only your team sees.", examples=["Front desk"]
    )


class PairingRequest(BaseModel):
    phone: str | None = Field(
        None,
        max_length=20,
        description="Ask for a code to type into this phone, instead of a QR code.",
        examples=["905321112233"],
    )


class PairingShape(BaseModel):
    instance_id: int
    state: str = Field(
        examples=["pairing"],
        description="unpaired, pairing, connected, disconnected, logged_out or restricted",
    )
    qr: str | None = Field(
        description="The content of the QR code. Draw it, or request `image/png`."
    )
    code: str | None = Field(description="The code to enter on the phone, if requested.")
    expires_at: str | None = Field(description="When the next code replaces this one.")
    phone: str = Field(description="The linked number, once there is one.")
    because: str
