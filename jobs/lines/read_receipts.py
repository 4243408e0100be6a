"""Tell the network which messages members have read, and that they are typing."""

import asyncio

from flask import current_app

from core.db import tenant_scope
from core.http import Policy
from core.http.async_client import Client
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from jobs.linked.wakeup import publish_to_hosts
from messaging.inbox import read_receipts
from messaging.inbox.read_receipts import ReadMessage
from messaging.lines.drivers.cloud.driver import base_url
from messaging.lines.drivers.cloud.read_receipts import send_read_receipt


def send_read_receipts(tenant_id: int) -> None:
    acknowledge_wakeup("jobs.lines.read_receipts.send_read_receipts", tenant_id)
    with tenant_scope(tenant_id):
        messages = read_receipts.claim_read_messages()
        linked = read_receipts.has_linked_read_messages()
    if linked:
        publish_to_hosts(tenant_id)
    if messages:
        asyncio.run(_send_all(current_app.extensions["comanda"], messages))


async def _send_all(settings: Settings, messages: list[ReadMessage]) -> None:
    # The network's address is the operator's own setting, and may be on this machine.
    async with Client(Policy(allow_loopback=True)) as client:
        await asyncio.gather(*(_send_one(client, settings, one) for one in messages))


async def _send_one(client: Client, settings: Settings, one: ReadMessage) -> bool:
    base = base_url(settings, one.network)
    if not base:
        return False
    return await send_read_receipt(
        client, base, settings.cloud_version, one.facts, one.network_id, typing=one.typing
    )
