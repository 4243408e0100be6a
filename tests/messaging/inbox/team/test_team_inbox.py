"""Labels, snooze, replies for later and the satisfaction question."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from core.errors import Conflict, Invalid
from core.values.date_ranges import DateRange
from jobs.inbound.messages import receive_and_react
from messaging.costs.usage import UsageTally
from messaging.inbox import conversation_actions
from messaging.inbox import replies as inbox_replies
from messaging.inbox.replies import Reply
from messaging.inbox.team import labels, ratings, response_times, scheduled_replies, snooze
from messaging.inbox.team import settings as team_settings
from messaging.inbox.team.settings import TeamSettings
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage
from messaging.models import ConversationCase, Message, ScheduledReply
from tenants.audit import Actor, acting_as
from tests.messaging.inbox.inbox_factory import AYSE, VELI, add_line, talk_with, talks, writes
from webhooks.models import Event

ISTANBUL = ZoneInfo("Europe/Istanbul")


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def selin(restaurant):
    return restaurant.hires("inbox", "Selin Kaya")


def as_person(person):
    return acting_as(Actor("person", person.id, person.name))


def events(business, kind):
    with business.scope():
        query = select(Event).where(Event.tenant_id == business.tenant_id, Event.type == kind)
        return [one.body["data"] for one in db.session.scalars(query.order_by(Event.occurred_at))]


def cases(business):
    with business.scope():
        query = select(ConversationCase).where(ConversationCase.tenant_id == business.tenant_id)
        return list(db.session.scalars(query.order_by(ConversationCase.id)))


def sent(business, kind=""):
    with business.scope():
        query = select(Message).where(
            Message.tenant_id == business.tenant_id, Message.direction == "out"
        )
        found = db.session.scalars(query.order_by(Message.id))
        return [one for one in found if not kind or one.kind == kind]


def test_labels_are_given_filtered_and_deleted(restaurant, line):
    writes(restaurant, line, AYSE)
    writes(restaurant, line, VELI)
    talk = talk_with(restaurant)
    with restaurant.scope():
        complaint = labels.save("Complaint", "red").id
        assert labels.set_labels(talk.id, [complaint])
        assert not labels.set_labels(talk.id, [complaint])
        with pytest.raises(Conflict):
            labels.save("complaint", "blue")
        with pytest.raises(Invalid):
            labels.set_labels(talk.id, ["lbl_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    assert [one.phone for one in talks(restaurant, label_id=complaint)] == [AYSE]
    assert talk_with(restaurant).label_ids == (complaint,)
    with restaurant.scope():
        labels.remove(complaint)
    assert talk_with(restaurant).label_ids == ()


def test_a_snoozed_conversation_returns_at_its_time(restaurant, line, selin):
    with frozen():
        writes(restaurant, line, AYSE)
        until = now() + timedelta(hours=3)
        talk = talk_with(restaurant)
        with as_person(selin), restaurant.scope():
            assert snooze.snooze(talk.id, until)
        assert talks(restaurant, view="open") == []
        assert [one.snoozed_until for one in talks(restaurant, view="snoozed")] == [until]
        with restaurant.scope():
            assert snooze.return_due() == 0
        advance(timedelta(hours=3))
        with restaurant.scope():
            assert snooze.return_due() == 1
            assert snooze.return_due() == 0
        back = talks(restaurant, view="open")[0]
        assert (back.returned_at, back.unread) == (now(), 1)
        with restaurant.scope():
            conversation_actions.mark_read(back.id)
        assert talk_with(restaurant).returned_at is None
    assert [one["reason"] for one in events(restaurant, "conversations.reopened")] == [
        "snooze_ended"
    ]


def test_a_snoozed_conversation_returns_when_the_customer_writes(restaurant, line, selin):
    writes(restaurant, line, AYSE)
    talk = talk_with(restaurant)
    with as_person(selin), restaurant.scope():
        snooze.snooze(talk.id, now() + timedelta(days=2))
    writes(restaurant, line, AYSE, text="Any news?", at=now() + timedelta(seconds=2))
    back = talks(restaurant, view="open")[0]
    assert back.snoozed_until is None
    assert back.returned_at is not None
    assert len(events(restaurant, "conversations.snoozed")) == 1
    assert events(restaurant, "conversations.reopened")[0]["reason"] == "customer_wrote"


def test_snooze_times_are_in_the_business_time_zone():
    with frozen("2026-11-16T10:30:00Z"):  # a Monday, 13:30 in Istanbul
        times = snooze.suggested_times(ISTANBUL)
        assert {name: at.isoformat() for name, at in times.items()} == {
            "later_today": "2026-11-16T16:00:00+03:00",
            "tomorrow": "2026-11-17T09:00:00+03:00",
            "next_week": "2026-11-23T09:00:00+03:00",
        }
    with frozen("2026-11-16T19:30:00Z"):
        assert "later_today" not in snooze.suggested_times(ISTANBUL)


def test_a_reply_for_later_is_sent_once_at_its_time(restaurant, line, selin):
    with frozen():
        writes(restaurant, line, AYSE)
        at = now() + timedelta(hours=2)
        talk = talk_with(restaurant)
        with as_person(selin), restaurant.scope():
            made = scheduled_replies.schedule(talk, Reply(once="1", text="Masa hazır"), at).id
            scheduled_replies.change(talk, made, at + timedelta(hours=1), "Masanız hazır")
        assert sent(restaurant) == []
        advance(timedelta(hours=2))
        with restaurant.scope():
            assert scheduled_replies.send_due() == 0
        advance(timedelta(hours=1))
        with restaurant.scope():
            assert scheduled_replies.send_due() == 1
            assert scheduled_replies.send_due() == 0
        assert [one.text for one in sent(restaurant)] == ["Masanız hazır"]
        assert sent(restaurant)[0].content["by"] == selin.id
        assert talk_with(restaurant).last_text == "Masanız hazır"


def test_a_cancelled_reply_is_never_sent(restaurant, line, selin):
    with frozen():
        writes(restaurant, line, AYSE)
        talk = talk_with(restaurant)
        with as_person(selin), restaurant.scope():
            at = now() + timedelta(hours=1)
            made = scheduled_replies.schedule(talk, Reply(once="1", text="x"), at).id
            assert scheduled_replies.cancel(talk.id, made)
            assert not scheduled_replies.cancel(talk.id, made)
        advance(timedelta(hours=2))
        with restaurant.scope():
            assert scheduled_replies.send_due() == 0
            with pytest.raises(Conflict):
                scheduled_replies.change(talk, made, now() + timedelta(hours=1))
        assert sent(restaurant) == []


def test_the_window_is_checked_for_the_time_of_sending(restaurant, line, selin):
    with frozen():
        writes(restaurant, line, AYSE)
        talk = talk_with(restaurant)
        with as_person(selin), restaurant.scope():
            with pytest.raises(Invalid) as refused:
                scheduled_replies.schedule(
                    talk, Reply(once="1", text="x"), now() + timedelta(hours=25)
                )
            assert refused.value.code == "window_closed"
            template = ("order_ready", "tr", ["Ayşe"])
            scheduled_replies.schedule(
                talk, Reply(once="2", template=template), now() + timedelta(hours=25)
            )
        advance(timedelta(hours=25))
        with restaurant.scope():
            assert scheduled_replies.send_due() == 1
        assert [one.kind for one in sent(restaurant)] == ["template"]


def test_a_reply_that_cannot_be_sent_returns_to_the_team(restaurant, line, selin):
    with frozen():
        writes(restaurant, line, AYSE)
        talk = talk_with(restaurant)
        with as_person(selin), restaurant.scope():
            scheduled_replies.schedule(talk, Reply(once="1", text="x"), now() + timedelta(hours=1))
            conversation_actions.mark_read(talk.id)
            db.session.execute(
                conversation_actions.text(
                    "UPDATE conversations SET window_until = :at WHERE tenant_id = :t"
                ),
                {"at": now() + timedelta(minutes=5), "t": restaurant.tenant_id},
            )
        advance(timedelta(hours=1))
        with restaurant.scope():
            assert scheduled_replies.send_due() == 1
            stored = db.session.scalars(
                select(ScheduledReply).where(ScheduledReply.tenant_id == restaurant.tenant_id)
            ).one()
            assert (stored.state, stored.error) == ("failed", "window_closed")
        assert sent(restaurant) == []
        assert talk_with(restaurant).unread == 1


def closes(business, person):
    talk = talk_with(business)
    with as_person(person), business.scope():
        conversation_actions.close(talk.id)


def asks(business):
    advance(timedelta(seconds=10))
    with business.scope():
        return ratings.ask_due()


def rates(business, line, number):
    case = cases(business)[0].id

    message = InboundMessage(
        network_id=f"wamid.rate{number}{now().timestamp()}",
        sender_phone=AYSE,
        sender_network_id="",
        sender_name="Ayşe",
        at=int(now().timestamp()),
        kind="button",
        text="🙂",
        content={"id": f"rating:{case}:{number}", "title": "🙂"},
    )

    with business.scope():
        tally = UsageTally()
        receive_and_react(line_repository.get(line), message, tally)
        tally.write()


@pytest.mark.parametrize(
    ("scale", "kind", "best"), [("faces", "buttons", 3), ("numbers", "list", 5)]
)
def test_the_question_is_asked_once_and_its_answer_stored(
    restaurant, line, selin, scale, kind, best
):
    with frozen():
        with restaurant.scope():
            team_settings.save(TeamSettings(rating=scale))
        writes(restaurant, line, AYSE)
        advance(timedelta(minutes=1))
        closes(restaurant, selin)
        assert asks(restaurant) == 1
        assert asks(restaurant) == 0
        assert len(sent(restaurant, kind)) == 1
        advance(timedelta(minutes=1))
        rates(restaurant, line, best)
        advance(timedelta(minutes=1))
        rates(restaurant, line, 1)
        assert [(one.rating, one.scale) for one in cases(restaurant)] == [(best, scale)]
        talk = talk_with(restaurant)
        assert talk.closed_at is not None
        assert talk.unread == 0
        with restaurant.scope():
            assert ratings.latest_rating(talk.id).rating == best
    assert [(one["rating"], one["best"]) for one in events(restaurant, "conversations.rated")] == [
        (best, best)
    ]


@pytest.mark.parametrize("reason", ["newer_message", "opted_out", "reopened", "turned_off"])
def test_the_question_is_not_asked(restaurant, line, selin, reason):
    with frozen():
        with restaurant.scope():
            team_settings.save(TeamSettings(rating="faces"))
        writes(restaurant, line, AYSE)
        advance(timedelta(minutes=1))
        closes(restaurant, selin)
        if reason == "newer_message":
            advance(timedelta(seconds=2))
            writes(restaurant, line, AYSE, text="One more thing")
        elif reason == "opted_out":
            with restaurant.scope():
                db.session.execute(
                    conversation_actions.text(
                        "UPDATE contacts SET opted_out_at = :now WHERE tenant_id = :t"
                    ),
                    {"now": now(), "t": restaurant.tenant_id},
                )
        elif reason == "reopened":
            talk = talk_with(restaurant)
            with as_person(selin), restaurant.scope():
                conversation_actions.reopen(talk.id)
        else:
            with restaurant.scope():
                team_settings.save(TeamSettings(rating="off"))
        asks(restaurant)
        assert sent(restaurant) == []
        assert cases(restaurant)[0].ask_result == reason


def test_response_times_are_measured_from_the_customers_message(restaurant, line, selin):
    start = now().replace(hour=8, minute=0, second=0, microsecond=0) - timedelta(days=1)
    with restaurant.scope():
        late = labels.save("Late", "red").id
    with frozen(start):
        for number, (reply, close) in enumerate([(60, 600), (120, 1200), (600, 6000)]):
            phone = f"90532111{5000 + number}"
            writes(restaurant, line, phone)
            talk = talk_with(restaurant, phone)
            advance(timedelta(seconds=reply))
            with as_person(selin), restaurant.scope():
                inbox_replies.send_reply(talk, Reply(once=phone, text="Merhaba"))
                if number == 2:
                    labels.set_labels(talk.id, [late])
            advance(timedelta(seconds=close - reply))
            with as_person(selin), restaurant.scope():
                conversation_actions.close(talk.id)
    with restaurant.scope():
        made = response_times.report(DateRange(start.date(), start.date()))
    assert made.total.cases == made.total.answered == made.total.closed == 3
    assert (made.total.reply_median, made.total.close_median) == (120, 1200)
    assert (made.total.reply_p90, made.total.close_p90) == (504, 5040)
    assert [(one.name, one.figures) for one in made.members] == [("Selin Kaya", made.total)]
    assert [(one.name, one.figures.reply_median) for one in made.labels] == [("Late", 600)]
    assert sum(one.figures.cases for one in made.days) == 3


def test_a_removed_line_is_no_longer_chosen_and_the_last_one_ends_the_question(restaurant, line):
    other = add_line(restaurant)
    with restaurant.scope():
        team_settings.save(TeamSettings(rating="faces", rating_lines=(line, other)))
        line_removal.remove(line)
        stored = team_settings.get()
        assert (stored.rating, stored.rating_lines) == ("faces", (other,))
        line_removal.remove(other)
        stored = team_settings.get()
        assert (stored.rating, stored.rating_lines) == ("off", ())
