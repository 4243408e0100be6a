"""What a member has read turns blue on the customer's phone."""

from core.rings import Ring, send_rings
from messaging import lines_book
from messaging.inbox import tending
from tests.messaging.inbox_cast import talk_with, writes
from tests.messaging.network_cast import PHONE, started


def test_the_customers_phone_shows_that_it_was_read(app, restaurant, run_jobs, monkeypatch):
    with started() as network:
        network.register(tenant_id=restaurant.tenant_id)
        settings = app.extensions["comanda"].model_copy(update={"simulator_url": network.url})
        monkeypatch.setitem(app.extensions, "comanda", settings)
        with restaurant.scope():
            line = lines_book.add_cloud_line(
                "Desk", "905550101010", "5501", "EAAB", "secret", network="simulator"
            )
        sent = network.write(text="Merhaba")[1]["id"]
        writes(restaurant, line.id, PHONE, wamid=sent)
        talk = talk_with(restaurant, PHONE)
        with restaurant.scope():
            tending.mark_read(talk.id)
        run_jobs()
        assert [one["state"] for one in network.shown() if one["id"] == sent] == ["read"]


def test_a_ring_without_anything_to_tell_does_nothing(app, restaurant, run_jobs):
    send_rings([Ring("jobs.reads.tell", (restaurant.tenant_id,))])
    run_jobs()
