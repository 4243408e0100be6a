"""An agent drafts a reply, a member approves it in the browser, and the phone receives it."""

import asyncio
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Queue
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen

import httpx2
import pytest
from mcp import Client
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata
from playwright.sync_api import expect

from core.db import db
from messaging.inbox.conversations import ConversationFilters, list_conversations
from messaging.lines.simulated_line import add_simulated_line
from tenants.models import AuditEntry
from tests.browser.driver import new_page, sign_in
from tests.factories import PASSWORD, make_business
from tests.timeouts import allow_for_load

pytestmark = pytest.mark.browser

AYSE = "905321118811"
BACK = "http://127.0.0.1:53682/callback"
SIZES = ((390, 844), (820, 1180), (1280, 900))


@pytest.fixture(scope="module")
def place(app, settings, service):
    with app.app_context():
        business = make_business("Lokanta Mavi")
        with business.scope():
            line = add_simulated_line(
                "Front desk", service.url, settings.simulator_secret, test=False, default=True
            )
        found = Place(service, settings, business, business.hires("inbox", "Selin Kaya"), line)
        found.ask(
            "/_sim/lines",
            phone_number_id=line.phone_number_id,
            phone=line.phone,
            app_secret=line.app_secret,
            callback_url=f"{service.url}/hooks/cloud/{line.hook_token}",
            tenant_id=business.tenant_id,
            name="Lokanta Mavi",
        )
        found.ask("/_sim/settings", sent_ms=10, delivered_ms=50, auto_read=False)
        return found


class Place:
    def __init__(self, service, settings, business, selin, line):
        self.service, self.settings = service, settings
        self.business, self.selin, self.line = business, selin, line

    def ask(self, path, **body):
        headers = {
            "X-Simulator-Secret": self.settings.simulator_secret,
            "Content-Type": "application/json",
        }
        data = json.dumps(body).encode() if body else None
        with urlopen(Request(f"{self.service.network}{path}", data, headers), timeout=10) as answer:
            return json.load(answer)

    def texts_on_phone(self):
        shown = self.ask(f"/_sim/phones/{AYSE}/messages")["messages"]
        return [one.get("text") for one in shown]


class Consent:
    """Between the agent's thread and the member's browser, which belongs to the test's thread."""

    def __init__(self):
        self.addresses, self.answers = Queue(), Queue()

    async def open_browser(self, address):
        self.addresses.put(address)

    async def wait_for_answer(self):
        return await asyncio.to_thread(self.answers.get, timeout=allow_for_load(60))

    def allow(self, page):
        page.goto(self.addresses.get(timeout=allow_for_load(30)))
        expect(page.get_by_role("heading", level=1)).to_contain_text("Table agent")
        picture(page, "consent")
        with page.expect_request(lambda one: one.url.startswith(BACK)) as returned:
            page.get_by_role("button", name="Allow access").click()
        asked = parse_qs(urlsplit(returned.value.url).query)
        code, state, issuer = (asked[name][0] for name in ("code", "state", "iss"))
        self.answers.put(AuthorizationCodeResult(code=code, state=state, iss=issuer))


def picture(page, name):
    """With COMANDA_PICTURES set: the page at three widths, to look at."""
    if folder := os.environ.get("COMANDA_PICTURES"):
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)


class Storage:
    tokens = None
    client_info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client_info

    async def set_client_info(self, client_info):
        self.client_info = client_info


def run_agent(place, storage, consent, act):
    """The agent, as a program that others wrote: it finds everything from one address."""

    async def run():
        address = f"{place.service.url}/mcp"
        provider = OAuthClientProvider(
            server_url=address,
            client_metadata=OAuthClientMetadata(
                client_name="Table agent",
                redirect_uris=[BACK],
                grant_types=["authorization_code", "refresh_token"],
                response_types=["code"],
                token_endpoint_auth_method="none",
                scope="messages:read messages:send contacts",
            ),
            storage=storage,
            redirect_handler=consent.open_browser,
            callback_handler=consent.wait_for_answer,
        )
        async with httpx2.AsyncClient(auth=provider) as http:
            transport = streamable_http_client(address, http_client=http)
            async with Client(transport) as client:
                return await act(client)

    return asyncio.run(run())


