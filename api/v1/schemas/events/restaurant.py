"""Models of the events about orders, payments and printing."""

from pydantic import BaseModel, Field

from api.v1.schemas.restaurant.orders import OrderFacts, OrderItemShape
from api.v1.schemas.restaurant.tabs import TabFacts
from api.v1.schemas.webhooks import EventShape


class OrderCreatedEvent(EventShape, OrderFacts):
    """An order is confirmed, and paid if payment was required."""


class OrderUpdatedEvent(EventShape, OrderFacts):
    """An order has changed. `items` is the whole order."""

    change: str = Field(
        description="`added`, `voided`, `status`, `table` or `payment`.", examples=["status"]
    )
    added_items: list[OrderItemShape] | None = Field(None, description="For `added`.")
    voided_items: list[OrderItemShape] | None = Field(None, description="For `voided`.")
    quantity: int | None = Field(None, description="For `voided`: how many.")
    table_was: str | None = Field(None, description="For `table`: the table before.")


class OrderCancelledEvent(EventShape, OrderFacts):
    """An order was cancelled."""

    reason: str = Field(description="Why it was cancelled.", examples=["Out of ingredients"])


class EventCourier(BaseModel):
    id: str
    name: str
    phone: str = Field(description="With a plus sign; may be empty.")
    assigned_at: str | None
    picked_up_at: str | None
    delivered_at: str | None
    problem: str = Field(description="What kept the courier from delivering; usually empty.")
    problem_note: str
    problem_at: str | None
    collected: float | None = Field(description="The cash or card amount taken at the door.")
    collected_by: str = Field(description="Who took the money; empty if nobody did.")


class DeliveryUpdatedEvent(EventShape, OrderFacts):
    """A courier took an order, left with it, delivered it or met a problem."""

    change: str = Field(
        description=(
            "`assigned`, `taken_back`, `picked_up`, `returned`, `delivered`, `cancelled` or"
            " `problem`."
        ),
        examples=["picked_up"],
    )
    courier: EventCourier


class TabEvent(EventShape, TabFacts):
    """A table's tab was opened, has changed, or was paid in full."""


class EventShare(BaseModel):
    id: str
    tab_id: str
    guest: str = Field(description="The guest's name.")
    kind: str = Field(description="all, equal, items or amount.")
    amount: float = Field(description="The part of the bill, without the tip.")
    tip: float


class PaymentEvent(EventShape):
    """An online payment was made, refunded, or needs a decision."""

    id: str
    reference: str = Field(description="The reference of the payment link.")
    payment_link_id: str | None = Field(description="The payment link that was paid.")
    order_id: str = Field(description="The order's number; empty for a payment without an order.")
    amount: float
    currency: str
    refunded_amount: float = Field(description="How much of it has been refunded.")
    share: EventShare | None = Field(
        None, description="The share of a table's tab that was paid; null for other payments."
    )
    status: str = Field(description="The payment's state.", examples=["succeeded"])
    reason: str = Field(description="Why it needs a decision; usually empty.")
    surplus_amount: float = Field(description="The part that the bill no longer has.")
    paid_at: str
    test: bool


class PaymentFailedEvent(EventShape):
    """A card was declined. The payment link may still be open."""

    payment_link_id: str = Field(description="The payment link that was not paid.")
    reference: str = Field(description="The reference of the payment link.")
    amount: float
    currency: str
    test: bool


class EventPrinter(BaseModel):
    id: str
    name: str
    site_id: str | None
    state: str = Field(description="The printer's state, such as `offline` or `paper_out`.")
    detail: str = Field(description="The state in words.")


class PrinterEvent(EventShape):
    """A printer has a problem, or works again."""

    printer: EventPrinter


class EventPrintJob(BaseModel):
    id: str
    title: str
    printer_id: str | None
    site_id: str | None
    order_id: str = Field(description="The order's number; may be empty.")
    kind: str = Field(description="The kind of ticket, such as `order`.")
    state: str = Field(description="`failed` or `unconfirmed`.", examples=["unconfirmed"])
    detail: str = Field(description="What is known about the reason.")


class PrintJobEvent(EventShape):
    """A ticket was not printed, or nobody knows whether it was."""

    job: EventPrintJob
