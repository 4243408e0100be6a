"""What the layout of every page shows from the database, read together with the person's role."""

from dataclasses import dataclass

from flask import Flask, g, request

from core.db import db
from messaging.approvals import queries as approval_queries
from messaging.inbox import conversations
from restaurant.sites import sites
from tenants import team
from tenants.models import Account, Member
from tenants.rights import role_may


@dataclass(frozen=True)
class LayoutData:
    unread: int = 0
    """Unread conversations, for the navigation."""
    approvals: int = 0
    """Messages of apps that wait for a decision."""
    has_restaurant: bool = False
    """The bottom bar then shows orders instead of the API."""


ACCOUNT_AND_LAYOUT = team.ACCOUNT_AND_MEMBER.add_columns(
    conversations.UNREAD_COUNT.label("unread"),
    approval_queries.WAITING_COUNT.label("approvals"),
    sites.ANY_OPEN.label("has_restaurant"),
).execution_options(plan_once=True)


def read_account_and_layout(person_id: str) -> tuple[Account, Member | None]:
    """The tenant's account and the person's membership, and the data for `layout_data`."""
    person = {"person_id": person_id}
    if "X-Part" in request.headers:  # such a request renders no layout
        account, member = db.session.execute(team.ACCOUNT_AND_MEMBER, person).one()
        return account, member
    account, member, unread, approvals, has_restaurant = db.session.execute(
        ACCOUNT_AND_LAYOUT, person
    ).one()
    if member is not None:
        g.layout_data = LayoutData(
            unread=unread if role_may(member.role, "inbox.view") else 0,
            approvals=approvals if role_may(member.role, "inbox.reply") else 0,
            has_restaurant=has_restaurant and role_may(member.role, "orders.view"),
        )
    return account, member


def layout_data() -> LayoutData:
    return g.get("layout_data") or LayoutData()


def setup_layout_data(app: Flask) -> None:
    app.add_template_global(layout_data)
