"""Everything the benchmark measures, as in production: durable PostgreSQL, Valkey, web, workers,
scheduler and the simulated network, each in its own process on this machine.
"""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import psycopg2
import psycopg2.extensions

from bench.baselines.minimal import TABLE
from bench.setup import preload
from core.security.encryption import Keyring
from deploy.local.ports import any_free
from deploy.local.processes.child_process import kill_group, spawn, wait_or_none
from deploy.local.processes.programs import PROMPT_QUEUES, responds
from deploy.local.servers.databases import APP, DATABASE, OWNER, make_roles_and_database
from deploy.local.servers.test_services import start_test_services

ROOT = Path(__file__).resolve().parent.parent.parent
WEB_WORKERS, WEB_THREADS, JOB_WORKERS = 2, 64, 2
READY_SECONDS = 90.0


@dataclass
class Stack:
    env: dict[str, str]
    superuser: str
    web_port: int
    floor_port: int
    network: str
    people: list[dict[str, Any]]
    processes: list[int] = field(default_factory=list)
    """Process ids of web and workers."""
    idle_mb: float = 0.0
    """Their memory before any load."""

    def memory_mb(self) -> float:
        """The private memory of these processes and their children, and their share of common
        memory.
        """
        alive = [psutil.Process(pid) for pid in self.processes]
        tree = [*alive, *(child for one in alive for child in one.children(recursive=True))]
        return sum(float(one.memory_full_info().pss) for one in tree) / 2**20

    def cpu_seconds(self) -> float:
        """Processor time of everything that this process has started and that still runs, with
        the children of those that have ended.
        """
        seconds = 0.0
        for one in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                seconds += sum(one.cpu_times()[:4])
        return seconds

    @contextlib.contextmanager
    def database(self) -> Iterator["psycopg2.extensions.cursor"]:
        """As the superuser, who sees all tenants: to fill, to count, to clear."""
        connection = psycopg2.connect(self.superuser)
        try:
            with connection, connection.cursor() as cursor:
                yield cursor
        finally:
            connection.close()

    def preload(
        self,
        messages: int,
        lines: Sequence[preload.Line] = (),
        statements: Sequence[str] = preload.WHOLE,
    ) -> None:
        """Insert weeks of messages, spread over these lines, or over all lines if none are
        given.
        """
        every = [preload.Line(one["tenant_id"], one["line_id"]) for one in self.people]
        with self.database() as cursor:
            preload.fill(cursor, lines or every, messages, statements)
        connection = psycopg2.connect(self.superuser)
        with contextlib.closing(connection):
            connection.autocommit = True
            with connection.cursor() as cursor:
                preload.settle(cursor)

    def network_delay(self, milliseconds: int) -> None:
        _post(f"{self.network}/_sim/settings", {"delay_ms": milliseconds})


@contextlib.contextmanager
def running(tenants: int) -> Iterator[Stack]:
    folder = ROOT / ".data" / "bench"
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as opened:
        servers = start_test_services(folder, durable=True)
        opened.callback(servers.stop)
        yield _start(opened, folder, servers.admin_url, servers.redis_url, tenants)


