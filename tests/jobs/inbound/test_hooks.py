"""The hooks job: each hook on its own, tried again, parked, never lost, lanes in turn."""

from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, select

from core.clock import advance, frozen, now
from core.db import db, global_scope, tenant_scope
from core.ids import new_id
from core.queue import lanes
from core.queue.lanes import Lane, later_kind
from core.values.reasons import reason_code
from jobs import maintenance
from jobs.inbound import hooks as job
from messaging.messages import receive as message_receive
from messaging.models import Message
from tests.messaging.message_factory import (
    add_line,
    cloud_body,
    message_row,
    sent_message,
    status_value,
    text_value,
)
from webhooks.inbound import hook_queue
from webhooks.inbound import reasons as hook_reasons
from webhooks.inbound.models import ReceivedHook


@pytest.fixture(autouse=True)
def _own_lanes(app, redis):
    """Otherwise lanes left by other tests would be processed here."""
    redis.flushdb()
    with global_scope():
        db.session.execute(delete(Lane))
    with app.app_context():
        yield


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def put(line, body, kind="cloud", lane=True):
    hook_id = new_id("hook")
    with tenant_scope(line.tenant_id):
        db.session.execute(
            insert(ReceivedHook).values(
                tenant_id=line.tenant_id, id=hook_id, kind=kind, target=str(line.id), body=body
            )
        )
        if lane:
            lanes.mark_due("hooks", line.tenant_id)
    return hook_id


def get(line, hook_id):
    with tenant_scope(line.tenant_id):
        return db.session.get(ReceivedHook, (line.tenant_id, hook_id))


def texts(line):
    with tenant_scope(line.tenant_id):
        query = select(Message.text).where(Message.tenant_id == line.tenant_id)
        return sorted(db.session.scalars(query.where(Message.direction == "in")))


def lane(line, kind="hooks"):
    with global_scope():
        return db.session.get(Lane, (kind, line.tenant_id))


def test_hooks_are_worked_off_and_the_lane_is_given_back(line):
    ids = [put(line, cloud_body(line, text_value(str(number)))) for number in range(5)]
    assert job.drain() == 5
    assert texts(line) == list("01234")
    assert {get(line, one).state for one in ids} == {"done"}
    assert lane(line) is None


def test_a_second_look_is_taken_soon_after_and_then_no_more(line):
    put(line, cloud_body(line, text_value("first")))
    with frozen():
        job.drain()
        assert lane(line, later_kind("hooks")).due_at == now() + job.RECEIPT_RECHECK_AFTER
        # The hook was committed after the check, so it is stored but its lane is not marked.
        put(line, cloud_body(line, text_value("late")), lane=False)
        advance(3)
        maintenance.sweep()
        assert job.drain() == 1
        assert texts(line) == ["first", "late"]
        advance(3)
        maintenance.sweep()
        assert job.drain() == 0
        assert lane(line) is None
        assert lane(line, later_kind("hooks")) is None


def test_a_body_nobody_understands_is_parked_after_five_tries(line):
    with frozen():
        hook_id = put(line, b"this is not JSON")
        for number in range(1, 5):
            assert job.drain() == 1
            found = get(line, hook_id)
            assert (found.state, found.tries) == ("waiting", number)
            assert found.due_at == now() + timedelta(seconds=hook_queue.BACK_OFF[number - 1])
            assert job.drain() == 0  # not before its time
            advance(found.due_at - now())
            maintenance.sweep()
        job.drain()
        found = get(line, hook_id)
    assert (found.state, found.tries, found.due_at) == ("parked", 5, None)
    assert reason_code(found.error) == hook_reasons.BODY_NOT_JSON
    with tenant_scope(line.tenant_id):
        assert [one.id for one in hook_queue.list_parked()] == [hook_id]


def test_a_parked_hook_can_be_run_again(line):
    with frozen():
        hook_id = put(line, b"{}", kind="unheard of")
        for _ in range(5):
            job.drain()
            advance(400)
            maintenance.sweep()
        assert get(line, hook_id).state == "parked"
        with tenant_scope(line.tenant_id):
            assert hook_queue.requeue_parked(hook_id)
            assert not hook_queue.requeue_parked(hook_id)
        found = get(line, hook_id)
        assert (found.state, found.tries, found.error) == ("waiting", 0, None)


def test_a_part_that_fails_is_retried_without_the_others(line, monkeypatch):
    real = message_receive.store_message

    def fails(where, message, tally):
        tally.add(where.id, "TR", "service", received=1)
        real(where, message, tally)
        if message.text == "bad":
            raise ZeroDivisionError

    monkeypatch.setattr(message_receive, "store_message", fails)
    with frozen():
        hook_id = put(line, cloud_body(line, text_value("good"), text_value("bad")))
        job.drain()
        assert texts(line) == ["good"]
        found = get(line, hook_id)
        assert found.state == "waiting"
        assert found.error == 'part_failed {"error": "ZeroDivisionError", "place": "message 2"}'
        monkeypatch.undo()
        advance(10)
        maintenance.sweep()
        job.drain()
    assert texts(line) == ["bad", "good"]
    assert get(line, hook_id).state == "done"


