"""Models of the events about messages."""

from typing import Any

from pydantic import BaseModel, Field

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
    button: dict[str, Any] | None = Field(
        None,
        description=(
            "The button or row that was chosen. For a Flow, `answers` is an object; `refused` is"
            " the reason if the answers were too large or not an object."
        ),
    )
    reaction: dict[str, Any] | None = None
    reply_to: Any = None
    forwarded: bool | None = None
    referral: dict[str, str] | None = Field(
        None,
        description=(
            "The ad or post that the customer came from: `source_url`, `source_id`, `source_type`,"
            " `headline`, `body`, `media_type`, `image_url`, `ctwa_clid`."
        ),
    )
    referred_product: dict[str, str] | None = Field(
        None, description="The product that the customer asks about: `catalog_id`, `product_id`."
    )
    handled_by: str | None = Field(
        None, description="`meta_agent` if Meta's agent answers the customer. Do not answer."
    )


class InboundMessageEvent(EventShape):
    """A customer has written to one of your lines."""

    instance_id: int
    data: InboundMessageData


class UpdatedMessageData(BaseModel):
    """A message after it was edited, deleted or transcribed."""

    sender: str | None = Field(None, alias="from", description="For messages of customers.")
    from_kind: str | None = None
    to: str | None = Field(None, description="For messages that were sent from the phone.")
    to_kind: str | None = None
    direction: str = Field(examples=["in"])
    message_id: str
    id: str = Field(description="The Comanda id, as in `GET /messages/{id}`.")
    timestamp: int = Field(description="When it was changed, in Unix time.", examples=[1772359260])
    type: str = Field(description="The type of the message.", examples=["text"])
    change: str = Field(
        description="`edited`, `deleted`, or `transcribed` for a voice note.", examples=["edited"]
    )
    text: str = Field(description="The new text or caption. Empty if it was deleted.")
    earlier_texts: list[str] = Field(description="The texts before each edit, the oldest first.")
    transcript: str | None = Field(
        None, description="The words of a voice note, after `transcribed`."
    )


class MessageUpdatedEvent(EventShape):
    """A message was edited or deleted, or a voice note was transcribed."""

    instance_id: int
    data: UpdatedMessageData


class EchoData(BaseModel):
    """A message that your number sent without Comanda. Other fields as in `messages.upsert`."""

    to: str = Field(description="Phone with country code.", examples=["905321112233"])
    to_kind: str = Field(examples=["phone"])
    message_id: str
    timestamp: int = Field(description="Unix time in seconds.", examples=[1772359200])
    type: str = Field(description="The type of the message.", examples=["text"])
    id: str = Field(description="The Comanda id, as in `GET /messages/{id}`.")
    sent_from: str = Field(description="`phone` or `meta_agent`.", examples=["phone"])
    text: str | None = Field(None, description="The text or caption of the message.")
    media: dict[str, Any] | None = None


class MessageEchoEvent(EventShape):
    """Someone wrote to a customer on the phone itself, or Meta's agent did."""

    instance_id: int
    data: EchoData


class StateError(BaseModel):
    code: str = Field(
        description="The reason as a code, as in errors.", examples=["recipient_unavailable"]
    )
    message: str | None = Field(description="The reason in words.")


class MessageStateData(BaseModel):
    """A message that you sent, in its new state."""

    id: str = Field(description="The Comanda id, as in `GET /messages/{id}`.")
    message_id: str | None = Field(description="The network's id; null until it is known.")
    to: str = Field(description="Phone with country code.", examples=["905321112233"])
    timestamp: int = Field(description="Unix time in seconds.", examples=[1772359200])
    status_code: str = Field(examples=["delivered"])
    reference: str | None = Field(description="Your own reference.")
    cost_usd: float = Field(description="0 for a message that was not sent.")
    test: bool = Field(description="`true`: sent in test mode.")
    error: StateError | None = Field(None, description="Why it was not sent or delivered.")


class MessageStateEvent(EventShape):
    """A message that you sent has a new state."""

    instance_id: int
    data: MessageStateData


class HeldMessageData(BaseModel):
    """A message of an app that waits for a person."""

    id: str = Field(description="The Comanda id, as in `GET /messages/{id}`.")
    to: str = Field(description="Phone with country code.", examples=["905321112233"])
    timestamp: int = Field(description="Unix time in seconds.", examples=[1772359200])
    status_code: str = Field(description="`held`.", examples=["held"])
    reference: str | None = Field(description="Your own reference.")
    app: str = Field(description="The app that wants to send it.", examples=["Table agent"])
    for_person: str = Field(description="Who connected the app.", examples=["Derya Aksoy"])
    type: str = Field(description="The type of the message.", examples=["text"])
    text: str = Field(description="The text of the message.", examples=["Your table is ready."])
    expires_at: str = Field(description="If nobody decides until then, it is not sent.")
    test: bool = Field(description="`true`: of test mode.")


class MessageHeldEvent(EventShape):
    """An app wants to send a message, and a person must approve it."""

    instance_id: int
    data: HeldMessageData


class DecidedMessageData(BaseModel):
    """What was decided about a message that was held."""

    id: str = Field(description="The Comanda id, as in `GET /messages/{id}`.")
    to: str = Field(description="Phone with country code.", examples=["905321112233"])
    timestamp: int = Field(description="Unix time in seconds.", examples=[1772359200])
    decision: str = Field(
        description="`approved`, `rejected`, `withdrawn` by the app, or `expired`.",
        examples=["approved"],
    )
    decided_by: str | None = Field(
        description="The person, or the app that withdrew it; null if it has expired.",
        examples=["Derya Aksoy"],
    )
    reference: str | None = Field(description="Your own reference.")
    app: str = Field(description="The app that wanted to send it.", examples=["Table agent"])
    test: bool = Field(description="`true`: of test mode.")


class MessageDecidedEvent(EventShape):
    """A message that was held was approved, rejected or withdrawn, or it has expired."""

    instance_id: int
    data: DecidedMessageData
