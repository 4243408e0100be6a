"""A web process makes the first attempt of a message itself, or leaves it to a worker."""

import time

import psycopg2
import pytest
from sqlalchemy import select, text, update

from core.clock import now
from core.db import db, global_scope
from core.ids import to_uuid
from core.queue import lanes
from core.queue.lanes import Lane
from core.redis import client as redis_state
from core.sql.batching import BlockingCalls
from jobs import maintenance
from messaging.costs.rates import tenant_rates
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft, prepare_message
from messaging.messages.receipts import receive_receipt
from messaging.messages.sending import attempt as send_attempt
from messaging.messages.sending import direct
from messaging.models import Line, Message
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.message_factory import receipt
from tests.timeouts import allow_for_load

PHONE, OTHER_PHONE = "905321112233", "905321112244"
TOKEN_EXPIRED = (401, {"error": {"code": 190, "message": "expired"}})
UNDELIVERABLE = (400, {"error": {"code": 131026, "message": "Message undeliverable"}})
BUSY = (400, {"error": {"code": 80007, "message": "Rate limit hit"}})


def eventually(look, wanted, seconds=8):
    end = time.monotonic() + allow_for_load(seconds)
    while (seen := look()) != wanted and time.monotonic() < end:
        time.sleep(0.02)
    assert seen == wanted


def message(caller, message_id):
    with caller.business.scope():
        return message_queries.get(message_id)


def messages(caller):
    with caller.business.scope():
        query = select(Message).where(Message.tenant_id == caller.business.tenant_id)
        return db.session.scalars(query).all()


def timeline(caller, message_id):
    with caller.business.scope():
        return [(one.state, one.cause) for one in message_queries.timeline(message_id)]


def lane_kinds(caller):
    with global_scope():
        kinds = db.session.scalars(
            select(Lane.kind).where(
                Lane.tenant_id == caller.business.tenant_id, Lane.kind.startswith("sends")
            )
        )
        return set(kinds)


def written(caller, message_id):
    """What is stored about a message, without ids and times."""
    with caller.business.scope():
        params = {"t": caller.business.tenant_id, "id": str(to_uuid("msg", message_id))}
        row = db.session.execute(
            text(
                "SELECT state, attempt, due_at, quoted_usd, cost_usd, country, category, test"
                "  FROM messages WHERE tenant_id = :t AND id = :id"
            ),
            params,
        ).one()
        ledger = db.session.execute(
            text(
                "SELECT kind, line_id, country, category, amount_usd FROM ledger_entries"
                " WHERE tenant_id = :t AND message_id = :id"
            ),
            params,
        ).all()
        events = db.session.execute(
            text(
                "SELECT type, body - 'data' AS head, body -> 'data' ->> 'cost_usd' AS cost,"
                "       (SELECT array_agg(k ORDER BY k) FROM jsonb_object_keys(body -> 'data') k)"
                "  FROM events WHERE tenant_id = :t AND body -> 'data' ->> 'id' = :ours"
            ),
            {**params, "ours": message_id},
        ).all()
        networks = db.session.execute(
            text("SELECT count(*) FROM network_ids WHERE tenant_id = :t AND message_id = :id"),
            params,
        ).scalar()
    return row, ledger, events, networks, timeline(caller, message_id)


def used(caller):
    """Messages and spend of the month, and sent and failed of the day."""
    with caller.business.scope():
        tenant = {"t": caller.business.tenant_id}
        month = db.session.execute(
            text("SELECT messages, spend_usd FROM usage_months WHERE tenant_id = :t"), tenant
        ).all()
        day = db.session.execute(
            text(
                "SELECT sum(sent), sum(failed), sum(cost_usd) FROM usage_days WHERE tenant_id = :t"
            ),
            tenant,
        ).all()
    return month, day


def test_a_message_leaves_without_a_worker(caller, network, redis):
    status, answer = caller.send()
    assert (status, answer["status_code"]) == (200, "sent")
    assert answer["message_id"].startswith("wamid.1.")
    assert network.texts == ["Merhaba"]
    assert lane_kinds(caller) == {"sends.later"}
    assert not redis.keys("rq:queue:sends")


def test_it_leaves_the_same_rows_as_a_worker(caller, network, run_jobs):
    _, direct_one = caller.send("by the web process")
    before = used(caller)
    _, queued = caller.send("by a worker", OTHER_PHONE, Prefer="respond-async")
    run_jobs()
    assert network.texts == ["by the web process", "by a worker"]
    assert written(caller, direct_one["id"]) == written(caller, queued["id"])
    [(messages, spend)], [(sent, failed, cost)] = used(caller)
    assert before == ([(1, spend / 2)], [(1, 0, cost / 2)])
    assert (messages, sent, failed) == (2, 2, 0)


