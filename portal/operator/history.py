"""Two weeks of conversations for the demo, through the same functions that real ones take.

In one transaction, so that no worker of a running service finds an answer half-way.
"""

import random
from datetime import datetime, timedelta

from core.clock import frozen, now
from core.db import tenant_scope
from messaging import claiming, lines_book, sending, settling
from messaging.lines import Accepted, InboundMessage, Outcome, Refused
from messaging.models import Line
from messaging.receiving import receive_message
from messaging.sending import Draft
from messaging.usage import Tally
from portal.operator.past_receipts import Heard, tell_receipts
from tenants.plans import known_facts

DAYS = 14
GUESTS = (
    ("905321110101", "Zeynep Arslan"),
    ("905321110102", "Mert Doğan"),
    ("905321110103", "Elif Şahin"),
    ("905321110104", "Can Öztürk"),
    ("4915211110105", "Lena Vogt"),
    ("34611110106", "Pau Ribas"),
)
ASKED = ("Bu akşam 4 kişilik yer var mı?", "Siparişim nerede?", "Teşekkürler!", "Menü var mı?")
ANSWERED = (
    "Masanız saat 20.00 için ayrıldı. Görüşmek üzere!",
    "Siparişiniz yola çıktı, 15 dakikaya kapınızda.",
    "Afiyet olsun! Bugünün çorbası *mercimek*.",
    "Siparişiniz alındı: 2 lahmacun, 1 ayran.",
)
GONE = Refused("recipient_unavailable", "This number cannot be reached on the network.")


def tell_conversations(tenant_id: int) -> None:
    """The same story every time: the dice are loaded."""
    dice = random.Random(20260101)  # noqa: S311 - a demo, not a secret
    beginning, heard = now(), []
    with tenant_scope(tenant_id):
        line, tally = demo_line(), Tally()
        for days_ago in range(DAYS, 0, -1):
            opening = (beginning - timedelta(days=days_ago)).replace(hour=9, minute=5)
            busy = 4 if opening.weekday() in (4, 5) else 2
            for minutes in sorted(dice.sample(range(600), busy + dice.randrange(2))):
                heard += _conversation(line, opening + timedelta(minutes=minutes), dice, tally)
        for minutes in (170, 95, 40, 12):
            heard += _conversation(line, beginning - timedelta(minutes=minutes), dice, tally)
        tell_receipts(heard)
        tally.write()


def _conversation(line: Line, at: datetime, dice: random.Random, tally: Tally) -> list[Heard]:
    """What the network will say of the answer."""
    phone, name = dice.choice(GUESTS)
    number = f"{int(at.timestamp())}"
    if dice.random() < 0.6:
        message = InboundMessage(
            network_id=f"wamid.guest{number}",
            sender_phone=phone,
            sender_network_id="",
            sender_name=name,
            at=int(at.timestamp()),
            kind="text",
            text=dice.choice(ASKED),
        )
        with frozen(at):
            receive_message(line, message, tally)
    outcome: Outcome = GONE if dice.random() < 0.06 else Accepted(f"wamid.demo{number}")
    with frozen(at + timedelta(minutes=1)):
        draft = _draft(phone, dice.choice(ANSWERED))
        hand_over(sending.accept(draft, line, known_facts()).id, outcome)
    if not isinstance(outcome, Accepted):
        return []
    states = ("delivered", "read") if dice.random() < 0.8 else ("delivered",)
    return [
        Heard(outcome.network_id, state, at + timedelta(minutes=later))
        for later, state in enumerate(states, start=2)
    ]


def demo_line() -> Line:
    line = lines_book.default_line(test=False)
    if line is None:
        raise RuntimeError("the demo has no line")
    return line


def hand_over(message_id: str, outcome: Outcome) -> None:
    """As a worker does, with the network's answer known beforehand."""
    claimed = [
        one for one in claiming.claim(100, 60.0, []) if one.envelope.message_id == message_id
    ]
    answered([(one, outcome) for one in claimed])


def answered(outcomes: list[tuple[claiming.Claimed, Outcome]]) -> None:
    """The network takes a second: what left stands before what it said of it."""
    with frozen(now() + timedelta(seconds=1)):
        settling.settle(outcomes)


def _draft(phone: str, text: str) -> Draft:
    """Abroad, and with news of an order, the place writes by a template; so some cost money."""
    if phone.startswith("90") and "yola" not in text:
        return Draft(kind="text", phone=phone, text=text)
    content = {"name": "order_confirmation", "language": "tr", "parameters": ["Mavi", "20:00"]}
    return Draft(kind="template", phone=phone, content=content, category="utility")
