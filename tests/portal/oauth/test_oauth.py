"""OAuth: registration, consent, tokens, rotation, revocation, and what a stolen code can do."""

import base64
import hashlib
import json
import secrets
import time
from types import SimpleNamespace
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from api import auth
from api.mcp.tools.registry import TOOLS
from core.db import db
from messaging.approvals import queries
from tenants import team
from tenants.apps import clients, grants
from tenants.models import AuditEntry
from tests.api.mcp.rpc import Agent, request
from tests.messaging.inbox.inbox_factory import AYSE, add_line, writes
from tests.portal.page_reader import text_of

BACK = "https://agent.example/callback"
VERIFIER = "v" * 64
CHALLENGE = (
    base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
)


@pytest.fixture
def owner(browser, restaurant):
    return browser.signs_in(restaurant.owner)


@pytest.fixture
def registered(client):
    return register(client)


def register(client, **more):
    body = {
        "client_name": "Table agent",
        "redirect_uris": [BACK],
        "token_endpoint_auth_method": "none",
        **more,
    }
    return client.post("/oauth/register", json=body)


def authorize_path(client_id, **more):
    asked = {
        "response_type": "code",
        "client_id": client_id,
        "redirect_uri": BACK,
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        "state": "s1",
        "scope": "messages:read messages:send",
        "resource": "RESOURCE",
        **more,
    }
    return "/oauth/authorize?" + urlencode({k: v for k, v in asked.items() if v is not None})


@pytest.fixture
def mcp(settings):
    return f"{settings.base_url}/mcp"


def allow(owner, path, **form):
    fields = {"decision": "allow", "mode": "live", "scopes": ["messages:read", "messages:send"]}
    answer = owner.post(path, **{**fields, **form})
    assert answer.status_code == 302, text_of(answer)
    return {name: value[0] for name, value in parse_qs(urlsplit(answer.location).query).items()}


def exchange(client, client_id, code, **more):
    form = {
        "grant_type": "authorization_code",
        "client_id": client_id,
        "code": code,
        "redirect_uri": BACK,
        "code_verifier": VERIFIER,
        **more,
    }
    return client.post("/oauth/token", data=form)


def refresh(client, client_id, token):
    form = {"grant_type": "refresh_token", "client_id": client_id, "refresh_token": token}
    return client.post("/oauth/token", data=form)


@pytest.fixture
def connected(client, owner, registered, mcp):
    """The app with its first tokens."""
    client_id = registered.json["client_id"]
    path = authorize_path(client_id, resource=mcp)
    code = allow(owner, path)["code"]
    return SimpleNamespace(client_id=client_id, code=code, **exchange(client, client_id, code).json)


def test_metadata_leads_from_the_resource_to_the_server(client, settings):
    answer = Agent(client, "").post(*request("tools/list"))
    assert answer.status_code == 401
    address = answer.headers["WWW-Authenticate"].partition('resource_metadata="')[2].rstrip('"')
    resource = client.get(urlsplit(address).path).json
    assert resource["resource"] == f"{settings.base_url}/mcp"
    assert set(resource["scopes_supported"]) == {tool.scope for tool in TOOLS}
    [server] = resource["authorization_servers"]
    found = client.get("/.well-known/oauth-authorization-server").json
    assert found["issuer"] == server == settings.base_url
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["client_id_metadata_document_supported"] is True
    assert client.get("/.well-known/oauth-protected-resource/other").status_code == 404


@pytest.mark.parametrize(
    "uri",
    [
        *("javascript:alert(1)", "data:text/html,x", "http://agent.example/", "", "//x", "https:"),
        *("https://a@evil.example/", "https://x/#frag", "https://x/ y", None, 7),
    ],
)
def test_dangerous_redirects_cannot_be_registered(client, uri):
    answer = register(client, redirect_uris=[uri])
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_redirect_uri")


