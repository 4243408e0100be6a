"""The way of a message: accepted, claimed, begun, settled; fenced, and only forward."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text

from core.clock import advance, frozen, now
from core.db import db, global_scope
from core.errors import Conflict, PaymentRequired
from core.queue import lanes
from core.sql.pool import run_global
from messaging.costs import rates as message_rates
from messaging.lines import send_lane
from messaging.lines.drivers.base import SendAccepted, SendRefused, SendUnknown, TryLater
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import queries as message_queries
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line
from tests.messaging.inbox.inbox_factory import talks, writes

LEASE = 60.0


def accept(business, line, phone="905321112233", text="Merhaba", **more):
    with business.scope():
        draft = MessageDraft(kind="text", phone=phone, text=text, **more)
        return message_accept.accept_message(draft, line, current_tenant_facts())


def claim(business, most=100):
    with business.scope():
        return message_claim.claim_messages(most, LEASE, [])


def settle(business, results):
    with business.scope():
        return message_settle.settle_messages(results)


def state(business, ticket):
    with business.scope():
        return message_queries.get(ticket.id).state


def published_states(business, ticket):
    with business.scope():
        return [change.state for change in message_queries.timeline(ticket.id)]


def events(business):
    with business.scope():
        rows = db.session.execute(
            text("SELECT type, body FROM events WHERE tenant_id = :t ORDER BY id"),
            {"t": business.tenant_id},
        )
        return [(row.type, row.body) for row in rows]


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def test_a_message_is_sent_and_everything_about_it_is_written_down(restaurant, line):
    ticket = accept(restaurant, line, reference="order-7")
    assert state(restaurant, ticket) == "queued"
    [claimed] = claim(restaurant)
    assert state(restaurant, ticket) == "sending"
    [outcome] = settle(restaurant, [(claimed, SendAccepted("wamid.1"))])
    assert (outcome.id, outcome.state, outcome.network_id) == (ticket.id, "sent", "wamid.1")
    assert published_states(restaurant, ticket) == ["queued", "sending", "sent"]
    [(kind, body)] = events(restaurant)
    assert kind == "messages.sent"
    assert body["data"]["message_id"] == "wamid.1"
    assert body["data"]["reference"] == "order-7"
    with restaurant.scope():
        assert message_queries.get("wamid.1").id == ticket.id


def test_accepting_marks_the_lane_and_claiming_empties_it(restaurant, line):
    accept(restaurant, line)
    with global_scope():
        assert (restaurant.tenant_id,) in [
            (tenant_id,) for tenant_id, _ in lanes.lease_many(send_lane.LANE, 1, 1000)
        ]


def test_nothing_is_stored_when_the_quota_is_used(restaurant, line):
    with restaurant.scope():
        facts = current_tenant_facts()
        draft = MessageDraft(kind="text", phone="905321112233", text="Merhaba")
    tight = type(facts)(**{**facts.__dict__, "monthly_messages": 0})
    with pytest.raises(PaymentRequired), restaurant.scope():
        message_accept.accept_message(draft, line, tight)
    assert claim(restaurant) == []
    with restaurant.scope():
        assert quota.usage(current_tenant_facts()).messages == 0


def test_many_at_once_do_not_pass_the_quota_together(app, restaurant, line):
    with restaurant.scope():
        tight = replace(current_tenant_facts(), monthly_messages=5)
        cards = message_rates.tenant_rates()

    def send(number):
        draft = MessageDraft(kind="text", phone=f"90532111220{number}", text="Merhaba")
        with app.app_context():
            try:
                message_accept.accept_in_own_transaction(
                    message_accept.prepare_message(draft, line, tight, cards)
                )
            except PaymentRequired as refusal:
                return refusal.code
        return "accepted"

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(send, range(8)))
    assert sorted(told) == ["accepted"] * 5 + ["quota_exceeded"] * 3
    with restaurant.scope():
        assert quota.usage(current_tenant_facts()).messages == 5
    assert len(claim(restaurant)) == 5


def test_what_is_marked_while_a_lane_is_left_keeps_it(app, restaurant, line):
    """A send that has marked the lane and not committed yet is not left behind."""
    accept(restaurant, line)
    with global_scope():
        lease = dict(lanes.lease_many(send_lane.LANE, 30, 1000))[restaurant.tenant_id]
    [one] = claim(restaurant)
    settle(restaurant, [(one, SendAccepted("wamid.1"))])

    def leave():
        moment = now()
        params = message_claim.leave_lane_params(send_lane.LANE, lease, moment, moment)
        with app.app_context():
            return run_global(
                message_claim.LEAVE_LANE, {**params, "tenant_id": restaurant.tenant_id}
            )[0][0]

    with restaurant.scope():
        message_accept.accept_message(
            MessageDraft(kind="text", phone="905321112299", text="x"), line, current_tenant_facts()
        )
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(leave).result(timeout=30) is not None
    assert leave() is not None
    assert len(claim(restaurant)) == 1


def test_a_worker_that_comes_late_writes_nothing(restaurant, line):
    ticket = accept(restaurant, line)
    with frozen():
        [first] = claim(restaurant)
        settle(restaurant, [(first, TryLater("busy", "Later.", after=30))])
        advance(timedelta(seconds=31))
        [second] = claim(restaurant)
        assert second.envelope.attempt == first.envelope.attempt + 1
        settle(restaurant, [(first, SendRefused("nope", "Too late."))])
        settle(restaurant, [(first, SendAccepted("wamid.1"))])
        with restaurant.scope():
            message_claim.requeue_messages([first], 0)
        assert state(restaurant, ticket) == "sending"
        settle(restaurant, [(second, SendAccepted("wamid.2"))])
    assert state(restaurant, ticket) == "sent"


def test_what_was_being_sent_when_its_worker_died_is_unknown_and_not_sent_again(restaurant, line):
    ticket = accept(restaurant, line)
    with frozen():
        claim(restaurant)
        advance(timedelta(seconds=LEASE + 1))
        with restaurant.scope():
            message_settle.expire_stale_messages()
        assert claim(restaurant) == []
    assert state(restaurant, ticket) == "unknown"


def test_to_one_recipient_of_a_line_there_is_one_at_a_time_in_their_order(restaurant, line):
    first, second = (accept(restaurant, line, text=text) for text in ("first", "second"))
    [one] = claim(restaurant)
    assert one.envelope.message_id == first.id
    assert claim(restaurant) == []
    settle(restaurant, [(one, SendAccepted("wamid.1"))])
    [two] = claim(restaurant)
    assert two.envelope.message_id == second.id


def test_one_that_was_tried_again_still_goes_before_those_after_it(restaurant, line):
    with frozen():
        first = accept(restaurant, line, text="first")
        [one] = claim(restaurant)
        settle(restaurant, [(one, TryLater("busy", "Later.", after=30))])
        accept(restaurant, line, text="second")
        advance(timedelta(seconds=31))
        [one] = claim(restaurant)
        assert one.envelope.message_id == first.id


def test_what_waits_for_its_turn_is_queued_again(restaurant, line):
    ticket = accept(restaurant, line)
    with frozen():
        claimed = claim(restaurant)
        with restaurant.scope():
            message_claim.requeue_messages(claimed, 5)
        assert (state(restaurant, ticket), claim(restaurant)) == ("queued", [])
        advance(timedelta(seconds=6))
        assert len(claim(restaurant)) == 1


def test_a_line_gives_no_more_than_it_may(restaurant, line):
    for number in range(5):
        accept(restaurant, line, phone=f"90532111220{number}")
    with restaurant.scope():
        tenant_id = restaurant.tenant_id
        params = message_claim.claim_params(10, LEASE, {line.id: 2})
        rows = db.session.connection().exec_driver_sql(
            message_claim.CLAIM_MESSAGES, {**params, "tenant_id": tenant_id}
        )
        assert len(rows.all()) == 2
    assert len(claim(restaurant)) == 3


def test_a_refused_message_costs_nothing(restaurant, line):
    ticket = accept(restaurant, line)
    [claimed] = claim(restaurant)
    [outcome] = settle(restaurant, [(claimed, SendRefused("recipient_unavailable", "Not there."))])
    assert outcome.state == "failed"
    with restaurant.scope():
        message = message_queries.get(ticket.id)
        assert (message.cost_usd, message.error_code) == (0, "recipient_unavailable")
        assert quota.usage(current_tenant_facts()).messages == 0


def test_a_message_that_has_to_wait_goes_back_to_the_queue(restaurant, line):
    ticket = accept(restaurant, line)
    with frozen():
        [claimed] = claim(restaurant)
        assert settle(restaurant, [(claimed, TryLater("busy", "Later.", after=30))]) == []
        assert claim(restaurant) == []
        assert state(restaurant, ticket) == "queued"
        advance(timedelta(seconds=31))
        assert len(claim(restaurant)) == 1


def test_a_message_waiting_for_its_retry_holds_back_the_next_to_the_same_person(restaurant, line):
    accept(restaurant, line, text="first")
    with frozen():
        [claimed] = claim(restaurant)
        settle(restaurant, [(claimed, TryLater("busy", "Later.", after=3600))])
        accept(restaurant, line, text="second")
        other = accept(restaurant, line, phone="905329998877", text="to another")
        assert [one.envelope.message_id for one in claim(restaurant)] == [other.id]
        advance(timedelta(minutes=11))
        assert "second" in [one.envelope.text for one in claim(restaurant)]


def test_an_answer_that_was_lost_is_unknown(restaurant, line):
    ticket = accept(restaurant, line)
    [claimed] = claim(restaurant)
    settle(restaurant, [(claimed, SendUnknown("The socket broke."))])
    assert state(restaurant, ticket) == "unknown"


def test_a_message_that_nobody_could_send_in_time_expires(restaurant, line):
    with frozen():
        ticket = accept(restaurant, line, valid_for=timedelta(seconds=30))
        advance(timedelta(seconds=31))
        with restaurant.scope():
            message_settle.expire_stale_messages()
        assert claim(restaurant) == []
    assert state(restaurant, ticket) == "expired"
    with restaurant.scope():
        assert quota.usage(current_tenant_facts()).messages == 0


def test_a_scheduled_message_waits_and_can_be_cancelled(restaurant, line):
    with frozen() as beginning:
        ticket = accept(restaurant, line, scheduled_at=beginning + timedelta(hours=1))
        later = accept(restaurant, line, scheduled_at=beginning + timedelta(hours=2))
        assert claim(restaurant) == []
        with restaurant.scope():
            assert message_queries.cancel_message(ticket.id).state == "cancelled"
        advance(timedelta(hours=2, seconds=1))
        assert [one.envelope.message_id for one in claim(restaurant)] == [later.id]
        with pytest.raises(Conflict), restaurant.scope():
            message_queries.cancel_message(ticket.id)


def test_transactional_messages_go_before_bulk(restaurant, line):
    accept(restaurant, line, phone="905321112201", text="bulk", priority=message_accept.BULK)
    accept(restaurant, line, phone="905321112202", text="order")
    assert [one.envelope.text for one in claim(restaurant, most=1)] == ["order"]


def test_what_a_program_sends_moves_its_conversation_up_the_inbox(restaurant):
    line = make_line(restaurant)
    writes(restaurant, line.id, "905321112233", "Merhaba", at=now() - timedelta(hours=2))
    writes(restaurant, line.id, "905321112244", "Selam", at=now() - timedelta(hours=1))
    accept(restaurant, line, text="Older")
    accept(restaurant, line, text="Hazır")
    accept(restaurant, line, phone="905321112299", text="to somebody who never wrote")
    for _ in range(2):
        claimed = claim(restaurant)
        settle(restaurant, [(one, SendAccepted(f"wamid.{one.uuid}")) for one in claimed])
    found = [(one.phone, one.last_text, one.unread) for one in talks(restaurant)]
    assert found == [("905321112233", "Hazır", 1), ("905321112244", "Selam", 1)]


def test_a_message_that_left_late_does_not_hide_a_newer_one(restaurant):
    line = make_line(restaurant)
    writes(restaurant, line.id, "905321112233", "Merhaba")
    accept(restaurant, line, text="Hazır")
    claimed = claim(restaurant)
    writes(restaurant, line.id, "905321112233", "Geldim")
    settle(restaurant, [(claimed[0], SendAccepted("wamid.late"))])
    assert [one.last_text for one in talks(restaurant)] == ["Geldim"]
