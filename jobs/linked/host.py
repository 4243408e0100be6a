"""A host of linked lines: `python -m jobs.linked.host`. Any number may run.

One host holds each line's session through a lease. If a host dies, its leases expire; if it is
asked to stop, it releases them. Every session has its own task, so an error in one does not affect
the others.
"""

import asyncio
import os
import signal
import socket
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import aiohttp
from flask import Flask
from redis.asyncio import Redis as AsyncRedis
from redis.exceptions import RedisError

from core.app_setup import create_worker_app
from core.asyncio_tools import AppThreads, cancel_and_wait
from core.db import global_scope
from core.http import Policy
from core.http.async_client import Client as Fetcher
from core.ids import new_token
from core.logs import logger
from core.queue import leases
from core.queue.leases import HeldLease
from core.settings import Settings
from core.sql.db_errors import is_outage
from jobs.linked import retention as linked_retention
from jobs.linked.logout import LogoutQueue
from jobs.linked.session import LineSession
from jobs.linked.wakeup import CHANNEL
from messaging import reasons
from messaging.lines.drivers.linked.client import (
    LINKED_KIND,
    ClientUnavailable,
    LinkedClient,
    LinkedSession,
)
from messaging.lines.drivers.linked.device_store import DeviceStore
from messaging.lines.drivers.linked.neonize_client import NeonizeClient
from messaging.lines.drivers.linked.simulated_client import SimulatedClient
from restaurant.wiring import wire_domains

log = logger(__name__)

LINES_PER_ROUND = 4  # so that hosts that start at the same time share the lines
POLL_SECONDS = 1.0
SHUTDOWN_SECONDS = 8.0  # for messages in flight when the host is asked to stop
FETCHES_AT_ONCE = 4  # a file may have 100 MB, and is held in memory
MOST_THREADS = 16
FORGET_SECONDS = 24 * 3600.0