def test_a_receipt_that_is_too_early_waits_for_our_own_settle(line):
    with tenant_scope(line.tenant_id):
        message_id, network_id = sent_message(line, "queued")
    with frozen():
        hook_id = put(line, cloud_body(line, status_value(network_id, "delivered", message_id)))
        job.drain()
        assert get(line, hook_id).state == "waiting"
        with tenant_scope(line.tenant_id):
            message_row(line.tenant_id, message_id).state = "sending"
        advance(5)
        maintenance.sweep()
        job.drain()
    assert get(line, hook_id).state == "done"
    with tenant_scope(line.tenant_id):
        assert message_row(line.tenant_id, message_id).state == "delivered"


def test_a_receipt_for_an_unknown_message_is_dropped_with_a_note(line):
    with frozen():
        hook_id = put(line, cloud_body(line, status_value("wamid.stranger", "read")))
        for _ in range(5):
            job.drain()
            advance(400)
            maintenance.sweep()
        found = get(line, hook_id)
    assert found.state == "done"
    assert reason_code(found.error) == hook_reasons.RECEIPT_UNMATCHED


def test_a_number_that_is_no_line_is_noted(line):
    body = cloud_body(line, text_value("x")).replace(line.phone_number_id.encode(), b"5550001")
    hook_id = put(line, body)
    job.drain()
    assert texts(line) == []
    assert "5550001" in get(line, hook_id).error
    assert get(line, hook_id).state == "done"


def test_one_body_may_be_about_two_lines(restaurant, line):
    other = add_line(restaurant, default=False)
    mine, theirs = cloud_body(line, text_value("a")), cloud_body(other, text_value("b"))
    both = mine[:-2] + b", " + theirs[theirs.index(b"[") + 1 :]
    put(line, both)
    job.drain()
    with tenant_scope(line.tenant_id):
        rows = db.session.execute(
            select(Message.text, Message.line_id).where(Message.tenant_id == line.tenant_id)
        )
        assert sorted(map(tuple, rows)) == [("a", line.id), ("b", other.id)]


def test_a_lane_without_a_wakeup_is_found_by_the_sweep(line, redis, run_jobs):
    put(line, cloud_body(line, text_value("unheard")))
    maintenance.sweep()
    run_jobs()
    assert texts(line) == ["unheard"]


def test_a_hook_without_a_lane_is_found_in_the_end(line, run_jobs):
    put(line, cloud_body(line, text_value("forgotten")), lane=False)
    assert job.drain() == 0
    assert job.find_lost_work() >= 1
    run_jobs()
    assert texts(line) == ["forgotten"]
    with tenant_scope(line.tenant_id):
        assert hook_queue.next_due() is None


def test_one_tenants_poison_does_not_hold_up_another(line, shop):
    theirs = add_line(shop)
    put(line, b"poison")
    put(theirs, cloud_body(theirs, text_value("fine")))
    assert job.drain() == 2
    assert texts(theirs) == ["fine"]


def test_a_crash_of_the_worker_loses_nothing(line, settings, monkeypatch):
    """The lease expires, and the next worker finds the hook unchanged."""
    hook_id = put(line, cloud_body(line, text_value("kept")))

    class Killed(BaseException):
        pass

    def killed(*_):
        raise Killed

    with frozen():
        monkeypatch.setattr(message_receive, "store_message", killed)
        with pytest.raises(Killed):
            job.drain()
        monkeypatch.undo()
        assert (get(line, hook_id).state, get(line, hook_id).tries) == ("waiting", 0)
        assert job.drain() == 0  # the lane is still leased
        advance(settings.lane_lease_seconds + 1)
        assert job.drain() == 1
    assert texts(line) == ["kept"]


def test_an_outage_is_nobodys_fault(line, monkeypatch):
    from sqlalchemy.exc import OperationalError

    hook_id = put(line, cloud_body(line, text_value("kept")))

    def away(*_):
        raise OperationalError("SELECT 1", {}, Exception("server closed the connection"))

    monkeypatch.setattr(message_receive, "store_message", away)
    with pytest.raises(OperationalError):
        job.drain()
    assert (get(line, hook_id).state, get(line, hook_id).tries) == ("waiting", 0)


def test_work_that_takes_too_long_is_rung_for_again(line, monkeypatch, redis):
    monkeypatch.setattr(job, "WORK_SECONDS", 0.0)
    put(line, cloud_body(line, text_value("later")))
    assert job.drain() == 0
    assert list(redis.scan_iter("ring:jobs.inbound.hooks.drain:*"))
    monkeypatch.undo()
    assert job.drain() == 1
