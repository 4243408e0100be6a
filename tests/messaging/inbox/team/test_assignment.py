"""Automatic assignment: in turn, to members who are present, once, also in parallel."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from core.clock import advance, frozen, now
from core.db import global_scope
from core.queue import lanes
from core.redis import open_pages
from jobs import inbox as inbox_jobs
from messaging.inbox import conversation_actions
from messaging.inbox import replies as inbox_replies
from messaging.inbox.replies import Reply
from messaging.inbox.team import assignment
from messaging.inbox.team import settings as team_settings
from messaging.inbox.team.settings import TeamSettings
from messaging.messages.inbound.cases import LANE
from tenants.audit import Actor, acting_as
from tests.messaging.inbox.inbox_factory import AYSE, VELI, add_line, talk_with, talks, writes


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def team(restaurant):
    return [restaurant.hires("inbox", name) for name in ("Selin Kaya", "Emre Demir", "Ada Ak")]


def turn_on(business, **more):
    with business.scope():
        team_settings.save(TeamSettings(assignment="round_robin", **more))


def are_here(business, *people):
    for person in people:
        open_pages.report(business.tenant_id, person.id)


def assign(business):
    with business.scope():
        return assignment.assign_queued()


def test_new_conversations_go_to_present_members_in_turn(restaurant, line, team, run_jobs):
    turn_on(restaurant)
    are_here(restaurant, *team[:2])
    for number in range(6):
        writes(restaurant, line, f"90532111{5000 + number}")
    run_jobs()
    got = Counter(one.assigned_to for one in talks(restaurant))
    assert got == {team[0].id: 3, team[1].id: 3}


def test_nothing_is_assigned_while_it_is_off_or_nobody_is_present(restaurant, line, team, app):
    writes(restaurant, line, AYSE)
    are_here(restaurant, *team)
    assert assign(restaurant) == 0
    turn_on(restaurant)
    assert assign(restaurant) == 0  # it came in before
    with restaurant.scope():
        for person in team:
            assignment.set_away(person.id, True)
    writes(restaurant, line, VELI)
    assert assign(restaurant) == 0
    with restaurant.scope():
        assignment.set_away(team[2].id, False)
    assert assign(restaurant) == 1
    assert talk_with(restaurant, VELI).assigned_to == team[2].id


def test_a_conversation_that_returns_after_silence_goes_to_the_next_one(restaurant, line, team):
    turn_on(restaurant)
    with frozen():
        are_here(restaurant, *team[:2])
        writes(restaurant, line, AYSE)
        assign(restaurant)
        first = talk_with(restaurant).assigned_to
        advance(timedelta(hours=2))
        writes(restaurant, line, AYSE, text="Still there?")
        assert assign(restaurant) == 0  # not silent for long: it stays
        advance(timedelta(hours=25))
        writes(restaurant, line, AYSE, text="Hello again")
        assert assign(restaurant) == 1
        assert talk_with(restaurant).assigned_to not in (None, first)


def test_a_silent_assignee_loses_it_and_somebody_else_gets_it(restaurant, line, team, app):
    turn_on(restaurant, return_minutes=10)
    with frozen():
        are_here(restaurant, *team[:2])
        writes(restaurant, line, AYSE)
        assign(restaurant)
        first = talk_with(restaurant).assigned_to
        advance(timedelta(minutes=9))
        with restaurant.scope():
            assert assignment.release_silent() == 0
            assert assignment.next_due() == now() + timedelta(minutes=1)
        advance(timedelta(minutes=1))
        with restaurant.scope():
            assert assignment.release_silent() == 1
        assert talk_with(restaurant).assigned_to is None
        assert assign(restaurant) == 1
        assert talk_with(restaurant).assigned_to not in (None, first)


def test_an_answer_keeps_the_conversation_with_its_member(restaurant, line, team, app):
    turn_on(restaurant, return_minutes=10)
    with frozen():
        are_here(restaurant, team[0])
        writes(restaurant, line, AYSE)
        assign(restaurant)
        talk = talk_with(restaurant)
        with acting_as(Actor("person", team[0].id, team[0].name)), restaurant.scope():
            inbox_replies.send_reply(talk, Reply(once="1", text="Buyurun"))
        advance(timedelta(minutes=30))
        with restaurant.scope():
            assert assignment.release_silent() == 0


def test_parallel_messages_and_workers_share_fairly_and_assign_once(
    restaurant, line, team, app, redis
):
    turn_on(restaurant)
    are_here(restaurant, *team)
    phones = [f"90532112{1000 + number}" for number in range(30)]

    def arrives(phone):
        with app.app_context():
            writes(restaurant, line, phone)
            writes(restaurant, line, phone, text="and more")
            return assign(restaurant)

    with ThreadPoolExecutor(8) as pool:
        done = sum(pool.map(arrives, phones))
    done += assign(restaurant)
    assert done == len(phones)
    assert Counter(one.assigned_to for one in talks(restaurant)) == {one.id: 10 for one in team}
    with restaurant.scope():
        notes = conversation_actions.db.session.execute(
            conversation_actions.text(
                "SELECT conversation_id, count(*) FROM conversation_notes"
                " WHERE tenant_id = :t AND kind = 'auto_assigned' GROUP BY 1"
            ),
            {"t": restaurant.tenant_id},
        ).all()
    assert {count for _, count in notes} == {1}


def test_the_job_waits_for_members_to_come(restaurant, line, team, run_jobs, app):
    turn_on(restaurant)
    writes(restaurant, line, AYSE)
    run_jobs()
    assert talk_with(restaurant).assigned_to is None
    with restaurant.scope():
        assert assignment.next_due() is not None
    are_here(restaurant, team[0])
    with app.app_context(), global_scope():
        lanes.mark_due(LANE, restaurant.tenant_id)
        inbox_jobs.sweep()
    run_jobs()
    assert talk_with(restaurant).assigned_to == team[0].id