class LinkedHost(AppThreads):
    def __init__(self, app: Flask) -> None:
        self.settings: Settings = app.extensions["comanda"]
        threads = ThreadPoolExecutor(min(self.settings.database_pool, MOST_THREADS), "host")
        super().__init__(app, threads)
        self.name = f"{socket.gethostname()}:{os.getpid()}:{new_token()[:6]}"
        self.store = DeviceStore(self.settings.linked_store_url)
        self.sessions: dict[tuple[int, int], LineSession] = {}
        self.stopping = asyncio.Event()
        self.woken = asyncio.Event()
        self.fetching = asyncio.Semaphore(FETCHES_AT_ONCE)
        self.logouts = LogoutQueue(self)
        self._renew_at = 0.0

    async def run(self) -> None:
        settings = self.settings
        # The library keeps a thread in each of its sessions, and takes it from this executor.
        rooms = ThreadPoolExecutor(settings.linked_lines + 2 * MOST_THREADS, "linked")
        asyncio.get_running_loop().set_default_executor(rooms)
        await self.in_thread(self.store.prepare)
        await self.in_thread(self.logouts.find_orphaned_keys)
        policy = Policy(settings.ports_allowed, settings.allow_loopback)
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=5)
        async with aiohttp.ClientSession(timeout=timeout) as self.http, Fetcher(policy) as fetcher:
            self.fetcher = fetcher
            helpers = [asyncio.create_task(one()) for one in (self.listen, self.forget_daily)]
            try:
                while not self.stopping.is_set():
                    await self.check_leases()
                    await self.rest()
            finally:
                for task in helpers:
                    await cancel_and_wait(task)
                await self.hand_over()

    async def check_leases(self) -> None:
        """Renew this host's leases, drop lost sessions, acquire free lines."""
        self.remove_finished_sessions()
        try:
            if time.monotonic() >= self._renew_at or self.woken.is_set():
                self.woken.clear()
                await self.renew()
            await self.acquire_lines()
            await self.logouts.start_pending()
        except Exception as error:
            if not is_outage(error):
                raise
            log.warning("database unavailable", error=type(error).__name__)

    async def renew(self) -> None:
        seconds = self.settings.linked_lease_seconds
        self._renew_at = time.monotonic() + seconds / 3

        def renew_leases() -> list[HeldLease]:
            with global_scope():
                return leases.renew(LINKED_KIND, self.name, seconds)

        renewed = {
            (lease.tenant_id, lease.thing): lease for lease in await self.in_thread(renew_leases)
        }
        for key, session in self.sessions.items():
            lease = renewed.get(key)
            if lease is None or lease.turn != session.turn:
                session.on_lease_lost()
            else:
                session.record_request(lease.asked)

    async def acquire_lines(self) -> None:
        free = min(self.settings.linked_lines - len(self.sessions), LINES_PER_ROUND)
        if free <= 0:
            return

        def acquire() -> list[HeldLease]:
            with global_scope():
                return leases.acquire(
                    LINKED_KIND, self.name, self.settings.linked_lease_seconds, free
                )

        for lease in await self.in_thread(acquire):
            key = (lease.tenant_id, lease.thing)
            # the lease expired while this host had it: the old session must end first
            if key in self.sessions:
                self.sessions[key].on_lease_lost()
                await self.sessions.pop(key).task
            self.sessions[key] = LineSession(self, lease)
        self.remove_finished_sessions()

    def remove_finished_sessions(self) -> None:
        for key in [key for key, session in self.sessions.items() if session.task.done()]:
            error = self.sessions.pop(key).task.exception()
            if error is not None:
                log.error("linked session task failed", line=key[1], exc_info=error)

    async def rest(self) -> None:
        ears = [asyncio.create_task(one.wait()) for one in (self.stopping, self.woken)]
        await asyncio.wait(ears, timeout=POLL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        for ear in ears:
            ear.cancel()

    async def listen(self) -> None:
        """Wake the sessions of the tenants published by workers. Without Redis, sessions find work
        by polling.
        """
        while True:
            bell = AsyncRedis.from_url(self.settings.redis_url, socket_connect_timeout=2)
            try:
                async with bell.pubsub() as ears:
                    await ears.subscribe(CHANNEL)
                    async for message in ears.listen():
                        if message["type"] == "message":
                            self.wake_sessions(int(message["data"]))
            except (RedisError, OSError, ValueError) as error:
                log.warning("redis subscription lost, reconnecting", error=type(error).__name__)
                await asyncio.sleep(1.0)
            finally:
                await bell.aclose()

    async def forget_daily(self) -> None:
        """Runs beside the sessions, so that leases are renewed meanwhile."""
        while True:
            try:
                await self.in_thread(lambda: linked_retention.forget(self.store))
            except Exception as error:  # noqa: BLE001 - the sessions go on
                log.error("linked keys not cleaned", error=type(error).__name__)
            await asyncio.sleep(FORGET_SECONDS)

    def wake_sessions(self, tenant_id: int) -> None:
        for (owner, _), session in self.sessions.items():
            if owner == tenant_id:
                session.woken.set()
        self.woken.set()

    async def hand_over(self) -> None:
        """Finish what is in flight, then release the leases, so that the next host starts at
        once.
        """
        leaving = [session.task for session in self.sessions.values()] + [*self.logouts.working]
        for session in self.sessions.values():
            session.leave()
        if leaving:
            _, late = await asyncio.wait(leaving, timeout=SHUTDOWN_SECONDS)
            for task in late:
                task.cancel()

    def open(self, network: str, session: LinkedSession) -> LinkedClient:
        if network == "simulator":
            if self.settings.production:
                raise ClientUnavailable(reasons.NO_SIMULATION)
            if not self.settings.simulator_url:
                raise ClientUnavailable(reasons.NO_SIMULATOR)
            return SimulatedClient(
                self.http, self.settings.simulator_url, self.settings.simulator_secret, session
            )
        return NeonizeClient(self.store.url, session)


async def serve(app: Flask) -> None:
    host = LinkedHost(app)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, host.stopping.set)
    log.info("linked host started", host=host.name, lines=host.settings.linked_lines)
    await host.run()


def main() -> int:
    app = create_worker_app()
    wire_domains()
    if not app.extensions["comanda"].linked_store_url:
        sys.stderr.write(
            "LINKED_STORE_URL must name the hosts' own database; see docs/operations/linked.md.\n"
        )
        return 2
    asyncio.run(serve(app))
    return 0


if __name__ == "__main__":
    sys.exit(main())
