"""What a member has read turns blue on the customer's phone."""

from core.queue.wakeups import WakeUp, send_wakeups
from messaging.inbox import conversation_actions
from messaging.lines import repository as line_repository
from tests.messaging.inbox.inbox_factory import talk_with, writes
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


def test_a_wakeup_without_content_does_nothing(app, restaurant, run_jobs):
    send_wakeups([WakeUp("jobs.lines.read_receipts.send_read_receipts", (restaurant.tenant_id,))])
    run_jobs()
