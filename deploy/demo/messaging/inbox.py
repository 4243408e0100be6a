"""An evening in the demo's inbox: questions, answers, notes, and a contact without a phone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from itertools import count
from typing import Any

from core.clock import frozen, now
from core.db import tenant_scope
from deploy.demo.messaging.conversations import AD, demo_line, send_as_worker
from deploy.demo.messaging.receipts import PastReceipt, add_receipts
from messaging import reasons
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions, quick_replies
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox import replies as inbox_replies
from messaging.inbox.composed import ComposedCard
from messaging.inbox.conversations import ConversationFilters
from messaging.inbox.replies import Reply
from messaging.lines.drivers.base import (
    EchoedMessage,
    InboundMessage,
    LineUpdate,
    SendAccepted,
    SendOutcome,
    SendRefused,
)
from messaging.messages.inbound.echoes import store_echo
from messaging.messages.receive import receive_line_update, receive_message
from messaging.models import Line
from tenants.audit import Actor, acting_as
from tenants.models import Person

DERYA, EMRE, SELIN, JONAS = (
    f"{name}@comanda.example" for name in ("demo", "emre", "selin", "jonas")
)
QUICK_REPLIES = {
    "saat": "Her gün 12.00–23.30 arası açığız. Cuma ve cumartesi 01.00'e kadar.",
    "adres": "Moda Cad. 48, Kadıköy. Yol tarifi: https://maps.example.com/lokanta-mavi",
    "menu": "Merhaba {first_name}, menümüz burada: https://menu.example.com/mavi",
    "rezervasyon": "Masanız ayrıldı, {first_name}. *{business}* ekibi sizi bekliyor!",
    "thanks": "Thank you, {first_name}! We hope to see you again soon.",
}
TABLE_TIMES = ComposedCard("buttons", ("19.00", "20.00", "21.00"))
REFUSED = SendRefused("recipient_unavailable", reasons.CANNOT_BE_REACHED)


@dataclass(frozen=True)
class Guest:
    phone: str = ""
    network_id: str = ""
    name: str = ""

    @property
    def place(self) -> str:
        return self.phone or self.network_id


@dataclass
class InboxScript:
    """Runs in the tenant's transaction; `end` must be called last."""

    cast: Mapping[str, Person]
    beginning: datetime
    prefix: str = "evening"
    numbers: Any = field(default_factory=lambda: count(1))
    receipts: list[PastReceipt] = field(default_factory=list)
    """Receipts for the answers; written at the end."""
    tally: UsageTally = field(default_factory=UsageTally)

    @cached_property
    def line(self) -> Line:
        return demo_line()

    def writes(
        self, minutes: int, guest: Guest, text: str = "", kind: str = "text", **content: Any
    ) -> str:
        """`minutes` is how long before loading it was sent. Returns the network's id."""
        at = self.beginning - timedelta(minutes=minutes)
        network_id = f"wamid.{self.prefix}{next(self.numbers)}"
        message = InboundMessage(
            network_id=network_id,
            sender_phone=guest.phone,
            sender_network_id=guest.network_id,
            sender_name=guest.name,
            at=int(at.timestamp()),
            kind=kind,
            text=text,
            content=content,
        )
        with frozen(at):
            receive_message(self.line, message, self.tally)
        return network_id

    def changes(self, minutes: int, kind: str, network_id: str, text: str = "") -> None:
        """The guest edits or deletes a message."""
        at = self.beginning - timedelta(minutes=minutes)
        detail = {"network_id": network_id, "at": int(at.timestamp()), "text": text}
        with frozen(at):
            receive_line_update(self.line, LineUpdate(kind, detail))

    def typed_on_phone(self, minutes: int, guest: Guest, text: str) -> None:
        at = self.beginning - timedelta(minutes=minutes)
        network_id = f"wamid.{self.prefix}phone{next(self.numbers)}"
        echo = EchoedMessage(
            network_id, guest.phone, guest.network_id, int(at.timestamp()), "text", text
        )
        with frozen(at):
            store_echo(self.line, echo)

    def answers(
        self, minutes: int, who: str, guest: Guest, text: str, state: str = "read", **more: Any
    ) -> str:
        at = self.beginning - timedelta(minutes=minutes)
        network_id = f"wamid.{self.prefix}answer{next(self.numbers)}"
        outcome: SendOutcome = REFUSED if state == "failed" else SendAccepted(network_id)
        with frozen(at), acting_as(self.actor(who)):
            talk = inbox_conversations.get(self.talk_id(guest))
            send_as_worker(
                inbox_replies.send_reply(talk, Reply(once=network_id, text=text, **more)), outcome
            )
        for later, step in enumerate(("delivered", "read"), start=1):
            if state == "read" or (state == "delivered" and step == state):
                self.receipts.append(
                    PastReceipt(network_id, step, at + timedelta(seconds=20 * later))
                )
        return network_id

    def does(self, minutes: int, who: str, guest: Guest, act: str, *arguments: Any) -> None:
        at = self.beginning - timedelta(minutes=minutes)
        with frozen(at), acting_as(self.actor(who)):
            getattr(conversation_actions, act)(self.talk_id(guest), *arguments)

    def end(self) -> None:
        add_receipts(self.receipts)
        self.tally.write()

    def actor(self, email: str) -> Actor:
        person = self.cast[email]
        return Actor("person", person.id, person.name, "127.0.0.1")

    def talk_id(self, guest: Guest) -> str:
        found = inbox_conversations.list_conversations(
            ConversationFilters(view="all", line_id=self.line.id), None, 50
        )
        return next(
            one.id
            for one in found
            if guest.place in {value for name in one.identities for value in name}
        )