def test_a_confidential_client_gets_a_secret_once(client, owner, mcp):
    made = register(client, token_endpoint_auth_method="client_secret_post").json
    assert made["client_secret"]
    code = allow(owner, authorize_path(made["client_id"], resource=mcp))["code"]
    assert exchange(client, made["client_id"], code).status_code == 401
    code = allow(owner, authorize_path(made["client_id"], resource=mcp))["code"]
    answer = exchange(client, made["client_id"], code, client_secret=made["client_secret"])
    assert answer.status_code == 200


def test_the_consent_page_says_what_the_app_may_do(owner, registered, restaurant, mcp):
    page = owner.get(authorize_path(registered.json["client_id"], resource=mcp))
    text = text_of(page)
    assert "Table agent" in text
    assert restaurant.name in text
    assert "Write messages to your customers" in text
    assert "agent.example" in text
    assert "form-action 'self' https://agent.example;" in page.headers["Content-Security-Policy"]


def test_the_answer_names_the_issuer_and_returns_the_state(owner, registered, settings, mcp):
    answer = allow(owner, authorize_path(registered.json["client_id"], resource=mcp))
    assert (answer["iss"], answer["state"]) == (settings.base_url, "s1")


def test_a_denied_request_returns_no_code(owner, registered, restaurant, mcp):
    path = authorize_path(registered.json["client_id"], resource=mcp)
    for form in ({"decision": "deny"}, {"scopes": []}):
        answer = allow(owner, path, **form)
        assert answer["error"] == "access_denied"
        assert "code" not in answer


@pytest.mark.parametrize(
    "wrong",
    [
        {"code_challenge": None},
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"redirect_uri": "https://evil.example/"},
        {"client_id": "app_unknown"},
        {"resource": "https://other.example/mcp"},
        {"response_type": "token"},
    ],
)
def test_a_wrong_request_is_refused_without_a_redirect(owner, registered, wrong, mcp):
    path = authorize_path(**{"client_id": registered.json["client_id"], "resource": mcp, **wrong})
    for answer in (owner.get(path), owner.post(path, decision="allow", scopes=["orders"])):
        assert answer.status_code == 422
        assert "Location" not in answer.headers


def test_only_people_who_manage_keys_can_give_access(browser, restaurant, registered, mcp):
    waiter = browser.signs_in(restaurant.hires("inbox"))
    path = authorize_path(registered.json["client_id"], resource=mcp)
    assert waiter.get(path).status_code == 403


def test_the_app_acts_with_the_chosen_scopes_and_its_messages_are_held(
    client, restaurant, connected
):
    assert (connected.expires_in, connected.token_type) == (3600, "Bearer")
    assert connected.scope == "messages:send messages:read"
    writes(restaurant, add_line(restaurant))
    agent = Agent(client, connected.access_token)
    assert "list_orders" not in {one["name"] for one in agent.asks("tools/list")["tools"]}
    found = agent.gets("send_message", phone=AYSE, text="Hello")
    assert found["message"]["status_code"] == "held"
    with restaurant.scope():
        [held] = queries.list_waiting()
        assert (held.app_name, held.for_person) == ("Table agent", restaurant.owner.name)
        entry = (
            db.session.query(AuditEntry)
            .filter_by(tenant_id=restaurant.tenant_id, act="approvals.requested")
            .one()
        )
        assert entry.actor_name == f"Table agent, for {restaurant.owner.name}"


def test_a_token_for_mcp_is_refused_by_the_api(client, connected):
    answer = client.get("/api/v1/me", headers={"Authorization": f"Bearer {connected.access_token}"})
    assert (answer.status_code, answer.json["code"]) == (401, "invalid_token")


