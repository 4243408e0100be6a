"""The protocol: envelope, headers, versions, errors, and the shape of every answer."""

import json
from datetime import timedelta

import pytest

from api.mcp.tools.registry import TOOLS
from tenants import request_log
from tenants.request_log import RequestFilters
from tenants.rights import SCOPES
from tests.api.mcp.rpc import META, VERSION, Agent, request


@pytest.fixture
def agent(client, restaurant):
    return Agent(client, restaurant.key)


def test_discover_names_versions_and_capabilities(agent):
    found = agent.asks("server/discover")
    assert found["resultType"] == "complete"
    assert found["supportedVersions"] == ["2026-07-28", "2025-11-25"]
    assert found["capabilities"] == {"tools": {}}
    assert isinstance(found["ttlMs"], int)
    assert found["cacheScope"] in ("public", "private")
    server = found["_meta"]["io.modelcontextprotocol/serverInfo"]
    assert server["name"] == "comanda"
    assert server["version"]


def test_tools_are_listed_in_a_fixed_order_with_schemas(agent):
    found = agent.asks("tools/list")
    assert found == agent.asks("tools/list")
    assert [one["name"] for one in found["tools"]] == [one.name for one in TOOLS]
    assert found["ttlMs"] > 0
    assert found["cacheScope"] == "private"
    for tool in found["tools"]:
        assert tool.keys() == {"name", "title", "description", "inputSchema", "annotations"}
        schema = tool["inputSchema"]
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        assert all(isinstance(one, dict) for one in schema["properties"].values())
        assert set(schema.get("required", ())) <= schema["properties"].keys()
        json.dumps(tool)


def test_only_the_tools_of_the_keys_scopes_are_listed(client, restaurant):
    for scope in SCOPES:
        listed = Agent(client, restaurant.makes_key(scope)).asks("tools/list")["tools"]
        assert [one["name"] for one in listed] == [
            one.name for one in TOOLS if one.scope == scope
        ], scope


def test_a_tool_outside_the_scopes_does_not_exist(client, restaurant):
    agent = Agent(client, restaurant.makes_key("orders"))
    body, headers = request(
        "tools/call", name="send_message", arguments={"phone": "905321112233", "text": "Hi"}
    )
    answer = agent.post(body, headers)
    assert (answer.status_code, answer.json["error"]["code"]) == (400, -32602)
    assert answer.json["id"] == body["id"]


@pytest.mark.parametrize("name", ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"])
@pytest.mark.parametrize("value", [None, "other"])
def test_headers_must_equal_the_body(agent, name, value):
    body, headers = request("tools/call", name="list_orders", arguments={})
    headers.pop(name)
    if value:
        headers[name] = value
    answer = agent.post(body, headers)
    assert (answer.status_code, answer.json["error"]["code"]) == (400, -32020)


def test_an_unknown_version_is_refused_with_the_known_ones(agent):
    body, headers = request("tools/list")
    body["params"]["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    answer = agent.post(body, {**headers, "MCP-Protocol-Version": "1900-01-01"})
    assert answer.status_code == 400
    assert answer.json["error"]["code"] == -32022
    assert answer.json["error"]["data"] == {
        "supported": ["2026-07-28", "2025-11-25"],
        "requested": "1900-01-01",
    }


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ([], 422, -32600),
        ({"jsonrpc": "1.0", "id": 1, "method": "tools/list"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "tools/list"}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 7}, 400, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}, 400, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}, 400, -32602),
    ],
)
def test_what_is_not_a_request_is_refused(agent, body, status, code):
    headers = {"MCP-Protocol-Version": VERSION, "Mcp-Method": "tools/list"}
    answer = agent.post(body, headers)
    assert (answer.status_code, answer.json["error"]["code"]) == (status, code)


def test_broken_json_is_a_parse_error(agent, restaurant):
    answer = agent.client.post(
        "/mcp", data="{", headers={**restaurant.bearer, "Content-Type": "application/json"}
    )
    assert (answer.status_code, answer.json["error"]["code"]) == (400, -32700)


def test_an_unknown_method_is_not_found(agent):
    answer = agent.post(*request("prompts/list"))
    assert (answer.status_code, answer.json["error"]["code"]) == (404, -32601)


def test_a_notification_gets_no_answer(agent):
    body, headers = request("notifications/cancelled")
    del body["id"]
    answer = agent.post(body, headers)
    assert (answer.status_code, answer.data) == (202, b"")


def test_an_unknown_cursor_is_refused(agent):
    answer = agent.post(*request("tools/list", cursor="x"))
    assert answer.json["error"]["code"] == -32602


def test_another_origin_is_refused_before_the_key_is_read(client, restaurant):
    body, headers = request("tools/list")
    answer = Agent(client, "nonsense").post(body, {**headers, "Origin": "https://evil.example"})
    assert answer.status_code == 403
    own = {**headers, "Origin": "http://localhost"}
    assert Agent(client, restaurant.key).post(body, own).status_code == 200


def test_without_a_valid_key_the_answer_is_401(client):
    for key in ("", "nonsense", "ck_live_" + "a" * 36):
        answer = Agent(client, key).post(*request("tools/list"))
        assert answer.status_code == 401
        assert answer.headers["WWW-Authenticate"].startswith("Bearer")
        assert answer.json["error"]["data"]["code"] == "invalid_key"


def test_only_post_is_answered(client, restaurant):
    for method in ("get", "delete", "put"):
        answer = getattr(client, method)("/mcp", headers=restaurant.bearer)
        assert answer.status_code == 405


def test_a_large_body_is_refused(agent):
    body, headers = request("tools/call", name="list_orders", arguments={"phone": "1" * 300_000})
    assert agent.post(body, headers).status_code == 413


def test_the_earlier_revision_is_answered_too(agent):
    def post(method, **params):
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {} if method == "initialize" else {"MCP-Protocol-Version": "2025-11-25"}
        return agent.post(body, headers)

    hello = post(
        "initialize",
        protocolVersion="2025-11-25",
        capabilities={},
        clientInfo={"name": "old", "version": "1"},
    ).json["result"]
    assert hello["protocolVersion"] == "2025-11-25"
    assert hello["serverInfo"]["name"] == "comanda"
    assert "Mcp-Session-Id" not in post("ping").headers
    listed = post("tools/list").json["result"]
    assert listed.keys() == {"tools"}
    called = post("tools/call", name="list_orders", arguments={}).json["result"]
    assert called["structuredContent"] == {"orders": []}
    assert post("prompts/list").json["error"]["code"] == -32601


def test_wrong_arguments_are_explained_to_the_model(agent):
    found = agent.calls("send_message", phone="0532 111", text="Hello")
    assert found["isError"] is True
    assert found["structuredContent"]["code"] == "invalid_phone"
    found = agent.calls("send_message", phone="905321112233")
    assert "text is missing" in found["content"][0]["text"]
    assert agent.is_refused("list_orders", unknown=1) == "invalid_parameter"


def test_calls_are_in_the_request_log(agent, app, restaurant):
    agent.calls("list_orders")
    app.extensions["request_log"].write()
    with restaurant.scope():
        [call] = request_log.list_requests(RequestFilters(), None, 5, timedelta(days=1))
    assert (call.call, call.status, call.key_name) == ("POST /mcp", 200, "Live key")