def add_inbox(tenant_id: int, people: Mapping[str, Person]) -> None:
    """Starts in the afternoon; the last messages are a minute or two old."""
    script = InboxScript(people, now())
    with tenant_scope(tenant_id):
        with acting_as(script.actor(DERYA)):
            prepare_inbox(QUICK_REPLIES)
            quick_replies.save("masa", "Hangi saat size uygun, {first_name}?", card=TABLE_TIMES)
        _birthday(script)
        _others(script)
        _from_an_ad(script)
        script.end()


def prepare_inbox(quick: Mapping[str, str]) -> None:
    """Add quick replies and mark all earlier messages as read."""
    for shortcut, text in quick.items():
        quick_replies.save(shortcut, text)
    for talk in inbox_conversations.list_conversations(
        ConversationFilters(view="unread"), None, 100
    ):
        conversation_actions.mark_read(talk.id)


def _birthday(script: InboxScript) -> None:
    burak = Guest("905339140207", name="Burak Çelik")
    script.writes(214, burak, "Merhaba, cumartesi akşamı için 12 kişilik yer ayırabilir miyiz?")
    script.does(212, JONAS, burak, "assign", script.cast[JONAS].id)
    script.answers(
        211, JONAS, burak, "Merhaba Burak Bey! Cumartesi 20.00 uygun mu? Bahçe tarafı boş."
    )
    question = script.writes(205, burak, "Süper. Doğum günü olacak, pasta getirebilir miyiz?")
    script.answers(
        203, JONAS, burak, "Tabii, mum ve servis bizden 🎂 Kaç yaş olacak?", reply_to=question
    )
    script.writes(202, burak, "😍", kind="reaction", message_id=question, emoji="😍")
    script.does(
        198,
        JONAS,
        burak,
        "add_note",
        "12 kişi, bahçe. *Pasta kendilerinden*, mumları hazırlayalım.",
    )
    script.writes(190, burak, "60 :) Babamın doğum günü. Adresi de atar mısınız?")
    script.answers(
        188, JONAS, burak, "", place=(40.9851, 29.0247, "Lokanta Mavi, Moda"), state="read"
    )
    script.answers(187, JONAS, burak, "Cumartesi 20.00, 12 kişi, bahçe. Görüşmek üzere!")
    script.writes(24, burak, "Son bir şey: 2 kişi vejetaryen, menüde seçenek var mı?")
    script.does(21, JONAS, burak, "assign", script.cast[SELIN].id)


