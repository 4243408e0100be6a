"""A customer's answer is written back to the store that the order came from, once."""

import json
import threading
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from core import clock
from core.http.guard import Policy
from jobs import journeys as journeys_job
from jobs.inbound import hooks as inbound_hooks
from messaging.automations import connections as store_connections
from messaging.journeys import calls, queries
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import publish, runs
from tests.webhooks.stores.shops import connect_store, shopify_order
from webhooks.stores.base import StoreAccess
from webhooks.stores.registry import PLATFORMS

STEPS = [
    {"id": "tell", "kind": "store_update", "action": "confirm", "tag": "cod", "failed": "bad"},
    {"id": "good", "kind": "tag", "tag": "confirmed", "next": "end"},
    {"id": "bad", "kind": "tag", "tag": "refused"},
    {"id": "end", "kind": "end"},
]
ORDER = {"when": {"kind": "store_order", "states": ["order.created"]}, "steps": STEPS}


class Store:
    def __init__(self):
        self.requests, self.answer, store = [], {"data": {"tagsAdd": {"userErrors": []}}}, self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                length = int(self.headers["Content-Length"])
                body = json.loads(self.rfile.read(length))
                store.requests.append((self.command, self.path, dict(self.headers), body))
                told = json.dumps(store.answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(told)))
                self.end_headers()
                self.wfile.write(told)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def store():
    made = Store()
    yield made
    made.server.shutdown()


@pytest.fixture
def shopify(app, shop, client, redis, store, monkeypatch):
    """A connected Shopify whose API is the store of the test."""
    make_line(shop)
    door = connect_store(shop, client, "shopify")
    with shop.scope():
        connection = store_connections.get(door.connection.id)
        connection.api_url, connection.api_key = store.url, "shpat_1"
    real = calls.make
    monkeypatch.setattr(
        calls, "make", lambda work, _: real(work, Policy(None, allow_loopback=True))
    )
    return door


def order_arrives(app, shop, door):
    door.shopify("orders/create", shopify_order(id=7, name="#7"))
    with app.app_context():
        inbound_hooks.drain()
        journeys_job.drain()
        journeys_job.drain()


def visited(shop):
    (run,) = runs(shop)
    return run.state, run.visit, run.step


def test_a_confirmation_tags_the_order_in_shopify(app, shop, shopify, store):
    publish(shop, ORDER)
    order_arrives(app, shop, shopify)
    ((method, path, headers, body),) = store.requests
    assert (method, path) == ("POST", "/admin/api/2026-07/graphql.json")
    assert headers["X-Shopify-Access-Token"] == "shpat_1"
    assert body["variables"] == {"id": "gid://shopify/Order/7", "tags": ["cod"]}
    assert visited(shop)[0] == "completed"


def test_an_error_of_the_store_takes_the_other_way(app, shop, shopify, store):
    store.answer = {"data": {"tagsAdd": {"userErrors": [{"message": "Order is archived"}]}}}
    publish(shop, ORDER)
    order_arrives(app, shop, shopify)
    with shop.scope():
        (run,) = queries.list_runs(after=None, limit=2)
        steps = [one.row for one in queries.run_detail(run.run.id).steps]
    assert [one.step for one in steps] == ["tell", "bad", "end"]
    assert "Order is archived" in steps[0].note


def test_a_worker_that_died_during_a_call_does_not_call_again(
    app, shop, shopify, store, monkeypatch
):
    publish(shop, ORDER)
    monkeypatch.setattr(calls, "make", lambda *_: (_ for _ in ()).throw(SystemExit))
    with pytest.raises(SystemExit):
        order_arrives(app, shop, shopify)
    with clock.frozen():
        clock.advance(timedelta(minutes=2))
        with app.app_context():
            journeys_job.find_lost_work()
            journeys_job.drain()
    assert store.requests == []
    assert visited(shop)[0] == "completed"


def test_the_requests_of_each_platform():
    access = StoreAccess("https://shop.example", "ck_1", "cs_1")
    (woo,) = PLATFORMS["woocommerce"].update_order(access, "12/3", "cancel", "")
    assert (woo.method, woo.url) == ("PUT", "https://shop.example/wp-json/wc/v3/orders/12%2F3")
    assert woo.headers["Authorization"] == "Basic Y2tfMTpjc18x"
    assert json.loads(woo.body) == {"status": "cancelled"}
    (cancel,) = PLATFORMS["shopify"].update_order(access, "12", "cancel", "")
    assert "orderCancel" in json.loads(cancel.body)["query"]
