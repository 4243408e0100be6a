"""Reading connections, automations and runs by API."""

import pytest

from tests.line_factory import make_line
from tests.webhooks.stores.shops import (
    NO_PHONE_SENT_TEXT,
    connect_store,
    enable_automations,
    run_hooks_and_automations,
    shopify_order,
)


@pytest.fixture
def api(app, shop, client, redis):
    make_line(shop)
    (automation_id,) = enable_automations(shop, "order_confirmation")
    door = connect_store(shop, client, "shopify")
    for number in range(3):
        door.shopify("orders/create", shopify_order(id=number + 1, name=f"#{number + 1}"))
    door.shopify("orders/create", shopify_order(id=9, shipping_address=None))
    run_hooks_and_automations(app)
    return automation_id, door


def test_connections_are_listed_without_their_secrets(client, shop, api):
    _, door = api
    answer = client.get("/api/v1/connections", headers=shop.bearer)
    (one,) = answer.json["data"]
    assert (one["id"], one["kind"], one["state"]) == (door.connection.id, "shopify", "connected")
    text = answer.get_data(as_text=True)
    assert door.secret not in text
    assert door.connection.token not in text
    single = client.get(f"/api/v1/connections/{one['id']}", headers=shop.bearer)
    assert single.json == one


def test_automations_and_their_runs_are_listed(client, shop, api):
    automation_id, door = api
    (one,) = client.get("/api/v1/automations", headers=shop.bearer).json["data"]
    assert (one["id"], one["trigger"], one["marketing"]) == (automation_id, "order.created", False)
    assert client.get(f"/api/v1/automations/{automation_id}", headers=shop.bearer).json == one
    path = f"/api/v1/automations/{automation_id}/runs"
    newest = client.get(f"{path}?limit=2", headers=shop.bearer).json
    assert [run["cause"] for run in newest["data"]] == ["order:9", "order:3"]
    assert newest["data"][0]["state"] == "skipped"
    assert newest["data"][0]["because"] == NO_PHONE_SENT_TEXT
    assert newest["data"][1]["message_status_code"] == "queued"
    assert newest["data"][1]["connection_id"] == door.connection.id
    older = client.get(f"{path}?limit=2&after={newest['next']}", headers=shop.bearer).json
    assert [run["cause"] for run in older["data"]] == ["order:2", "order:1"]
    assert older["next"] is None
    skipped = client.get(f"{path}?state=skipped", headers=shop.bearer).json
    assert [run["cause"] for run in skipped["data"]] == ["order:9"]
    assert client.get(f"{path}?state=x", headers=shop.bearer).status_code == 422


def test_the_scope_is_asked_for(client, shop, api):
    key = {"Authorization": f"Bearer {shop.makes_key('orders')}"}
    assert client.get("/api/v1/automations", headers=key).status_code == 403
    assert client.get("/api/v1/connections", headers=key).status_code == 403
