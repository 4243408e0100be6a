"""Five weeks of notices for the demo's two businesses, in bulk: what was sent, read, and cost.

Rows as the service would have written them, not one call each: there are hundreds.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import insert

from core.clock import frozen, now, zone
from core.db import current_tenant_id, db, tenant_scope
from core.ids import new_id
from core.values.phone import phone_country
from deploy.demo.messaging.conversations import UNREACHABLE, demo_line
from messaging.contacts import cards as contact_cards
from messaging.contacts import search as contact_search
from messaging.contacts.search import ContactFilters
from messaging.costs import rates as message_rates
from messaging.costs.usage import UsageTally
from messaging.models import LedgerEntry, Line, Message, MessageChange, NetworkId
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts

DAYS = 35
READERS = 120
BATCH = 500


@dataclass(frozen=True)
class Notice:
    """A template and its places; `{first}` and `{number}` are filled in."""

    template: str
    language: str
    parameters: tuple[str, ...]
    category: str = "utility"
    weight: int = 10


MAVI = (
    Notice("order_confirmation", "tr", ("{first}", "M-{number:04}"), weight=24),
    Notice("table_ready", "en", ("{first}",), weight=6),
    Notice("weekend_menu", "tr", ("{first}",), "marketing", 3),
)
KUMRU = (
    Notice("order_confirmation", "en", ("{first}", "#{number}"), weight=14),
    Notice("shipping_update", "en", ("#{number}", "Correos PQ{number}ES"), weight=12),
    Notice("sign_in_code", "en", ("{number:06}",), "authentication", 4),
)


@dataclass
class NoticeBatch:
    """What is written at the end, table by table."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    changes: list[dict[str, Any]] = field(default_factory=list)
    names: list[dict[str, Any]] = field(default_factory=list)
    entries: list[dict[str, Any]] = field(default_factory=list)
    tally: UsageTally = field(default_factory=UsageTally)
    months: dict[date, list[Decimal]] = field(default_factory=dict)
    """What the plan counts."""

    def write(self) -> None:
        for model, rows in (
            (Message, self.messages),
            (MessageChange, self.changes),
            (NetworkId, self.names),
            (LedgerEntry, self.entries),
        ):
            for begin in range(0, len(rows), BATCH):
                db.session.execute(insert(model), rows[begin : begin + BATCH])
        self.tally.write()
        for month, costs in sorted(self.months.items()):
            with frozen(datetime(month.year, month.month, 2, tzinfo=zone("UTC"))):
                quota.reserve(current_tenant_facts(), len(costs), sum(costs, Decimal(0)))


def add_notices(tenant_id: int, notices: Sequence[Notice], busy: int) -> None:
    """About `busy` a day, more towards the week's end. The same story every time."""
    dice = random.Random(f"traffic {notices[0].language}")  # noqa: S311 - a demo, not a secret
    today = now()
    with tenant_scope(tenant_id):
        line, pile = demo_line(), NoticeBatch()
        known = contact_cards.cards_of(
            contact_search.search_contacts(ContactFilters(), limit=READERS)
        )
        readers = [(one.phone, one.contact.name or "there") for one in known if one.phone]
        for days_ago in range(DAYS, 0, -1):
            day = today - timedelta(days=days_ago)
            most = busy + busy * (day.weekday() in (3, 4, 5)) // 2 + (DAYS - days_ago) // 4
            for _ in range(dice.randint(most * 2 // 3, most)):
                at = day.replace(hour=dice.randint(8, 19), minute=dice.randrange(60), second=7)
                _notice(pile, line, dice, at, dice.choice(readers), notices)
        pile.write()


def _notice(
    pile: NoticeBatch,
    line: Line,
    dice: random.Random,
    at: datetime,
    reader: tuple[str, str],
    notices: Sequence[Notice],
) -> None:
    phone, name = reader
    notice = dice.choices(notices, [one.weight for one in notices])[0]
    number = dice.randrange(100, 999)
    filled = [one.format(first=name.split()[0], number=number) for one in notice.parameters]
    content = {"name": notice.template, "language": notice.language, "parameters": filled}
    country = phone_country(phone) or ""
    price = message_rates.quote_price(line.kind, country, notice.category, at)
    luck = dice.random()
    states = ["queued", "sent", "delivered", "read"][: 4 if luck < 0.72 else 3]
    if luck > 0.97:
        states, price = ["queued", "failed"], Decimal(0)
    with frozen(at):
        message_id, owner = new_id("msg"), current_tenant_id()
        network_id = None if states[-1] == "failed" else f"wamid.notice{message_id[-16:]}"
        steps = [at + timedelta(seconds=wait) for wait in (0, 1, 4, 4 + dice.randrange(20, 5000))]
        pile.changes += [
            {
                "tenant_id": owner,
                "message_id": message_id,
                "id": new_id("chg"),
                "at": moment,
                "state": state,
                "cause": "",
            }
            for moment, state in zip(steps, states, strict=False)
        ]
        counts = {"failed": 1} if network_id is None else dict.fromkeys(states[1:], 1)
        pile.tally.add(line.id, country, notice.category, price, **counts)
        if network_id is not None:
            pile.months.setdefault(quota.month_of(at), []).append(price)
            pile.names.append(
                {"tenant_id": owner, "network_id": network_id, "message_id": message_id}
            )
            pile.entries.append(
                {
                    "tenant_id": owner,
                    "id": new_id("led"),
                    "at": at,
                    "message_id": message_id,
                    "kind": "quote",
                    "line_id": line.id,
                    "country": country,
                    "category": notice.category,
                    "amount_usd": price,
                }
            )
    pile.messages.append(
        {
            "tenant_id": owner,
            "id": message_id,
            "line_id": line.id,
            "direction": "out",
            "kind": "template",
            "phone": phone,
            "contact_id": None,
            "text": "",
            "content": content,
            "state": states[-1],
            "attempt": 1,
            "due_at": None,
            "network_id": network_id,
            "country": country,
            "category": notice.category,
            "quoted_usd": price,
            "cost_usd": price,
            "error_code": None if network_id else UNREACHABLE.code,
            "error_reason": None if network_id else UNREACHABLE.reason,
            "created_at": at,
            "changed_at": steps[len(states) - 1],
        }
    )
