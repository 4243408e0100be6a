"""The catalogue of events: schema and example of each, for the OpenAPI document and its page.

`webhooks/event_types.py` has the names; a test compares the two.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from api.v1.schemas.events.account import (
    CampaignFinishedEvent,
    JourneyRunEvent,
    LineStateEvent,
    OptedOutEvent,
    PairingCodeEvent,
    ThresholdEvent,
    WebhookTestEvent,
)
from api.v1.schemas.events.conversations import (
    ConversationAssignedEvent,
    ConversationClosedEvent,
    ConversationRatedEvent,
    ConversationReopenedEvent,
    ConversationSnoozedEvent,
)
from api.v1.schemas.events.examples import example_of_event
from api.v1.schemas.events.messages import (
    InboundMessageEvent,
    MessageDecidedEvent,
    MessageEchoEvent,
    MessageHeldEvent,
    MessageStateEvent,
    MessageUpdatedEvent,
)
from api.v1.schemas.events.restaurant import (
    DeliveryUpdatedEvent,
    OrderCancelledEvent,
    OrderCreatedEvent,
    OrderUpdatedEvent,
    PaymentEvent,
    PaymentFailedEvent,
    PrinterEvent,
    PrintJobEvent,
    TabEvent,
)
from webhooks.event_types import EVENT_TYPES


@dataclass(frozen=True)
class EventDoc:
    name: str
    model: type[BaseModel]
    summary: str
    """When it is published."""

    @property
    def example(self) -> dict[str, Any]:
        return example_of_event(self.name)


_EVENTS: dict[str, tuple[type[BaseModel], str]] = {
    "messages.upsert": (InboundMessageEvent, "A customer has written to one of your lines."),
    "messages.updated": (MessageUpdatedEvent, "A message was edited or deleted."),
    "messages.echo": (
        MessageEchoEvent,
        "Someone wrote to a customer on the phone itself, or Meta's agent did.",
    ),
    "messages.sent": (MessageStateEvent, "The network accepted your message."),
    "messages.delivered": (MessageStateEvent, "Your message reached the phone."),
    "messages.read": (MessageStateEvent, "The customer read your message."),
    "messages.failed": (
        MessageStateEvent,
        "Your message was not delivered; `data.error` has the reason.",
    ),
    "messages.expired": (MessageStateEvent, "Your message was not sent in time."),
    "messages.cancelled": (MessageStateEvent, "Your message was cancelled before it was sent."),
    "messages.unknown": (
        MessageStateEvent,
        "The network's answer was lost. Another event follows when the state is known.",
    ),
    "conversations.assigned": (
        ConversationAssignedEvent,
        "A conversation was assigned to a member, or to nobody.",
    ),
    "conversations.closed": (ConversationClosedEvent, "A conversation was closed."),
    "conversations.reopened": (
        ConversationReopenedEvent,
        "A closed or snoozed conversation is open again; `data.reason` tells why.",
    ),
    "conversations.snoozed": (ConversationSnoozedEvent, "A conversation was snoozed."),
    "conversations.rated": (
        ConversationRatedEvent,
        "A customer answered the satisfaction question.",
    ),
    "messages.held": (
        MessageHeldEvent,
        "An app wants to send a message, and a person must approve it.",
    ),
    "messages.decided": (
        MessageDecidedEvent,
        "A held message was approved, rejected or withdrawn, or it has expired.",
    ),
    "restaurant.order_created": (
        OrderCreatedEvent,
        "An order is confirmed, and paid if payment was required.",
    ),
    "restaurant.order_updated": (OrderUpdatedEvent, "An order has changed."),
    "restaurant.order_cancelled": (OrderCancelledEvent, "An order was cancelled."),
    "restaurant.delivery_updated": (
        DeliveryUpdatedEvent,
        "A courier took an order, left with it, delivered it or met a problem.",
    ),
    "restaurant.payment_succeeded": (PaymentEvent, "An online payment was made."),
    "restaurant.payment_failed": (PaymentFailedEvent, "A card was declined."),
    "restaurant.payment_refunded": (PaymentEvent, "A payment was refunded, in part or in full."),
    "restaurant.payment_review": (
        PaymentEvent,
        "Money arrived late, twice or in the wrong amount, and someone has to decide.",
    ),
    "restaurant.tab_opened": (TabEvent, "A table's tab was opened by its first order."),
    "restaurant.tab_updated": (TabEvent, "A tab has new items, payments or reservations."),
    "restaurant.tab_settled": (TabEvent, "A tab was paid in full."),
    "journeys.started": (JourneyRunEvent, "A contact has begun a journey."),
    "journeys.completed": (JourneyRunEvent, "A contact has come to the end of a journey."),
    "journeys.stopped": (
        JourneyRunEvent,
        "A journey was stopped: someone answered, or the contact opted out or was blocked.",
    ),
    "journeys.failed": (JourneyRunEvent, "A step of a journey could not be carried out."),
    "instances.connected": (LineStateEvent, "A line works again."),
    "instances.disconnected": (LineStateEvent, "A line cannot send for now."),
    "instances.qr": (PairingCodeEvent, "There is a new code to link a phone."),
    "instances.restricted": (LineStateEvent, "The network restricted a line."),
    "printing.job_failed": (PrintJobEvent, "A ticket was not printed, or it is not known."),
    "printing.printer_offline": (PrinterEvent, "A printer has a problem."),
    "printing.printer_online": (PrinterEvent, "A printer works again."),
    "contacts.opted_out": (OptedOutEvent, "A contact opted out of marketing messages."),
    "campaigns.finished": (CampaignFinishedEvent, "The last message of a campaign was sent."),
    "usage.threshold_reached": (
        ThresholdEvent,
        "80 % or 100 % of the month's messages or of the spend cap is used.",
    ),
    "webhooks.test": (WebhookTestEvent, "Someone sent a test event to this endpoint."),
}
EVENT_CATALOGUE: dict[str, EventDoc] = {
    name: EventDoc(name, *_EVENTS[name]) for name in EVENT_TYPES
}
