"""Clean up for lines that were removed: log the phone out if it can be reached, and delete its keys
in any case.
"""

import asyncio
import contextlib
from functools import partial
from typing import TYPE_CHECKING

from core.db import global_scope, tenant_scope
from core.logs import logger
from core.queue import leases
from core.queue.leases import HeldLease
from messaging.lines.drivers.linked import logout as linked_logout
from messaging.lines.drivers.linked.client import (
    ClientConnected,
    ClientDisconnected,
    ClientUnavailable,
    DeviceLoggedOut,
    LinkedClient,
    LinkedSession,
)

if TYPE_CHECKING:
    from jobs.linked.host import LinkedHost

log = logger(__name__)

LOG_OUT_SECONDS = 10.0
LEASE_SECONDS = 60.0
AT_ONCE = 2


async def log_out_device(client: LinkedClient) -> None:
    """Log out at the network, if it can be reached within LOG_OUT_SECONDS."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LOG_OUT_SECONDS):
            async with contextlib.aclosing(client.events()) as events:
                async for event in events:
                    if isinstance(event, ClientConnected):
                        await client.log_out()
                    elif isinstance(event, DeviceLoggedOut | ClientDisconnected):
                        break
    await client.close()


class LogoutQueue:
    def __init__(self, host: "LinkedHost") -> None:
        self.host = host
        self.working: set[asyncio.Task[None]] = set()

    async def start_pending(self) -> None:
        self.working = {task for task in self.working if not task.done()}
        free = AT_ONCE - len(self.working)
        if free <= 0:
            return
        for network in linked_logout.NETWORKS:
            for lease in await self.host.in_thread(partial(self.acquire, network, free)):
                self.working.add(asyncio.create_task(self.end(network, lease)))

    def acquire(self, network: str, most: int) -> list[HeldLease]:
        with global_scope():
            return leases.acquire(
                linked_logout.logout_lease_kind(network), self.host.name, LEASE_SECONDS, most
            )

    async def end(self, network: str, lease: HeldLease) -> None:
        try:
            await self.log_out(network, lease)
            await self.host.in_thread(lambda: self.forget(network, lease))
        except Exception:
            log.exception("linked session logout failed", line=lease.thing)

    async def log_out(self, network: str, lease: HeldLease) -> None:
        key = lease.tenant_id, lease.thing
        device = await self.host.in_thread(lambda: self.host.store.find(*key))
        if not device:
            return
        own = self.host.sessions.get(key)
        if own is not None:  # the network allows one connection for each device
            own.on_lease_lost()
            await own.task
        try:
            client = self.host.open(network, LinkedSession(*key, "", device))
        except ClientUnavailable as error:
            log.warning("linked phone not logged out", line=lease.thing, because=str(error))
            return
        try:
            await log_out_device(client)
        except Exception as error:  # noqa: BLE001 - the keys are deleted in any case
            log.warning("linked phone not logged out", line=lease.thing, error=type(error).__name__)

    def forget(self, network: str, lease: HeldLease) -> None:
        self.host.store.forget(lease.tenant_id, lease.thing)
        with global_scope():
            leases.remove(
                linked_logout.logout_lease_kind(network),
                lease.tenant_id,
                lease.thing,
                lease.turn,
                lease.asked,
            )
        log.info("linked session ended", line=lease.thing)

    def find_orphaned_keys(self) -> int:
        """When a host starts: request the logout of lines whose rows no longer exist."""
        network, found = self.host.settings.linked_network, 0
        for tenant_id, line_id in self.host.store.all():
            with tenant_scope(tenant_id):
                left = linked_logout.is_line_gone(line_id)
            if left:
                with global_scope():
                    linked_logout.request_logout(tenant_id, [line_id], network)
                found += 1
        return found
