"""The Python client against the running service: real processes, real HTTP."""

from datetime import timedelta
from decimal import Decimal

import pytest
from comanda import (
    BadSignature,
    Comanda,
    InvalidRequest,
    NotAllowed,
    NotFound,
    verify_webhook,
)

from core.clock import now
from core.security.signing import webhook_headers
from messaging.lines.simulated_line import add_simulated_line
from tests.factories import make_business
from tests.webhooks.receivers import Receiver, add_endpoint, wait_until

PHONE = "905321112233"


@pytest.fixture
def business(app, service, settings):
    made = make_business("Kumru Atölye")
    with made.scope():
        secret = settings.simulator_secret
        add_simulated_line("Front desk", service.url, secret, test=False, default=True)
        add_simulated_line("Test line", service.url, secret, test=True)
    return made


@pytest.fixture
def client(service, business):
    with Comanda(business.key, service.url) as made:
        yield made


def test_a_message_is_sent_once_and_read_back(client, business):
    assert client.me()["tenant"]["id"] == business.tenant_id
    sent = client.send(PHONE, "Your *order* is ready", reference="o-1", idempotency_key="o-1-ready")
    assert (sent.status, sent.phone, sent.test) == ("sent", PHONE, False)
    assert isinstance(sent.cost_usd, Decimal)
    again = client.send(
        PHONE, "Your *order* is ready", reference="o-1", idempotency_key="o-1-ready"
    )
    assert again == sent
    assert [one.id for one in client.messages(reference="o-1")] == [sent.id]
    assert client.message(sent.message_id).text == "Your *order* is ready"
    assert "sent" in [one.status for one in client.timeline(sent.id)]


def test_every_kind_is_accepted_and_lists_go_over_their_pages(client):
    photo = client.send_media(
        PHONE, "https://example.com/menu.png", "image", caption="Menu", wait=0, reference="many"
    )
    place = client.send_location(PHONE, 41.0082, 28.9784, name="Mavi", wait=0, reference="many")
    template = client.send_template(
        PHONE, "order_confirmation", "tr", ["Ada", "M-1"], wait=0, reference="many"
    )
    later = client.send(PHONE, "later", scheduled_at=now() + timedelta(hours=2), reference="many")
    assert (later.status, later.message_id) == ("scheduled", None)
    listed = list(client.messages(reference="many", page=1))
    assert [one.id for one in listed] == [later.id, template.id, place.id, photo.id]
    assert client.cancel(later.id).status == "cancelled"


def test_templates(client):
    content = {"body": "Hi {{1}}, your table is ready.", "examples": ["Ada"], "footer": "Mavi"}
    added = client.add_template("table_is_ready", "en", "utility", **content, idempotency_key="t1")
    assert (added.name, added.state, added.places) == ("table_is_ready", "pending", ["1"])
    again = client.add_template("table_is_ready", "en", "utility", **content, idempotency_key="t1")
    assert again == added
    assert wait_until(lambda: client.template(added.id).state == "approved", 30)
    [listed] = client.templates(name="table_is", state="approved", category="utility", page=1)
    assert (listed.id, listed.instance_ids) == (added.id, added.instance_ids)

    changed = client.change_template(
        added.id, body="Hi {{1}}, your table is free.", examples=["Ada"]
    )
    assert (changed.id, changed.body) == (added.id, "Hi {{1}}, your table is free.")
    assert "FOOTER" not in {part["type"] for part in changed.raw["components"]}
    copied = client.duplicate_template(added.id, name=added.name, language="tr")
    assert (copied.name, copied.language, copied.body) == ("table_is_ready", "tr", changed.body)
    assert client.duplicate_template(added.id).name == "table_is_ready_2"
    client.remove_template(added.id)
    with pytest.raises(NotFound):
        client.template(added.id)
    with pytest.raises(InvalidRequest) as refusal:
        client.add_template("table_is_free", "en", "utility", body="x" * 1025)
    assert refusal.value.errors[0]["field"] == "body"


def test_contacts(client):
    added = client.add_contact(name="Ayşe Yılmaz", phone=PHONE, tags=["vip"])
    client.add_contact(name="Mert Doğan", phone="905321112244", tags=["vip"])
    assert client.change_contact(added.id, opted_out=True).opted_out
    assert {one.name for one in client.contacts(tag="vip", page=1)} == {"Ayşe Yılmaz", "Mert Doğan"}
    assert [one.id for one in client.contacts(opted_out=True)] == [added.id]
    client.remove_contact(added.id)
    with pytest.raises(NotFound) as refusal:
        client.contact(added.id)
    assert refusal.value.request_id.startswith("req_")


def test_refusals_show_what_is_wrong(service, business, client):
    with pytest.raises(InvalidRequest) as refusal:
        client.send("+90 532", "x")
    assert (refusal.value.code, refusal.value.status) == ("invalid_phone", 422)
    assert refusal.value.errors[0]["field"] == "phone"
    with Comanda(business.makes_key("usage"), service.url) as poor, pytest.raises(NotAllowed):
        poor.send(PHONE, "x")
    with Comanda(business.test_key, service.url) as trying, pytest.raises(InvalidRequest) as closed:
        trying.send("905550000002", "x", wait=30)
    assert closed.value.code == "window_closed"
    assert closed.value.message_id.startswith("msg_")
    with pytest.raises(ValueError, match="ck_live_"):
        Comanda("not a key", service.url)


def test_events_by_webhook_and_by_feed_are_the_same(client, business):
    receiver = Receiver(200)
    endpoint = add_endpoint(business, receiver.url)
    client.send(PHONE, "hello")
    assert wait_until(lambda: receiver.requests)
    receiver.close()
    headers, body = receiver.requests[0]
    posted = verify_webhook(headers, body, endpoint.secret)
    pulled = list(client.events(page=1))
    assert posted in pulled
    assert [one.sequence for one in pulled] == list(range(1, len(pulled) + 1))
    assert list(client.events(after=pulled[-1].sequence)) == []


def test_what_is_not_from_us_is_refused():
    secret, body = "whsec_" + "QUJD" * 8, b'{"event": "x"}'
    for headers, given, key in (
        ({}, body, secret),
        (webhook_headers(secret, "evt_1", body, now()), body + b" ", secret),
        (webhook_headers(secret, "evt_1", body, now() - timedelta(minutes=6)), body, secret),
        (webhook_headers(secret, "evt_1", body, now()), body, "whsec_" + "QUJE" * 8),
        (webhook_headers(secret, "evt_1", body, now()), body, "not base64 !"),
    ):
        with pytest.raises(BadSignature):
            verify_webhook(headers, given, key)