def test_open_pages_and_webhooks_are_notified(caller, network, redis):
    _, answer = caller.send()
    channel = f"live:{caller.business.tenant_id}"
    eventually(lambda: redis.xlen(channel), 1)
    [(_, fields)] = redis.xrange(channel)
    assert answer["id"].encode() in fields[b"n"]
    assert b"sent" in fields[b"n"]


def test_a_test_key_uses_the_test_line_and_costs_nothing(caller, network):
    status, answer = caller.send(key=caller.business.test_key)
    assert (status, answer["test"], answer["cost_usd"]) == (200, True, 0)
    row, ledger, events, *_ = written(caller, answer["id"])
    assert (row.test, row.cost_usd, ledger, len(events)) == (True, 0, [], 1)
    assert used(caller)[0] == []


def test_a_message_behind_another_one_waits_for_its_turn(caller, network, run_jobs):
    caller.send("first", Prefer="respond-async")
    status, answer = caller.send("second", Prefer="wait=1")
    assert (status, answer["status_code"]) == (202, "queued")
    assert network.texts == []
    run_jobs()
    assert network.texts == ["first", "second"]
    assert message(caller, answer["id"]).attempt == 1


def test_concurrent_messages_to_one_recipient_are_never_in_flight_together(
    caller, network, run_jobs
):
    network.open.clear()
    first = caller.send_soon("first")
    assert network.arrived.acquire(timeout=10)
    second = caller.send("second", Prefer="wait=1")
    assert second[0] == 202
    assert network.texts == ["first"]
    network.open.set()
    assert first.result()[0] == 200
    assert "sends" in lane_kinds(caller)
    run_jobs()
    assert network.texts == ["first", "second"]


def test_of_messages_accepted_at_the_same_moment_one_begins(app, caller, network, sender):
    """Two processes have no memory in common; here they are two senders."""
    senders = [sender(), sender()]
    with caller.business.scope():
        line = next(one for one in line_repository.list_routes() if not one.test)
        facts, rates = current_tenant_facts(), tenant_rates()

    def begin(number, phone):
        ready = prepare_message(MessageDraft("text", phone, f"{number}"), line, facts, rates)
        with app.app_context():
            result = senders[number % 2].send(ready, line, None, time.monotonic() + 0.5)
            return not result.queued

    network.open.clear()
    for attempt in range(5):
        phone = f"9053311100{attempt:02}"
        both = [caller.threads.submit(begin, number, phone) for number in range(4)]
        assert sorted(one.result() for one in both) == [False, False, False, True]
    network.open.set()


def test_a_message_that_was_held_back_wakes_a_worker(caller, network, redis):
    """Its own wake-up came while the first message was in flight."""
    network.open.clear()
    first = caller.send_soon("first")
    assert network.arrived.acquire(timeout=10)
    caller.send("second", Prefer="respond-async")
    with global_scope():
        db.session.execute(lanes.Lane.__table__.delete())
    redis.flushdb()
    network.open.set()
    assert first.result()[0] == 200
    assert "sends" in lane_kinds(caller)
    eventually(lambda: redis.llen("rq:queue:sends"), 1)


def test_messages_to_other_recipients_leave_meanwhile(caller, network):
    network.open.clear()
    several = [caller.send_soon(f"to {n}", f"90532111{n:04}") for n in range(5)]
    for _ in several:
        assert network.arrived.acquire(timeout=10)
    network.open.set()
    assert [one.result()[0] for one in several] == [200] * 5


@pytest.mark.parametrize("values", [{"paused_until": True}, {"enabled": False}])
def test_a_line_that_does_not_send_now_keeps_the_message(caller, network, values, run_jobs):
    """Also if the caller's copy of the line is older than the change."""
    caller.send("before")
    moment = now().replace(year=now().year + 1)
    with caller.business.scope():
        db.session.execute(
            update(Line)
            .where(Line.tenant_id == caller.business.tenant_id)
            .values({name: moment if value is True else value for name, value in values.items()})
        )
    status, answer = caller.send("after", OTHER_PHONE, Prefer="wait=1")
    assert (status, answer["status_code"]) == (202, "queued")
    assert network.texts == ["before"]
    assert message(caller, answer["id"]).attempt == 0


def test_a_line_at_its_pace_leaves_the_message_to_a_worker(caller, network):
    with caller.business.scope():
        db.session.execute(
            update(Line).where(Line.tenant_id == caller.business.tenant_id).values(per_second=0.1)
        )
    assert caller.send("first")[0] == 200
    status, answer = caller.send("second", OTHER_PHONE, Prefer="wait=1")
    assert (status, answer["status_code"]) == (202, "queued")
    assert network.texts == ["first"]
    assert lane_kinds(caller) == {"sends", "sends.later"}


