"""Journeys and messages for the tests."""

from itertools import count
from typing import Any

from core.db import db
from jobs.inbound import messages as inbound_messages
from messaging.costs.usage import UsageTally
from messaging.journeys import repository
from messaging.lines.drivers.base import InboundMessage
from messaging.models import JourneyRun, Message

AYSE = "905321112233"
_ids = count(1)

MENU: dict[str, Any] = {
    "when": {"kind": "keyword", "words": ["menu", "Yardım"]},
    "steps": [
        {
            "id": "ask",
            "kind": "ask",
            "text": "How can we help?",
            "choices": [
                {"title": "Hours", "next": "hours"},
                {"title": "Menu", "next": "link"},
                {"title": "A person", "next": "person"},
            ],
            "save_as": "wish",
        },
        {"id": "hours", "kind": "say", "text": "We are open from 9 to 22.", "next": "end"},
        {"id": "link", "kind": "say", "text": "Our menu: example.com"},
        {"id": "end", "kind": "end"},
        {"id": "person", "kind": "hand_over", "note": "Wants a person"},
    ],
}


def publish(business: Any, definition: dict[str, Any], name: str = "Menu") -> str:
    with business.scope():
        made = repository.create(name, definition)
        return str(repository.publish(made.id).id)


def writes(
    business: Any, line: Any, text: str, kind: str = "text", phone: str = AYSE, **content: Any
) -> None:
    message = InboundMessage(
        f"wamid.journey{next(_ids)}", phone, phone, "Ayşe Kaya", 0, kind, text, content
    )
    with business.scope():
        tally = UsageTally()
        inbound_messages.receive_and_react(line, message, tally)
        tally.write()


def taps(business: Any, line: Any, title: str, **more: Any) -> None:
    writes(business, line, title, "button", id=title, title=title, **more)


def sent(business: Any) -> list[str]:
    with business.scope():
        query = db.session.query(Message).filter_by(tenant_id=business.tenant_id, direction="out")
        return [one.text for one in query.order_by(Message.id)]


def runs(business: Any) -> list[JourneyRun]:
    with business.scope():
        query = db.session.query(JourneyRun).filter_by(tenant_id=business.tenant_id)
        found = list(query.order_by(JourneyRun.id))
        db.session.expunge_all()
        return found
