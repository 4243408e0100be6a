"""A customer writes, and a journey answers step by step."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from core import clock
from core.db import db
from jobs import journeys as journeys_job
from messaging.contacts import identities
from messaging.contacts import repository as contact_repository
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.inbox import conversations, replies
from messaging.inbox.replies import Reply
from messaging.journeys import queries, repository, triggers
from messaging.models import Journey
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import AYSE, MENU, publish, runs, sent, taps, writes
from webhooks.models import Event


@pytest.fixture
def line(app, shop, redis):
    return make_line(shop)


def only_run(business):
    (run,) = runs(business)
    return run


def test_a_keyword_starts_a_journey_and_a_tap_continues_it(shop, line):
    publish(shop, MENU)
    writes(shop, line, "YARDIM!")
    assert sent(shop) == ["How can we help?"]
    taps(shop, line, "Hours")
    assert sent(shop) == ["How can we help?", "We are open from 9 to 22."]
    run = only_run(shop)
    assert (run.state, run.values["answer.wish"], run.visit) == ("completed", "Hours", 3)


def test_a_number_or_a_title_answers_like_a_tap(shop, line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    writes(shop, line, "2")
    assert sent(shop)[-1] == "Our menu: example.com"


def test_another_answer_is_asked_again_twice_and_then_goes_to_a_person(shop, line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    for text in ("hello", "are you there", "hm"):
        writes(shop, line, text)
    assert sent(shop) == ["How can we help?"] * 3
    run = only_run(shop)
    assert (run.state, run.because) == ("completed", "answer_not_understood")


def test_a_conversation_that_is_handed_over_stays_unread(shop, line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    with shop.scope():
        (talk,) = conversations.conversations_of_contact(identities.find_by_address(AYSE))
    assert talk.unread == 0
    taps(shop, line, "A person")
    with shop.scope():
        (talk,) = conversations.conversations_of_contact(identities.find_by_address(AYSE))
    assert talk.unread == 1
    assert only_run(shop).because == "handed_over"


def test_a_reply_of_the_team_stops_a_run_at_once(shop, line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    with shop.scope():
        (talk,) = conversations.conversations_of_contact(identities.find_by_address(AYSE))
        replies.send_reply(talk, Reply("once-1", "I am here"))
    run = only_run(shop)
    assert (run.state, run.because) == ("stopped", "person_answered")
    taps(shop, line, "Hours")
    assert sent(shop) == ["How can we help?", "I am here"]


def test_an_opt_out_stops_a_run_at_once(shop, line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    writes(shop, line, "STOP")
    run = only_run(shop)
    assert (run.state, run.because) == ("stopped", "opted_out")
    assert sent(shop) == ["How can we help?"]


def test_a_block_stops_a_run_at_once(shop, line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    with shop.scope():
        contact_repository.set_blocked(identities.find_by_address(AYSE), True)
    assert only_run(shop).because == "blocked"


def test_a_run_keeps_the_version_that_it_began_with(shop, line):
    journey_id = publish(shop, MENU)
    writes(shop, line, "menu")
    changed = {**MENU, "steps": [dict(one) for one in MENU["steps"]]}
    changed["steps"][1]["text"] = "Closed for renovation."
    with shop.scope():
        repository.change_draft(journey_id, changed)
        repository.publish(journey_id)
    taps(shop, line, "Hours")
    assert sent(shop)[-1] == "We are open from 9 to 22."
    writes(shop, line, "menu")
    taps(shop, line, "Hours")
    assert sent(shop)[-1] == "Closed for renovation."


@pytest.mark.parametrize(
    ("end", "because"),
    [
        (lambda one: repository.set_live(one, False), "journey_paused"),
        (repository.remove, "journey_removed"),
    ],
)
def test_a_paused_or_deleted_journey_starts_nothing_and_ends_what_has_begun(
    shop, line, end, because
):
    journey_id = publish(shop, MENU)
    writes(shop, line, "menu")
    with shop.scope():
        end(journey_id)
    run = only_run(shop)
    assert (run.state, run.because, run.due_at) == ("stopped", because, None)
    assert run.ended_at is not None
    with shop.scope():
        told = select(Event.body).where(
            Event.tenant_id == shop.tenant_id, Event.type == "journeys.stopped"
        )
        (body,) = db.session.scalars(told)
    assert (body["data"]["run_id"], body["data"]["reason"]) == (run.id, because)
    taps(shop, line, "Hours")
    writes(shop, line, "menu")
    assert sent(shop) == ["How can we help?"]
    assert len(runs(shop)) == 1
    with shop.scope():
        (talk,) = conversations.conversations_of_contact(identities.find_by_address(AYSE))
    assert talk.unread == 2


@pytest.mark.parametrize("values", [{"live": False}, {"live": False, "removed_at": clock.now()}])
def test_an_answer_does_not_continue_a_run_that_its_journey_left_behind(shop, line, values):
    """A run that began at the same moment as the journey ended."""
    journey_id = publish(shop, MENU)
    writes(shop, line, "menu")
    with shop.scope():
        db.session.execute(
            update(Journey)
            .where(Journey.tenant_id == shop.tenant_id, Journey.id == journey_id)
            .values(**values)
        )
    taps(shop, line, "Hours")
    assert sent(shop) == ["How can we help?"]
    because = "journey_removed" if "removed_at" in values else "journey_paused"
    assert (only_run(shop).state, only_run(shop).because) == ("stopped", because)


def test_a_deleted_contact_is_in_no_journey(shop, line):
    publish(shop, MENU)
    writes(shop, line, "menu")
    with shop.scope():
        contact_erasures.delete_contact_only(identities.find_by_address(AYSE))
    assert (only_run(shop).state, only_run(shop).because) == ("stopped", "contact_deleted")


def test_a_waiting_time_is_continued_by_a_worker_once(app, shop, line):
    steps = [
        {"id": "a", "kind": "say", "text": "Thank you."},
        {"id": "b", "kind": "wait", "minutes": 30},
        {"id": "c", "kind": "say", "text": "Still there?"},
        {"id": "d", "kind": "end"},
    ]
    with clock.frozen():
        publish(shop, {"when": {"kind": "keyword", "words": ["hi"]}, "steps": steps})
        writes(shop, line, "hi")
        with app.app_context():
            journeys_job.drain()
        assert sent(shop) == ["Thank you."]
        clock.advance(timedelta(minutes=31))
        with app.app_context():
            journeys_job.find_lost_work()
            journeys_job.drain()
            journeys_job.drain()
    assert sent(shop) == ["Thank you.", "Still there?"]
    assert only_run(shop).state == "completed"


def test_no_answer_in_time_ends_the_run(app, shop, line):
    with clock.frozen():
        publish(shop, MENU)
        writes(shop, line, "menu")
        clock.advance(timedelta(hours=24))
        with app.app_context():
            journeys_job.find_lost_work()
            journeys_job.drain()
    assert (only_run(shop).state, only_run(shop).because) == ("completed", "no_answer")


def test_a_text_to_someone_who_never_wrote_cannot_be_published(shop, line):
    steps = [{"id": "a", "kind": "say", "text": "Hi"}, {"id": "b", "kind": "end"}]
    with shop.scope():
        made = repository.create("Greeting", {"when": {"kind": "api"}, "steps": steps})
        with pytest.raises(Exception, match="cannot be published"):
            repository.publish(made.id)


def test_a_first_message_and_a_message_out_of_hours_start_their_journeys(shop, line):
    greeting = [{"id": "a", "kind": "say", "text": "Welcome!"}, {"id": "b", "kind": "end"}]
    away = [{"id": "a", "kind": "say", "text": "We are closed."}, {"id": "b", "kind": "end"}]
    publish(shop, {"when": {"kind": "first_message"}, "steps": greeting}, "Greeting")
    hours = {"days": [], "opens": "09:00", "closes": "18:00"}
    publish(shop, {"when": {"kind": "out_of_hours"}, "hours": hours, "steps": away}, "Away")
    for text in ("Hello", "Anyone?", "Hello?"):
        writes(shop, line, text)
    assert sent(shop) == ["Welcome!", "We are closed."]


def test_a_program_starts_a_run_once_and_a_tag_starts_another(app, shop, line):
    writes(shop, line, "hello")
    template = [
        {"id": "a", "kind": "tag", "tag": "vip"},
        {"id": "b", "kind": "end"},
    ]
    journey_id = publish(shop, {"when": {"kind": "api"}, "steps": template})
    tagged = [{"id": "a", "kind": "tag", "tag": "welcomed"}, {"id": "b", "kind": "end"}]
    publish(shop, {"when": {"kind": "tag", "tag": "VIP"}, "steps": tagged}, "Tag")
    with shop.scope():
        triggers.start_by_program(journey_id, identities.find_by_address(AYSE), {"x": "1"})
        with pytest.raises(Exception, match="already in this journey"):
            triggers.start_by_program(journey_id, identities.find_by_address(AYSE), {})
    with app.app_context():
        journeys_job.drain()
        journeys_job.drain()
    first, second = runs(shop)
    assert (first.state, second.state) == ("completed", "completed")
    with shop.scope():
        detail = queries.run_detail(first.id)
        assert [one.row.kind for one in detail.steps] == ["tag", "end"]
        card = contact_repository.contact_cards.get(identities.find_by_address(AYSE))
        assert sorted(card.contact.tags) == ["vip", "welcomed"]
