"""Notify an open page that a chat has changed; the page then loads the change."""

import asyncio
import json
from collections.abc import Mapping

from aiohttp import web

from messaging.simulator.network.state import Chat, SimulatedNetwork

KEEPALIVE_SECONDS = 15.0
GATHER_SECONDS = 0.1  # a burst of messages is sent as one change
MOST_FOLLOWERS = 100


async def stream_updates(
    network: SimulatedNetwork,
    request: web.Request,
    tenant_id: int | None,
    headers: Mapping[str, str],
) -> web.StreamResponse:
    if len(network.listeners) >= MOST_FOLLOWERS:
        raise web.HTTPServiceUnavailable(text="too many pages are open")
    changed: dict[tuple[str, str], None] = {}
    changed_event = asyncio.Event()

    def note(chat: Chat) -> None:
        if tenant_id in (None, chat.line.tenant_id):
            changed[chat.phone, chat.line.phone_number_id] = None
            changed_event.set()

    stream = web.StreamResponse(
        headers={**headers, "Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    )
    await stream.prepare(request)
    network.listeners.add(note)
    try:
        await stream.write(b"retry: 1000\n\n")
        while True:
            try:
                await asyncio.wait_for(changed_event.wait(), KEEPALIVE_SECONDS)
            except TimeoutError:
                await stream.write(b": still here\n\n")
                continue
            await asyncio.sleep(GATHER_SECONDS)
            changed_event.clear()
            data = json.dumps([list(key) for key in changed])
            changed.clear()
            await stream.write(f"event: changed\ndata: {data}\n\n".encode())
    except (ConnectionError, asyncio.CancelledError):
        return stream
    finally:
        network.listeners.discard(note)