def test_a_message_with_a_fallback_template_is_left_to_a_worker(app, caller, network):
    sender = app.extensions["direct_sends"]
    with caller.business.scope():
        [line, *_] = line_repository.list_routes()
        content = {"fallback": {"name": "hello", "language": "en"}}
        draft = MessageDraft("text", PHONE, "x", content)
        ready = prepare_message(draft, line, current_tenant_facts(), tenant_rates())
    assert sender.send(ready, line, None, time.monotonic() + 1) is None


def test_too_many_in_flight_are_left_to_workers(caller, network, sender):
    sender(direct_sends=4)
    network.open.clear()
    begun = [caller.send_soon(f"to {n}", f"90532111{n:04}") for n in range(2)]
    for _ in begun:
        assert network.arrived.acquire(timeout=10)
    status, _ = caller.send("one more of this account", OTHER_PHONE, Prefer="wait=1")
    assert status == 202
    network.open.set()
    assert [one.result()[0] for one in begun] == [200, 200]
    assert caller.send("and again", "905321119999")[0] == 200


def test_without_direct_sends_workers_send_everything(caller, network, sender):
    sender(direct_sends=0)
    assert caller.send(Prefer="wait=1")[0] == 202
    assert network.texts == []


def test_a_stop_settles_what_is_in_flight_and_begins_nothing_more(app, caller, network):
    network.open.clear()
    first = caller.send_soon("first")
    assert network.arrived.acquire(timeout=10)
    stopping = caller.threads.submit(app.extensions["direct_sends"].stop)
    second = caller.send("second", OTHER_PHONE, Prefer="wait=1")
    assert second[0] == 202
    assert not stopping.done()
    network.open.set()
    stopping.result(10)
    assert first.result()[0] == 200
    assert network.texts == ["first"]


def test_an_unreachable_network_is_tried_again_by_a_worker(caller, network, redis):
    network.close()
    status, answer = caller.send(Prefer="wait=1")
    assert (status, answer["status_code"]) == (202, "queued")
    row = message(caller, answer["id"])
    assert (row.state, row.attempt, row.error_code) == ("queued", 1, "network_unreachable")
    assert row.due_at > now()
    assert "sends" in lane_kinds(caller)
    assert redis.llen("rq:queue:sends") == 1


def test_the_request_waits_for_the_worker_that_tries_again(caller, network, run_jobs):
    network.answers["Merhaba"] = (503, {})
    waiting = caller.send_soon()
    assert network.arrived.acquire(timeout=10)
    eventually(lambda: "sends" in lane_kinds(caller), True)
    del network.answers["Merhaba"]
    end = time.monotonic() + 12
    while not waiting.done() and time.monotonic() < end:
        maintenance.sweep()
        run_jobs()
    assert waiting.result()[0] == 200
    assert network.texts == ["Merhaba"] * 2


def test_a_lost_answer_is_unknown_and_its_receipt_settles_it(caller, network):
    network.answers["Merhaba"] = None
    status, answer = caller.send()
    assert status == 202
    assert message(caller, answer["id"]).state == "unknown"
    told(caller, answer["id"], "wamid.late")
    assert message(caller, answer["id"]).state == "delivered"


def told(caller, message_id, network_id):
    with caller.business.scope():
        line = line_repository.get(message_queries.get(message_id).line_id)
        tally = UsageTally()
        receive_receipt(line, receipt(network_id, "delivered", message_id), tally)
        tally.write()


def test_a_receipt_may_be_faster_than_the_answer(app, caller, network):
    def receives(message_id, network_id):
        with app.app_context():
            told(caller, message_id, network_id)

    network.meanwhile["Merhaba"] = receives
    status, answer = caller.send()
    assert (status, answer["status_code"]) == (200, "sent")
    row, ledger, _, networks, changes = written(caller, answer["id"])
    assert (row.state, networks) == ("delivered", 1)
    assert [entry.kind for entry in ledger].count("quote") == 1
    assert [state for state, _ in changes].count("delivered") == 1


def test_a_refusal_is_the_answer_and_costs_nothing(caller, network):
    network.answers["Merhaba"] = UNDELIVERABLE
    status, answer = caller.send()
    assert (status, answer["code"]) == (422, "recipient_unavailable")
    assert message(caller, answer["id"]).state == "failed"
    [(messages, spend)], [(sent, failed, _)] = used(caller)
    assert (messages, spend, sent, failed) == (0, 0, 0, 1)


