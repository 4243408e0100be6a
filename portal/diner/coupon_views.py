"""The discount of a coupon for a cart, or why it does not apply, before the order is sent."""

from flask import Response, request
from pydantic import BaseModel, Field, ValidationError

from core.db import tenant_scope
from core.errors import Invalid
from core.rate_limits import Bucket, take_tokens
from core.values.money import format_money
from portal.diner.cart_views import CartItemIn
from portal.diner.menu_cache import menu_cache
from portal.diner.texts import diner_text
from portal.diner.views import chosen_language, diner, error_reply, json_response, read_body
from portal.web.auth import open_to_all
from restaurant.loyalty import coupon_codes, coupons
from restaurant.loyalty.coupons import CouponRefused
from restaurant.menus.pricing import PricedMenu, RequestedItem, price_items

# Enough for a cart that changes often, too few to guess codes.
RATE, BURST = 0.5, 40


class CouponIn(BaseModel):
    code: str = Field(max_length=80)
    lines: list[CartItemIn] = Field(min_length=1, max_length=60)
    order_type: str = Field("dine_in", max_length=20)


@diner.post("/r/<slug>/coupon")
@open_to_all
def coupon(slug: str) -> Response:
    """Check only; nothing is stored. The code is sent with the cart and checked again."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    if not take_tokens([Bucket(f"coupon:{request.remote_addr}", RATE, BURST)]).allowed:
        return error_reply(429, "coupon_too_often", language)
    try:
        form = CouponIn.model_validate_json(read_body())
        requested = [
            RequestedItem(one.item, one.quantity, tuple(one.options)) for one in form.lines
        ]
        menu = PricedMenu(
            facts.content, facts.missing, order_type=form.order_type, rules=facts.rules
        )
        items = price_items(menu, requested, language)
    except (ValidationError, Invalid):
        return error_reply(422, "changed", language)
    try:
        with tenant_scope(facts.tenant_id):
            offer = coupons.offer_for_cart(facts.site, form.code, items)
            promise = coupons.terms_of(offer.coupon)
    except CouponRefused as error:
        return json_response(
            {"message": coupon_error(error, facts.site.currency, language), "code": error.code}, 422
        )
    amount = format_money(offer.discount, facts.site.currency, language)
    sentence = diner_text(language, "coupon_applied", reward=promise.name, amount=amount)
    if offer.coupon.contact_id is not None:
        sentence += " " + diner_text(language, "coupon_later")
    return json_response(
        {
            "code": coupon_codes.format_code(offer.coupon.code),
            "discount": str(offer.discount),
            "message": sentence,
        }
    )


def coupon_error(error: CouponRefused, currency: str, language: str) -> str:
    refusal = error.refusal
    amount = format_money(refusal.amount, currency, language) if refusal.amount else ""
    return diner_text(language, error.code, amount=amount, name=refusal.name)
