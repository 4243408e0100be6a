"""`app.settle_one` writes the same rows as `app.settle_sent`."""

from datetime import UTC, datetime
from uuid import UUID

import pytest
from sqlalchemy import text

from core.clock import frozen, now
from core.db import db
from core.ids import from_uuid
from messaging.lines.drivers.base import SendAccepted
from messaging.lines.send_lane import LANE
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line
from tests.messaging.inbox.inbox_factory import talks, writes

PHONE = "905321112233"
# Everything that is written when a message has been sent, without the ids of the rows.
ROWS = {
    "messages": "SELECT state, attempt, due_at, network_id, cost_usd, changed_at FROM messages"
    " WHERE tenant_id = :t AND direction = 'out' ORDER BY id",
    "network_ids": "SELECT network_id FROM network_ids WHERE tenant_id = :t ORDER BY 1",
    "message_changes": "SELECT state, cause, at FROM message_changes WHERE tenant_id = :t"
    " ORDER BY message_id, id",
    "events": "SELECT type, body - 'instance_id' #- '{data,id}', occurred_at FROM events"
    " WHERE tenant_id = :t AND type = 'messages.sent' ORDER BY id",
    "ledger_entries": "SELECT kind, country, category, amount_usd, at FROM ledger_entries"
    " WHERE tenant_id = :t ORDER BY id",
    "usage_days": "SELECT day, country, category, sent, failed, cost_usd FROM usage_days"
    " WHERE tenant_id = :t ORDER BY 1, 2, 3",
    "conversations": "SELECT last_at, last_message_id = (SELECT max(id::text)::uuid FROM messages"
    " WHERE tenant_id = :t) FROM conversations WHERE tenant_id = :t",
}


@pytest.fixture(autouse=True)
def moment():
    with frozen(datetime(2026, 11, 16, 12, 0, tzinfo=UTC)):
        yield


def claim_one(business, line, **more):
    with business.scope():
        message_accept.accept_message(
            MessageDraft("text", PHONE, "Merhaba", **more), line, current_tenant_facts()
        )
    with business.scope():
        [claimed] = message_claim.claim_messages(1, 60.0, [])
    return claimed


def settle_set(business, claimed, network_id="wamid.1"):
    params = message_settle.settle_sent_params([(claimed, SendAccepted(network_id))], now())
    return run(business, message_settle.SETTLE_SENT, params)


def settle_one(business, claimed, network_id="wamid.1"):
    params = message_settle.settle_one_params(claimed, SendAccepted(network_id), now()) | {
        "lane": LANE,
        "oldest": message_claim.pending_id_range(now())["oldest"],
    }
    return run(business, message_settle.SETTLE_ONE, params)


def run(business, statement, params):
    with business.scope():
        values = params | {"tenant_id": business.tenant_id}
        return tuple(db.session.connection().exec_driver_sql(statement, values).one())


def rows(business):
    with business.scope():
        return {
            table: [tuple(row) for row in db.session.execute(text(sql), {"t": business.tenant_id})]
            for table, sql in ROWS.items()
        }


@pytest.mark.parametrize("test_line", [False, True])
@pytest.mark.parametrize("conversation", [False, True])
def test_both_functions_write_the_same(restaurant, shop, conversation, test_line):
    written = []
    for business, settle in ((restaurant, settle_set), (shop, settle_one)):
        line = make_line(business, test=test_line)
        if conversation:
            writes(business, line.id, PHONE, wamid="wamid.in")
        for number in range(2):
            settle(business, claim_one(business, line), f"wamid.{number}")
        written.append(rows(business))
    assert written[0] == written[1]
    assert [row[0] for row in written[0]["messages"]] == ["sent", "sent"]
    assert bool(written[0]["conversations"]) == conversation
    assert bool(written[0]["ledger_entries"]) != test_line


def test_both_functions_return_the_conversation_that_moved(restaurant, shop):
    for business, settle in ((restaurant, settle_set), (shop, settle_one)):
        line = make_line(business)
        writes(business, line.id, PHONE, wamid="wamid.in")
        claimed = claim_one(business, line)
        _, moved, *_ = settle(business, claimed)
        moved = moved[0] if settle is settle_set else f"{moved} {claimed.uuid}"
        [talk] = talks(business)
        conversation, message = moved.split()
        assert from_uuid("cnv", UUID(conversation)) == talk.id
        assert message == claimed.uuid


@pytest.mark.parametrize("settle", [settle_set, settle_one])
def test_a_message_is_settled_once(restaurant, settle):
    claimed = claim_one(restaurant, make_line(restaurant))
    assert settle(restaurant, claimed)[0]
    before = rows(restaurant)
    assert not settle(restaurant, claimed, "wamid.2")[0]
    after = rows(restaurant)
    assert after.pop("network_ids") == [("wamid.1",), ("wamid.2",)]
    before.pop("network_ids")
    assert after == before


def test_messages_held_back_behind_it_are_found(restaurant):
    line = make_line(restaurant)
    claimed = claim_one(restaurant, line)
    with restaurant.scope():
        message_accept.accept_message(
            MessageDraft("text", PHONE, "second"), line, current_tenant_facts()
        )
    assert settle_one(restaurant, claimed) == (True, None, True)


def test_messages_to_others_are_not_held_back(restaurant):
    line = make_line(restaurant)
    claimed = claim_one(restaurant, line)
    with restaurant.scope():
        message_accept.accept_message(
            MessageDraft("text", "905329998877", "second"), line, current_tenant_facts()
        )
    assert settle_one(restaurant, claimed) == (True, None, False)
