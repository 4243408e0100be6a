"""What a coupon takes off a cart, or why not, told before the order is sent."""

from flask import Response, request
from pydantic import BaseModel, Field, ValidationError

from core.buckets import Bucket, take
from core.db import tenant_scope
from core.errors import Invalid
from core.money import format_money
from portal.diner.cart import WishIn
from portal.diner.facts import remembered
from portal.diner.pages import (
    BOOK,
    asked_language,
    diner,
    json_answer,
    raw_body,
    refused,
)
from portal.visitors import open_to_all
from restaurant.loyalty import codes, coupons
from restaurant.loyalty.coupons import CouponRefused
from restaurant.pricing import Shelf, Wish, price_lines

# A cart that changes asks again; a guesser of codes gets nowhere.
RATE, BURST = 0.5, 40


class CouponIn(BaseModel):
    code: str = Field(max_length=80)
    lines: list[WishIn] = Field(min_length=1, max_length=60)


@diner.post("/r/<slug>/coupon")
@open_to_all
def coupon(slug: str) -> Response:
    """Nothing is stored: the code comes again with the cart, and is looked at again."""
    facts = remembered.of("slug", slug)
    if facts is None:
        return refused(404, "no_such_place", "en")
    language = asked_language(facts)
    if not take([Bucket(f"coupon:{request.remote_addr}", RATE, BURST)]).allowed:
        return refused(429, "coupon_too_often", language)
    try:
        asked = CouponIn.model_validate_json(raw_body())
        wishes = [Wish(one.item, one.quantity, tuple(one.options)) for one in asked.lines]
        lines = price_lines(Shelf(facts.content, facts.missing), wishes, language)
    except (ValidationError, Invalid):
        return refused(422, "changed", language)
    try:
        with tenant_scope(facts.tenant_id):
            offer = coupons.offer(facts.site, asked.code, lines)
            promise = coupons.promise_of(offer.coupon)
    except CouponRefused as error:
        return json_answer(
            {"said": said(error, facts.site.currency, language), "code": error.code}, 422
        )
    amount = format_money(offer.discount, facts.site.currency, language)
    sentence = BOOK.say(language, "coupon_applied", reward=promise.name, amount=amount)
    if offer.coupon.contact_id is not None:
        sentence += " " + BOOK.say(language, "coupon_later")
    return json_answer(
        {
            "code": codes.shown(offer.coupon.code),
            "discount": str(offer.discount),
            "said": sentence,
        }
    )


def said(error: CouponRefused, currency: str, language: str) -> str:
    refusal = error.refusal
    amount = format_money(refusal.amount, currency, language) if refusal.amount else ""
    return BOOK.say(language, error.code, amount=amount, name=refusal.name)
