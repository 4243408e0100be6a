"""Addresses that must never be called: not registered, and not called if they were."""

import json

import pytest

from core.db import db
from core.errors import Invalid
from core.http import Policy
from core.http.async_client import Client
from jobs.webhooks.poster import webhook_poster_of
from tests.core.http import servers as http_servers
from tests.core.http.blocked_addresses import ADDRESSES, ANSWERS, URLS
from tests.core.http.servers import Server, lenient_resolver, ok_response
from tests.webhooks.receivers import attempts_of, deliveries_of
from webhooks import endpoints
from webhooks.endpoints import EndpointFields
from webhooks.events import publish_webhook_event
from webhooks.listeners import update_listeners
from webhooks.models import Endpoint

PRODUCTION = Policy()


@pytest.fixture
def canary():
    with Server(ok_response()) as server:
        yield server


def tricks(port):
    """URLs, and names that resolve to what must not be called."""
    literals = [
        f"http://[{a}]:{port}/" if ":" in a else f"http://{a}:{port}/" for a, _ in ADDRESSES
    ]
    written = [url.replace("{port}", str(port)) for url, _ in URLS] + literals
    resolved = {
        f"trick{number}.example.com": answer
        for number, answer in enumerate([[a] for a, _ in ADDRESSES] + [a for a, _ in ANSWERS])
    }
    return written, resolved


def test_none_can_be_registered(app, restaurant, canary):
    written, _ = tricks(80)
    refused = 0
    for url in written:
        with pytest.raises(Invalid) as caught, restaurant.scope():
            endpoints.register(EndpointFields(url=url, events=["*"]), PRODUCTION)
        assert caught.value.code == "invalid_url", url
        refused += 1
    assert refused > 200


def test_none_is_called_if_it_was_registered_all_the_same(app, restaurant, run_jobs, canary):
    """A name may have been harmless when it was registered; every attempt checks again."""
    written, resolved = tricks(canary.port)
    storable = [url for url in written if "\0" not in url and url.isprintable()]
    urls = storable + [f"http://{name}:{canary.port}/" for name in resolved]
    with restaurant.scope():
        for url in urls:
            db.session.add(Endpoint(tenant_id=restaurant.tenant_id, url=url, events=["*"]))
        db.session.flush()
        update_listeners()
        publish_webhook_event("messages.sent", {"data": {}})

    def resolver(host, port):
        return resolved.get(host) or lenient_resolver(host, port)

    room = webhook_poster_of(app)
    policy = Policy(ports=frozenset({80, 443, canary.port}))
    careful = room.run(_opened(Client(policy, resolver=resolver)))
    usual, room.client = room.client, careful
    called = []
    http_servers._watches.append(lambda address: called.append(tuple(address[:2])))
    try:
        while any(
            one.state in ("waiting", "sending") and not one.attempt for one in found(restaurant)
        ):
            run_jobs()
    finally:
        http_servers._watches.pop()
        room.client = usual
        room.run(careful.__aexit__(None, None, None))
    attempts = attempts_of(restaurant)
    assert len({one.delivery_id for one in attempts}) == len(urls) > 400
    assert all(one.error and one.status is None for one in attempts)
    assert canary.accepted == 0
    assert [place for place in called if place[1] in (80, 443, canary.port)] == []


def found(business):
    return deliveries_of(business) or [type("None yet", (), {"state": "waiting", "attempt": 0})]


async def _opened(client):
    return await client.__aenter__()


def test_the_same_holds_at_the_door(app, restaurant, client):
    for url in ("http://127.1/", "http://0x7f.1/", "http://[::ffff:10.0.0.1]/", "http://10.0.0.1/"):
        answer = client.post(
            "/api/v1/webhooks",
            data=json.dumps({"url": url, "events": ["*"]}),
            content_type="application/json",
            headers=restaurant.bearer,
        )
        assert (answer.status_code, answer.json["code"]) == (422, "invalid_url"), url
