"""The webhook pages: add, test, inspect, resend, rotate, disable, delete."""

import re

import pytest
from standardwebhooks import Webhook

from core.db import db
from tests.webhooks.receivers import Receiver, add_endpoint, deliveries_of
from webhooks.events import publish_webhook_event
from webhooks.models import Endpoint


@pytest.fixture
def owner(browser, restaurant):
    return browser.signs_in(restaurant.owner)


@pytest.fixture
def server():
    made = Receiver()
    yield made
    made.close()


def words(answer):
    return answer.get_data(as_text=True)


def secret_on(page):
    return re.search(r"whsec_[A-Za-z0-9+/=]+", words(page))[0]


def stored(business):
    with business.scope():
        return db.session.query(Endpoint).filter_by(tenant_id=business.tenant_id).all()


def test_an_endpoint_is_added_tested_and_its_secret_is_shown_once(
    owner, restaurant, server, run_jobs
):
    assert "No endpoints yet" in words(owner.get("/webhooks"))
    page = owner.post(
        "/webhooks/new", url=server.url, description="Our CRM", every="no", events=["messages.read"]
    )
    secret = secret_on(page)
    [endpoint] = stored(restaurant)
    assert (endpoint.events, endpoint.description) == (["messages.read"], "Our CRM")
    for path in ("/webhooks", f"/webhooks/{endpoint.id}"):
        assert secret not in words(owner.get(path))
    tested = owner.post(f"/webhooks/{endpoint.id}/test")
    assert "/webhooks/deliveries/dlv_" in tested.location
    run_jobs()
    [(headers, body)] = server.requests
    assert Webhook(secret).verify(body, headers)["event"] == "webhooks.test"
    page = words(owner.get(tested.location))
    assert (
        headers["webhook-signature"].replace("+", "&#43;") in page
        or headers["webhook-signature"] in page
    )
    assert "The server responded with 200." in page
    assert "Healthy" in words(owner.get("/webhooks"))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"url": "http://10.0.0.1/"}, "is not on the public internet"),
        ({"url": "example"}, "must start with http"),
        ({"url": ""}, "Fill in this field."),
        ({"url": "https://example.com/", "every": "no"}, "Choose at least one event"),
    ],
)
def test_a_refused_endpoint_gives_the_reason_and_stores_nothing(
    owner, restaurant, fields, sentence
):
    page = owner.post("/webhooks/new", **{"every": "yes", **fields})
    assert sentence in words(page)
    assert stored(restaurant) == []


def test_a_failed_delivery_is_read_and_sent_again(owner, restaurant, server, run_jobs):
    server.answers = [(302, {"Location": "http://10.0.0.1/"}), 200]
    add_endpoint(restaurant, server.url)
    with restaurant.scope():
        publish_webhook_event(
            "messages.read", {"instance_id": 1, "data": {"to": "<b>905321112233</b>"}}
        )
    run_jobs()
    [delivery] = deliveries_of(restaurant)
    listed = words(owner.get("/webhooks/deliveries?state=waiting"))
    assert "messages.read" in listed
    page = words(owner.get(f"/webhooks/deliveries/{delivery.id}"))
    assert ", a redirect. Redirects are not followed." in page
    assert "&lt;b&gt;905321112233&lt;/b&gt;" in page
    owner.post(f"/webhooks/deliveries/{delivery.id}/resend")
    run_jobs()
    [delivery] = deliveries_of(restaurant)
    assert (delivery.state, delivery.attempt) == ("delivered", 2)
    assert "No results" in words(owner.get("/webhooks/deliveries?state=failed"))
    assert "No results" in words(owner.get("/webhooks/deliveries?id=x"))


def test_a_range_is_replayed(owner, restaurant, server, run_jobs):
    with restaurant.scope():
        publish_webhook_event("messages.read", {"instance_id": 1, "data": {}})
    endpoint = add_endpoint(restaurant, server.url)
    answer = owner.post(
        f"/webhooks/{endpoint.id}/replay",
        since="2020-01-01T00:00",
        until="2099-01-01T00:00",
        missed="y",
        follow=True,
    )
    assert "Events being sent again: 1." in words(answer)
    run_jobs()
    assert [body["event"] for body in server.bodies] == ["messages.read"]
    backwards = owner.post(
        f"/webhooks/{endpoint.id}/replay", since="2026-02-01T00:00", until="2026-01-01T00:00"
    )
    assert "The end of the range must be after its start." in words(backwards)


def test_a_secret_is_rotated_and_both_sign(owner, restaurant, server, run_jobs):
    endpoint = add_endpoint(restaurant, server.url)
    page = owner.post(f"/webhooks/{endpoint.id}/rotate", overlap="day")
    assert "two signatures" in words(page)
    with restaurant.scope():
        publish_webhook_event("messages.read", {"instance_id": 1, "data": {}})
    run_jobs()
    [(headers, body)] = server.requests
    for secret in (endpoint.secret, secret_on(page)):
        Webhook(secret).verify(body, headers)


def test_off_on_and_removed_ask_first_and_are_audited(owner, restaurant, server):
    endpoint = add_endpoint(restaurant, server.url)
    path = f"/webhooks/{endpoint.id}"
    assert "Turn off the endpoint?" in words(owner.get(f"{path}/off"))
    owner.post(f"{path}/off")
    assert "Turned off" in words(owner.get("/webhooks"))
    owner.post(f"{path}/on")
    assert "Delete the endpoint?" in words(owner.get(f"{path}/remove"))
    owner.post(f"{path}/remove")
    assert owner.get(path).status_code == 404
    audit = words(owner.get("/audit?area=webhooks"))
    for deed in (
        "added the webhook endpoint",
        "turned off the webhook endpoint",
        "deleted the webhook endpoint",
    ):
        assert deed in audit


def test_a_viewer_looks_and_changes_nothing(other_browser, restaurant, server):
    endpoint = add_endpoint(restaurant, server.url)
    viewer = other_browser.signs_in(restaurant.hires("viewer"))
    page = words(viewer.get(f"/webhooks/{endpoint.id}"))
    assert server.url in page
    assert "Send test event</button>" not in page
    assert viewer.post(f"/webhooks/{endpoint.id}/test").status_code == 403
