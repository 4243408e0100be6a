"""A coupon on its way from a cart into an order: priced with the cart, used up with the order."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.errors import invalid
from restaurant.loyalty import codes, coupons, terms
from restaurant.loyalty.coupons import CouponRefused
from restaurant.loyalty.terms import Refusal
from restaurant.models import Cart, Coupon, Order, Site
from restaurant.pricing import ZERO, Line, Terms, add_up

# Sentences kept with the order; the portal says them in the reader's language.
LOST = {
    "unknown": "The coupon is not known any more: the order is without its discount.",
    "used": "The coupon was used already: the order is without its discount.",
    "expired": "The coupon has run out: the order is without its discount.",
    "cancelled": "The coupon was cancelled: the order is without its discount.",
    "other_site": "The coupon is for another restaurant: the order is without its discount.",
    "below_minimum": "The order is below the coupon's minimum: it is without its discount.",
    "item_missing": "The coupon's item is not on the order: it is without its discount.",
    "not_yours": "The coupon belongs to another guest: the order is without its discount.",
    "limit": "The guest has used this reward before: the order is without its discount.",
}


@dataclass(frozen=True)
class Redeemed:
    """A cart's sums as its order has them."""

    sums: dict[str, Any]
    total: Decimal
    coupon: Coupon | None = None
    refusal: Refusal | None = None
    code: str = ""


def redeem(
    site: Site, cart: Cart, lines: Sequence[Line], contact_id: str | None, *, use_up: bool = True
) -> Redeemed:
    """Of two orders with the same code one wins; the other is made at the full price.

    `use_up=False`, for test orders: the discount is given and the coupon stays open.
    """
    if not cart.coupon:
        return Redeemed(cart.sums, cart.total)
    coupon = coupons.by_code(cart.coupon, lock=True)
    why = coupons.refused(coupon, site, lines, contact_id, cart.made_at)
    if why is None and coupon is not None:
        if not use_up:
            return Redeemed(cart.sums, cart.total)
        if coupons.take(coupon, Decimal(cart.sums["discount"])):
            return Redeemed(cart.sums, cart.total, coupon)
        why = Refusal("used")
    whole = add_up(
        lines,
        Terms(
            currency=site.currency,
            tax_included=site.tax_included,
            service_percent=site.service_for(cart.order_type),
            delivery_fee=Decimal(cart.sums["delivery_fee"]),
            tip=Decimal(cart.sums["tip"]),
        ),
    )
    return Redeemed(whole.as_json(), whole.total, None, why, codes.shown(cart.coupon))


def apply(
    site: Site, typed: str, lines: Sequence[Line], contact_id: str | None, *, use_up: bool = True
) -> tuple[Coupon | None, Decimal]:
    """For an order written down by the staff or a program: the coupon that is used up here and
    now, and its discount; or a refusal. `use_up=False`, for test orders: the discount alone."""
    if not typed.strip():
        return None, ZERO
    try:
        offer = coupons.offer(site, typed, lines, contact_id)
    except CouponRefused as error:
        raise invalid("coupon", error.code, error.template, **error.values) from error
    if not use_up:
        return None, offer.discount
    if not coupons.take(offer.coupon, offer.discount):
        raise invalid("coupon", "coupon_used", coupons.ALREADY)
    return offer.coupon, offer.coupon.discount or ZERO


def discount_now(order: Order, lines: Sequence[Line]) -> Decimal:
    """After something was added or taken back: never more than was promised, or than is left."""
    used = coupons.of_order(order.id)
    if not used:
        return Decimal(order.sums.get("discount", "0"))
    return sum(
        (
            min(
                one.discount or ZERO, terms.discount(coupons.promise_of(one), lines, order.currency)
            )
            for one in used
        ),
        ZERO,
    )
