"""Receipts and our own notes of the same sendings, written at the same time by two workers."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import delete, func, insert, select

from core.db import db, global_scope, tenant_scope
from core.ids import new_id, to_uuid
from core.queue import lanes
from core.queue.lanes import Lane
from jobs.inbound import hooks as job
from messaging.lines.drivers.base import Envelope, SendAccepted
from messaging.messages import settle as message_settle
from messaging.messages.claim import ClaimedMessage
from messaging.models import LedgerEntry, Message, NetworkId
from tests.messaging.message_factory import add_line, cloud_body, sent_message, status_value
from webhooks.inbound.models import ReceivedHook

MESSAGES = 60


@pytest.fixture
def line(restaurant, redis):
    with global_scope():
        db.session.execute(delete(Lane))
    return add_line(restaurant)


def claimed(line, message_id):
    envelope = Envelope(message_id, 0, line.tenant_id, line.id, "905321112233", "text", "", {})
    return ClaimedMessage(str(to_uuid("msg", message_id)), envelope)


@pytest.mark.parametrize("turned", [False, True])
def test_whoever_is_faster_every_message_ends_delivered_and_is_charged_once(app, line, turned):
    with tenant_scope(line.tenant_id):
        sent = [sent_message(line, "sending") for _ in range(MESSAGES)]
        for message_id, network_id in reversed(sent) if turned else sent:
            body = cloud_body(line, status_value(network_id, "delivered", message_id))
            db.session.execute(
                insert(ReceivedHook).values(
                    tenant_id=line.tenant_id,
                    id=new_id("hook"),
                    kind="cloud",
                    target=str(line.id),
                    body=body,
                )
            )
        lanes.mark_due("hooks", line.tenant_id)
    start = Barrier(2)

    def settle():
        with app.app_context():
            start.wait()
            for first in range(0, MESSAGES, 10):
                with tenant_scope(line.tenant_id):
                    group = sent[first : first + 10]
                    message_settle.settle_messages(
                        [(claimed(line, ours), SendAccepted(theirs)) for ours, theirs in group]
                    )

    def receive():
        with app.app_context():
            start.wait()
            job.drain()

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(settle), pool.submit(receive)]:
            done.result()
    with tenant_scope(line.tenant_id):
        states = db.session.execute(
            select(Message.state, func.count())
            .where(Message.tenant_id == line.tenant_id)
            .group_by(Message.state)
        )
        assert [tuple(row) for row in states] == [("delivered", MESSAGES)]
        known = db.session.execute(
            select(NetworkId.message_id, NetworkId.network_id).where(
                NetworkId.tenant_id == line.tenant_id
            )
        )
        assert sorted(map(tuple, known)) == sorted(sent)
        booked = db.session.execute(
            select(LedgerEntry.message_id, func.count(), func.sum(LedgerEntry.amount_usd))
            .where(LedgerEntry.tenant_id == line.tenant_id)
            .group_by(LedgerEntry.message_id)
        ).all()
        assert len(booked) == MESSAGES
        assert {(count, str(amount)) for _, count, amount in booked} == {(1, "0.000900")}
        waiting = select(func.count()).select_from(ReceivedHook)
        waiting = waiting.where(
            ReceivedHook.tenant_id == line.tenant_id, ReceivedHook.state != "done"
        )
        assert db.session.scalar(waiting) == 0