def wait_until(check):
    until = time.monotonic() + allow_for_load(10)
    while time.monotonic() < until:
        if check():
            return
        time.sleep(0.1)
    pytest.fail("it did not happen in time")


async def draft_a_reply(client):
    listed = await client.call_tool("list_conversations", {"view": "unread"})
    talk = listed.structured_content["conversations"][0]
    read = await client.call_tool("read_conversation", {"conversation_id": talk["id"]})
    assert read.structured_content["messages"][-1]["text"] == "Is there a table for four?"
    drafted = await client.call_tool(
        "draft_reply", {"conversation_id": talk["id"], "text": "Yes, at eight. See you!"}
    )
    return drafted.structured_content["message"]


async def tools(client):
    return [one.name for one in (await client.list_tools()).tools]


def test_an_agent_drafts_and_a_member_approves(app, chromium, place):
    place.ask(
        f"/_sim/phones/{AYSE}/messages",
        to_phone_number_id=place.line.phone_number_id,
        text="Is there a table for four?",
    )
    _, derya, _ = new_page(chromium, place.service.url)
    sign_in(derya, place.business.owner.email, PASSWORD)
    _, selin, his_watch = new_page(chromium, place.service.url)
    sign_in(selin, place.selin.email, PASSWORD)
    selin.goto("/approvals")
    expect(selin.locator("html[data-live=connected]")).to_be_attached()
    expect(selin.get_by_text("Nothing to approve")).to_be_visible()
    wait_until(lambda: _conversations(app, place))

    # The owner allows the agent, and the agent drafts a reply.
    consent, storage = Consent(), Storage()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run_agent, place, storage, consent, draft_a_reply)
        consent.allow(derya)
        drafted = running.result(timeout=allow_for_load(60))
        assert drafted["status_code"] == "held"
        assert place.texts_on_phone() == ["Is there a table for four?"]

        # A colleague sees it without a reload, approves it, and the phone receives it.
        expect(selin.locator(".approval-text")).to_contain_text("Yes, at eight. See you!")
        expect(selin.locator(".sidebar [data-approvals-badge]")).to_have_text("1")
        expect(selin.locator("main")).to_contain_text("Table agent, for Derya Aksoy")
        picture(selin, "approvals")
        selin.get_by_role("button", name="Approve and send").click()
        expect(selin.get_by_text("Approved. The message is on its way.")).to_be_visible()
        wait_until(lambda: "Yes, at eight. See you!" in place.texts_on_phone())
        assert place.texts_on_phone().count("Yes, at eight. See you!") == 1

        # The audit log names both.
        derya.goto("/audit?area=approvals")
        expect(derya.locator("main")).to_contain_text(
            "Table agent, for Derya Aksoy asked to send a message"
        )
        expect(derya.locator("main")).to_contain_text(
            "Selin Kaya approved a message of Table agent"
        )
        with app.app_context(), place.business.scope():
            entries = db.session.query(AuditEntry).filter_by(
                tenant_id=place.business.tenant_id, act="approvals.approved"
            )
            assert [one.detail["message"] for one in entries] == [drafted["id"]]

        # Disconnected, the agent is refused.
        assert "draft_reply" in pool.submit(run_agent, place, storage, consent, tools).result()
        derya.goto("/connected-apps")
        picture(derya, "connected-apps")
        derya.get_by_label("Actions for Table agent").click()
        derya.get_by_role("link", name="Disconnect app").click()
        derya.get_by_role("button", name="Disconnect app").click()
        expect(derya.get_by_text("No connected apps")).to_be_visible()
        refused = pool.submit(run_agent, place, storage, consent, tools)
        consent.addresses.get(timeout=allow_for_load(30))  # it has to ask for access again
        consent.answers.put(AuthorizationCodeResult(code="none", state="none"))
        assert refused.exception(timeout=allow_for_load(60)) is not None
    his_watch.expect_none()  # the other browser was led back to the agent


def _conversations(app, place):
    with app.app_context(), place.business.scope():
        return list_conversations(ConversationFilters(view="all"), None, 1)
