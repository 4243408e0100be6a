"""Schemas of orders."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery
from api.schemas import Moment, PhoneFilter
from restaurant.models.order_states import ORDER_TYPES, PAYMENT_METHODS, STATES


class OrderPath(BaseModel):
    order_id: str = Field(
        max_length=40,
        description="The order's number, such as ORD-20261115-0007, or its Comanda id.",
    )


class OrdersQuery(PageQuery):
    site_id: str | None = Field(None, max_length=40)
    status: Literal[STATES] | None = None  # type: ignore[valid-type]
    phone: PhoneFilter | None = None
    since: Moment | None = None
    until: Moment | None = None


class CustomerShape(BaseModel):
    phone: str = Field(
        "",
        max_length=20,
        description="International format with a plus sign; empty when it is not known.",
        examples=["+905321112233"],
    )
    name: str = Field("", max_length=120, examples=["Ayşe Kaya"])


class OrderCustomer(CustomerShape):
    contact_id: str | None = Field(
        None, description="The contact; null for an order without a known guest."
    )


class OrderItemShape(BaseModel):
    name: str
    quantity: int
    unit_price: float
    regular_price: float = Field(
        description="What one piece costs outside a happy hour; otherwise like `unit_price`."
    )
    options: list[str] = Field(description="The chosen options.")
    station: str
    stations: list[str] = Field(
        description="Stations that prepare the item, such as `kitchen` or `bar`."
    )
    note: str = Field(description="The guest's note to the kitchen about this item.")
    course: int = Field(description="0: made at once. Other courses are made one after another.")
    fired: bool = Field(description="`false`: the item waits until its course is fired.")


class OrderDeliveryShape(BaseModel):
    fee: float
    zone: str = Field(description="Empty while the location of the address is unknown.")
    latitude: float | None
    longitude: float | None
    route_url: str | None = Field(
        examples=["https://www.google.com/maps/dir/?api=1&destination=41.03,28.97"]
    )


# Section 2.4 of the specification, and additional fields.
class OrderFacts(BaseModel):
    """An order, as in events and responses."""

    order_id: str
    order_type: str
    table_number: str
    waiter_assigned: str
    customer: OrderCustomer
    items: list[OrderItemShape]
    notes: str
    total_amount: float
    discount: float = Field(
        description="The coupon discount. It is already deducted from the total."
    )
    payment_method: str
    status: str = Field(description="The order's state, such as `preparing`.")
    id: str
    site: dict[str, str]
    currency: str
    address: str
    delivery: OrderDeliveryShape | None = Field(description="Null unless it is a delivery.")
    paid: bool = Field(description="Whether it is paid in full, online or to the staff.")
    paid_amount: float = Field(description="The amount paid so far.")
    open_amount: float = Field(description="The amount still due; negative if too much was paid.")
    placed_at: str
    due_at: str = Field(
        "", description="When the guest wants it, RFC 3339; empty: as soon as possible."
    )
    promised_at: str | None = Field(
        description="When the order should be ready; null while the kitchen's times are not known.",
        examples=["2026-11-15T18:55:00Z"],
    )
    promise_minutes: int | None = Field(
        description="The minutes within which 80 % of such orders were ready.", examples=[20]
    )
    test: bool


class OrderShape(OrderFacts):
    changed_at: str
    version: int
    sums: dict[str, Any]


class OrderPage(BaseModel):
    data: list[OrderShape]
    next: str | None


class ChangeShape(BaseModel):
    at: str
    what: str = Field(
        description="moved, recalled, added, replaced, request, voided, fired, late, unhappy, "
        "table, waiter, courier, location, problem, payment, alarm.",
        examples=["moved"],
    )
    status: str = Field(description="The order's state at that time.", examples=["preparing"])
    by: str = Field(examples=["Mehmet Demir"])
    because: str


class ChangePage(BaseModel):
    data: list[ChangeShape]
    next: None


class OrderItemIn(BaseModel):
    item_id: str = Field(max_length=40)
    quantity: int = Field(1, ge=1, le=99)
    options: list[str] = Field(default_factory=list, max_length=60, description="Option ids.")
    note: str = Field(
        "", max_length=200, description="The guest's note to the kitchen about this item."
    )


class NewOrder(BaseModel):
    site_id: str = Field(max_length=40)
    order_type: str = Field("dine_in", examples=list(ORDER_TYPES))
    payment_method: str = Field(
        "",
        max_length=20,
        examples=list(PAYMENT_METHODS),
        description="Empty: `pos_at_table` for a table, `cash` otherwise.",
    )
    table_number: str = Field(
        "", max_length=12, examples=["12"], description="A table of the site; needed for `dine_in`."
    )
    customer: CustomerShape = Field(default_factory=lambda: CustomerShape(phone="", name=""))
    items: list[OrderItemIn] = Field(min_length=1, max_length=60)
    notes: str = Field("", max_length=500)
    due_at: Moment | None = Field(
        None,
        description="For an order for later: when it must be ready, within opening hours. It goes"
        " to the kitchen in time. Empty: at once.",
    )
    coupon: str = Field("", max_length=40, description="A coupon's code: used up by this order.")
    address: str = Field("", max_length=300, description="Of a delivery, in words.")
    latitude: float | None = Field(
        None,
        ge=-90,
        le=90,
        description="For delivery orders: the zone at this location sets the fee.",
        examples=[41.03],
    )
    longitude: float | None = Field(None, ge=-180, le=180, examples=[28.97])
    zone_id: str = Field(
        "", max_length=40, description="The delivery zone, where no coordinates are known."
    )


class Move(BaseModel):
    status: Literal[STATES] = Field(  # type: ignore[valid-type]
        examples=["preparing"], description="The state to move the order to."
    )
    version: int | None = Field(
        None, description="The version you have: 409 if the order has changed since."
    )
    reason: str = Field("", max_length=200, description="Needed for `cancelled`.")


class Cancel(BaseModel):
    reason: str = Field(max_length=200, examples=["Out of ingredients"])