def test_sends_of_an_app_through_the_api_are_held_too(client, restaurant, owner, settings):
    client_id = register(client).json["client_id"]
    path = authorize_path(
        client_id, resource=f"{settings.base_url}/api/v1", scope="messages:send campaigns"
    )
    code = allow(owner, path, scopes=["messages:send", "campaigns"])["code"]
    token = exchange(client, client_id, code).json["access_token"]
    writes(restaurant, add_line(restaurant))
    bearer = {"Authorization": f"Bearer {token}", "Idempotency-Key": "once"}
    body = {"phone": AYSE, "message": "Hello"}
    answer = client.post("/api/v1/messages/send", json=body, headers=bearer)
    assert (answer.status_code, answer.json["status_code"]) == (202, "held")
    again = client.post("/api/v1/messages/send", json=body, headers=bearer)
    assert again.json == answer.json
    campaign = client.post(
        "/api/v1/campaigns", json={"name": "Big"}, headers={"Authorization": f"Bearer {token}"}
    ).json
    started = client.post(
        f"/api/v1/campaigns/{campaign['id']}/start",
        json={},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert (started.status_code, started.json["code"]) == (403, "person_needed")


def test_a_code_works_once_and_its_second_use_ends_the_access(client, connected):
    agent = Agent(client, connected.access_token)
    assert agent.post(*request("tools/list")).status_code == 200
    answer = exchange(client, connected.client_id, connected.code)
    assert (answer.status_code, answer.json["error"]) == (400, "invalid_grant")
    assert agent.post(*request("tools/list")).status_code == 401
    assert refresh(client, connected.client_id, connected.refresh_token).status_code == 400


def test_a_code_needs_its_verifier_client_and_redirect(client, owner, registered, mcp):
    client_id, other = registered.json["client_id"], register(client).json["client_id"]
    path = authorize_path(client_id, resource=mcp)
    for wrong in (
        {"code_verifier": "w" * 64},
        {"code_verifier": None},
        {"redirect_uri": "https://agent.example/other"},
        {"client_id": other},
        {"resource": "https://other.example"},
    ):
        code = allow(owner, path)["code"]
        form = {"client_id": client_id, "code": code, **wrong}
        answer = exchange(client, **{k: v for k, v in form.items() if v is not None})
        if wrong.get("code_verifier", "") is None:
            answer = client.post(
                "/oauth/token",
                data={
                    "grant_type": "authorization_code",
                    "client_id": client_id,
                    "code": code,
                    "redirect_uri": BACK,
                },
            )
        assert answer.status_code in (400, 401), wrong
        assert "access_token" not in answer.json


def test_refresh_tokens_rotate_and_a_stolen_one_ends_the_family(client, connected):
    first = refresh(client, connected.client_id, connected.refresh_token).json
    assert first["refresh_token"] != connected.refresh_token
    second = refresh(client, connected.client_id, first["refresh_token"]).json
    agent = Agent(client, second["access_token"])
    assert agent.post(*request("tools/list")).status_code == 200
    stolen = refresh(client, connected.client_id, first["refresh_token"])
    assert (stolen.status_code, stolen.json["error"]) == (400, "invalid_grant")
    assert agent.post(*request("tools/list")).status_code == 401
    assert refresh(client, connected.client_id, second["refresh_token"]).status_code == 400


def test_a_refresh_token_belongs_to_its_client(client, connected):
    other = register(client).json["client_id"]
    assert refresh(client, other, connected.refresh_token).status_code == 400


def test_an_access_token_ends_after_an_hour(client, connected, monkeypatch):
    agent = Agent(client, connected.access_token)
    assert agent.post(*request("tools/list")).status_code == 200
    later = SimpleNamespace(time=lambda: time.time() + 3601)
    monkeypatch.setattr(grants, "time", later)
    answer = agent.post(*request("tools/list"))
    assert (answer.status_code, answer.json["error"]["data"]["code"]) == (401, "token_expired")


def test_a_changed_expiry_makes_the_token_unknown(client, connected):
    head, _, body = connected.access_token.removeprefix("cat_").partition("_")
    forged = f"cat_{head[0]}{int(head[1:], 16) + 10**6:x}_{body}"
    assert Agent(client, forged).post(*request("tools/list")).status_code == 401
    assert (
        Agent(client, f"cat_m{2**40:x}_{secrets.token_urlsafe(32)}")
        .post(*request("tools/list"))
        .status_code
        == 401
    )


def test_a_disconnected_app_is_refused_at_once(client, owner, connected, restaurant):
    agent = Agent(client, connected.access_token)
    assert agent.post(*request("tools/list")).status_code == 200
    page = text_of(owner.get("/connected-apps"))
    assert "Table agent" in page
    assert restaurant.owner.name in page
    with restaurant.scope():
        [(grant, _)] = grants.list_connected()
    assert owner.post(f"/connected-apps/{grant.id}/revoke").status_code == 302
    assert agent.post(*request("tools/list")).status_code == 401
    assert refresh(client, connected.client_id, connected.refresh_token).status_code == 400
    assert "No connected apps" in text_of(owner.get("/connected-apps"))


def test_without_redis_a_disconnected_app_is_refused_after_five_seconds(
    client, connected, restaurant, monkeypatch
):
    agent = Agent(client, connected.access_token)
    assert agent.post(*request("tools/list")).status_code == 200
    monkeypatch.setattr("core.db.bump_cache_generation", lambda _: None)
    with restaurant.scope():
        [(grant, _)] = grants.list_connected()
        grants.revoke(grant.id)
    later = SimpleNamespace(monotonic=lambda: time.monotonic() + 5.1)
    monkeypatch.setattr(auth, "time", later)
    assert agent.post(*request("tools/list")).status_code == 401


def test_an_app_can_end_its_own_access(client, connected):
    for token in ("nonsense", connected.access_token):
        assert client.post("/oauth/revoke", data={"token": token}).status_code == 200
    agent = Agent(client, connected.access_token)
    assert agent.post(*request("tools/list")).status_code == 401
    assert refresh(client, connected.client_id, connected.refresh_token).status_code == 400


def test_the_app_of_a_person_who_left_loses_access(client, browser, restaurant, registered, mcp):
    admin = restaurant.hires("admin", "Emre Yıldız")
    browser.signs_in(admin)
    client_id = registered.json["client_id"]
    code = allow(browser, authorize_path(client_id, resource=mcp))["code"]
    token = exchange(client, client_id, code).json["access_token"]
    agent = Agent(client, token)
    assert agent.post(*request("tools/list")).status_code == 200
    with restaurant.scope():
        [member] = [one for one in team.members() if one.person_id == admin.id]
        team.change_role(member.id, "inbox", "owner")
    assert agent.post(*request("tools/list")).status_code == 401


def test_another_business_cannot_see_or_end_an_app(other_browser, shop, connected, restaurant):
    stranger = other_browser.signs_in(shop.owner)
    with restaurant.scope():
        [(grant, _)] = grants.list_connected()
    assert "No connected apps" in text_of(stranger.get("/connected-apps"))
    assert stranger.post(f"/connected-apps/{grant.id}/revoke").status_code == 404


def test_app_keys_are_not_among_the_api_keys(owner, connected):
    assert "Table agent" not in text_of(owner.get("/integrations"))


def test_a_client_is_described_by_its_own_document(client, owner, monkeypatch, mcp):
    address = "https://agent.example/client.json"
    document = {
        "client_id": address,
        "client_name": "Document agent",
        "redirect_uris": [BACK, "http://127.0.0.1/callback"],
    }
    asked = []

    def fetch(method, url, **_):
        asked.append((method, url))
        return SimpleNamespace(status=200, body=json.dumps(document).encode())

    monkeypatch.setattr(clients, "request", fetch)
    path = authorize_path(address, resource=mcp, redirect_uri="http://127.0.0.1:53111/callback")
    page = text_of(owner.get(path))
    assert "Document agent (agent.example)" in page
    code = allow(owner, path)["code"]
    answer = exchange(client, address, code, redirect_uri="http://127.0.0.1:53111/callback")
    assert answer.status_code == 200
    assert asked == [("GET", address)]  # kept for a day
    other = "https://evil.example/client.json"  # its document names another address
    assert owner.get(authorize_path(other, resource=mcp)).status_code == 422


def test_a_document_on_a_private_address_is_not_read(owner, mcp):
    for host in ("127.0.0.1", "10.0.0.7", "169.254.169.254", "[::1]"):
        page = owner.get(authorize_path(f"https://{host}/client.json", resource=mcp))
        assert page.status_code == 422
