"""The state of an order sent through the messaging app, polled by the page that made it."""

import math

from flask import Response, request

from core.clock import now
from core.db import db, tenant_scope
from core.rate_limits import Bucket, take_tokens
from portal.diner.menu_cache import MenuFacts, menu_cache
from portal.diner.texts import diner_text
from portal.diner.views import chosen_language, diner, error_reply, json_response
from portal.web.auth import open_to_all
from restaurant.models import Order, Site, order_states
from restaurant.orders import carts
from restaurant.orders import notifications as order_notifications
from restaurant.orders.kitchen import promise as kitchen_promise
from restaurant.orders.pace import guest_changes
from restaurant.sites import sites

# A page polls every three seconds at most; all guests may share one IP address.
RATE, BURST = 20.0, 200
ENDED = ("served", "delivered", "closed", "cancelled", "refunded")


@diner.get("/r/<slug>/orders/<code>")
@open_to_all
def order_status(slug: str, code: str) -> Response:
    """The state in words. Only the diner's phone and the restaurant have the code."""
    facts = _open_menu(slug)
    if isinstance(facts, Response):
        return facts
    language = chosen_language(facts)
    with tenant_scope(facts.tenant_id):
        cart = carts.get_by_code(carts.clean_code(code))
        if cart is None or cart.site_id != facts.site.id:
            return error_reply(404, "order_expired", language)
        order = cart.order_id and db.session.get(Order, (facts.tenant_id, cart.order_id))
        if order:
            state, number = order.state, order.number
            time = order_notifications.due_time_text(order) if order.due_at else ""
            left = _minutes_left(facts.site, order)
        else:
            state, number = ("waiting" if cart.expires_at > now() else "expired"), ""
            time, left = "", None
    message = diner_text(language, f"order_{state}", time=time)
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


@diner.get("/r/<slug>/orders/<code>/cart")
@open_to_all
def order_cart(slug: str, code: str) -> Response:
    """The items of an order, for a guest who changes it."""
    facts = _open_menu(slug)
    if isinstance(facts, Response):
        return facts
    language = chosen_language(facts)
    with tenant_scope(facts.tenant_id):
        cart = carts.get_by_code(carts.clean_code(code))
        order = cart and cart.order_id and db.session.get(Order, (facts.tenant_id, cart.order_id))
        if cart is None or not order or cart.site_id != facts.site.id:
            return error_reply(404, "order_expired", language)
        return json_response(
            {
                "number": order.number,
                "open": guest_changes.may_change(sites.of_order(order), order),
                "order_type": order.order_type,
                "payment_method": order.payment_method,
                "notes": cart.notes,
                "due": order.due_at.isoformat() if order.due_at else "",
                "lines": [
                    {
                        "item": row["item_id"],
                        "quantity": row["quantity"],
                        "options": [option["id"] for option in row["options"]],
                        "note": row["note"],
                        "name": row["said"],
                    }
                    for row in cart.lines
                ],
            }
        )


def _open_menu(slug: str) -> MenuFacts | Response:
    """The restaurant's menu, or the error for an unknown one and for too many requests."""
    facts = menu_cache.of("slug", slug)
    if facts is None:
        return error_reply(404, "no_such_place", "en")
    if not take_tokens([Bucket(f"order-status:{request.remote_addr}", RATE, BURST)]).allowed:
        return error_reply(429, "failed", chosen_language(facts))
    return facts


def _minutes_left(site: Site, order: Order) -> int | None:
    """In how many minutes the order should be ready; None if it is not known, or late."""
    if not site.shows_promise or order.promised_at is None:
        return None
    left = (order.promised_at - now()).total_seconds() / 60
    in_kitchen = order.state in order_states.IN_THE_KITCHEN
    return kitchen_promise.rounded(math.ceil(left)) if in_kitchen and left > 0 else None
