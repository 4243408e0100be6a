"""Receipts in every order and number end in the same state, at the same cost."""

from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select, update

from core.clock import now
from core.db import db, tenant_scope
from core.ids import to_uuid
from messaging.costs import usage as message_usage
from messaging.costs.ledger import message_cost
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import Envelope, SendAccepted
from messaging.messages import settle as message_settle
from messaging.messages.claim import ClaimedMessage
from messaging.messages.receipts import ReceiptTooEarly, receive_receipt
from messaging.messages.timeline import insert_changes
from messaging.models import Message, MessageChange, NetworkId, UsageDay
from tests.messaging.message_factory import add_line, events_of, message_row, receipt, sent_message

PRICE = Decimal("0.0009")


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def receive(line, *receipts):
    moved = []
    for one in receipts:
        with tenant_scope(line.tenant_id):
            tally = UsageTally()
            moved.append(receive_receipt(line, one, tally))
            tally.write()
    return moved


def started(line, state="sent", **more):
    with tenant_scope(line.tenant_id):
        return sent_message(line, state, **more)


def ended(line, message_id):
    with tenant_scope(line.tenant_id):
        row = message_row(line.tenant_id, message_id)
        return row.state, row.network_id, row.cost_usd, message_cost(message_id)


def counters(line):
    with tenant_scope(line.tenant_id):
        query = select(UsageDay).where(UsageDay.tenant_id == line.tenant_id)
        rows = db.session.scalars(query).all()
        names = ("sent", "delivered", "read", "failed")
        return tuple(sum(getattr(row, name) for row in rows) for name in names)


def test_a_receipt_changes_the_message_and_publishes_it(line):
    message_id, network_id = started(line, cost_usd=PRICE, reference="order 7")
    assert receive(line, receipt(network_id, "delivered")) == [True]
    with tenant_scope(line.tenant_id):
        (body,) = events_of(line.tenant_id, "messages.delivered")
        changes = db.session.scalars(
            select(MessageChange).where(MessageChange.tenant_id == line.tenant_id)
        ).all()
    assert [change.state for change in changes] == ["delivered"]
    assert body["instance_id"] == line.id
    assert body["data"]["id"] == message_id
    assert body["data"]["message_id"] == network_id
    assert body["data"]["status_code"] == "delivered"
    assert body["data"]["reference"] == "order 7"
    assert body["data"]["cost_usd"] == 0.0009


def test_a_late_receipt_does_nothing(line):
    _, network_id = started(line)
    assert receive(line, receipt(network_id, "read"), receipt(network_id, "delivered")) == [
        True,
        False,
    ]
    with tenant_scope(line.tenant_id):
        assert not events_of(line.tenant_id, "messages.delivered")


def test_a_failure_is_reported_with_its_cause_and_costs_nothing(line):
    message_id, network_id = started(line, "sending")
    receive(line, receipt(network_id, "sent", message_id))
    assert ended(line, message_id)[2:] == (PRICE, PRICE)
    receive(
        line,
        receipt(
            network_id, "failed", error_code="recipient_unavailable", error_reason="Not there."
        ),
    )
    assert ended(line, message_id) == ("failed", network_id, Decimal(0), Decimal(0))
    with tenant_scope(line.tenant_id):
        (body,) = events_of(line.tenant_id, "messages.failed")
    assert body["data"]["error"] == {"code": "recipient_unavailable", "message": "Not there."}
    assert body["data"]["cost_usd"] == 0


def test_an_echo_settles_a_message_whose_answer_was_lost(line):
    message_id, network_id = started(line, "unknown")
    assert receive(line, receipt(network_id, "delivered", message_id)) == [True]
    assert ended(line, message_id) == ("delivered", network_id, PRICE, PRICE)
    with tenant_scope(line.tenant_id):
        known = db.session.get(NetworkId, (line.tenant_id, network_id))
        assert known.message_id == message_id


def test_a_receipt_for_an_unknown_message_is_too_early(line):
    for our_id in ("", "somebody else's", "msg_" + "0" * 26):
        with pytest.raises(ReceiptTooEarly):
            receive(line, receipt("wamid.nobody", "sent", our_id))


def test_a_receipt_for_what_has_not_left_is_too_early(line):
    message_id, network_id = started(line, "queued")
    with pytest.raises(ReceiptTooEarly):
        receive(line, receipt(network_id, "sent", message_id))
    assert ended(line, message_id)[0] == "queued"


def test_another_lines_receipt_does_not_move_it(restaurant, line):
    message_id, network_id = started(line)
    other = add_line(restaurant, default=False)
    with pytest.raises(ReceiptTooEarly):
        receive(other, receipt(network_id, "read", message_id))
    assert ended(line, message_id)[0] == "sent"


def test_another_tenants_receipt_does_not_move_it(shop, line):
    message_id, network_id = started(line)
    theirs = add_line(shop)
    with pytest.raises(ReceiptTooEarly):
        receive(theirs, receipt(network_id, "read", message_id))
    assert ended(line, message_id)[0] == "sent"


def test_a_test_message_costs_nothing(line):
    message_id, network_id = started(line, "sending", test=True)
    receive(line, receipt(network_id, "delivered", message_id))
    assert ended(line, message_id) == ("delivered", network_id, Decimal(0), Decimal(0))


