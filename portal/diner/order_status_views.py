"""The state of an order sent through the messaging app, polled by the page that made it."""

import math

from flask import Response, request

from core.clock import now
from core.db import db, tenant_scope
from core.rate_limits import Bucket, take_tokens
from portal.diner.menu_cache import menu_cache
from portal.diner.texts import diner_text
from portal.diner.views import chosen_language, diner, error_reply, json_response
from portal.web.auth import open_to_all
from restaurant.models import Order, Site, order_states
from restaurant.orders import carts
from restaurant.orders.kitchen import promise as kitchen_promise

# A page polls every three seconds at most; all guests may share one IP address.
RATE, BURST = 20.0, 200
ENDED = ("served", "delivered", "closed", "cancelled", "refunded")


@diner.get("/r/<slug>/orders/<code>")
@open_to_all
def order_status(slug: str, code: str) -> Response:
    """The state in words. Only the diner's phone and the restaurant have the code."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    language = chosen_language(facts)
    if not take_tokens([Bucket(f"order-status:{request.remote_addr}", RATE, BURST)]).allowed:
        return error_reply(429, "failed", language)
    with tenant_scope(facts.tenant_id):
        cart = carts.get_by_code(
            code.replace("-", "").replace("\0", "").upper()[: carts.CODE_LENGTH]
        )
        if cart is None or cart.site_id != facts.site.id:
            return error_reply(404, "order_expired", language)
        order = cart.order_id and db.session.get(Order, (facts.tenant_id, cart.order_id))
        if order:
            state, number = order.state, order.number
            left = _minutes_left(facts.site, order)
        else:
            state, number, left = ("waiting" if cart.expires_at > now() else "expired"), "", None
    message = diner_text(language, f"order_{state}")
    if left is not None:
        message = f"{message} {diner_text(language, 'ready_in', minutes=left)}"
    return json_response(
        {
            "state": state,
            "message": message,
            "minutes": left,
            "number": number,
            "sent": bool(order),
            "ended": state in ENDED or state == "expired",
        }
    )


def _minutes_left(site: Site, order: Order) -> int | None:
    """In how many minutes the order should be ready; None if it is not known, or late."""
    if not site.shows_promise or order.promised_at is None:
        return None
    left = (order.promised_at - now()).total_seconds() / 60
    in_kitchen = order.state in order_states.IN_THE_KITCHEN
    return kitchen_promise.rounded(math.ceil(left)) if in_kitchen and left > 0 else None
