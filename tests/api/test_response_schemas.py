"""Responses for orders, webhook deliveries and links match the OpenAPI document."""

import json
from collections import defaultdict

import jsonschema_rs
import pytest
from pydantic import BaseModel

from core.openapi.document import all_models
from core.openapi.lazy_blueprint import Components
from tests.api.v1.restaurant.test_delivery import bistro, call, delivery  # noqa: F401 (fixtures)
from tests.api.v1.restaurant.test_sites_menus_orders import API, order_body
from tests.messaging.inbox.inbox_factory import add_line, writes
from webhooks.event_types import EVENT_TYPES


@pytest.fixture
def holds(client, app):
    """Check a response against the schema of its operation."""
    document = client.get(f"{API}/openapi.json").json

    def check(path, method, answer):
        described = document["paths"][f"{API}{path}"][method]["responses"]
        shape = described[str(answer.status_code)]["content"]["application/json"]["schema"]
        whole = {**shape, "components": document["components"]}
        jsonschema_rs.validator_for(whole).validate(json.loads(answer.get_data()))

    return check


def test_no_two_models_of_the_api_share_a_name(app):
    modules = defaultdict(set)
    for model in all_models(BaseModel):
        if model.__module__.startswith("api."):
            modules[model.__name__].add(model.__module__)
    assert {name: found for name, found in modules.items() if len(found) > 1} == {}


def test_two_schemas_under_one_name_stop_the_document():
    schemas = Components()
    schemas.update({"ItemShape": {"type": "object"}})
    schemas.update({"ItemShape": {"type": "object"}})
    with pytest.raises(RuntimeError, match="two schemas share the name ItemShape"):
        schemas.update(ItemShape={"type": "string"})


def test_orders_are_answered_as_described(call, bistro, holds):  # noqa: F811
    for body in (order_body(bistro), delivery(bistro)):
        made = call("POST", "/orders", body)
        assert made.status_code == 201, made.json
        holds("/orders", "post", made)
        path = f"/orders/{made.json['order_id']}"
        holds("/orders/{order_id}", "get", call("GET", path))
        moved = call("POST", f"{path}/status", {"status": "preparing"})
        holds("/orders/{order_id}/status", "post", moved)
        holds("/orders/{order_id}/cancel", "post", call("POST", f"{path}/cancel", {"reason": "x"}))
    holds("/orders", "get", call("GET", "/orders"))


def test_a_couriers_link_is_answered_as_described(call, bistro, holds):  # noqa: F811
    new = {"site_id": bistro.site_id, "name": "Can", "phone": "905321112299"}
    courier = call("POST", "/couriers", new)
    assert courier.status_code == 201, courier.json
    link = call("POST", f"/couriers/{courier.json['id']}/link")
    assert set(link.json) == {"url", "expires_at"}
    holds("/couriers/{courier_id}/link", "post", link)


def test_the_document_knows_headers_and_refusals(client, app):
    document = client.get(f"{API}/openapi.json").json
    send = document["paths"][f"{API}/messages/send"]["post"]
    names = [one["name"] for one in send["parameters"]]
    assert names == ["Idempotency-Key", "Prefer"]
    assert {"409", "413", "415"} <= set(send["responses"])
    assert "Retry-After" in send["responses"]["429"]["headers"]
    assert {"Location", "Idempotent-Replayed"} <= set(send["responses"]["202"]["headers"])
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if method in ("post", "patch", "put", "delete"):
                assert "409" in operation["responses"], (method, path)
            assert "X-Request-Id" in operation["responses"]["429"]["headers"], (method, path)


def test_events_are_posted_as_the_document_says(app, call, bistro, client):  # noqa: F811
    call("POST", "/orders", order_body(bistro))
    document = client.get(f"{API}/openapi.json").json
    posted = call("GET", "/events").json["data"]
    assert "restaurant.order_created" in [one["event"] for one in posted]
    assert set(document["webhooks"]) == set(EVENT_TYPES)
    inbound = {
        "event": "messages.upsert", "event_id": "evt_1", "occurred_at": "2026-03-01T10:00:00Z",
        "sequence": 1, "instance_id": 7,
        "data": {
            "from": "905321112233", "from_kind": "phone", "sender_name": "Ayşe", "id": "msg_1",
            "message_id": "wamid.1", "timestamp": 1772359200, "type": "text", "text": "Merhaba",
        },
    }  # fmt: skip
    for event in [*posted, inbound]:
        hook = document["webhooks"][event["event"]]["post"]["requestBody"]
        shape = hook["content"]["application/json"]["schema"]
        whole = {**shape, "components": document["components"]}
        jsonschema_rs.validator_for(whole).validate(event)


def test_items_and_webhook_deliveries_keep_their_schemas(client, app):
    shapes = client.get(f"{API}/openapi.json").json["components"]["schemas"]
    assert "category_id" in shapes["ItemShape"]["properties"]
    assert "unit_price" in shapes["OrderItemShape"]["properties"]
    assert "route_url" in shapes["OrderDeliveryShape"]["properties"]
    assert "endpoint_id" in shapes["DeliveryShape"]["properties"]


def test_a_message_shows_what_its_event_showed(call, restaurant, holds):  # noqa: F811
    line = add_line(restaurant)
    place = {"latitude": 41.03, "longitude": 28.97, "name": "Moda"}
    for kind, content in (
        ("location", place),
        ("contacts", {"contacts": [{"name": {"formatted_name": "Can"}}]}),
        ("reaction", {"emoji": "👍", "message_id": "wamid.9"}),
        ("button", {"id": "yes", "title": "Yes"}),
    ):
        message_id = writes(restaurant, line, text="", kind=kind, **content)
        shown = call("GET", f"/messages/{message_id}")
        holds("/messages/{message_id}", "get", shown)
        posted = call("GET", "/events").json["data"][-1]["data"]
        assert shown.json[kind] == posted[kind], kind
        assert shown.json["from_kind"] == posted["from_kind"] == "phone"
    hidden = writes(restaurant, line, phone="", network_id="TR.1234")
    assert call("GET", f"/messages/{hidden}").json["from_kind"] == "network_id"
    holds("/messages", "get", call("GET", "/messages"))
