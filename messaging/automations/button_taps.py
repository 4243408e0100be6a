"""A customer's tap on a button, or choice of a row, starts the automations that name it.

Taps have no store behind them. Their events belong to a connection of the tenant's own, which is
not listed and receives nothing.
"""

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import new_id, new_token
from messaging.automations import runs as automation_runs
from messaging.automations.connections import CHAT_KIND
from messaging.automations.recipes import BUTTON_TAPPED, recipes_started_by
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.linked.choices import CHOICE_KIND
from messaging.models import Automation, Connection, Line, StoreEvent


def is_tap(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    return message.kind == CHOICE_KIND and bool(message.content.get("id") or message.text)


def start_for_tap(line: Line, message: InboundMessage, message_id: str) -> bool:
    """Runs in the transaction that stored the message. True if an automation answers it."""
    if line.test or not _has_automations():
        return False
    name = message.sender_name
    title = str(message.content.get("title") or message.text)
    event = StoreEvent(
        tenant_id=current_tenant_id(),
        id=new_id("sev"),
        connection_id=_chat_connection().id,
        kind=BUTTON_TAPPED,
        subject=message_id,
        cause=f"tap:{message_id}",
        phone=message.sender_phone or message.sender_network_id,
        data={
            "button": {"id": str(message.content.get("id") or title), "title": title},
            "customer": {"name": name, "first_name": name.split(" ")[0]},
            "line_id": line.id,
        },
        at=now(),
    )
    if not automation_runs.matches_any(event):
        return False
    db.session.add(event)
    db.session.flush()
    return automation_runs.start_runs(event) > 0


def _has_automations() -> bool:
    query = select(Automation.id).where(
        Automation.tenant_id == current_tenant_id(),
        Automation.recipe.in_(recipes_started_by(BUTTON_TAPPED)),
        Automation.enabled,
        Automation.removed_at.is_(None),
    )
    return db.session.scalars(query.limit(1)).first() is not None


def _chat_connection() -> Connection:
    query = select(Connection).where(
        Connection.tenant_id == current_tenant_id(), Connection.kind == CHAT_KIND
    )
    found = db.session.scalars(query.order_by(Connection.id).limit(1)).first()
    if found is None:
        found = Connection(
            tenant_id=current_tenant_id(),
            id=new_id("cnx"),
            kind=CHAT_KIND,
            name=CHAT_KIND,
            token=new_token(),
            secret=None,
        )
        db.session.add(found)
        db.session.flush()
    return found
