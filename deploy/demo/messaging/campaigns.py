"""Campaigns of the demo: a finished one with figures, a scheduled one, and a draft."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.clock import frozen, now
from core.db import tenant_scope
from deploy.demo.messaging.conversations import demo_line, settle_after_a_second
from deploy.demo.messaging.receipts import PastReceipt, add_receipts
from messaging import reasons
from messaging.campaigns import audiences, results
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import runner as campaign_runner
from messaging.campaigns import taps as campaign_taps
from messaging.campaigns.repository import CampaignInput
from messaging.costs.usage import UsageTally
from messaging.inbox.composed import ComposedCard
from messaging.lines.drivers.base import InboundMessage, SendAccepted, SendOutcome, SendRefused
from messaging.messages import claim as message_claim
from messaging.messages.receive import receive_message
from messaging.models import Campaign

DAYS_AGO = 6
OFFER = {
    "name": "weekend_offer",
    "language": "en",
    "parameters": ["{{customer.first_name|Dear guest}}"],
    "media": {"url": "https://example.com/weekend.jpg"},
    "buttons": [None, "{{customer.first_name|guest}}"],
}
"""With a picture above the text and a button of each reader's own."""
UNREACHABLE = SendRefused("recipient_unavailable", reasons.CANNOT_BE_REACHED)


@dataclass(frozen=True)
class CampaignTexts:
    audience: str
    tags: list[str]
    finished: tuple[str, str]
    scheduled: tuple[str, str]
    draft: tuple[str, str]
    offer: str
    answers: tuple[str, ...]
    goodbye: str
    buttons: tuple[str, str]


TEXTS = {
    "tr": CampaignTexts(
        audience="Sık gelenler",
        tags=["vip", "düzenli müşteri"],
        finished=(
            "Mercimek çorbası ikramı",
            (
                "Merhaba {{customer.first_name|değerli misafirimiz}}, bu hafta her ana yemeğin"
                " yanında mercimek çorbası bizden. Bekleriz!\n{{shop.name}}\n\n"
                "Mesaj almak istemezseniz DUR yazın."
            ),
        ),
        scheduled=(
            "Hafta sonu kahvaltısı",
            (
                "Günaydın {{customer.first_name|}}! Cumartesi ve pazar serpme kahvaltımız hazır."
                " Masanızı ayırtmak için bu mesaja yazın.\n{{shop.name}}"
            ),
        ),
        draft=("Yeni kış menüsü", "Kış menümüz hazır: kestaneli pilav, sahlep ve daha fazlası."),
        offer="Hafta sonu tatlısı",
        answers=("Harika, akşama geliyoruz!", "Teşekkürler, hafta sonu uğrarız", "Süper 👍"),
        goodbye="DUR",
        buttons=("Akşama geliyorum", "Başka zaman"),
    ),
    "es": CampaignTexts(
        audience="Newsletter readers",
        tags=["newsletter", "vip"],
        finished=(
            "Autumn glazes",
            (
                "Hi {{customer.first_name|there}}, the autumn glazes are here: moss, amber"
                " and a deep blue. The first ten mugs ship free.\n{{shop.name}}\n\n"
                "Answer STOP to get no more of these."
            ),
        ),
        scheduled=(
            "Early gifts",
            (
                "Hi {{customer.first_name|there}}, order before the 5th and your parcel arrives in"
                " time for the holidays.\n{{shop.name}}"
            ),
        ),
        draft=("Care for your mug", "Three things that keep a hand-thrown mug happy for years:"),
        offer="Weekend at the workshop",
        answers=("Do you still have the blue one?", "Lovely, just ordered two!", "Thank you!"),
        goodbye="STOP",
        buttons=("Show me", "Maybe later"),
    ),
}


