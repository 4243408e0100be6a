"""Comanda as real processes, for tests over real HTTP."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from jinja2 import FileSystemBytecodeCache
from redis import Redis

from core.i18n.catalogs import TRANSLATIONS
from deploy.local.ports import any_free
from portal.web.rendering import environment as page_environment
from portal.web.rendering.template_cache import language
from tests.forked_process import ForkedProcess

ROOT = Path(__file__).parent.parent
WEB_THREADS = 16
READY_SECONDS = 180  # a start beside other tests is slow, not wrong
LINKED_HOST_COMMAND = [
    sys.executable,
    "-m",
    "jobs.linked.host",
]  # for tests that start one


@dataclass
class Service:
    url: str
    network: str
    """The URL of the simulated network."""
    live: str
    """The URL of the live server."""
    processes: dict[str, ForkedProcess] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)

    def start(self, name: str, command: list[str]) -> ForkedProcess:
        process = ForkedProcess(command, self.environment)
        self.processes[name] = process
        return process

    def stops(self, name: str) -> None:
        self.processes[name].terminate()
        self.processes[name].wait(10)

    def starts(self, name: str) -> None:
        """Start it again with the same command."""
        self.start(name, self.processes[name].args)


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiled templates contain their translated texts, so each language has its own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        files = (
            Path(page_environment.__file__),
            *sorted(TRANSLATIONS.glob("*/LC_MESSAGES/messages.mo")),
        )
        self._compiled_from = sha256(b"".join(file.read_bytes() for file in files)).hexdigest()

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        return super().get_cache_key(f"{language()}:{name}", filename)

    def get_source_checksum(self, source: str) -> str:
        return super().get_source_checksum(self._compiled_from + source)


def compiled_templates() -> CompiledTemplates:
    """One process compiles for all, because compiling every template takes seconds."""
    folder = ROOT / ".data" / "test" / "templates"
    folder.mkdir(parents=True, exist_ok=True)
    return CompiledTemplates(folder)


@contextmanager
def start_service(settings: object) -> Iterator[Service]:
    port = any_free()
    live_port = any_free()
    live = f"http://127.0.0.1:{live_port}"
    service = Service(f"http://127.0.0.1:{port}", settings.simulator_url, live)
    environment = {
        **{key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ},
        "APP_ENV": "test",
        "DATA_DIR": str(settings.data_dir),
        "BASE_URL": service.url,
        "DATABASE_URL": settings.database_url,
        "REDIS_URL": settings.redis_url,
        "SECRET_KEY": settings.secret_key,
        "ENCRYPTION_KEYS": settings.encryption_keys,
        "MAIL_URL": settings.mail_url,
        "ALLOW_LOOPBACK": "true",
        "LIVE_URL": live,
        "SIMULATOR_URL": settings.simulator_url,
        "SIMULATOR_SECRET": settings.simulator_secret,
        "VAPID_PRIVATE_KEY": settings.vapid_private_key,
        "BILLING_PROVIDER": "simulated",
        "BILLING_KEY": "operator",
        "INVOICE_ISSUER": "Comanda|Gümüşsuyu 1",
        "LINKED_NETWORK": settings.linked_network,
        "LINKED_STORE_URL": settings.linked_store_url,
        "LINKED_LEASE_SECONDS": str(settings.linked_lease_seconds),
        "WAITING_SENDS": str(WEB_THREADS // 3),
        "LOG_LEVEL": "WARNING",
    }
    web = [sys.executable, "-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1"]
    web += ["--port", str(port), "--workers", "1", "--blocking-threads", str(WEB_THREADS)]
    web += ["tests.web_app:app"]
    network_port = settings.simulator_url.rpartition(":")[2]
    commands = {
        "network": [sys.executable, "-m", "messaging.simulator", "--port", network_port],
        "web": web,
        "worker": [sys.executable, "-m", "jobs.worker", "sends", "hooks", "prints", "deliveries"],
        "slow worker": [
            sys.executable,
            "-m",
            "jobs.worker",
            "default",
            "payments",
            "costs",
            "campaigns",
            "sweep",
        ],
        "export worker": [sys.executable, "-m", "jobs.worker", "slow"],
        "scheduler": [sys.executable, "-m", "jobs.scheduler"],
        "live": [sys.executable, "-m", "api.live", "--port", str(live_port)],
    }
    service.environment = environment
    Redis.from_url(settings.redis_url).flushdb()  # remove wake-ups of earlier tests
    for name, command in commands.items():
        service.start(name, command)
    try:
        _wait_until_ready(service)
        yield service
    finally:
        for process in service.processes.values():
            process.send_signal(signal.SIGTERM)
        for process in service.processes.values():
            try:
                process.wait(3)  # jobs in their last seconds are not waited for
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_ready(service: Service) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            with urlopen(f"{service.url}/readyz") as answer:
                if answer.status == 200:
                    return
        except (URLError, ConnectionError):
            time.sleep(0.1)
    raise RuntimeError("the service did not become ready")
