"""The terms stored with a coupon, and the discount they give on a cart. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.values.money import quantize
from restaurant.menus.pricing import ZERO, PricedItem
from restaurant.models import Reward, Site

KINDS = ("percent", "amount", "item")


@dataclass(frozen=True)
class CouponTerms:
    kind: str
    value: Decimal
    currency: str
    name: str
    minimum: Decimal = ZERO
    most: Decimal | None = None
    item_id: str | None = None
    item_name: str = ""
    site_ids: tuple[str, ...] = ()

    @property
    def is_fixed_amount(self) -> bool:
        """A fixed amount is tied to a currency; a percentage is not."""
        return self.kind == "amount" or bool(self.minimum) or bool(self.most)

    def as_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "value": str(self.value),
            "currency": self.currency,
            "name": self.name,
            "minimum": str(self.minimum),
            "most": None if self.most is None else str(self.most),
            "item_id": self.item_id,
            "item_name": self.item_name,
            "site_ids": list(self.site_ids),
        }


@dataclass(frozen=True)
class CouponRefusal:
    """Why a coupon is refused; `amount` is the minimum, `name` the missing item."""

    why: str
    amount: Decimal = ZERO
    name: str = ""


def terms_of_reward(reward: Reward) -> CouponTerms:
    return CouponTerms(
        kind=reward.kind,
        value=reward.value,
        currency=reward.currency,
        name=reward.name,
        minimum=reward.minimum,
        most=reward.most,
        item_id=reward.item_id,
        item_name=reward.item_name,
        site_ids=tuple(reward.site_ids),
    )


def read_terms(stored: Mapping[str, Any]) -> CouponTerms:
    return CouponTerms(
        kind=stored["kind"],
        value=Decimal(stored["value"]),
        currency=stored["currency"],
        name=stored["name"],
        minimum=Decimal(stored["minimum"]),
        most=None if stored["most"] is None else Decimal(stored["most"]),
        item_id=stored["item_id"],
        item_name=stored["item_name"],
        site_ids=tuple(stored["site_ids"]),
    )


def find_refusal(
    promise: CouponTerms, site: Site, items: Sequence[PricedItem]
) -> CouponRefusal | None:
    """Why the terms do not apply to this cart at this site; None if they do."""
    if promise.site_ids and site.id not in promise.site_ids:
        return CouponRefusal("other_site")
    if promise.is_fixed_amount and promise.currency != site.currency:
        return CouponRefusal("other_site")
    if subtotal(items) < promise.minimum:
        return CouponRefusal("below_minimum", amount=promise.minimum)
    if promise.kind == "item" and not _matching_prices(promise, items):
        return CouponRefusal("item_missing", name=promise.item_name)
    return None


def calculate_discount(promise: CouponTerms, items: Sequence[PricedItem], currency: str) -> Decimal:
    """At most the price of the items; rounded to the currency, so that amounts add up."""
    whole = subtotal(items)
    if promise.kind == "percent":
        off = whole * promise.value / 100
        off = off if promise.most is None else min(off, promise.most)
    elif promise.kind == "amount":
        off = promise.value
    else:
        off = max(_matching_prices(promise, items), default=ZERO)
    return quantize(min(off, whole), currency)


def subtotal(items: Iterable[PricedItem]) -> Decimal:
    return sum((item.amount for item in items), ZERO)


def _matching_prices(promise: CouponTerms, items: Iterable[PricedItem]) -> list[Decimal]:
    """The price of one piece, without options, on each line of the item."""
    return [
        item.unit_price - sum((option.price for option in item.options), ZERO)
        for item in items
        if item.item_id == promise.item_id and item.quantity > 0
    ]
