"""A partner reaches its own tenants only: every route, with another partner's tenant."""

import pytest

from messaging.lines import repository as line_repository
from tests.portal.network_api_server import GOOD_TOKEN, graph_server

NUMBER = "106540352242922"
LINE = {
    "name": "Front desk",
    "phone": "905321112200",
    "phone_number_id": NUMBER,
    "token": GOOD_TOKEN,
    "app_secret": "0123456789abcdef",
}


@pytest.fixture
def graph(app, monkeypatch):
    with graph_server() as running:
        monkeypatch.setattr(app.extensions["comanda"], "cloud_base_url", running.url)
        running.numbers[NUMBER] = {"status": "CONNECTED", "quality_rating": "GREEN"}
        yield running


def set_up(partner):
    """A tenant with a key, a line and an endpoint."""
    tenant = partner.creates()
    path = f"/tenants/{tenant['id']}"
    key = partner.call("POST", f"{path}/keys", {"name": "A", "scopes": ["lines", "webhooks"]})
    line = partner.call("POST", f"{path}/instances", LINE)
    hook = {"url": "https://example.com/hook", "events": ["*"]}
    endpoint = partner.call("POST", f"{path}/webhooks", hook)
    assert {key.status_code, line.status_code, endpoint.status_code} == {201}
    return tenant, key.json, line.json, endpoint.json


def test_what_a_partner_sets_up_works_for_the_tenant(client, mavi, graph):
    tenant, key, line, endpoint = set_up(mavi)
    bearer = {"Authorization": f"Bearer {key['api_key']}"}
    lines = client.get("/api/v1/instances", headers=bearer).json["data"]
    assert line["id"] in [one["id"] for one in lines]
    assert (line["state"], line["problems"]) == ("connected", [])
    assert line["webhook"]["verify_token"]
    [shown] = client.get("/api/v1/webhooks", headers=bearer).json["data"]
    assert shown["id"] == endpoint["id"]
    assert endpoint["secret"].startswith("whsec_")
    path = f"/tenants/{tenant['id']}"
    assert len(mavi.call("GET", f"{path}/instances").json["data"]) == 2
    assert mavi.call("DELETE", f"{path}/instances/{line['id']}").status_code == 204
    assert mavi.call("DELETE", f"{path}/webhooks/{endpoint['id']}").status_code == 204
    assert mavi.call("DELETE", f"{path}/keys/{key['id']}").json["state"] == "revoked"
    assert client.get("/api/v1/instances", headers=bearer).status_code == 401
    bad = mavi.call("POST", f"{path}/instances", LINE | {"token": "EAAGexpired"})
    assert (bad.status_code, bad.json["code"]) == (422, "token_expired")


def routes_of_tenants(app):
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/v1/partner/tenants/<"):
            for method in rule.methods - {"HEAD", "OPTIONS"}:
                yield method, rule.rule.removeprefix("/api/v1/partner")


def test_no_route_reaches_another_partners_tenant(app, mavi, sari, restaurant, graph):
    tenant, key, line, endpoint = set_up(mavi)
    bodies = {
        "/plan": {"plan": "trial"},
        "/keys": {"name": "Mine", "scopes": ["lines"]},
        "/instances": LINE,
        "/webhooks": {"url": "https://example.com/hook", "events": ["*"]},
    }
    asked = 0
    for other in (tenant["id"], restaurant.tenant_id, 123):
        for method, rule in routes_of_tenants(app):
            path = (
                rule.replace("<int:tenant_id>", str(other))
                .replace("<key_id>", key["id"])
                .replace("<int:instance_id>", str(line["id"]))
                .replace("<endpoint_id>", endpoint["id"])
            )
            body = next((body for end, body in bodies.items() if path.endswith(end)), None)
            answer = sari.call(method, path, body if method == "POST" else None)
            assert (answer.status_code, answer.json["code"]) == (404, "not_found"), (method, path)
            asked += 1
    assert asked >= 39
    assert sari.call("GET", "/tenants").json["data"] == []
    assert sari.call("GET", "/usage").json["data"] == []
    assert sari.call("GET", f"/tenants?after={tenant['id']}").status_code == 404
    assert mavi.call("GET", f"/tenants/{tenant['id']}/keys").json["data"][0]["state"] == "active"
    with restaurant.scope():
        assert line_repository.list_lines() == []


def test_keys_of_tenants_and_partners_are_not_interchangeable(client, mavi, restaurant):
    tenant_key = {"Authorization": f"Bearer {restaurant.key}"}
    refused = client.get("/api/v1/partner/tenants", headers=tenant_key)
    assert (refused.status_code, refused.json["code"]) == (401, "invalid_key")
    partner_key = {"Authorization": f"Bearer {mavi.key}"}
    refused = client.get("/api/v1/me", headers=partner_key)
    assert (refused.status_code, refused.json["code"]) == (401, "invalid_key")
    assert client.get("/api/v1/partner").status_code == 401
