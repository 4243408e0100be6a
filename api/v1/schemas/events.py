"""Models of the events in the specification (sections 2.3 and 2.4) that endpoints receive."""

from typing import Any

from pydantic import BaseModel, Field

from api.v1.schemas.restaurant.orders import OrderFacts
from api.v1.schemas.webhooks import EventShape


# Section 2.3 of the specification, and additional fields.
class InboundMessageData(BaseModel):
    """A message from a customer. Fields of other message types are left out."""

    sender: str = Field(
        alias="from", description="Phone with country code.", examples=["905321112233"]
    )
    from_kind: str = Field(
        description="`phone`, or `network_id` where the network hides the phone.",
        examples=["phone"],
    )
    sender_name: str = Field(examples=["Ayşe Kaya"])
    message_id: str
    timestamp: int = Field(description="Unix time in seconds.", examples=[1772359200])
    type: str = Field(
        examples=["text"], description="The type of the message, such as `text` or `image`."
    )
    id: str = Field(description="The Comanda id, as in `GET /messages/{id}`.")
    contact_id: str | None = Field(None, description="The contact, as in `GET /contacts/{id}`.")
    username: str | None = Field(None, description="The sender's user name on the network.")
    network_id: str | None = Field(
        None, description="The network's id of the sender, in addition to the phone or instead."
    )
    text: str | None = Field(None, description="The text of text and button messages.")
    media: dict[str, Any] | None = None
    location: dict[str, Any] | None = None
    contacts: dict[str, Any] | None = Field(
        None, description="The contact cards that were sent, for messages of that type."
    )
    button: dict[str, Any] | None = None
    reaction: dict[str, Any] | None = None
    reply_to: Any = None


class InboundMessageEvent(EventShape):
    """A customer has written to one of your lines."""

    instance_id: int
    data: InboundMessageData


class OrderCreatedEvent(EventShape, OrderFacts):
    """An order is confirmed, and paid if payment was required."""


WEBHOOKS: dict[str, type[BaseModel]] = {
    "messages.upsert": InboundMessageEvent,
    "restaurant.order_created": OrderCreatedEvent,
}
