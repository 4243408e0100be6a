"""The whole service in its own folder and databases, with a supervisor as an init system."""

import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psycopg2
from flask import Flask

from core.security.encryption import Keyring
from core.settings import Settings, load_settings
from deploy.local.files import hold_lock
from deploy.local.ports import any_free
from deploy.local.processes.child_process import spawn
from deploy.local.servers.databases import (
    APP,
    DATABASE,
    LINKED_STORE,
    OWNER,
    make_linked_store,
    make_roles_and_database,
)
from deploy.local.servers.databases import LINKED_HOST_ROLE as STORE_ROLE
from tests.chaos.servers import Database, ValkeyServer
from tests.hosts.service_settings import ask_network, environment_of

ROOT = Path(__file__).parents[2]
LEASE_SECONDS = 6.0
RESTART_SECONDS = 0.3
WORKERS = ("worker-1", "worker-2")
HOSTS = ("host-1", "host-2")


@dataclass(frozen=True)
class Death:
    name: str
    at: float
    in_flight: int
    """Messages in the state `sending` at that moment: what a kill may strand."""


@dataclass
class Stage:
    database: Database
    valkey: ValkeyServer
    settings: Settings
    app: Flask
    log: Path
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    deaths: list[Death] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    """Started again when they die: without their fault, or with the next one."""
    next_faults: dict[str, str] = field(default_factory=dict)
    armed: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return self.settings.base_url

    def start(self, name: str, fault: str = "") -> None:
        with self.lock, self.log.open("ab") as log:
            self.processes[name] = spawn(
                [sys.executable, *self._arguments(name)],
                env={**self._environment(), "FAULT": fault},
                cwd=ROOT,
                output=log,
                death_signal=signal.SIGKILL,
            )
            self.kept.add(name)
            self.armed = self.armed | {name} if fault else self.armed - {name}

    def end(self, *names: str, seconds: float = 5.0) -> None:
        with self.lock:
            self.kept -= set(names)
        for name in names:
            if name in self.processes:
                self.processes[name].send_signal(signal.SIGTERM)
        for name in names:
            if process := self.processes.pop(name, None):
                try:
                    process.wait(seconds)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def workers(self, fault: str = "") -> None:
        """Start both again, with this fault in each."""
        self.end(*WORKERS)
        for name in WORKERS:
            self.start(name, fault)

    def wait_until_ready(self, seconds: float = 40.0) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                with urlopen(f"{self.url}/readyz", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"the service did not become ready; see {self.log}")

    def watch(self, stopped: threading.Event) -> None:
        while not stopped.wait(0.05):
            for name, process in list(self.processes.items()):
                if process.poll() is not None and name in self.kept:
                    self.deaths.append(Death(name, time.monotonic(), self._in_flight()))
                    time.sleep(RESTART_SECONDS)
                    if name in self.kept:
                        self.start(name, self.next_faults.pop(name, ""))

    def _in_flight(self) -> int:
        try:
            return int(self.ask("SELECT count(*) FROM messages WHERE state = 'sending'")[0][0])
        except psycopg2.OperationalError:
            return 0

    def ask(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """As the superuser, who sees every tenant's rows."""
        with closing(self.database.server.connect(DATABASE)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql, values)
                return cursor.fetchall() if cursor.description else []

    def network(self, method: str, path: str, body: Any = None) -> Any:
        return ask_network(self.settings, method, path, body)

    def _arguments(self, name: str) -> list[str]:
        port, network = str(self.settings.port), self.settings.simulator_url.rpartition(":")[2]
        web = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", port]
        web += ["--workers", "1", "--blocking-threads", "32", "--log-level", "error", "wsgi:app"]
        return {
            "web": web,
            "worker-1": ["-m", "jobs.worker"],
            "worker-2": ["-m", "jobs.worker"],
            "scheduler": ["-m", "jobs.scheduler"],
            "live": ["-m", "api.live", "--port", self.settings.live_url.rpartition(":")[2]],
            "host-1": ["-m", "jobs.linked.host"],
            "host-2": ["-m", "jobs.linked.host"],
            "network": ["-m", "messaging.simulator", "--port", network],
        }[name]

    def _environment(self) -> dict[str, str]:
        settings = self.settings
        return {
            **environment_of(settings),
            "DATA_DIR": str(settings.data_dir),
            "LIVE_URL": settings.live_url,
        }


@contextmanager
def set_up() -> Iterator[Stage]:
    home = ROOT / ".data" / "chaos"
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(
        0o711
    )  # as root, PostgreSQL runs under another account, which must be able to enter the folder
    lock = hold_lock(home / "lock")
    (home / "service.log").write_bytes(b"")
    database, valkey = Database(home), ValkeyServer(home)
    stopped = threading.Event()
    try:
        settings = _settings(home, database, valkey)
        app = _migrated(settings)
        stage = Stage(database, valkey, settings, app, home / "service.log")
        watcher = threading.Thread(target=stage.watch, args=(stopped,), daemon=True)
        try:
            for name in ("network", "web", "live", "scheduler", *WORKERS):
                stage.start(name)
            stage.wait_until_ready()
            watcher.start()
            yield stage
        finally:
            stopped.set()
            stage.end(*list(stage.processes))
    finally:
        valkey.close()
        database.close()
        lock.close()


def _settings(home: Path, database: Database, valkey: ValkeyServer) -> Settings:
    password, port = secrets.token_urlsafe(16), any_free()
    make_roles_and_database(
        database.server.connect(), owner_password=password, app_password=password
    )
    make_linked_store(database.server.connect(), password)
    server = f"127.0.0.1:{database.server.port}"
    return load_settings(
        app_env="test",
        data_dir=home,
        port=port,
        base_url=f"http://127.0.0.1:{port}",
        live_url=f"http://127.0.0.1:{any_free()}",
        database_url=f"postgresql://{APP}:{password}@{server}/{DATABASE}",
        migration_database_url=f"postgresql://{OWNER}:{password}@{server}/{DATABASE}",
        redis_url=valkey.server.url,
        secret_key=secrets.token_urlsafe(32),
        encryption_keys=Keyring.new_entry("k1"),
        mail_url="mailbox:",
        simulator_url=f"http://127.0.0.1:{any_free()}",
        simulator_secret=secrets.token_urlsafe(16),
        linked_network="simulator",
        linked_store_url=f"postgresql://{STORE_ROLE}:{password}@{server}/{LINKED_STORE}",
        linked_lease_seconds=3,
        lease_seconds=LEASE_SECONDS,
        allow_loopback=True,
        log_level="WARNING",
    )


def _migrated(settings: Settings) -> Flask:
    from flask_migrate import upgrade

    from wsgi import build_app

    app = build_app(settings)
    with app.app_context():
        upgrade(directory=str(ROOT / "migrations"))
    return app
