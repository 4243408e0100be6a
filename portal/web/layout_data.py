"""What the layout of every page shows from the database, read in one transaction."""

from dataclasses import dataclass

from flask import Flask, g
from flask_login import current_user

from core.db import tenant_scope
from messaging.inbox import conversations
from portal.web.auth import may
from restaurant.sites import sites


@dataclass(frozen=True)
class LayoutData:
    unread: int = 0
    """Unread conversations, for the navigation."""
    has_restaurant: bool = False
    """The bottom bar then shows orders instead of the API."""


def layout_data() -> LayoutData:
    """Read after the page's own data, which may mark a conversation as read."""
    if "layout_data" not in g:
        g.layout_data = _load()
    data: LayoutData = g.layout_data
    return data


def _load() -> LayoutData:
    if getattr(current_user, "role", None) is None:
        return LayoutData()
    with tenant_scope(g.tenant_id):
        return LayoutData(
            unread=conversations.unread_count() if may("inbox.view") else 0,
            has_restaurant=may("orders.view") and sites.any_open(),
        )


def setup_layout_data(app: Flask) -> None:
    app.add_template_global(layout_data)
