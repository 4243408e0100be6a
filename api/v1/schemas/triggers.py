"""Request and response models of test triggers."""

from typing import Literal

from pydantic import BaseModel, Field

GUEST_MESSAGES = {
    "guest.writes": "text",
    "guest.sends_photo": "image",
    "guest.sends_voice": "voice",
    "guest.sends_location": "location",
    "guest.sends_contact": "contacts",
}
LINE_CHANGES = {
    "line.banned": "ban",
    "line.restored": "restore",
    "line.quality_low": "lower_quality",
    "line.quality_high": "raise_quality",
}
ORDER = "guest.orders"
# The events that each trigger leads to.
TRIGGERS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(GUEST_MESSAGES, ("messages.upsert",)),
    ORDER: ("restaurant.order_created",),
    "line.banned": ("instances.restricted",),
    "line.restored": ("instances.connected",),
    "line.quality_low": ("instances.restricted",),
    "line.quality_high": ("instances.connected",),
}


class NewTrigger(BaseModel):
    trigger: Literal[tuple(TRIGGERS)] = Field(  # type: ignore[valid-type]
        description="What happens in the simulated network.", examples=["guest.writes"]
    )
    phone: str = Field(
        "905321112233",
        max_length=32,
        description="The guest's phone: digits only, with country code.",
        examples=["905321112233"],
    )
    name: str = Field("Zeynep Test", max_length=100, description="The guest's name.")
    text: str = Field(
        "", max_length=4096, description="What the guest writes; a caption for a photo."
    )
    site_id: str = Field(
        "", max_length=40, description="For `guest.orders`: the restaurant. The first by default."
    )


class TriggerAnswer(BaseModel):
    trigger: str = Field(examples=["guest.writes"])
    events: list[str] = Field(
        description="The events that follow within a second.", examples=[["messages.upsert"]]
    )
    id: str | None = Field(
        description="The network's message id, or the order's id. Null for a line.",
        examples=["wamid.HBgMOTA1MzIxMTEyMjMzFQIAERgS"],
    )
    test: bool = Field(description="Always true.", examples=[True])
    warnings: list[str] = Field(default_factory=list)
