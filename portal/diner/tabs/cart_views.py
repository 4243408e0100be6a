"""The shared cart: each phone stores its own items, and one guest sends the round."""

from flask import Response, request
from pydantic import AwareDatetime, BaseModel, Field, ValidationError

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from core.ids import BadId
from core.values.text import BadText
from portal.diner.cart_views import CartItemIn, cart_reply, refuse_cart
from portal.diner.menu_cache import menu_cache
from portal.diner.tabs import access
from portal.diner.tabs import state as tab_state
from portal.diner.tabs.views import guest_of
from portal.diner.views import chosen_language, diner, error_reply, json_response, read_body
from portal.web.auth import open_to_all
from restaurant.menus.pricing import RequestedItem
from restaurant.orders import carts
from restaurant.sites import sites, tables
from restaurant.tabs import rounds


class OwnItemsIn(BaseModel):
    lines: list[CartItemIn] = Field(max_length=30)


class RoundIn(BaseModel):
    payment_method: str = "pos_at_table"
    notes: str = Field("", max_length=1000)
    language: str = Field("", max_length=20)
    coupon: str = Field("", max_length=40)
    tip: int = Field(0, ge=0, le=100)
    due: AwareDatetime | None = None


@diner.post("/tab/<token>/cart")
@open_to_all
def store_own_items(token: str) -> Response:
    """All items of this guest; they replace those stored before."""
    if access.is_too_fast("cart"):
        return error_reply(429, "failed", "en")
    try:
        address = access.read(token)
        form = OwnItemsIn.model_validate_json(read_body())
        with tenant_scope(address.tenant_id):
            found = access.visit(address)
            rounds.replace_items(
                guest_of(found),
                [
                    RequestedItem(line.item, line.quantity, tuple(line.options), line.note)
                    for line in form.lines
                ],
            )
            return json_response(tab_state.tab_json(found, found.site.languages[0]))
    except (NotFound, BadId):
        return error_reply(404, "failed", "en")
    except DomainError as error:
        return json_response({"message": str(error), "code": error.code}, error.status)
    except (ValidationError, BadText):
        return error_reply(422, "failed", "en")


@diner.post("/tab/<token>/send")
@open_to_all
def send_round(token: str) -> Response:
    """Make one cart of what all guests chose; the guest sends it as a chat message."""
    if access.is_too_fast("send"):
        return error_reply(429, "failed", "en")
    try:
        address = access.read(token)
        form = RoundIn.model_validate_json(read_body())
    except NotFound:
        return error_reply(404, "failed", "en")
    except ValidationError:
        return error_reply(422, "failed", "en")
    with tenant_scope(address.tenant_id):
        slug = access.visit(address).site.slug
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    try:
        with tenant_scope(address.tenant_id):
            found = access.visit(address)
            line = sites.line_of(found.site)
            if line is None or facts.why_closed:
                return error_reply(409, "paused_table", language)
            table = tables.get(found.tab.table_id)
            cart = rounds.send(
                found.site,
                guest_of(found),
                carts.CartRequest(
                    items=(),
                    order_type="dine_in",
                    payment_method=form.payment_method,
                    table_number=table.number,
                    table_token=table.token,
                    notes=form.notes,
                    language=form.language,
                    coupon=form.coupon,
                    tip_percent=form.tip,
                    due_at=form.due,
                    visitor=request.remote_addr or "",
                ),
            )
    except (NotFound, BadId):
        return error_reply(404, "failed", language)
    except DomainError as error:
        return refuse_cart(error, facts, language)
    except BadText:
        return error_reply(422, "failed", language)
    return cart_reply(line, cart)
