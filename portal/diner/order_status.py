"""What became of an order that was handed to the messaging app: asked by the page that made it."""

from flask import Response, request

from core.buckets import Bucket, take
from core.clock import now
from core.db import db, tenant_scope
from portal.diner.facts import remembered
from portal.diner.pages import BOOK, asked_language, diner, json_answer, refused
from portal.visitors import open_to_all
from restaurant import carts
from restaurant.models import Order

# A page asks every three seconds at most; a whole room may share one address.
RATE, BURST = 20.0, 200
ENDED = ("served", "delivered", "closed", "cancelled", "refunded")


@diner.get("/r/<slug>/orders/<code>")
@open_to_all
def order_status(slug: str, code: str) -> Response:
    """The state in words. The code is known to nobody but the diner's phone and the restaurant."""
    facts = remembered.of("slug", slug)
    if facts is None:
        return refused(404, "no_such_place", "en")
    language = asked_language(facts)
    if not take([Bucket(f"order-status:{request.remote_addr}", RATE, BURST)]).allowed:
        return refused(429, "failed", language)
    with tenant_scope(facts.tenant_id):
        cart = carts.find(code.replace("-", "").replace("\0", "").upper()[: carts.CODE_LENGTH])
        if cart is None or cart.site_id != facts.site.id:
            return refused(404, "order_expired", language)
        order = cart.order_id and db.session.get(Order, (facts.tenant_id, cart.order_id))
        if order:
            state, number = order.state, order.number
        else:
            state, number = ("waiting" if cart.expires_at > now() else "expired"), ""
    return json_answer(
        {
            "state": state,
            "said": BOOK.say(language, f"order_{state}"),
            "number": number,
            "sent": bool(order),
            "ended": state in ENDED or state == "expired",
        }
    )