def our_settle(line, message_id, network_id):
    """The worker's own note that the network took it, whenever it commits."""
    envelope = Envelope(message_id, 0, line.tenant_id, line.id, "905321112233", "text", "", {})
    claimed = ClaimedMessage(str(to_uuid("msg", message_id)), envelope, quoted_usd=PRICE)
    with tenant_scope(line.tenant_id):
        message_settle.settle_messages([(claimed, SendAccepted(network_id))])


def test_a_test_message_is_counted_as_sent_as_well_as_read(line):
    """The send counts too, not only the receipts."""
    message_id, network_id = started(line, "sending", test=True)
    our_settle(line, message_id, network_id)
    receive(line, receipt(network_id, "read", message_id))
    with tenant_scope(line.tenant_id):
        (total,) = message_usage.usage_totals(message_usage.usage_period(), "day")
    assert (total.sent, total.delivered, total.read, total.cost_usd) == (1, 1, 1, 0)


SETTLE = "our own settle"


def play(line, acts):
    """Everything that can happen to one message being sent, in this order."""
    message_id, network_id = started(line, "sending")
    for act in acts:
        if act == SETTLE:
            our_settle(line, message_id, network_id)
        else:
            receive(line, receipt(network_id, act, message_id))
    state, _, cost, booked = ended(line, message_id)
    with tenant_scope(line.tenant_id):
        row = message_row(line.tenant_id, message_id)
        assert row.due_at is None
        assert row.network_id == network_id
        kept = db.session.get(NetworkId, (line.tenant_id, network_id))
        assert kept.message_id == message_id
    return state, cost, booked


HAPPY = (SETTLE, "sent", "delivered", "read")
SAD = (SETTLE, "sent", "failed")


@pytest.mark.parametrize("acts", list(permutations(HAPPY)))
def test_every_order_ends_read(line, acts):
    assert play(line, acts) == ("read", PRICE, PRICE)


@pytest.mark.parametrize("acts", list(permutations(SAD)))
def test_every_order_ends_failed_and_free(line, acts):
    assert play(line, acts) == ("failed", Decimal(0), Decimal(0))


@pytest.mark.parametrize("acts", list(permutations((SETTLE, "sent", "delivered", "failed"))))
def test_what_arrived_has_not_failed_in_every_order(line, acts):
    assert play(line, acts) == ("delivered", PRICE, PRICE)


@pytest.mark.parametrize("acts", list(permutations(("sent", "delivered", "read", "failed"))))
def test_a_failure_that_was_none_is_counted_as_none(line, acts):
    message_id, network_id = started(line, "sending")
    receive(line, *(receipt(network_id, act, message_id) for act in acts))
    assert ended(line, message_id) == ("read", network_id, PRICE, PRICE)
    assert counters(line) == (1, 1, 1, 0)


def repeated(acts):
    """Each at least once, some twice or thrice, in any order."""
    extra = st.lists(st.sampled_from(acts), max_size=5)
    return extra.flatmap(lambda more: st.permutations([*acts, *more]))


@given(acts=repeated(HAPPY))
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_repetitions_end_read(line, acts):
    assert play(line, acts) == ("read", PRICE, PRICE)


@given(acts=repeated(SAD))
@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_repetitions_end_failed(line, acts):
    assert play(line, acts) == ("failed", Decimal(0), Decimal(0))


@pytest.mark.parametrize("acts", list(permutations(("sent", "delivered", "read"))))
def test_every_order_is_counted_alike(line, acts):
    message_id, network_id = started(line, "sending")
    receive(line, *(receipt(network_id, act, message_id) for act in acts))
    assert counters(line) == (1, 1, 1, 0)


@pytest.mark.parametrize("acts", [("sent", "failed"), ("failed", "sent"), ("failed",)])
def test_a_failure_is_counted_once_whatever_came_before(line, acts):
    message_id, network_id = started(line, "sending")
    receive(line, *(receipt(network_id, act, message_id) for act in acts))
    assert counters(line) == (1, 0, 0, 1)


def test_a_receipt_while_another_settles_waits_and_moves_on(line):
    """The conditional update decides, not what was seen before."""
    message_id, network_id = started(line)
    with tenant_scope(line.tenant_id):
        db.session.execute(
            update(Message)
            .where(Message.tenant_id == line.tenant_id, Message.id == message_id)
            .values(state="read")
        )
    assert receive(line, receipt(network_id, "delivered")) == [False]


def test_a_receipt_in_whole_seconds_never_stands_before_what_came_first(line):
    message_id, network_id = started(line)
    sent_at = now().replace(microsecond=441_000)
    with tenant_scope(line.tenant_id):
        insert_changes([str(to_uuid("msg", message_id))], ["sent"], [""], sent_at)
    seconds = int(sent_at.timestamp())
    receive(line, receipt(network_id, "delivered", at=seconds), receipt(network_id, "read", at=1))
    with tenant_scope(line.tenant_id):
        query = select(MessageChange).where(MessageChange.tenant_id == line.tenant_id)
        changes = db.session.scalars(query.order_by(MessageChange.id)).all()
    assert [one.state for one in changes] == ["sent", "delivered", "read"]
    assert [one.at for one in changes] == sorted(one.at for one in changes)
