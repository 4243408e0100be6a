"""The chat message with which a diner sends a cart."""

from collections.abc import Sequence
from decimal import Decimal

from core.values.money import format_money
from restaurant.chat_texts import chat_text, time_text
from restaurant.delivery import addresses
from restaurant.loyalty import coupon_codes
from restaurant.menus.pricing import OrderTotals, PricedItem
from restaurant.models import Cart, Site


def cart_text(site: Site, cart: Cart, items: Sequence[PricedItem], sums: OrderTotals) -> str:
    """The chat message: greeting, table, lines with options, notes, total, and the code."""
    language = cart.language

    def money(amount: Decimal) -> str:
        return format_money(amount, site.currency, language)

    rows = [chat_text(language, "greeting", site=site.name), f"*{_place_label(cart)}*"]
    if cart.due_at is not None:
        rows.append(
            chat_text(language, "due", time=time_text(cart.due_at, site.time_zone, language))
        )
    rows += ["", *item_rows(items, site.currency, language), ""]
    if cart.notes:
        rows.append(f"{chat_text(language, 'note')}: {cart.notes}")
    for key, amount in (
        ("discount", -sums.discount),
        ("service", sums.service),
        ("delivery_fee", sums.delivery_fee),
        ("tip", sums.tip),
    ):
        if amount:
            if key == "discount" and cart.coupon:
                rows.append(
                    f"{chat_text(language, 'coupon')}: {coupon_codes.format_code(cart.coupon)}"
                )
            percent = format(site.service_percent.normalize(), "f")
            rows.append(f"{chat_text(language, key, percent=percent)}: {money(amount)}")
    rows.append(f"*{chat_text(language, 'total')}: {money(sums.total)}*")
    if addresses.is_zone_unknown(site, cart.order_type, cart.address):
        rows.append(chat_text(language, "fee_open"))
    if cart.payment_method != "pos_at_table":
        rows.append(chat_text(language, f"payment_{cart.payment_method}"))
    rows.append(f"{chat_text(language, 'code')}: #{cart.code[:4]}-{cart.code[4:]}")
    return "\n".join(rows)


def item_rows(items: Sequence[PricedItem], currency: str, language: str) -> list[str]:
    """The ordered items with their options and notes, as chat messages show them."""
    rows = []
    for item in items:
        amount = format_money(item.amount, currency, language)
        rows.append(f"{item.quantity} × {item.said}: {amount}")
        if item.options:
            rows.append("  + " + ", ".join(option.said for option in item.options))
        if item.note:
            rows.append(f"  ({item.note})")
    return rows


def _place_label(cart: Cart) -> str:
    if cart.order_type == "dine_in":
        return chat_text(cart.language, "table", table=cart.table_number)
    where = addresses.location_of(cart.address)
    address = cart.address.get("text") or str(where or "")
    return chat_text(cart.language, cart.order_type, address=address)
