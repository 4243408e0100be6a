"""The way of a message: accepted, claimed, begun, settled; fenced, and only forward."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from core import lanes
from core.clock import advance, frozen, now
from core.db import db, global_scope
from core.errors import Conflict, PaymentRequired
from messaging import claiming, reading, sending, settling
from messaging.lines import Accepted, Refused, TryLater, Unknown
from messaging.sending import Draft
from tenants import quota
from tenants.plans import known_facts
from tests.lines import give_line
from tests.messaging.inbox_cast import talks, writes

LEASE = 60.0


def accept(business, line, phone="905321112233", text="Merhaba", **more):
    with business.scope():
        draft = Draft(kind="text", phone=phone, text=text, **more)
        return sending.accept(draft, line, known_facts())


def claim(business, most=100):
    with business.scope():
        return claiming.claim(most, LEASE, [])


def begin(business, claimed):
    with business.scope():
        return claiming.begin(claimed, LEASE)


def settle(business, results):
    with business.scope():
        return settling.settle(results)


def state(business, ticket):
    with business.scope():
        return reading.get(ticket.id).state


def states_told(business, ticket):
    with business.scope():
        return [change.state for change in reading.timeline(ticket.id)]


def events(business):
    with business.scope():
        rows = db.session.execute(
            text("SELECT type, body FROM events WHERE tenant_id = :t ORDER BY id"),
            {"t": business.tenant_id},
        )
        return [(row.type, row.body) for row in rows]


@pytest.fixture
def line(restaurant):
    return give_line(restaurant)


def test_a_message_is_sent_and_everything_about_it_is_written_down(restaurant, line):
    ticket = accept(restaurant, line, reference="order-7")
    [claimed] = claim(restaurant)
    assert state(restaurant, ticket) == "queued"
    assert begin(restaurant, [claimed]) == [claimed]
    assert state(restaurant, ticket) == "sending"
    [told] = settle(restaurant, [(claimed, Accepted("wamid.1"))])
    assert (told.id, told.state, told.network_id) == (ticket.id, "sent", "wamid.1")
    assert states_told(restaurant, ticket) == ["queued", "sending", "sent"]
    [(kind, body)] = events(restaurant)
    assert kind == "messages.sent"
    assert body["data"]["message_id"] == "wamid.1"
    assert body["data"]["reference"] == "order-7"
    with restaurant.scope():
        assert reading.get("wamid.1").id == ticket.id


def test_accepting_marks_the_lane_and_claiming_empties_it(restaurant, line):
    accept(restaurant, line)
    with global_scope():
        assert (restaurant.tenant_id,) in [
            (tenant_id,) for tenant_id, _ in lanes.lease_many(sending.LANE, 1, 1000)
        ]


def test_nothing_is_stored_when_the_quota_is_used(restaurant, line):
    with restaurant.scope():
        facts = known_facts()
        draft = Draft(kind="text", phone="905321112233", text="Merhaba")
    tight = type(facts)(**{**facts.__dict__, "monthly_messages": 0})
    with pytest.raises(PaymentRequired), restaurant.scope():
        sending.accept(draft, line, tight)
    assert claim(restaurant) == []
    with restaurant.scope():
        assert quota.usage(known_facts()).messages == 0


def test_a_worker_that_comes_late_writes_nothing(restaurant, line):
    ticket = accept(restaurant, line)
    with frozen():
        [first] = claim(restaurant)
        advance(timedelta(seconds=LEASE + 1))
        [second] = claim(restaurant)
        assert second.envelope.attempt == first.envelope.attempt + 1
        assert begin(restaurant, [first]) == []
        assert begin(restaurant, [second]) == [second]
        settle(restaurant, [(first, Refused("nope", "Too late."))])
        assert state(restaurant, ticket) == "sending"
        settle(restaurant, [(second, Accepted("wamid.2"))])
    assert state(restaurant, ticket) == "sent"


def test_what_was_being_sent_when_its_worker_died_is_unknown_and_not_sent_again(restaurant, line):
    ticket = accept(restaurant, line)
    with frozen():
        begin(restaurant, claim(restaurant))
        advance(timedelta(seconds=LEASE + 1))
        with restaurant.scope():
            settling.tidy()
        assert claim(restaurant) == []
    assert state(restaurant, ticket) == "unknown"


def test_a_claimed_message_whose_worker_died_is_free_again(restaurant, line):
    accept(restaurant, line)
    with frozen():
        assert len(claim(restaurant)) == 1
        assert claim(restaurant) == []
        advance(timedelta(seconds=LEASE + 1))
        assert len(claim(restaurant)) == 1


def test_a_worker_that_comes_late_puts_nothing_back(restaurant, line):
    accept(restaurant, line)
    with frozen():
        late = claim(restaurant)
        advance(timedelta(seconds=LEASE + 1))
        assert len(claim(restaurant)) == 1
        with restaurant.scope():
            claiming.put_back(late)
        assert claim(restaurant) == []


def test_a_refused_message_costs_nothing(restaurant, line):
    ticket = accept(restaurant, line)
    [claimed] = claim(restaurant)
    begin(restaurant, [claimed])
    [told] = settle(restaurant, [(claimed, Refused("recipient_unavailable", "Not there."))])
    assert told.state == "failed"
    with restaurant.scope():
        message = reading.get(ticket.id)
        assert (message.cost_usd, message.error_code) == (0, "recipient_unavailable")
        assert quota.usage(known_facts()).messages == 0


def test_a_message_that_has_to_wait_goes_back_to_the_queue(restaurant, line):
    ticket = accept(restaurant, line)
    with frozen():
        [claimed] = claim(restaurant)
        begin(restaurant, [claimed])
        assert settle(restaurant, [(claimed, TryLater("busy", "Later.", after=30))]) == []
        assert claim(restaurant) == []
        advance(timedelta(seconds=31))
        assert len(claim(restaurant)) == 1
    assert state(restaurant, ticket) == "queued"


def test_a_message_waiting_for_its_retry_holds_back_the_next_to_the_same_person(restaurant, line):
    accept(restaurant, line, text="first")
    with frozen():
        [claimed] = claim(restaurant)
        begin(restaurant, [claimed])
        settle(restaurant, [(claimed, TryLater("busy", "Later.", after=3600))])
        accept(restaurant, line, text="second")
        other = accept(restaurant, line, phone="905329998877", text="to another")
        assert [one.envelope.message_id for one in claim(restaurant)] == [other.id]
        advance(timedelta(minutes=11))
        assert "second" in [one.envelope.text for one in claim(restaurant)]


def test_an_answer_that_was_lost_is_unknown(restaurant, line):
    ticket = accept(restaurant, line)
    [claimed] = claim(restaurant)
    begin(restaurant, [claimed])
    settle(restaurant, [(claimed, Unknown("The socket broke."))])
    assert state(restaurant, ticket) == "unknown"


def test_a_message_that_nobody_could_send_in_time_expires(restaurant, line):
    with frozen():
        ticket = accept(restaurant, line, valid_for=timedelta(seconds=30))
        advance(timedelta(seconds=31))
        with restaurant.scope():
            settling.tidy()
        assert claim(restaurant) == []
    assert state(restaurant, ticket) == "expired"
    with restaurant.scope():
        assert quota.usage(known_facts()).messages == 0


def test_a_scheduled_message_waits_and_can_be_cancelled(restaurant, line):
    with frozen() as beginning:
        ticket = accept(restaurant, line, scheduled_at=beginning + timedelta(hours=1))
        later = accept(restaurant, line, scheduled_at=beginning + timedelta(hours=2))
        assert claim(restaurant) == []
        with restaurant.scope():
            assert reading.cancel(ticket.id).state == "cancelled"
        advance(timedelta(hours=2, seconds=1))
        assert [one.envelope.message_id for one in claim(restaurant)] == [later.id]
        with pytest.raises(Conflict), restaurant.scope():
            reading.cancel(ticket.id)


def test_transactional_messages_go_before_bulk(restaurant, line):
    accept(restaurant, line, phone="905321112201", text="bulk", priority=sending.BULK)
    accept(restaurant, line, phone="905321112202", text="order")
    assert [one.envelope.text for one in claim(restaurant, most=1)] == ["order"]


def test_what_a_program_sends_moves_its_conversation_up_the_inbox(restaurant):
    line = give_line(restaurant)
    writes(restaurant, line.id, "905321112233", "Merhaba", at=now() - timedelta(hours=2))
    writes(restaurant, line.id, "905321112244", "Selam", at=now() - timedelta(hours=1))
    accept(restaurant, line, text="Older")
    accept(restaurant, line, text="Hazır")
    accept(restaurant, line, phone="905321112299", text="to somebody who never wrote")
    for _ in range(2):
        claimed = claim(restaurant)
        begin(restaurant, claimed)
        settle(restaurant, [(one, Accepted(f"wamid.{one.uuid}")) for one in claimed])
    found = [(one.phone, one.last_text, one.unread) for one in talks(restaurant)]
    assert found == [("905321112233", "Hazır", 1), ("905321112244", "Selam", 1)]


def test_a_message_that_left_late_does_not_hide_a_newer_one(restaurant):
    line = give_line(restaurant)
    writes(restaurant, line.id, "905321112233", "Merhaba")
    accept(restaurant, line, text="Hazır")
    claimed = claim(restaurant)
    begin(restaurant, claimed)
    writes(restaurant, line.id, "905321112233", "Geldim")
    settle(restaurant, [(claimed[0], Accepted("wamid.late"))])
    assert [one.last_text for one in talks(restaurant)] == ["Geldim"]