def add_campaigns(tenant_id: int, language: str) -> None:
    """Seeded: the same data every time."""
    texts, beginning = TEXTS[language], now()
    dice = random.Random(20260303)  # noqa: S311 - a demo, not a secret
    at = (beginning - timedelta(days=DAYS_AGO)).replace(hour=9, minute=30, second=0)
    with frozen(at), tenant_scope(tenant_id):
        sent = _send(texts, dice)
    _receive_replies(tenant_id, at, sent, texts, dice)
    with frozen(beginning - timedelta(days=2)), tenant_scope(tenant_id):
        audience = audiences.save(texts.audience, {"tags": texts.tags})
        waits = campaign_repository.add(
            CampaignInput(name=texts.scheduled[0], audience_id=audience.id, text=texts.scheduled[1])
        )
        campaign_repository.add(CampaignInput(name=texts.draft[0], text=texts.draft[1]))
        campaign_repository.add(CampaignInput(name=texts.offer, template=OFFER))
    with tenant_scope(tenant_id):
        saturday = timedelta(days=(5 - beginning.weekday()) % 7 or 7)
        campaign_lifecycle.start(
            waits.id, (beginning + saturday).replace(hour=7, minute=0, second=0)
        )
        for one in campaign_repository.list_campaigns(state="finished"):
            results.refresh_results(one, deep=True)


def _send(texts: CampaignTexts, dice: random.Random) -> list[tuple[str, str]]:
    """Runs in one transaction, so that no worker of a running service processes a part of it."""
    name, text = texts.finished
    made = campaign_repository.add(
        CampaignInput(
            name=name,
            text=text,
            card=ComposedCard("buttons", buttons=texts.buttons),
            rest_days=3,
            filters={"tags": texts.tags},
        )
    )
    return send_campaign(made, dice)


def send_campaign(made: Campaign, dice: random.Random) -> list[tuple[str, str]]:
    """Start it and send all messages at once; some phones cannot be reached.

    Returns phones and network ids of the accepted messages.
    """
    campaign_lifecycle.start(made.id)
    while (
        campaign_runner.run_next_step() and made.state == "running" and not made.counts.get("open")
    ):
        pass
    accepted: list[tuple[str, str]] = []
    while claimed := [
        one for one in message_claim.claim_messages(100, 60.0, []) if one.reference == made.id
    ]:
        outcomes: list[tuple[message_claim.ClaimedMessage, SendOutcome]] = []
        for one in claimed:
            outcome: SendOutcome = UNREACHABLE
            if dice.random() > 0.04:
                outcome = SendAccepted(f"wamid.campaign.{one.uuid}")
                accepted.append((one.envelope.phone, outcome.network_id))
            outcomes.append((one, outcome))
        settle_after_a_second(outcomes)
    made.due_at = now()
    campaign_runner.run_step(made)
    return accepted


def _receive_replies(
    tenant_id: int,
    at: datetime,
    sent: list[tuple[str, str]],
    texts: CampaignTexts,
    dice: random.Random,
) -> None:
    with tenant_scope(tenant_id):
        receive_receipts(at, sent, dice)
    for place, (phone, _) in enumerate(sent[3::11]):
        reply = texts.goodbye if place == 1 else texts.answers[place % len(texts.answers)]
        _writes(tenant_id, at + timedelta(minutes=25 + 13 * place), phone, reply)
    for place, (phone, network_id) in enumerate(sent[5::4]):
        title = texts.buttons[place % 3 // 2]
        content = {"id": title, "title": title, "reply_to": network_id}
        _writes(tenant_id, at + timedelta(minutes=12 + 3 * place), phone, title, content)


def receive_receipts(at: datetime, sent: list[tuple[str, str]], dice: random.Random) -> None:
    """Most messages arrive, and three of four of these are read."""
    arrived = [network_id for _, network_id in sent if dice.random() < 0.95]
    read_ids = [network_id for network_id in arrived if dice.random() < 0.75]
    add_receipts(
        [PastReceipt(one, "delivered", at + timedelta(minutes=2)) for one in arrived]
        + [PastReceipt(one, "read", at + timedelta(minutes=9)) for one in read_ids]
    )


def _writes(
    tenant_id: int, at: datetime, phone: str, text: str, tap: dict[str, str] | None = None
) -> None:
    message = InboundMessage(
        network_id=f"wamid.answer{int(at.timestamp())}.{phone}",
        sender_phone=phone,
        sender_network_id="",
        sender_name="",
        at=int(at.timestamp()),
        kind="button" if tap else "text",
        text=text,
        content=dict(tap or {}),
    )
    with frozen(at), tenant_scope(tenant_id):
        tally = UsageTally()
        message_id = receive_message(demo_line(), message, tally)
        if tap and message_id:
            campaign_taps.record_tap(message, message_id)
        tally.write()
