"""Tells the network which messages members have read."""

import asyncio

from flask import current_app

from core.db import tenant_scope
from core.outbound import Policy
from core.outbound.aio import Client
from core.rings import hear
from core.settings import Settings
from messaging.inbox import reads
from messaging.inbox.reads import Seen
from messaging.lines.cloud_read import tell_read


def tell(tenant_id: int) -> None:
    hear("jobs.reads.tell", tenant_id)
    with tenant_scope(tenant_id):
        seen = reads.claim()
    if seen:
        asyncio.run(_tell_all(current_app.extensions["comanda"], seen))


async def _tell_all(settings: Settings, seen: list[Seen]) -> None:
    # The network's address is the operator's own setting, and may be on this machine.
    async with Client(Policy(allow_loopback=True)) as client:
        await asyncio.gather(*(_tell(client, settings, one) for one in seen))


async def _tell(client: Client, settings: Settings, one: Seen) -> bool:
    simulated = one.network == "simulator"
    base = settings.simulator_url if simulated else settings.cloud_base_url
    if not base:
        return False
    return await tell_read(client, base, settings.cloud_version, one.facts, one.network_id)