def _start(
    opened: contextlib.ExitStack, folder: Path, admin_url: str, redis_url: str, tenants: int
) -> Stack:
    plain = admin_url.replace("+psycopg2", "")
    passwords = {OWNER: secrets.token_urlsafe(16), APP: secrets.token_urlsafe(16)}
    make_roles_and_database(
        psycopg2.connect(plain), owner_password=passwords[OWNER], app_password=passwords[APP]
    )
    server = plain.rpartition("@")[2].partition("/")[0]
    urls = {
        role: f"postgresql://{role}:{passwords[role]}@{server}/{DATABASE}" for role in passwords
    }
    web_port, floor_port, network_port = any_free(), any_free(), any_free()
    network = f"http://127.0.0.1:{network_port}"
    env = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
        "WAITING_SENDS": str(2 * WEB_THREADS),  # the wait itself is measured here
        # As in production, except for the customers' servers, which are on this machine.
        "APP_ENV": "development",
        "ALLOW_LOOPBACK": "true",
        "DATA_DIR": str(folder),
        "PORT": str(web_port),
        "DATABASE_URL": urls[APP],
        "MIGRATION_DATABASE_URL": urls[OWNER],
        "FLOOR_DATABASE_URL": urls[APP],
        "REDIS_URL": redis_url,
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ENCRYPTION_KEYS": Keyring.new_entry("k1"),
        "CLOUD_BASE_URL": network,
        "WEB_PROCESSES": str(WEB_WORKERS),
    }
    _finish(env, "-m", "flask", "--app", "wsgi", "db", "upgrade", "--directory", "migrations")
    people = json.loads(_finish(env, "-m", "bench.setup.tenants", str(tenants)).splitlines()[-1])
    superuser = plain.rpartition("/")[0] + f"/{DATABASE}"
    stack = Stack(env, superuser, web_port, floor_port, network, people)
    _create_baseline_tables(stack)
    programs = {
        "network": ["-m", "messaging.simulator", "--receipts", "off", "--port", str(network_port)],
        "web": _granian(web_port, "wsgi:app"),
        "floor": _granian(floor_port, "bench.baselines.minimal:app"),
        **{f"worker-{n}": ["-m", "jobs.worker", *PROMPT_QUEUES] for n in range(1, JOB_WORKERS + 1)},
        "worker-prints": ["-m", "jobs.worker", "prints"],
        "worker-payments": ["-m", "jobs.worker", "payments", "sweep"],
        "worker-slow": ["-m", "jobs.worker", "slow"],
        "scheduler": ["-m", "jobs.scheduler"],
    }
    for name, arguments in programs.items():
        served = {**env, "MIGRATION_DATABASE_URL": ""}  # as in production
        pid = _start_program(opened, folder, name, arguments, served)
        if name.startswith(("web", "worker")):
            stack.processes.append(pid)
    _wait(network_port, "/healthz")
    lines = [line for person in people for line in (person, *person["more_lines"])]
    _post(f"{network}/_sim/lines", {"lines": [_number(line) for line in lines]})
    _wait(web_port, "/readyz")
    _wait(floor_port, "/healthz")
    stack.idle_mb = stack.memory_mb()
    return stack


def _granian(port: int, target: str) -> list[str]:
    command = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", str(port)]
    command += ["--workers", str(WEB_WORKERS), "--blocking-threads", str(WEB_THREADS), "--no-ws"]
    return [*command, "--log-level", "warning", target]


def _start_program(
    opened: contextlib.ExitStack,
    folder: Path,
    name: str,
    arguments: list[str],
    env: Mapping[str, str],
) -> int:
    with (folder / f"{name}.log").open("wb") as log:
        process = spawn([sys.executable, *arguments], env=env, cwd=ROOT, output=log)
    opened.callback(_end, process)
    return process.pid


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGTERM)
    if wait_or_none(process, 5) is None:
        kill_group(process.pid, signal.SIGKILL)
        process.wait()


def _finish(env: Mapping[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], env=env, cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{arguments} failed: {done.stderr[-2000:]}")
    return done.stdout


def _create_baseline_tables(stack: Stack) -> None:
    with stack.database() as cursor:
        cursor.execute(TABLE)
        cursor.executemany(
            "INSERT INTO floor_keys (key, tenant_id, line) VALUES (%s, %s, %s)",
            [(p["key"], p["tenant_id"], p["phone_number_id"]) for p in stack.people],
        )


def _number(person: Mapping[str, Any]) -> dict[str, Any]:
    return {name: person[name] for name in ("phone_number_id", "phone", "tenant_id")}


def _post(url: str, body: object) -> None:
    request = urllib.request.Request(  # noqa: S310 - our own simulator, by http
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request, timeout=10).close()  # noqa: S310


def _wait(port: int, path: str) -> None:
    end = time.monotonic() + READY_SECONDS
    while not responds(port, path):
        if time.monotonic() > end:
            raise RuntimeError(f"nothing answers on port {port}; see .data/bench/*.log")
        time.sleep(0.2)
