"""What the restaurant keeps of a guest, when the guest is erased: prices and times stay."""

from uuid import UUID

from sqlalchemy import or_, select, update

from core.db import current_tenant_id, db
from messaging.crm.traces import Sought
from restaurant.models import Cart, Order, OrderChange, OrderLine


def forget_guest(sought: Sought) -> None:
    """In each order of theirs: who they were, what they wrote, where they live."""
    tenant_id = current_tenant_id()
    mine = select(Order.id, Order.cart_id).where(
        Order.tenant_id == tenant_id,
        Order.id <= UUID(sought.until),
        or_(Order.contact_id == sought.contact_id, Order.customer_phone.in_(sought.names)),
    )
    found = db.session.execute(mine).all()
    order_ids = [row.id for row in found]
    if not order_ids:
        return
    db.session.execute(
        update(Order)
        .where(Order.tenant_id == tenant_id, Order.id.in_(order_ids))
        .values(
            contact_id=None, customer_phone="", customer_name="", notes="", staff_note="",
            address={}, message_id=None,
        )
    )  # fmt: skip
    db.session.execute(
        update(OrderLine)
        .where(OrderLine.tenant_id == tenant_id, OrderLine.order_id.in_(order_ids))
        .values(note="")
    )
    db.session.execute(
        update(OrderChange)
        .where(
            OrderChange.tenant_id == tenant_id,
            OrderChange.order_id.in_(order_ids),
            OrderChange.what.in_(("moved", "added")),
        )
        .values(because="")
    )
    _forget_carts(order_ids, [row.cart_id for row in found if row.cart_id])


def _forget_carts(order_ids: list[str], cart_ids: list[str]) -> None:
    """The first cart of an order, and those that were added to it."""
    tenant_id = current_tenant_id()
    carts = db.session.scalars(
        select(Cart).where(
            Cart.tenant_id == tenant_id,
            or_(Cart.order_id.in_(order_ids), Cart.id.in_(cart_ids)),
        )
    )
    for cart in carts:
        cart.lines = [{**line, "note": ""} for line in cart.lines]
        cart.notes = cart.text = cart.visitor = ""
        cart.address = {}
