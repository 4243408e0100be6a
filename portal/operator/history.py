"""Two weeks of conversations for the demo, through the same functions that real ones take."""

import random
from datetime import datetime, timedelta

from core.clock import frozen, now
from core.db import tenant_scope
from messaging import claiming, lines_book, sending, settling
from messaging.lines import Accepted, InboundMessage, Outcome, Receipt, Refused
from messaging.models import Line
from messaging.receipts import receive_receipt
from messaging.receiving import receive_message
from messaging.sending import Draft
from messaging.usage import Tally
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
    beginning = now()
    for days_ago in range(DAYS, 0, -1):
        opening = (beginning - timedelta(days=days_ago)).replace(hour=9, minute=5)
        busy = 4 if opening.weekday() in (4, 5) else 2
        for minutes in sorted(dice.sample(range(600), busy + dice.randrange(2))):
            _conversation(tenant_id, opening + timedelta(minutes=minutes), dice)
    for minutes in (170, 95, 40, 12):
        _conversation(tenant_id, beginning - timedelta(minutes=minutes), dice)


def _conversation(tenant_id: int, at: datetime, dice: random.Random) -> None:
    phone, name = dice.choice(GUESTS)
    number = f"{int(at.timestamp())}"
    if dice.random() < 0.6:
        _guest_writes(tenant_id, at, phone, name, dice.choice(ASKED), number)
    outcome: Outcome = GONE if dice.random() < 0.06 else Accepted(f"wamid.demo{number}")
    _place_answers(tenant_id, at + timedelta(minutes=1), phone, dice.choice(ANSWERED), outcome)
    if isinstance(outcome, Accepted):
        states = ("delivered", "read") if dice.random() < 0.8 else ("delivered",)
        for later, state in enumerate(states, start=2):
            reported(tenant_id, at + timedelta(minutes=later), outcome.network_id, state)


def demo_line() -> Line:
    line = lines_book.default_line(test=False)
    if line is None:
        raise RuntimeError("the demo has no line")
    return line


def _guest_writes(
    tenant_id: int, at: datetime, phone: str, name: str, text: str, number: str
) -> None:
    message = InboundMessage(
        network_id=f"wamid.guest{number}",
        sender_phone=phone,
        sender_network_id="",
        sender_name=name,
        at=int(at.timestamp()),
        kind="text",
        text=text,
    )
    with frozen(at), tenant_scope(tenant_id):
        tally = Tally()
        receive_message(demo_line(), message, tally)
        tally.write()


def _place_answers(tenant_id: int, at: datetime, phone: str, text: str, outcome: Outcome) -> None:
    """In one transaction, so that no worker of a running service finds it half-way."""
    with frozen(at), tenant_scope(tenant_id):
        hand_over(sending.accept(_draft(phone, text), demo_line(), known_facts()).id, outcome)


def hand_over(message_id: str, outcome: Outcome) -> None:
    """As a worker does, with the network's answer known beforehand."""
    claimed = [
        one for one in claiming.claim(100, 60.0, []) if one.envelope.message_id == message_id
    ]
    settling.settle([(one, outcome) for one in claimed])


def _draft(phone: str, text: str) -> Draft:
    """Abroad, and with news of an order, the place writes by a template; so some cost money."""
    if phone.startswith("90") and "yola" not in text:
        return Draft(kind="text", phone=phone, text=text)
    content = {"name": "order_confirmation", "language": "tr", "parameters": ["Mavi", "20:00"]}
    return Draft(kind="template", phone=phone, content=content, category="utility")


def reported(tenant_id: int, at: datetime, network_id: str, state: str) -> None:
    receipt = Receipt(network_id=network_id, state=state, at=int(at.timestamp()))
    with frozen(at), tenant_scope(tenant_id):
        tally = Tally()
        receive_receipt(demo_line(), receipt, tally)
        tally.write()
