"""A coupon on its way from a cart into an order: priced with the cart, used up with the order."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from core.errors import invalid
from restaurant.loyalty import coupon_codes, coupon_terms, coupons
from restaurant.loyalty.coupon_terms import CouponRefusal
from restaurant.loyalty.coupons import CouponRefused
from restaurant.menus.pricing import ZERO, PricedItem, PricingTerms, calculate_totals
from restaurant.models import Cart, Coupon, Order, Site


@dataclass(frozen=True)
class Redemption:
    """A cart's sums as its order has them."""

    sums: dict[str, Any]
    total: Decimal
    coupon: Coupon | None = None
    refusal: CouponRefusal | None = None
    code: str = ""


def redeem_for_cart(
    site: Site,
    cart: Cart,
    lines: Sequence[PricedItem],
    contact_id: str | None,
    *,
    use_up: bool = True,
) -> Redemption:
    """Of two orders with the same code one wins; the other is made at the full price.

    `use_up=False`, for test orders: the discount is given and the coupon stays open.
    """
    if not cart.coupon:
        return Redemption(cart.sums, cart.total)
    coupon = coupons.by_code(cart.coupon, lock=True)
    why = coupons.refusal_of(coupon, site, lines, contact_id, cart.made_at)
    if why is None and coupon is not None:
        if not use_up:
            return Redemption(cart.sums, cart.total)
        if coupons.use_coupon(coupon, Decimal(cart.sums["discount"])):
            return Redemption(cart.sums, cart.total, coupon)
        why = CouponRefusal("used")
    whole = calculate_totals(
        lines,
        PricingTerms(
            currency=site.currency,
            tax_included=site.tax_included,
            service_percent=site.service_for(cart.order_type),
            delivery_fee=Decimal(cart.sums["delivery_fee"]),
            tip=Decimal(cart.sums["tip"]),
        ),
    )
    return Redemption(
        whole.as_json(), whole.total, None, why, coupon_codes.format_code(cart.coupon)
    )


def redeem_code(
    site: Site,
    typed: str,
    lines: Sequence[PricedItem],
    contact_id: str | None,
    *,
    use_up: bool = True,
) -> tuple[Coupon | None, Decimal]:
    """For an order written down by the staff or a program: the coupon that is used up here and
    now, and its discount; or a refusal. `use_up=False`, for test orders: the discount alone."""
    if not typed.strip():
        return None, ZERO
    try:
        offer = coupons.offer_for_cart(site, typed, lines, contact_id)
    except CouponRefused as error:
        raise invalid("coupon", error.code, error.template, **error.values) from error
    if not use_up:
        return None, offer.discount
    if not coupons.use_coupon(offer.coupon, offer.discount):
        raise invalid("coupon", "coupon_used", coupons.ALREADY_USED)
    return offer.coupon, offer.coupon.discount or ZERO


def current_discount(order: Order, lines: Sequence[PricedItem]) -> Decimal:
    """After something was added or taken back: never more than was promised, or than is left."""
    used = coupons.of_order(order.id)
    if not used:
        return Decimal(order.sums.get("discount", "0"))
    return sum(
        (
            min(
                one.discount or ZERO,
                coupon_terms.calculate_discount(coupons.terms_of(one), lines, order.currency),
            )
            for one in used
        ),
        ZERO,
    )