def _others(script: InboxScript) -> None:
    amelie = Guest("33612110450", name="Amélie Laurent")
    script.writes(170, amelie, "Hello! Do you have *gluten free* bread?")
    times = ComposedCard("buttons", ("19:30", "20:30", "No, thank you"))
    asked = script.answers(
        168, SELIN, amelie, "We do, baked every morning. Shall I keep a table for you?", card=times
    )
    tap = {"id": "19:30", "title": "19:30", "reply_to": asked}
    script.writes(160, amelie, "19:30", kind="button", **tap)
    script.answers(158, SELIN, amelie, "Done. See you tonight, Amélie!", state="delivered")
    script.does(150, SELIN, amelie, "close")

    nobody = Guest(network_id="TR.48213377120049", name="kahvesever")
    script.writes(95, nobody, "selam, kahve çekirdeği de satıyor musunuz?")
    script.answers(92, EMRE, nobody, "Selam! Evet, 250 gr paketler var. Ayıralım mı?", "delivered")

    gizem = Guest("905077714402", name="Gizem Aydın")
    script.writes(66, gizem, "Siparişim 40 dakikadır gelmedi, ne durumda acaba?")
    script.answers(63, EMRE, gizem, "Hemen bakıyorum Gizem Hanım, kusura bakmayın.")
    script.does(62, EMRE, gizem, "add_note", "Kurye Hakan aradı: Moda Caddesi kapalı, 10 dk daha.")
    script.answers(60, EMRE, gizem, "Kuryemiz yolda; cadde kapalıymış, 10 dakikaya kapınızda.")
    script.writes(44, gizem, "Geldi, teşekkürler. Sıcaktı da 👍")

    ivan = Guest("79165550133", name="Иван Петров")
    script.writes(38, ivan, "Здравствуйте! Можно заказать столик на завтра, 4 человека, 18:00?")

    lena = Guest("4915211110105", name="Lena Vogt")
    script.writes(31, lena, kind="location", latitude=40.9903, longitude=29.0271, name="Ev")
    script.writes(30, lena, "Is this still in your delivery area?")

    hakan = Guest("905422018890", name="Hakan Kurt")
    script.writes(
        17,
        hakan,
        "Sertifika ektedir",
        kind="document",
        filename="hijyen-belgesi.pdf",
        mime_type="application/pdf",
        size=248_320,
        caption="Sertifika ektedir",
    )
    script.answers(15, DERYA, hakan, "Aldık, teşekkürler.", "failed")

    unnamed = Guest("905551234098")
    script.writes(9, unnamed, "Menü var mı?")
    script.writes(8, unnamed, "Bir de bu akşam canlı müzik olacak mı")

    zeynep = Guest("905321110101", name="Zeynep Arslan")
    script.writes(3, zeynep, "Bu akşamki rezervasyonu 8 yerine 8.30 yapabilir miyiz?")
    script.writes(2, zeynep, "4 kişiyiz, pencere kenarı olursa çok seviniriz.")


def _from_an_ad(script: InboxScript) -> None:
    """A guest from an ad, who edits and deletes; one reply was typed on the phone."""
    elif_sahin = Guest("905364417720", name="Elif Şahin")
    ad = {**AD, "source_url": "https://ads.example/mavi", "body": "Serpme kahvaltı, sınırsız çay."}
    script.writes(
        58, elif_sahin, "Merhaba, kahvaltı kampanyası pazar günü de geçerli mi?", referral=ad
    )
    script.typed_on_phone(56, elif_sahin, "Merhaba, evet! Pazar 10.00–14.00 arası geçerli.")
    table = script.writes(54, elif_sahin, "Pazar 11.00'e 4 kişi yazar mısınız?")
    script.changes(53, "edited", table, "Pazar 11.00'e 5 kişi yazar mısınız?")
    wrong = script.writes(52, elif_sahin, "Anneme: ekmek almayı unutma")
    script.changes(51, "deleted", wrong)
    script.answers(49, SELIN, elif_sahin, "Yazdım: pazar 11.00, 5 kişi. Görüşmek üzere!")
