"""A second line takes over while the first is down. Nothing goes twice."""

import asyncio
import time

import pytest
from redis.asyncio import Redis as AsyncRedis

from core.db import global_scope
from core.errors import Invalid
from core.queue import lanes
from core.sql.async_pool import AsyncPool
from jobs.sending.lane import SendLane
from jobs.sending.worker import SendWorker
from messaging import reasons
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.lines import send_lane
from messaging.lines.drivers.base import SendAccepted, SendRefused
from messaging.lines.drivers.cloud import driver as cloud_driver
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.lines.drivers.linked import pairing
from messaging.lines.pacing import LinePacing
from messaging.lines.send_lane import LANE
from messaging.messages import accept as message_accept
from messaging.messages import fallback, line_failover
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from messaging.models import Line
from messaging.reasons import with_detail
from messaging.templates.repository import store_templates, template_account
from tenants.plans.catalog import current_tenant_facts
from tests.line_factory import make_line
from tests.messaging.message_factory import add_line

PHONE = "905321112233"
EXPIRED = SendRefused("line_unavailable", "The token ran out.", "190", "token_expired")


@pytest.fixture
def lines(restaurant):
    first, second = make_line(restaurant), add_line(restaurant, default=False)
    with restaurant.scope():
        line_repository.set_fallback(first.id, second.id)
    return first, second


@pytest.fixture
def network(monkeypatch):
    """Answers by line; keeps who sent what."""
    sent, answers = [], {}

    async def send(_client, _base, _version, facts, envelope):
        sent.append((facts.id, envelope.message_id, envelope.kind))
        return answers.get(facts.id) or SendAccepted(f"wamid.{time.time_ns()}")

    monkeypatch.setattr(cloud_driver, "send", send)
    return sent, answers


def accept(business, line, **more):
    with business.scope():
        draft = MessageDraft(**{"kind": "text", "phone": PHONE, "text": "Merhaba", **more})
        return message_accept.accept_message(draft, line, current_tenant_facts())


def work(app, business):
    with business.scope():
        send_lane.wake_waiting_messages()
    with global_scope():
        leased = dict(lanes.lease_many(LANE, 30, 1000))

    async def run():
        drain = SendWorker(app)
        drain.presence.until = time.monotonic() + 1.0
        drain.pacing = LinePacing()
        drain.client = None
        drain.redis = AsyncRedis.from_url(drain.settings.redis_url)
        async with AsyncPool(drain.settings.database_url, 2) as pool:
            drain.use(pool)
            await SendLane(drain, business.tenant_id, leased[business.tenant_id]).run()
        await drain.outbox.flushed()
        await drain.redis.aclose()

    asyncio.run(run())


def set_state(business, line, state="restricted"):
    with business.scope():
        line_repository.record_line_state(line.id, state, "Reported by WhatsApp.")


def read(business, ticket):
    with business.scope():
        return message_queries.get(ticket.id), [
            one.cause for one in message_queries.timeline(ticket.id)
        ]


def test_while_the_first_line_is_down_the_second_sends(app, restaurant, lines, network):
    first, second = lines
    set_state(restaurant, first)
    ticket = accept(restaurant, first)
    work(app, restaurant)
    message, causes = read(restaurant, ticket)
    assert (message.state, message.line_id) == ("sent", second.id)
    assert network[0] == [(second.id, ticket.id, "text")]
    assert with_detail(reasons.SENT_BY_OTHER_LINE, "Front desk") in causes
    set_state(restaurant, first, "connected")
    back = accept(restaurant, first, phone="905321112244")
    work(app, restaurant)
    assert read(restaurant, back)[0].line_id == first.id
    assert [line_id for line_id, _, _ in network[0]] == [second.id, first.id]


def test_the_message_that_finds_the_line_down_goes_by_the_other(app, restaurant, lines, network):
    first, second = lines
    network[1][first.id] = EXPIRED
    ticket = accept(restaurant, first)
    work(app, restaurant)
    message, _ = read(restaurant, ticket)
    assert (message.state, message.line_id) == ("sent", second.id)
    with restaurant.scope():
        assert line_repository.get(first.id).state == "token_expired"


def test_when_both_are_down_it_waits(app, restaurant, lines, network):
    first, second = lines
    set_state(restaurant, first)
    set_state(restaurant, second)
    ticket = accept(restaurant, first)
    work(app, restaurant)
    message, _ = read(restaurant, ticket)
    assert (message.state, message.line_id, network[0]) == ("queued", first.id, [])


def test_a_line_that_was_switched_off_keeps_its_messages(app, restaurant, lines, network):
    first, _ = lines
    ticket = accept(restaurant, first)
    with restaurant.scope():
        line_repository.set_enabled(first.id, False)
    work(app, restaurant)
    assert read(restaurant, ticket)[0].line_id == first.id
    assert network[0] == []


