"""One service on two machines: what the tests of it share."""

import http.client
import os
import secrets
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import Any

from flask import Flask

from core.settings import Settings
from deploy.local.ports import any_free
from tests.chaos.servers import ValkeyServer
from tests.databases import admin_connection
from tests.hosts.fleet import ROOT, Fleet
from tests.hosts.machines import Machine, two_machines
from tests.hosts.proxy import Proxy
from tests.hosts.service_settings import ask_network

WEB_PORT, LIVE_PORT = 8000, 8020
PROCESSES = ("web", "worker-1", "live", "linked")


@dataclass
class Installation:
    database: str
    settings: Settings
    app: Flask
    fleet: Fleet
    proxy: Proxy

    @property
    def url(self) -> str:
        return self.settings.base_url

    @property
    def machines(self) -> list[Machine]:
        return self.fleet.machines

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with closing(admin_connection(self.database)) as connection, connection.cursor() as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else []

    def network(self, method: str, path: str, body: Any = None) -> Any:
        return ask_network(self.settings, method, path, body)

    def request(
        self,
        machine: Machine,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes | None = None,
        port: int = 0,
    ) -> tuple[int, dict[str, str], bytes]:
        """Straight to one machine."""
        connection = self.connection(machine, port or self.fleet.web_port)
        try:
            connection.request(method, path, body, {"Host": "localhost", **headers})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def connection(self, machine: Machine, port: int) -> http.client.HTTPConnection:
        made = http.client.HTTPConnection(machine.address, port)
        made.sock = machine.connect(port, 30.0)
        return made


@contextmanager
def install(settings: Settings, database: str, folder: Path) -> Iterator[Installation]:
    """Two machines with their own folders; PostgreSQL, Valkey, files and the network are shared."""
    from wsgi import build_app

    with ExitStack() as opened:
        valkey = ValkeyServer(folder)
        opened.callback(valkey.close)
        proxy = Proxy()
        opened.callback(proxy.close)
        settings = settings.model_copy(
            update={
                "base_url": f"http://127.0.0.1:{proxy.port}",
                "redis_url": valkey.server.url,
                "blob_url": (folder / "files").as_uri(),
                "data_dir": folder,
                "lease_seconds": 6.0,
            }
        )
        network_port = int(settings.simulator_url.rpartition(":")[2])
        database_port = int(settings.database_url.rpartition(":")[2].partition("/")[0])
        ports = (database_port, valkey.server.port, network_port, proxy.port)
        machines = opened.enter_context(two_machines(("host-a", "host-b"), ports))
        shared = machines[0].address == "127.0.0.1"  # namespaces: the usual ports are free
        web, live = (WEB_PORT, LIVE_PORT) if shared else (any_free(), any_free())
        fleet = Fleet(machines, settings, folder, web, live, forked=True)
        opened.callback(fleet.close)
        opened.enter_context(_network(settings, network_port))
        fleet.start_all(PROCESSES)
        fleet.start(machines[0], "scheduler")
        app = build_app(settings)
        fleet.wait_until_up()
        fleet.add_to(proxy)
        yield Installation(database, settings, app, fleet, proxy)


@contextmanager
def _network(settings: Settings, port: int) -> Iterator[None]:
    environment = {
        **{key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ},
        "SIMULATOR_SECRET": settings.simulator_secret or secrets.token_urlsafe(8),
        "SIMULATOR_URL": settings.simulator_url,
    }
    command = [sys.executable, "-m", "messaging.simulator", "--port", str(port)]
    process = Popen(command, cwd=ROOT, env=environment, stderr=DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()
