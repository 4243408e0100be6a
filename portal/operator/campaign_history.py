"""Campaigns of the demo: one that is over with its figures, one that waits, one unwritten."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.clock import frozen, now
from core.db import tenant_scope
from messaging import claiming
from messaging.campaigns import acts, audiences, book, results, working
from messaging.campaigns.book import Wanted
from messaging.lines import Accepted, InboundMessage, Outcome, Refused
from messaging.receiving import receive_message
from messaging.usage import Tally
from portal.operator.history import answered, demo_line
from portal.operator.past_receipts import Heard, tell_receipts
from restaurant import followers

DAYS_AGO = 6
OFFER = {
    "name": "weekend_offer",
    "language": "en",
    "parameters": ["{{customer.first_name|Dear guest}}"],
    "media": {"url": "https://example.com/weekend.jpg"},
    "buttons": [None, "{{customer.first_name|guest}}"],
}
"""With a picture above the text and a button of each reader's own."""
GONE = Refused("recipient_unavailable", "This number cannot be reached on the network.")


@dataclass(frozen=True)
class Story:
    audience: str
    tags: list[str]
    finished: tuple[str, str]
    scheduled: tuple[str, str]
    draft: tuple[str, str]
    offer: str
    answers: tuple[str, ...]
    goodbye: str


STORIES = {
    "tr": Story(
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
    ),
    "es": Story(
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
    ),
}


def tell_campaigns(tenant_id: int, language: str) -> None:
    """The same story every time: the dice are loaded."""
    story, beginning = STORIES[language], now()
    dice = random.Random(20260303)  # noqa: S311 - a demo, not a secret
    followers.listen()
    at = (beginning - timedelta(days=DAYS_AGO)).replace(hour=9, minute=30, second=0)
    with frozen(at), tenant_scope(tenant_id):
        sent = _send(story, dice)
    _hear_back(tenant_id, at, sent, story, dice)
    with frozen(beginning - timedelta(days=2)), tenant_scope(tenant_id):
        audience = audiences.save(story.audience, {"tags": story.tags})
        waits = book.add(
            Wanted(name=story.scheduled[0], audience_id=audience.id, text=story.scheduled[1])
        )
        book.add(Wanted(name=story.draft[0], text=story.draft[1]))
        book.add(Wanted(name=story.offer, template=OFFER))
    with tenant_scope(tenant_id):
        saturday = timedelta(days=(5 - beginning.weekday()) % 7 or 7)
        acts.start(waits.id, (beginning + saturday).replace(hour=7, minute=0, second=0))
        for one in book.listed(state="finished"):
            results.refresh(one, deep=True)


def _send(story: Story, dice: random.Random) -> list[tuple[str, str]]:
    """In one transaction, so that no worker of a running service finds it half-way.

    Phones and the network's ids of what was taken.
    """
    name, text = story.finished
    made = book.add(Wanted(name=name, text=text, rest_days=3, filters={"tags": story.tags}))
    acts.start(made.id)
    while working.step() and made.state == "running" and not made.counts.get("open"):
        pass
    taken: list[tuple[str, str]] = []
    while claimed := [one for one in claiming.claim(100, 60.0, []) if one.reference == made.id]:
        outcomes: list[tuple[claiming.Claimed, Outcome]] = []
        for one in claimed:
            outcome: Outcome = GONE
            if dice.random() > 0.04:
                outcome = Accepted(f"wamid.campaign.{one.uuid}")
                taken.append((one.envelope.phone, outcome.network_id))
            outcomes.append((one, outcome))
        answered(outcomes)
    made.due_at = now()
    working.work(made)
    return taken


def _hear_back(
    tenant_id: int,
    at: datetime,
    sent: list[tuple[str, str]],
    story: Story,
    dice: random.Random,
) -> None:
    arrived = [network_id for _, network_id in sent if dice.random() < 0.95]
    seen = [network_id for network_id in arrived if dice.random() < 0.75]
    with tenant_scope(tenant_id):
        tell_receipts(
            [Heard(one, "delivered", at + timedelta(minutes=2)) for one in arrived]
            + [Heard(one, "read", at + timedelta(minutes=9)) for one in seen]
        )
    for place, (phone, _) in enumerate(sent[3::11]):
        said = story.goodbye if place == 1 else story.answers[place % len(story.answers)]
        _writes(tenant_id, at + timedelta(minutes=25 + 13 * place), phone, said)


def _writes(tenant_id: int, at: datetime, phone: str, said: str) -> None:
    message = InboundMessage(
        network_id=f"wamid.answer{int(at.timestamp())}.{phone}",
        sender_phone=phone,
        sender_network_id="",
        sender_name="",
        at=int(at.timestamp()),
        kind="text",
        text=said,
    )
    with frozen(at), tenant_scope(tenant_id):
        tally = Tally()
        receive_message(demo_line(), message, tally)
        tally.write()