def test_what_the_second_may_not_write_waits_for_the_first(app, restaurant, lines, network):
    first, second = lines
    set_state(restaurant, first)
    network[1][second.id] = SendRefused(fallback.WINDOW_CLOSED, "Not freely.", "131047")
    ticket = accept(restaurant, first)
    work(app, restaurant)
    message, causes = read(restaurant, ticket)
    assert (message.state, message.line_id) == ("queued", first.id)
    assert causes[-1] == reasons.RETURNED_TO_OWN_LINE
    set_state(restaurant, first, "connected")
    work(app, restaurant)
    assert read(restaurant, ticket)[0].state == "sent"
    assert [line_id for line_id, _, _ in network[0]] == [second.id, first.id]


def test_a_template_only_goes_where_it_is_known(app, restaurant, lines, network):
    first, second = lines
    set_state(restaurant, first)
    content = {"name": "order", "language": "en", "parameters": []}
    ticket = accept(restaurant, first, kind="template", content=content)
    work(app, restaurant)
    assert read(restaurant, ticket)[0].line_id == first.id
    with restaurant.scope():
        found = NetworkTemplate("1", "order", "en", "utility", "approved")
        store_templates(template_account(second), [found])
    work(app, restaurant)
    assert read(restaurant, ticket)[0].line_id == second.id


@pytest.mark.parametrize("other", ["itself", "unknown", "test"])
def test_lines_that_cannot_be_a_backup(restaurant, lines, other):
    first, _ = lines
    test_line = make_line(restaurant, default=False, test=True)
    ids = {"itself": first.id, "unknown": 12, "test": test_line.id}
    with pytest.raises(Invalid), restaurant.scope():
        line_repository.set_fallback(first.id, ids[other])


def test_a_removed_line_is_no_backup_line(restaurant, lines):
    first, second = lines
    with restaurant.scope():
        line_removal.remove(second.id)
    with restaurant.scope():
        assert line_repository.get(first.id).fallback_line_id is None


def test_it_is_chosen_over_the_api(app, restaurant, lines, shop):
    first, second = lines
    client, path = app.test_client(), f"/api/v1/instances/{first.id}"

    def change(value, headers=restaurant.bearer):
        return client.patch(path, json={"fallback_instance_id": value}, headers=headers)

    assert change(None).json["fallback_instance_id"] is None
    assert change(second.id).json["fallback_instance_id"] == second.id
    assert change(first.id).status_code == 422
    assert change("7").status_code == 422
    assert change(second.id, shop.bearer).status_code == 404
    assert (
        client.patch(path, json={}, headers=restaurant.bearer).json["fallback_instance_id"]
        == second.id
    )


def test_a_paused_line_is_no_backup_line(restaurant, lines):
    first, second = lines
    with restaurant.scope():
        known = {line.id: line for line in line_repository.list_lines()}
        first, second = known[first.id], known[second.id]
        assert line_failover.failover_line_for(first, known) is None
        first.state = "restricted"
        assert line_failover.failover_line_for(first, known) is second
        assert isinstance(second, Line)
        second.enabled = False
        assert line_failover.failover_line_for(first, known) is None


def test_a_line_whose_quality_fell_is_paused_and_the_other_sends(app, restaurant, lines, network):
    first, second = lines
    set_state(restaurant, first, "quality_low")
    ticket = accept(restaurant, first)
    work(app, restaurant)
    message, _ = read(restaurant, ticket)
    assert (message.line_id, message.state) == (second.id, "sent")
    with restaurant.scope():
        line_repository.set_fallback(first.id, None)
    waits = accept(restaurant, first)
    work(app, restaurant)
    assert read(restaurant, waits)[0].state == "queued"
    with restaurant.scope():
        assert line_repository.resume(first.id)
    work(app, restaurant)
    assert read(restaurant, waits)[0].line_id == first.id
    assert read(restaurant, waits)[0].state == "sent"


def test_a_phone_and_a_cloud_line_back_each_other_up(app, restaurant, lines, network):
    cloud_line, _ = lines
    with restaurant.scope():
        phone = pairing.add_linked_line("Kitchen phone", network="simulator")
        line_repository.set_fallback(cloud_line.id, phone.id)
        line_repository.set_fallback(phone.id, cloud_line.id)
    set_state(restaurant, phone, "connected")
    set_state(restaurant, cloud_line, "token_expired")
    to_phone = accept(restaurant, cloud_line)
    work(app, restaurant)
    assert read(restaurant, to_phone)[0].line_id == phone.id  # its host sends it
    set_state(restaurant, cloud_line, "connected")
    set_state(restaurant, phone, "logged_out")
    to_cloud = accept(restaurant, phone)
    work(app, restaurant)
    message, _ = read(restaurant, to_cloud)
    assert (message.line_id, message.state) == (cloud_line.id, "sent")
