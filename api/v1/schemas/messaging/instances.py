"""Schemas of lines and their pairing."""

from typing import Annotated

from pydantic import BaseModel, Field, StrictInt, StringConstraints


class InstancePath(BaseModel):
    instance_id: int = Field(ge=1, le=2**31 - 1)


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
    is_default: bool = Field(description="Used when a send names no instance_id.")
    test: bool = Field(description="The simulated line of test keys.")
    messages_per_second: float
    fallback_instance_id: int | None = Field(
        description="The line that takes over while this one is down."
    )
    created_at: str


class InstanceChange(BaseModel):
    fallback_instance_id: Annotated[StrictInt, Field(ge=1, le=2**31 - 1)] | None = Field(
        None, description="null: nobody takes over, its messages wait."
    )


class InstancePage(BaseModel):
    data: list[InstanceShape]
    next: None


class NewInstance(BaseModel):
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        max_length=120, description="For you and your team.", examples=["Front desk"]
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
    qr: str | None = Field(description="What the QR code says; draw it, or ask for image/png.")
    code: str | None = Field(description="To type into the phone, when that was asked for.")
    expires_at: str | None = Field(description="Then the next code takes its place.")
    phone: str = Field(description="The linked number, once there is one.")
    because: str
