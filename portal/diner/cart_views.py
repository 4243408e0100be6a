"""The diner's cart: priced and stored here, then sent by the diner as a chat message."""

from dataclasses import replace

from flask import Response, request
from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from core.db import db, tenant_scope
from core.errors import DomainError
from core.values import qr_codes
from core.values.money import format_money
from core.values.phone import display_phone
from core.values.text import BadText
from messaging.links import short_links
from messaging.models import Line
from portal.diner import time_views
from portal.diner.menu_cache import MenuFacts, menu_cache
from portal.diner.texts import diner_text
from portal.diner.views import chosen_language, diner, error_reply, json_response, read_body
from portal.web.auth import open_to_all
from restaurant.delivery.addresses import BelowMinimum
from restaurant.loyalty.coupons import CouponRefused
from restaurant.menus.pricing import NotEnoughLeft, RequestedItem
from restaurant.models import Cart, Order, Site
from restaurant.orders import carts
from restaurant.orders.pace.capacity import SlotFull
from restaurant.sites import sites

# Error codes that have their own text; all others get a general error message.
MESSAGE_KEYS = {
    "not_on_menu": "changed",
    "sold_out": "changed",
    "table_missing": "no_table",
    "unknown_table": "no_table",
    "paused": "paused",
    "closed": "closed",
    "no_menu": "no_menu",
    "rate_limited": "too_many",
    "outside_zones": "outside",
    "below_minimum": "below_minimum",
    "address_missing": "address_missing",
    "invalid_place": "locate_failed",
    "not_enough_left": "not_enough_left",
    "slot_full": "full",
    "too_soon": "time_over",
    "too_far_ahead": "time_over",
    "no_orders_for_later": "time_over",
}


class CartItemIn(BaseModel):
    item: str = Field(max_length=40)
    quantity: int = Field(ge=1, le=99)
    options: list[str] = Field(default_factory=list, max_length=60)
    note: str = Field("", max_length=400)


class CartIn(BaseModel):
    lines: list[CartItemIn] = Field(max_length=60)
    order_type: str = "dine_in"
    payment_method: str = "pos_at_table"
    table: str = Field("", max_length=40)
    k: str = Field("", max_length=100)
    notes: str = Field("", max_length=1000)
    address: str = Field("", max_length=400)
    latitude: float | None = None
    longitude: float | None = None
    language: str = Field("", max_length=20)
    coupon: str = Field("", max_length=40)
    tip: int = Field(0, ge=0, le=100)
    due: AwareDatetime | None = None
    replaces: str = Field("", max_length=12)
    via: str = Field("", max_length=400)


@diner.post("/r/<slug>/cart")
@open_to_all
def send_cart(slug: str) -> Response:
    """Price and store the cart; return the text to send and the chat link."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    try:
        form = CartIn.model_validate_json(read_body())
    except ValidationError:
        return error_reply(422, "failed", language)
    if facts.why_closed and not (form.due and facts.orders_for_later):
        return error_reply(409, _closed_key(facts.why_closed, form), language)
    try:
        with tenant_scope(facts.tenant_id):
            site = sites.get(facts.site.id)
            line = sites.line_of(site)
            if line is None:
                return error_reply(409, _closed_key("paused", form), language)
            wanted = replace(_requested_cart(form), replaces=_replaced(site, form.replaces))
            cart = carts.create_cart(site, wanted)
            if code := short_links.read_via(form.via):
                cart.link_code = code
                short_links.record_cart(code)
    except DomainError as error:
        if error.code == "paused":
            return error_reply(409, _closed_key("paused", form), language)
        return refuse_cart(error, facts, language)
    except BadText:
        return error_reply(422, "failed", language)
    return cart_reply(line, cart)


def cart_reply(line: Line, cart: Cart) -> Response:
    """What the page needs to send the cart as a chat message."""
    link = carts.order_link(line, cart.text, request.host_url.rstrip("/"))
    return json_response(
        {
            "code": f"{cart.code[:4]}-{cart.code[4:]}",
            "text": cart.text,
            "link": link,
            "phone": display_phone(line.phone),
            "total": str(cart.total),
            "qr": _qr(link),
        }
    )


def _requested_cart(form: CartIn) -> carts.CartRequest:
    return carts.CartRequest(
        items=tuple(
            RequestedItem(item.item, item.quantity, tuple(item.options), item.note)
            for item in form.lines
        ),
        order_type=form.order_type,
        payment_method=form.payment_method,
        table_number=form.table,
        table_token=form.k,
        notes=form.notes,
        address=form.address,
        latitude=form.latitude,
        longitude=form.longitude,
        language=form.language,
        coupon=form.coupon,
        tip_percent=form.tip,
        due_at=form.due,
        visitor=request.remote_addr or "",
    )


def _replaced(site: Site, code: str) -> Order | None:
    """The order that the guest changes. Only the guest and the restaurant have its code."""
    cart = carts.get_by_code(carts.clean_code(code)) if code else None
    if cart is None or cart.order_id is None or cart.site_id != site.id:
        return None
    return db.session.get(Order, (site.tenant_id, cart.order_id))


def _qr(link: str) -> str:
    return qr_codes.svg(link, correction="low", border=2)


def _closed_key(why: str, form: CartIn) -> str:
    """Guests at a table can ask the staff; people at home cannot."""
    return "paused_table" if why == "paused" and form.order_type == "dine_in" else why


def refuse_cart(error: DomainError, facts: MenuFacts, language: str) -> Response:
    key = MESSAGE_KEYS.get(error.code, "failed")
    values = {}
    if isinstance(error, CouponRefused):
        key, values["name"] = error.code, error.refusal.name
        values["amount"] = format_money(error.refusal.amount, facts.site.currency, language)
    if error.code == "sold_out" and error.values.get("name"):
        key, values["name"] = "gone", str(error.values["name"])
    if isinstance(error, NotEnoughLeft):
        values |= {"name": str(error.values["name"]), "left": str(error.values["left"])}
    if error.code == "wrong_options":
        key, values["name"] = "options_changed", str(error.values["item"])
    if isinstance(error, BelowMinimum):
        values["minimum"] = format_money(error.minimum, facts.site.currency, language)
    body = {"message": diner_text(language, key, **values), "code": error.code, **error.more}
    if isinstance(error, SlotFull):
        key = "full" if error.next_times else "full_today"
        body["message"] = diner_text(language, key)
        body["times"] = time_views.times_json(facts.site, error.next_times, language)
    return json_response(body, error.status)
