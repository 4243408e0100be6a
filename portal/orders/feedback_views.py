"""Guests who were not happy with their order, until somebody has taken care of them."""

from typing import Any

from flask import flash, g, redirect, render_template, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import NotFound
from messaging.inbox import conversations as inbox_conversations
from portal.orders.views import orders_pages
from portal.web.auth import may, member_may, next_path
from restaurant.feedback import questions as feedback_questions
from restaurant.orders import queries as order_queries
from tenants import audit


@orders_pages.get("/orders/unhappy")
@member_may("orders.view")
def unhappy() -> Any:
    with tenant_scope(g.tenant_id):
        rows = feedback_questions.unhappy_guests()
        talks = {}
        if may("inbox.view"):
            contact_ids = [row.contact_id for row in rows if row.contact_id]
            talks = inbox_conversations.latest_of_contacts(contact_ids)
    return render_template("orders/unhappy.html", rows=rows, talks=talks)


@orders_pages.post("/orders/<order_id>/feedback")
@member_may("orders.manage")
def feedback_handled(order_id: str) -> Any:
    """Somebody has taken care of the guest."""
    with tenant_scope(g.tenant_id):
        order = order_queries.get(order_id)
        feedback = feedback_questions.of_order(order.id)
        if feedback is None:
            raise NotFound()
        if feedback_questions.mark_handled(feedback):
            audit.record("orders.feedback_handled", order.number)
    flash(gettext("Saved."), "success")
    return redirect(next_path(url_for("orders.order", order_id=order.number)))
