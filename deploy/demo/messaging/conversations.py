"""Two weeks of conversations for the demo, through the functions that real ones use.

They are written in one transaction, so that no worker of a running service sends an answer.
"""

import random
from datetime import datetime, timedelta

from core.clock import frozen, now
from core.db import tenant_scope
from deploy.demo.messaging.receipts import PastReceipt, add_receipts
from messaging import reasons
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage, SendAccepted, SendOutcome, SendRefused
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from messaging.messages.receive import receive_message
from messaging.models import Line
from tenants.plans.catalog import current_tenant_facts

DAYS = 14
GUESTS = (
    ("905321110101", "Zeynep Arslan"),
    ("905321110102", "Mert Doğan"),
    ("905321110103", "Elif Şahin"),
    ("905321110104", "Can Öztürk"),
    ("4915211110105", "Lena Vogt"),
    ("34611110106", "Pau Ribas"),
)
AD_GUEST = "905321110102"  # comes from an ad: replies are free for some days
AD = {"source_type": "ad", "source_id": "120210000000000", "headline": "Hafta sonu kahvaltısı"}
QUESTIONS = ("Bu akşam 4 kişilik yer var mı?", "Siparişim nerede?", "Teşekkürler!", "Menü var mı?")
REPLIES = (
    "Masanız saat 20.00 için ayrıldı. Görüşmek üzere!",
    "Siparişiniz yola çıktı, 15 dakikaya kapınızda.",
    "Afiyet olsun! Bugünün çorbası *mercimek*.",
    "Siparişiniz alındı: 2 lahmacun, 1 ayran.",
)
UNREACHABLE = SendRefused("recipient_unavailable", reasons.CANNOT_BE_REACHED)


def add_conversations(tenant_id: int) -> None:
    """Seeded: the same data every time."""
    dice = random.Random(20260101)  # noqa: S311 - a demo, not a secret
    beginning, receipts = now(), []
    with tenant_scope(tenant_id):
        line, tally = demo_line(), UsageTally()
        for days_ago in range(DAYS, 0, -1):
            opening = (beginning - timedelta(days=days_ago)).replace(hour=9, minute=5)
            busy = 4 if opening.weekday() in (4, 5) else 2
            for minutes in sorted(dice.sample(range(600), busy + dice.randrange(2))):
                receipts += _conversation(line, opening + timedelta(minutes=minutes), dice, tally)
        for minutes in (170, 95, 40, 12):
            receipts += _conversation(line, beginning - timedelta(minutes=minutes), dice, tally)
        add_receipts(receipts)
        tally.write()


def _conversation(
    line: Line, at: datetime, dice: random.Random, tally: UsageTally
) -> list[PastReceipt]:
    """Returns the receipts for the answer."""
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
            text=dice.choice(QUESTIONS),
            content={"referral": AD} if phone == AD_GUEST else {},
        )
        with frozen(at):
            receive_message(line, message, tally)
    outcome: SendOutcome = (
        UNREACHABLE if dice.random() < 0.06 else SendAccepted(f"wamid.demo{number}")
    )
    with frozen(at + timedelta(minutes=1)):
        draft = _draft(phone, dice.choice(REPLIES))
        ticket = message_accept.accept_message(draft, line, current_tenant_facts())
        send_as_worker(ticket.id, outcome)
    if not isinstance(outcome, SendAccepted):
        return []
    states = ("delivered", "read") if dice.random() < 0.8 else ("delivered",)
    came_from_ad = phone == AD_GUEST and not ticket.quoted_usd
    return [
        PastReceipt(outcome.network_id, state, at + timedelta(minutes=later), came_from_ad)
        for later, state in enumerate(states, start=2)
    ]


def demo_line() -> Line:
    line = line_repository.default_line(test=False)
    if line is None:
        raise RuntimeError("the demo has no line")
    return line


def send_as_worker(message_id: str, outcome: SendOutcome) -> None:
    """Claim and settle the message like a worker, with a given outcome."""
    claimed = [
        one
        for one in message_claim.claim_messages(100, 60.0, [])
        if one.envelope.message_id == message_id
    ]
    settle_after_a_second([(one, outcome) for one in claimed])


def settle_after_a_second(outcomes: list[tuple[message_claim.ClaimedMessage, SendOutcome]]) -> None:
    """A second later, so that the sent message precedes its outcome."""
    with frozen(now() + timedelta(seconds=1)):
        message_settle.settle_messages(outcomes)


def _draft(phone: str, text: str) -> MessageDraft:
    """Messages abroad and about orders use a template, so that some of them cost money."""
    if phone.startswith("90") and "yola" not in text:
        return MessageDraft(kind="text", phone=phone, text=text)
    content = {"name": "order_confirmation", "language": "tr", "parameters": ["Mavi", "20:00"]}
    return MessageDraft(kind="template", phone=phone, content=content, category="utility")