def test_an_expired_token_pauses_the_line(caller, network):
    network.answers["Merhaba"] = TOKEN_EXPIRED
    status, answer = caller.send()
    assert (status, answer["code"]) == (503, "line_unavailable")
    with caller.business.scope():
        assert line_repository.default_line(test=False).state == "token_expired"


def test_a_rate_limit_of_the_network_pauses_the_line_everywhere(caller, network):
    network.answers["first"] = BUSY
    caller.send("first", Prefer="wait=1")
    assert caller.send("second", OTHER_PHONE, Prefer="wait=1")[0] == 202
    assert network.texts == ["first"]


def test_a_slow_network_is_answered_202_and_settled_later(caller, network):
    network.open.clear()
    status, answer = caller.send(Prefer="wait=1")
    assert (status, answer["status_code"]) == (202, "queued")
    assert message(caller, answer["id"]).state == "sending"
    network.open.set()
    eventually(lambda: message(caller, answer["id"]).state, "sent")


def test_a_repeated_request_gets_the_first_response(caller, network):
    first = caller.send(Idempotency_Key="order-1")
    assert caller.send(Idempotency_Key="order-1") == first
    assert network.texts == ["Merhaba"]


def test_a_repeat_while_the_first_is_in_flight_sends_nothing(caller, network):
    network.open.clear()
    first = caller.send_soon(Idempotency_Key="order-2")
    assert network.arrived.acquire(timeout=10)
    assert caller.send(Idempotency_Key="order-2")[0] == 409
    network.open.set()
    assert first.result() == caller.send(Idempotency_Key="order-2")
    assert network.texts == ["Merhaba"]


def test_a_refused_acceptance_sends_nothing(caller, network):
    with caller.business.scope():
        db.session.execute(
            text("UPDATE accounts SET monthly_messages = 0 WHERE tenant_id = :t"),
            {"t": caller.business.tenant_id},
        )
    status, answer = caller.send()
    assert (status, answer["code"]) == (402, "quota_exceeded")
    assert network.texts == []
    assert messages(caller) == []


def test_redis_is_not_needed(caller, network, monkeypatch):
    monkeypatch.setattr(redis_state, "_down_until", time.monotonic() + 600)
    assert caller.send()[0] == 200
    assert network.texts == ["Merhaba"]


def test_what_a_dead_process_leaves_becomes_unknown(caller, network, run_jobs, sender):
    """Its lease ends; nobody sends it again."""
    sender(lease_seconds=2.0)
    network.open.clear()
    waiting = caller.send_soon(Prefer="wait=1")
    assert network.arrived.acquire(timeout=10)
    _, answer = waiting.result()
    time.sleep(1.5)
    maintenance.sweep()
    run_jobs()
    assert message(caller, answer["id"]).state == "unknown"
    assert network.texts == ["Merhaba"]
    network.open.set()  # it was not dead after all
    eventually(lambda: message(caller, answer["id"]).state, "sent")


def test_an_acceptance_whose_result_is_lost_is_left_to_a_worker(
    caller, network, monkeypatch, run_jobs
):
    run = BlockingCalls.run_now

    def cut(self, tenant_id, params):
        run(self, tenant_id, params)
        raise psycopg2.OperationalError("server closed the connection unexpectedly")

    monkeypatch.setattr(direct, "REQUEUE_DELAYS", (0.05, 0.05))
    monkeypatch.setattr(BlockingCalls, "run_now", cut)
    assert caller.send()[0] == 503
    monkeypatch.undo()
    eventually(lambda: "sends" in lane_kinds(caller), True)
    run_jobs()
    assert network.texts == ["Merhaba"]
    [row] = messages(caller)
    assert (row.state, row.attempt) == ("sent", 2)


def test_a_message_that_cannot_be_settled_is_not_refused(app, caller, network, monkeypatch):
    """It has left. A caller that gets an error would send it again."""

    async def fails(*_):
        raise psycopg2.OperationalError("server closed the connection unexpectedly")

    assert caller.send("before")[0] == 200
    monkeypatch.setattr(send_attempt, "_settle_with_retry", fails)
    status, answer = caller.send("after", OTHER_PHONE)
    assert (status, network.texts) == (202, ["before", "after"])
    assert message(caller, answer["id"]).state == "sending"
    monkeypatch.undo()
    assert caller.send("again", "905321119999")[0] == 200


def test_a_forked_process_has_connections_of_its_own(caller, network, monkeypatch):
    assert caller.send("before")[0] == 200
    monkeypatch.setattr("messaging.messages.sending.direct.os.getpid", lambda: 1)
    assert caller.send("after", OTHER_PHONE)[0] == 200
    assert network.texts == ["before", "after"]
