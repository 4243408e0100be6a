"""Schemas of payment links, payments and refunds."""

from typing import Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery
from core.openapi.example_ids import sample_id
from restaurant.payments.links import STATES


class LinkPath(BaseModel):
    link_id: str = Field(max_length=40)


class PaymentPath(BaseModel):
    payment_id: str = Field(max_length=40)


class LinksQuery(PageQuery):
    status: Literal[STATES] | None = None  # type: ignore[valid-type]
    site_id: str | None = Field(None, max_length=40)


class LinkShape(BaseModel):
    id: str
    reference: str = Field(description="The code of the cart, for the payment link of an order.")
    status: str = Field(description=", ".join(STATES) + ".", examples=["open"])
    url: str = Field(description="The provider's payment page; empty until it is ready.")
    amount: float
    currency: str
    description: str = Field(description="What the payment is for. The customer reads it.")
    site_id: str
    order_id: str = Field(description="The order's number, or empty.")
    expires_at: str
    paid_at: str | None
    error: str
    created_at: str
    test: bool = Field(description="Created in test mode, without real money.")


class LinkPage(BaseModel):
    data: list[LinkShape]
    next: str | None


class NewLink(BaseModel):
    """Give one of these: `order_id` of an order that waits for payment, `cart_code` of a cart that
    is paid before it is sent, or `site_id`, `amount` and `description` for a separate link.
    """

    order_id: str = Field("", max_length=40)
    cart_code: str = Field("", max_length=12, description="Such as K7QX-3MPD.")
    site_id: str = Field("", max_length=40, examples=[sample_id("site_id")])
    amount: float | None = Field(None, gt=0, lt=1_000_000_000, examples=[250])
    description: str = Field(
        "",
        max_length=120,
        examples=["Deposit for Friday"],
        description="What the payment is for. The customer reads it.",
    )
    phone: str = Field("", max_length=20)
    name: str = Field("", max_length=120, description="The customer's name.")
    send: bool = Field(False, description="Send it to the phone by chat.")
    minutes: int | None = Field(
        None, ge=30, le=1440, description="How many minutes the link is valid."
    )


class Renew(BaseModel):
    minutes: int | None = Field(
        None,
        ge=30,
        le=1440,
        description="How many minutes the new link is valid. Left out: same as the first link.",
    )


class RefundShape(BaseModel):
    id: str
    amount: float
    reason: str
    status: str = Field(description="waiting, asking, done, failed or unknown.")
    error: str
    by: str
    created_at: str


class PaymentShareShape(BaseModel):
    id: str
    tab_id: str
    guest: str = Field(description="The guest's name.")
    kind: str = Field(description="all, equal, items or amount.")
    amount: float = Field(description="The part of the bill, without the tip.")
    tip: float


class PaymentShape(BaseModel):
    id: str
    reference: str
    payment_link_id: str | None
    order_id: str
    amount: float
    currency: str
    refunded_amount: float
    status: str = Field(description="parked, accepted, review, kept or refunded.")
    reason: str = Field(description="Why it is in review.")
    surplus_amount: float = Field(
        description="For a share of a tab: the part that the bill no longer has."
    )
    share: PaymentShareShape | None = Field(
        description="The share of a table's tab that was paid; null for other payments."
    )
    paid_at: str
    test: bool
    refunds: list[RefundShape]


class PaymentList(BaseModel):
    data: list[PaymentShape]
    next: None


class NewRefund(BaseModel):
    amount: float | None = Field(
        None,
        gt=0,
        lt=1_000_000_000,
        description="The amount to refund. Left out: everything that remains.",
    )
    reason: str = Field(min_length=1, max_length=200, examples=["The soup was cold"])
