"""Redeems a coupon: it is priced with the cart and used up with the order."""

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
    """A cart's totals as its order gets them."""

    sums: dict[str, Any]
    total: Decimal
    coupon: Coupon | None = None
    refusal: CouponRefusal | None = None
    code: str = ""


def redeem_for_cart(
    site: Site,
    cart: Cart,
    items: Sequence[PricedItem],
    contact_id: str | None,
    *,
    use_up: bool = True,
) -> Redemption:
    """Of two orders with the same code, one gets the coupon; the other is made at full price.

    With `use_up=False`, for test orders, the discount applies and the coupon stays open.
    """
    if not cart.coupon:
        return Redemption(cart.sums, cart.total)
    coupon = coupons.by_code(cart.coupon, lock=True)
    why = coupons.refusal_of(coupon, site, items, contact_id, cart.made_at)
    if why is None and coupon is not None:
        if not use_up:
            return Redemption(cart.sums, cart.total)
        if coupons.use_coupon(coupon, Decimal(cart.sums["discount"])):
            return Redemption(cart.sums, cart.total, coupon)
        why = CouponRefusal("used")
    whole = calculate_totals(
        items,
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
    items: Sequence[PricedItem],
    contact_id: str | None,
    *,
    use_up: bool = True,
) -> tuple[Coupon | None, Decimal]:
    """Redeem a code for an order by the staff or through the API: returns the coupon, now used,
    and its discount. Raises if the coupon is refused. With `use_up=False`, for test orders, the
    coupon is not used and only the discount is returned."""
    if not typed.strip():
        return None, ZERO
    try:
        offer = coupons.offer_for_cart(site, typed, items, contact_id)
    except CouponRefused as error:
        raise invalid("coupon", error.code, error.template, **error.values) from error
    if not use_up:
        return None, offer.discount
    if not coupons.use_coupon(offer.coupon, offer.discount):
        raise invalid("coupon", "coupon_used", coupons.ALREADY_USED)
    return offer.coupon, offer.coupon.discount or ZERO


def current_discount(order: Order, items: Sequence[PricedItem]) -> Decimal:
    """The discount after items were added or voided: at most the original one, and at most what
    the terms give on the remaining items."""
    used = coupons.of_order(order.id)
    if not used:
        return Decimal(order.sums.get("discount", "0"))
    return sum(
        (
            min(
                one.discount or ZERO,
                coupon_terms.calculate_discount(coupons.terms_of(one), items, order.currency),
            )
            for one in used
        ),
        ZERO,
    )
