"""The client of the package `mcp`, which others wrote, works with the running service."""

import asyncio

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from messaging.lines.simulated_line import add_simulated_line
from tests.factories import make_business
from tests.messaging.inbox.inbox_factory import AYSE, writes


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
