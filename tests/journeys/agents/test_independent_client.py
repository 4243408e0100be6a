"""The client of the package `mcp`, which others wrote, works with the running service."""

import asyncio

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from api.mcp.tools.registry import TOOLS
from messaging.campaigns import repository as campaigns
from messaging.campaigns.repository import CampaignInput
from messaging.lines.simulated_line import add_simulated_line
from tests.api.mcp.test_tools import arguments_of
from tests.factories import make_business
from tests.messaging.inbox.inbox_factory import AYSE, talk_with, writes
from tests.restaurant.bistro import open_bistro


@pytest.fixture(scope="module")
def business(app, settings, service):
    with app.app_context():
        made = make_business("Lokanta Mavi")
        with made.scope():
            line = add_simulated_line(
                "Front desk", service.url, settings.simulator_secret, test=False, default=True
            )
            line_id = line.id
        writes(made, line_id)
        return made


def connected(service, business, mode, act):
    async def run():
        headers = {"Authorization": f"Bearer {business.key}"}
        async with httpx2.AsyncClient(headers=headers) as http:
            transport = streamable_http_client(f"{service.url}/mcp", http_client=http)
            async with Client(transport, mode=mode) as client:
                return await act(client)

    return asyncio.run(run())


@pytest.mark.parametrize("mode", ["auto", "2026-07-28", "legacy"])
def test_the_client_connects_lists_and_calls(service, business, mode):
    async def act(client):
        listed = await client.list_tools()
        found = await client.call_tool("find_contact", {"query": "Ayşe"})
        refused = await client.call_tool("send_message", {"phone": "1", "text": "Hi"})
        return client.protocol_version, listed, found, refused

    version, listed, found, refused = connected(service, business, mode, act)
    assert version == ("2025-11-25" if mode == "legacy" else "2026-07-28")
    assert [tool.name for tool in listed.tools][:2] == ["find_contact", "list_conversations"]
    assert found.structured_content["contacts"][0]["phone"] == AYSE
    assert refused.is_error


def test_a_message_of_the_client_is_held(service, business):
    async def act(client):
        return await client.call_tool("send_message", {"phone": AYSE, "text": "Hello"})

    result = connected(service, business, "auto", act)
    assert result.structured_content["message"]["status_code"] == "held"


def test_the_client_calls_every_tool(app, service):
    """Each tool answers the package's client, which checks the results against their schemas."""
    with app.app_context():
        business = make_business("Lokanta Sarı")
        bistro = open_bistro(business)
        writes(business, bistro.line.id, name="Ayşe Kaya")
        talk, order = talk_with(business), bistro.order()
        with business.scope():
            campaign_id = campaigns.add(CampaignInput(name="Soup day")).id

    async def act(client):
        names = [tool.name for tool in (await client.list_tools()).tools]
        draft = {"conversation_id": talk.id, "text": "Hello"}
        held = await client.call_tool("draft_reply", draft)
        held_id = held.structured_content["message"]["id"]
        given = arguments_of(bistro, talk, order, held_id, campaign_id)
        return names, {name: await client.call_tool(name, given[name]) for name in names}

    names, results = connected(service, business, "auto", act)
    assert set(names) == {tool.name for tool in TOOLS}
    refused = {name: str(one.content) for name, one in results.items() if one.is_error}
    # This business has no template of that name, and its campaign no recipients yet.
    assert refused.keys() <= {"send_template", "quote_campaign"}, refused
    assert all(one.structured_content for name, one in results.items() if name not in refused)
    print(f"{len(names)} tools called, {len(names) - len(refused)} succeeded")
