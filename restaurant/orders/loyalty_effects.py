"""Coupons and points follow the order they belong to."""

from restaurant.loyalty import coupons, ledger
from restaurant.orders import hold_reasons
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders.effects import OrderUpdate


def release_coupons(update: OrderUpdate) -> None:
    """The coupons of a cancelled order can be used again."""
    if update.order.state != "cancelled":
        return
    for _ in coupons.release_coupons(update.order):
        order_lifecycle.record_change(update.order, "coupon", reason=hold_reasons.COUPON_RETURNED)


def update_points(update: OrderUpdate) -> None:
    ledger.update_for_order(update.site, update.order)


def update_repriced_points(update: OrderUpdate) -> None:
    ledger.update_for_order(update.site, update.order, repriced=True)
