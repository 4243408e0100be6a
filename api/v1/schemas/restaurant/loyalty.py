"""Request and response models of loyalty."""

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery


class RewardPath(BaseModel):
    reward_id: str = Field(max_length=40)


class CouponPath(BaseModel):
    coupon_id: str = Field(max_length=40, description="Its id, or its code.")


class ProgrammeFields(BaseModel):
    kind: Literal["points", "stamps"] = Field(
        examples=["points"], description="What guests collect: `points` or `stamps`."
    )
    active: bool = True
    amount: Decimal = Field(
        ge=0,
        le=10**9,
        description="Points: for each whole one of these. Stamps: the smallest order that counts.",
        examples=["10.00"],
    )
    points: int = Field(1, ge=1, le=10_000, description="How many points for each amount.")
    keywords: list[str] = Field(
        default_factory=list,
        max_length=10,
        description="A guest who sends one of these words gets the balance.",
        examples=[["points", "puan"]],
    )
    gift_id: str | None = Field(
        None,
        max_length=40,
        description="A reward with a cost: issued automatically when the balance is high enough.",
    )
    quiet_from: str = Field("21:00", max_length=5)
    quiet_until: str = Field("10:00", max_length=5)
    worth: int | None = Field(
        None,
        ge=0,
        le=1_000_000,
        description="Required if the kind changes and guests have a balance: how many points"
        " one stamp is worth. 0: all balances restart at zero.",
    )


class ProgrammeShape(BaseModel):
    site_id: str
    kind: str = Field(description="What guests collect: `points` or `stamps`.")
    active: bool
    amount: float = Field(
        description="The order value that earns `points`, or the smallest one for a stamp."
    )
    points: int
    keywords: list[str]
    gift_id: str | None
    quiet_from: str
    quiet_until: str


class ProgrammePage(BaseModel):
    data: list[ProgrammeShape]
    next: None


class MembersQuery(PageQuery):
    site_id: str = Field(max_length=40)
    phone: str | None = Field(
        None, max_length=32, description="Only the guest with this phone number."
    )


class BalanceShape(BaseModel):
    contact_id: str
    site_id: str
    balance: int
    visits: int
    first_at: str
    last_at: str


class MemberPage(BaseModel):
    data: list[BalanceShape]
    next: str | None


class EntryShape(BaseModel):
    id: str
    site_id: str
    amount: int = Field(description="Points or stamps; negative if the balance went down.")
    kind: str = Field(description="earned, changed, taken_back, exchanged, returned or corrected.")
    order_id: str | None = Field(description="The Comanda id of the order.")
    coupon_id: str | None
    because: str
    by: str
    at: str


class MemberShape(BaseModel):
    contact_id: str
    balances: list[BalanceShape]
    entries: list[EntryShape] = Field(description="The newest 50 entries of the history.")


class Correction(BaseModel):
    site_id: str = Field(max_length=40)
    amount: int = Field(
        ge=-1_000_000, le=1_000_000, description="Points or stamps to add; negative to subtract."
    )
    reason: str = Field(min_length=1, max_length=200, examples=["Paid in cash, not counted"])


class Exchange(BaseModel):
    site_id: str = Field(max_length=40, description="The restaurant whose points are spent.")
    reward_id: str = Field(max_length=40)


class RewardFields(BaseModel):
    name: str = Field(max_length=80, examples=["A tenth off"])
    kind: Literal["percent", "amount", "item"] = Field(
        description="What a coupon gives: a discount in `percent`, an `amount`, or an `item`."
    )
    value: Decimal = Field(
        Decimal(0),
        ge=0,
        le=10**9,
        description="The value of `percent` and `amount` rewards.",
        examples=["10"],
    )
    most: Decimal | None = Field(
        None, ge=0, le=10**9, description="The maximum discount of a percentage."
    )
    minimum: Decimal = Field(
        Decimal(0), ge=0, le=10**9, description="The smallest order that a coupon can be used for."
    )
    currency: str = Field("", max_length=3, description="Else that of its sites.")
    item_id: str = Field("", max_length=40, description="The item that is free.")
    site_ids: list[str] = Field(
        default_factory=list, max_length=200, description="Empty: at every site."
    )
    valid_days: int = Field(
        30, ge=1, le=730, description="How many days a coupon of this reward is valid."
    )
    per_contact: int = Field(0, ge=0, le=1000, description="0: no limit.")
    cost: int | None = Field(None, ge=1, le=1_000_000, description="In points or stamps.")
    active: bool = True


class RewardShape(BaseModel):
    id: str
    name: str
    kind: str = Field(description="`percent`, `amount` or `item`.")
    value: float
    most: float | None = Field(
        description="The largest discount of a `percent` reward. Null: no limit."
    )
    minimum: float = Field(description="The smallest order that a coupon can be used for.")
    currency: str
    item_id: str | None
    item_name: str
    site_ids: list[str]
    valid_days: int = Field(description="How many days a coupon of this reward is valid.")
    per_contact: int
    cost: int | None
    active: bool


class RewardPage(BaseModel):
    data: list[RewardShape]
    next: None


class CouponsQuery(PageQuery):
    status: Literal["open", "used", "expired", "cancelled"] | None = None
    reward_id: str | None = Field(None, max_length=40)
    contact_id: str | None = Field(None, max_length=40)


class NewCoupon(BaseModel):
    """For one contact, for the owner of a phone, or without an owner: the first user gets it."""

    reward_id: str = Field(max_length=40)
    contact_id: str = Field("", max_length=40)
    phone: str = Field("", max_length=20, examples=["905321112233"])
    valid_days: int | None = Field(
        None,
        ge=1,
        le=730,
        description="How many days the coupon is valid. Left out: the value of the reward.",
    )


class CouponShape(BaseModel):
    id: str
    code: str = Field(
        examples=["K7QX-3MPD-9ZTB"], description="The code that the guest enters when ordering."
    )
    status: str = Field(description="open, used, expired or cancelled.")
    reward_id: str
    terms: dict[str, Any] = Field(description="The reward at the time the coupon was issued.")
    contact_id: str | None
    source: str
    issued_at: str
    expires_at: str
    used_at: str | None
    order_id: str | None = Field(description="The Comanda id of the order it was used for.")
    discount: float | None


class CouponPage(BaseModel):
    data: list[CouponShape]
    next: str | None


class CancelCoupon(BaseModel):
    reason: str = Field(min_length=1, max_length=200, examples=["Sent by mistake"])
