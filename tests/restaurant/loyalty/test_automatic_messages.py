"""Automatic messages: once per trigger, outside quiet hours, never to guests who opted out."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from core.errors import Invalid
from jobs import maintenance
from jobs.inbound import messages as inbound_messages
from jobs.restaurant import loyalty as job
from messaging.contacts import identities as contact_identities
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import InboundMessage
from messaging.models import Contact, Message
from restaurant.chat import loyalty_keywords
from restaurant.loyalty import coupons, message_settings
from restaurant.models import LoyaltySend
from tests.restaurant.bistro import GUEST
from tests.restaurant.loyalty_club import OTHER, open_club

NOON = "2026-11-16T09:00:00Z"  # in Istanbul
STOP = "STOP"


@pytest.fixture
def club(restaurant):
    loyalty_keywords.keyword_cache.forget()
    return open_club(restaurant)


def send_due(club) -> int:
    return job.run_due(club.bistro.business.tenant_id)


def scheduled_messages(club) -> list[tuple[str, str, str]]:
    with club.scope():
        query = select(LoyaltySend).where(LoyaltySend.tenant_id == club.bistro.business.tenant_id)
        rows = db.session.scalars(query.order_by(LoyaltySend.cause, LoyaltySend.number))
        return [(row.cause, row.state, row.because) for row in rows]


def writes(club, text, phone=GUEST) -> None:
    message = InboundMessage(
        network_id=f"wamid.{text}.{phone}.{now().timestamp()}", sender_phone=phone,
        sender_network_id=phone, sender_name="Ayşe Kaya", at=0, kind="text", text=text,
    )  # fmt: skip
    with club.scope():
        tally = UsageTally()
        inbound_messages.receive_and_react(club.bistro.line, message, tally)
        tally.write()


def test_a_first_order_is_welcomed_after_dinner_once_and_with_its_reward(club):
    reward = club.reward("Tea on us", "amount", "20")
    club.counts()
    text = "Welcome {{customer.first_name}}: {{coupon.reward}} {{coupon.code}} {{coupon.link}}"
    club.enables_message("welcome", texts={"tr": text}, reward_id=reward.id)
    with frozen(NOON):
        club.serves(club.bistro.order())
        assert send_due(club) == 0
        advance(timedelta(hours=3))
        assert send_due(club) == 1
        assert send_due(club) == 0
        club.serves(club.bistro.order(table="3"))
        advance(timedelta(hours=3))
        assert send_due(club) == 0
    (said,) = [one for one in club.bistro.texts_sent_to() if one.startswith("Welcome")]
    guest = club.guest()
    with club.scope():
        (mine,) = coupons.of_contact(guest)
        sent = db.session.scalars(
            select(Message).where(
                Message.tenant_id == mine.tenant_id, Message.text == said, Message.phone == GUEST
            )
        ).one()
        assert (sent.category, sent.priority) == ("marketing", 1)
    code = "-".join((mine.code[:4], mine.code[4:8], mine.code[8:]))
    assert said.startswith(f"Welcome Ayşe: Tea on us {code} http")  # once
    assert said.endswith(f"/menu?coupon={code}")


def test_it_waits_for_the_quiet_hours_to_end(club):
    club.counts(quiet_from="20:00", quiet_until="11:30")
    club.enables_message("welcome")
    with frozen("2026-11-16T15:30:00Z"):  # 18:30; two hours later the quiet hours have begun
        club.serves(club.bistro.order())
        advance(timedelta(hours=2))
        assert send_due(club) == 0
        assert scheduled_messages(club) == [("welcome", "waiting", "")]
        advance(timedelta(hours=15))  # 11:30
        assert send_due(club) == 1


def test_a_guest_who_opted_out_gets_order_messages_only(club):
    club.counts()
    club.enables_message("welcome")
    with frozen(NOON):
        club.serves(club.bistro.order())
        writes(club, STOP)
        advance(timedelta(hours=3))
        assert send_due(club) == 0
    assert scheduled_messages(club) == [("welcome", "left_out", "opted_out")]
    assert "LEM-" in club.bistro.texts_sent_to()[0]


def test_the_third_visit_is_thanked_for(club):
    club.counts()
    club.enables_message("visit", number=3)
    with frozen(NOON):
        for table in ("1", "2", "3", "4"):
            club.serves(club.bistro.order(table=table))
        advance(timedelta(hours=3))
        assert send_due(club) == 1
    assert club.bistro.texts_sent_to()[-1] == "Hi Ayşe 4"
    assert scheduled_messages(club) == [("visit", "sent", "")]


def test_a_birthday_once_a_year_by_the_sites_own_clock(club):
    club.counts()
    club.enables_message("birthday", texts={"tr": "Happy birthday"})
    club.serves(club.bistro.order())
    with club.scope():
        mine = Contact.tenant_id == club.bistro.business.tenant_id
        db.session.scalars(select(Contact).where(mine)).one().birthday = 1117
    with frozen("2026-11-16T20:00:00Z"):  # 23:00 in Istanbul, still the day before
        assert send_due(club) == 0
        advance(timedelta(hours=13))
        assert send_due(club) == 1
        advance(timedelta(hours=1))
        assert send_due(club) == 0
        advance(timedelta(days=365) - timedelta(hours=1))
        assert send_due(club) == 1


def test_who_stays_away_is_missed_once_for_each_absence(club):
    club.counts()
    club.enables_message("missed", number=30, texts={"tr": "We miss you"})
    with frozen(NOON):
        club.serves(club.bistro.order())
        club.serves(club.bistro.order(phone=OTHER, table="3"))
        advance(timedelta(days=29))
        club.serves(club.bistro.order(phone=OTHER, table="4"))
        advance(timedelta(days=2))
        assert send_due(club) == 1
        advance(timedelta(days=10))
        assert send_due(club) == 0
        club.serves(club.bistro.order(table="5"))
        advance(timedelta(days=31))
        assert send_due(club) == 2
    assert club.bistro.texts_sent_to()[-1] == "We miss you"


def test_the_scheduled_job_finds_the_tenant(club, run_jobs):
    club.counts()
    club.enables_message("welcome", texts={"tr": "Welcome"})
    with frozen(NOON):
        club.serves(club.bistro.order())
        advance(timedelta(hours=3))
        maintenance.sweep()
        run_jobs()
        assert "Welcome" in club.bistro.texts_sent_to()


def test_an_automatic_reward_is_announced(club):
    reward = club.reward("Free ayran", "item", "", item_id=club.bistro.items["Ayran"], cost=1)
    club.counts("stamps", "0", gift_id=reward.id)
    club.enables_message("gift", texts={"tr": "{{coupon.reward}}: {{coupon.code}}"})
    with frozen(NOON):
        club.serves(club.bistro.order())
        assert send_due(club) == 1
    assert club.bistro.texts_sent_to()[-1].startswith("Free ayran: ")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{{nobody.knows}}", "is not available here"),
        ("{{coupon.code}}", "needs a reward"),
        (" ", "Write"),
    ],
)
def test_a_text_that_cannot_be_filled_is_refused(club, text, sentence):
    with pytest.raises(Invalid, match=sentence):
        club.enables_message("welcome", texts={"tr": text})


def test_every_message_has_words_of_its_own_in_each_language(club):
    with club.scope():
        for one in message_settings.of_site(club.bistro.site()):
            for text in one.texts.values():
                message_settings.check_text(text, coupon=one.cause == "gift")


def test_the_balance_is_told_for_a_word_in_the_guests_language(club):
    reward = club.reward("Free ayran", "item", "", item_id=club.bistro.items["Ayran"], cost=80)
    club.counts(keywords=("puan", "points"))
    club.serves(club.bistro.order())
    loyalty_keywords.keyword_cache.forget()
    writes(club, "PUAN")
    assert club.bistro.texts_sent_to()[-1] == (
        "Lemar Bistro: 76 puanınız var.\n4 puan daha toplayın, şunu kazanın: Free ayran."
    )
    before = len(club.bistro.texts_sent_to())
    writes(club, "puanlar nasıl?")
    assert len(club.bistro.texts_sent_to()) == before
    with club.scope():
        contact_id = contact_identities.find_contact(GUEST)
        db.session.get(Contact, (club.bistro.business.tenant_id, contact_id)).language = "en"
    club.serves(club.bistro.order(table="3"))
    writes(club, "points")
    assert "152 points" in club.bistro.texts_sent_to()[-1]
    assert "Reply “redeem”" in club.bistro.texts_sent_to()[-1]
    writes(club, "Redeem!")
    assert club.balance() == 72
    guest = club.guest()
    with club.scope():
        (mine,) = coupons.open_of_contact(guest)
    assert mine.code[:4] in club.bistro.texts_sent_to()[-1]
    assert reward.id == mine.reward_id
