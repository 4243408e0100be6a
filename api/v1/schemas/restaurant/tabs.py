"""Schemas of tables' tabs."""

from typing import Literal

from pydantic import BaseModel, Field

from api.paging import PageQuery

TAB_STATES = ("open", "settled", "closed", "merged")


class TabPath(BaseModel):
    tab_id: str = Field(max_length=40)


class TabsQuery(PageQuery):
    site_id: str | None = Field(None, max_length=40)
    status: Literal["open", "settled", "closed", "merged"] | None = Field(
        None, description="Only tabs in this state."
    )


class TabSite(BaseModel):
    id: str
    name: str


class TabRow(BaseModel):
    id: str
    status: str = Field(description="open, settled (paid in full), closed or merged.")
    site_id: str
    table_number: str
    opened_at: str
    ended_at: str | None
    test: bool


class TabPage(BaseModel):
    data: list[TabRow]
    next: str | None


class TabShareShape(BaseModel):
    id: str
    tab_id: str
    guest: str = Field(description="The guest's name.")
    kind: str = Field(description="all, equal, items or amount.")
    amount: float = Field(description="The part of the bill, without the tip.")
    tip: float
    surplus: float = Field(
        description="The part of a paid amount that the bill no longer has. It is in review."
    )
    status: str = Field(description="paid, or reserved while the guest pays.")
    reference: str = Field(description="The reference of the payment link.")
    payment_link_id: str


class TabItemShape(BaseModel):
    order_id: str
    name: str
    quantity: int
    amount: float = Field(description="With discount, service charge and tax.")
    guest: str = Field(description="Who ordered it; empty if the staff entered it.")
    status: str = Field(description="paid, reserved or open.")


class TabFacts(BaseModel):
    """What the API and the events say about a tab."""

    id: str
    status: str = Field(description="open, settled (paid in full), closed or merged.")
    site: TabSite
    table_number: str
    currency: str
    total_amount: float
    paid_amount: float
    reserved_amount: float = Field(description="Being paid online now.")
    open_amount: float = Field(description="Not paid yet. Includes what is being paid now.")
    orders: list[str] = Field(description="The numbers of the orders on the bill.")
    shares: list[TabShareShape]
    opened_at: str
    ended_at: str | None
    test: bool


class TabShape(TabFacts):
    items: list[TabItemShape]


class TabPaymentIn(BaseModel):
    method: Literal["cash", "card"] = Field(description="How the guest paid at the till.")
    amount: float | None = Field(
        None,
        gt=0,
        lt=1_000_000_000,
        description="Left out: everything that nobody is paying online.",
    )
    tip: float | None = Field(
        None, gt=0, lt=1_000_000_000, description="In addition to the amount."
    )


class TabMove(BaseModel):
    table_number: str = Field(
        min_length=1, max_length=12, examples=["12"], description="The number of the new table."
    )
