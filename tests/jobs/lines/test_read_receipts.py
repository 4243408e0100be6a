"""What a member has read turns blue on the customer's phone."""

import json

from core.clock import advance, frozen
from core.http.async_client import Client
from core.http.reply import Reply
from core.queue.wakeups import WakeUp, send_wakeups
from messaging.inbox import conversation_actions, typing_indicator
from messaging.lines import repository as line_repository
from tests.messaging.inbox.inbox_factory import add_line, talk_with, writes
from tests.messaging.simulator.simulated_network import PHONE, started


def test_the_customers_phone_shows_that_it_was_read(app, restaurant, run_jobs, monkeypatch):
    with started() as network:
        network.register(tenant_id=restaurant.tenant_id)
        settings = app.extensions["comanda"].model_copy(update={"simulator_url": network.url})
        monkeypatch.setitem(app.extensions, "comanda", settings)
        with restaurant.scope():
            line = line_repository.add_cloud_line(
                "Desk", "905550101010", "5501", "EAAB", "secret", network="simulator"
            )
        sent = network.write(text="Merhaba")[1]["id"]
        writes(restaurant, line.id, PHONE, wamid=sent)
        talk = talk_with(restaurant, PHONE)
        with restaurant.scope():
            conversation_actions.mark_read(talk.id)
        run_jobs()
        assert [one["state"] for one in network.shown() if one["id"] == sent] == ["read"]


def test_the_network_is_told_that_somebody_types_but_not_too_often(
    app, restaurant, run_jobs, monkeypatch
):
    bodies = []

    async def posted(_client, _method, _url, *, headers, body):
        bodies.append(json.loads(body))
        return Reply(200, {}, b"{}", 0.0, "127.0.0.1")

    monkeypatch.setattr(Client, "request", posted)
    line = add_line(restaurant)
    writes(restaurant, line, wamid="wamid.first")
    talk = talk_with(restaurant)
    with frozen():
        with restaurant.scope():
            assert typing_indicator.show_typing(talk)
            assert not typing_indicator.show_typing(talk)
        run_jobs()
        advance(typing_indicator.REPEATED_AFTER)
        with restaurant.scope():
            assert typing_indicator.show_typing(talk)
        advance(30)  # the worker comes too late for typing
        run_jobs()
    assert [one["message_id"] for one in bodies] == ["wamid.first"] * 2
    assert [one.get("typing_indicator") for one in bodies] == [{"type": "text"}, None]


def test_a_wakeup_without_content_does_nothing(app, restaurant, run_jobs):
    send_wakeups([WakeUp("jobs.lines.read_receipts.send_read_receipts", (restaurant.tenant_id,))])
    run_jobs()
