"""Request and response models of delivery."""

from decimal import Decimal
from typing import Any, Literal

from pydantic import BaseModel, Field

from api.schemas import OfSite
from restaurant.couriers.dispatch import PROBLEMS, STEPS


class ZonePath(BaseModel):
    zone_id: str = Field(max_length=40)


class CourierPath(BaseModel):
    courier_id: str = Field(max_length=40)


class ZoneFields(BaseModel):
    """Only given fields are changed."""

    name: str | None = Field(None, max_length=60, examples=["City center"])
    kind: Literal["radius", "polygon"] | None = Field(
        None, description="`radius` around the restaurant, or a `polygon` of corners."
    )
    radius_m: int | None = Field(None, ge=100, le=100_000, examples=[2500])
    corners: list[list[float]] | None = Field(
        None,
        max_length=202,
        description="[latitude, longitude] in their order around the zone: [[41.02, 28.96], …].",
    )
    fee: Decimal | None = Field(None, ge=0, le=10**9, examples=["35.00"])
    minimum: Decimal | None = Field(
        None, ge=0, le=10**9, description="The minimum order, items only.", examples=["200.00"]
    )


class NewZone(ZoneFields):
    site_id: str = Field(max_length=40)
    name: str = Field(max_length=60, examples=["City center"])
    kind: Literal["radius", "polygon"] = Field(
        "radius", description="`radius` around the restaurant, or a `polygon` of corners."
    )
    fee: Decimal = Field(ge=0, le=10**9, examples=["35.00"])


class ZoneShape(BaseModel):
    id: str
    site_id: str
    name: str
    kind: str = Field(description="`radius` or `polygon`.")
    radius_m: int | None
    corners: list[list[float]]
    fee: float
    minimum: float = Field(description="The smallest order that is delivered to this zone.")


class ZonePage(BaseModel):
    data: list[ZoneShape]
    next: None


class PlaceQuery(OfSite):
    latitude: float = Field(ge=-90, le=90)
    longitude: float = Field(ge=-180, le=180)


class QuoteShape(BaseModel):
    zone: ZoneShape | None = Field(description="Null: no delivery to this location.")
    route_url: str


class NewCourier(BaseModel):
    site_id: str = Field(max_length=40)
    name: str = Field(max_length=80, examples=["Hakan Usta"])
    phone: str = Field(max_length=20, examples=["+905321117001"])
    language: str = Field("", max_length=8, description="Empty: the restaurant's own.")


class CourierFields(BaseModel):
    name: str | None = Field(None, max_length=80)
    phone: str | None = Field(None, max_length=20)
    language: str | None = Field(None, max_length=8)
    active: bool | None = None


class CourierShape(BaseModel):
    id: str
    site_id: str
    name: str
    phone: str
    language: str
    active: bool
    created_at: str


class CourierPage(BaseModel):
    data: list[CourierShape]
    next: None


class CourierLinkShape(BaseModel):
    url: str = Field(description="Anyone with this link can see and update the courier's orders.")
    expires_at: str


class Assign(BaseModel):
    courier_id: str | None = Field(None, max_length=40, description="Null: unassign the courier.")
    version: int | None = Field(
        None, description="The version you have: 409 if the order has changed since."
    )


class CourierUpdate(BaseModel):
    status: Literal[STEPS] = Field(  # type: ignore[valid-type]
        examples=["picked_up"], description="What the courier did with the order."
    )
    problem: Literal[PROBLEMS] | None = Field(  # type: ignore[valid-type]
        None,
        examples=["no_answer"],
        description="Why the order could not be delivered. Only with the status `problem`.",
    )
    note: str = Field("", max_length=200, description="What the courier adds, for the staff.")


class Located(BaseModel):
    latitude: float = Field(ge=-90, le=90, examples=[41.03])
    longitude: float = Field(ge=-180, le=180, examples=[28.97])
    address: str = Field("", max_length=300)


class RideShape(BaseModel):
    order_id: str
    status: str = Field(description="The order's state, such as `out_for_delivery`.")
    courier: dict[str, Any] | None = Field(description="The courier, with the time of each step.")
    collect: dict[str, Any] = Field(
        description="The amount to collect on delivery.", examples=[{"by": "cash", "amount": 795}]
    )
    delivery: dict[str, Any] | None
