"""The team at work in the demo's inbox: labels, snooze, a reply for later, and ratings."""

import random
from collections.abc import Mapping
from datetime import timedelta

from core.clock import frozen, now
from core.db import tenant_scope
from deploy.demo.messaging.conversations import send_as_worker
from deploy.demo.messaging.inbox import DERYA, EMRE, JONAS, SELIN, Guest, InboxScript
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.replies import Reply
from messaging.inbox.team import labels, ratings, scheduled_replies, snooze
from messaging.inbox.team import settings as team_settings
from messaging.inbox.team.settings import TeamSettings
from messaging.lines.drivers.base import InboundMessage, SendAccepted
from messaging.messages import queries as message_queries
from messaging.messages.queries import MessageFilters
from messaging.messages.receive import receive_message
from tenants.audit import acting_as
from tenants.models import Person

DAYS = 12
LABELS = {"Rezervasyon": "teal", "Şikayet": "red", "Toplu sipariş": "blue"}
VISITORS = (
    ("905326670211", "Aslı Kılıç"),
    ("905326670212", "Onur Şen"),
    ("905326670213", "Pelin Acar"),
    ("905326670214", "Tolga Ünal"),
    ("905326670215", "Nazlı Güneş"),
    ("905326670216", "Cem Yavuz"),
)
REQUESTS = (
    ("Rezervasyon", "Cuma akşamı 6 kişilik masa var mı?", "Var, 20.00'ye yazdım. Bekleriz!"),
    ("", "Pazar günü kaçta açılıyorsunuz?", "Pazar günleri 10.00'da açıyoruz."),
    ("Şikayet", "Dünkü paketimizde tatlı eksikti.", "Özür dileriz, bugün yenisini gönderiyoruz."),
    ("Toplu sipariş", "Ofise 25 kişilik öğle yemeği olur mu?", "Olur, menüyü birazdan gönderirim."),
    ("", "Glutensiz seçeneğiniz var mı?", "Var: mercimek çorbası, ızgaralar ve sütlaç."),
)
FACES = (3, 3, 2, 3, 1, 3, None)
"""The ratings in turn; None: the question stayed without an answer."""


def add_team_inbox(tenant_id: int, people: Mapping[str, Person]) -> None:
    """After `add_inbox`, whose open conversations get labels, a snooze and a scheduled reply."""
    script = InboxScript(people, now(), prefix="team")
    with tenant_scope(tenant_id):
        with acting_as(script.actor(DERYA)):
            names = {name: labels.save(name, colour).id for name, colour in LABELS.items()}
            team_settings.save(TeamSettings(rating="faces"))
        _past_conversations(script, names)
        _open_conversations(script, names)
        script.end()


def _past_conversations(script: InboxScript, names: Mapping[str, str]) -> None:
    """One or two a day; answered, closed and rated by different members at different speeds."""
    dice = random.Random(20260707)  # noqa: S311 - a demo, not a secret
    number = 0
    for days_ago in range(DAYS, 0, -1):
        for visit in range(1 + days_ago % 2):
            phone, name = VISITORS[number % len(VISITORS)]
            label, question, answer = REQUESTS[number % len(REQUESTS)]
            who = (EMRE, SELIN, JONAS)[number % 3]
            guest = Guest(phone, name=name)
            begins = days_ago * 24 * 60 - visit * 150
            script.writes(begins, guest, question)
            replied = begins - dice.randint(2, 9) - 4 * (who == EMRE)
            script.answers(replied, who, guest, answer)
            if label:
                with acting_as(script.actor(who)):
                    labels.set_labels(script.talk_id(guest), [names[label]])
            closed = replied - dice.randint(8, 45)
            script.does(closed, who, guest, "close")
            _rate(script, closed - 3, guest, FACES[number % len(FACES)])
            number += 1


def _rate(script: InboxScript, minutes: int, guest: Guest, rating: int | None) -> None:
    """The question is sent, and the guest taps one of its faces."""
    asked_at = script.beginning - timedelta(minutes=minutes)
    network_id = f"wamid.rating{minutes}.{guest.phone}"
    with frozen(asked_at):
        ratings.ask_due()
        [question] = message_queries.list_messages(
            MessageFilters(phone=guest.phone, direction="out"), None, 1
        )
        send_as_worker(question.id, SendAccepted(network_id))
    if rating is None:
        return
    choices = question.content["interactive"]["buttons"]
    chosen = next(one for one in choices if one["id"].endswith(f":{rating}"))
    answered_at = asked_at + timedelta(minutes=2)
    tap = InboundMessage(
        network_id=f"{network_id}.tap",
        sender_phone=guest.phone,
        sender_network_id="",
        sender_name=guest.name,
        at=int(answered_at.timestamp()),
        kind="button",
        text=chosen["title"],
        content={**chosen, "reply_to": network_id},
    )
    with frozen(answered_at):
        receive_message(script.line, tap, script.tally)
        ratings.record_answer(script.line, tap)


def _open_conversations(script: InboxScript, names: Mapping[str, str]) -> None:
    burak, gizem = Guest("905339140207"), Guest("905077714402")
    ivan, lena = Guest("79165550133"), Guest("4915211110105")
    zeynep = Guest("905321110101")
    given = {
        burak: ("Rezervasyon", "Toplu sipariş"),
        gizem: ("Şikayet",),
        ivan: ("Rezervasyon",),
        zeynep: ("Rezervasyon",),
    }
    with acting_as(script.actor(SELIN)):
        for guest, chosen in given.items():
            labels.set_labels(script.talk_id(guest), [names[one] for one in chosen])
        snooze.snooze(script.talk_id(ivan), script.beginning + timedelta(hours=14))
        talk = inbox_conversations.get(script.talk_id(lena))
        text = "Yes, we deliver to you. The kitchen is open until 23:30."
        scheduled_replies.schedule(
            talk, Reply(once="demo-later", text=text), script.beginning + timedelta(hours=3)
        )
