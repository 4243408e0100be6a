"""The table of processes to run. To add a process, add a row."""

import http.client
import os
import sys
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from core.queue.registry import ALL_QUEUES
from deploy.local.processes.supervisor import Program
from deploy.local.servers.postgres import Postgres
from deploy.local.servers.valkey import Valkey

ROOT = Path(__file__).resolve().parents[3]
SERVER_ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
# All except `slow` and `sweep`, which have their own workers.
PROMPT_QUEUES = [one for one in ALL_QUEUES if one not in ("slow", "sweep")]
WEB_THREADS = 64  # enough for a developer's pages and an agent's long poll at the same time


def postgres_program(server: Postgres) -> Program:
    return Program(
        "postgres",
        server.command,
        env=SERVER_ENV,
        cwd=Path("/"),  # our working folder may be closed to the server's account
        account=server.account,
        before=server.clear_stale,
        ready=server.is_ready,
        stop_signal=server.stop_signal,
        death_signal=server.stop_signal,
        patience=60,
        may_hurry=False,
        tier=0,
        quiet=True,
    )


def valkey_program(server: Valkey) -> Program:
    return Program(
        "valkey",
        server.command,
        env=SERVER_ENV,
        cwd=server.folder,
        stdin=server.settings,
        ready=server.is_ready,
        tier=1,
        quiet=True,
    )


def app_programs(settings: Mapping[str, str], store_url: str = "") -> list[Program]:
    """As in production, only the linked host gets the URL of the session store, and no process
    gets the URL of the schema's owner."""
    settings = {**settings, "MIGRATION_DATABASE_URL": ""}
    port, processes = settings["PORT"], settings.get("WEB_PROCESSES", "1")
    network = settings["SIMULATOR_URL"].rpartition(":")[2]
    live = settings["LIVE_URL"].rpartition(":")[2]
    web = ["-m", "granian", "--interface", "wsgi", "--host", "127.0.0.1", "--port", port]
    web += ["--workers", processes, "--blocking-threads", str(WEB_THREADS), "--no-ws"]
    web += ["--workers-kill-timeout", "5", "--log-level", "error"]
    table = (
        ("web", [*web, "wsgi:app"]),
        # Interactive work never waits behind a slow provider or file, and tickets never wait
        # behind a burst of messages. Long jobs such as exports have their own worker.
        ("worker-1", ["-m", "jobs.worker", "sends", "hooks"]),
        ("worker-2", ["-m", "jobs.worker", *PROMPT_QUEUES]),
        ("worker-3", ["-m", "jobs.worker", "deliveries"]),
        ("worker-4", ["-m", "jobs.worker", "prints"]),
        ("worker-5", ["-m", "jobs.worker", "payments", "sweep"]),
        ("worker-6", ["-m", "jobs.worker", "slow"]),
        ("scheduler", ["-m", "jobs.scheduler"]),
        ("live", ["-m", "api.live", "--port", live]),
        ("simulator", ["-m", "messaging.simulator", "--port", network, "--limits", "on"]),
    )
    programs = [python_program(name, arguments, settings) for name, arguments in table]
    if store_url:
        environment = {**settings, "LINKED_STORE_URL": store_url}
        programs.append(python_program("linked-host", ["-m", "jobs.linked.host"], environment))
    return programs


def agent_programs(
    settings: Mapping[str, str], agents: Iterable[Mapping[str, str]]
) -> list[Program]:
    """A print agent for each demo restaurant; its printers write images into a folder."""
    return [
        python_program(
            f"agent-{one['name']}",
            ["-m", "printing.agent", "--data", one["data"], "--demo", one["tickets"], "--no-scan"],
            settings,
            quiet=True,
        )
        for one in agents
    ]


def python_program(
    name: str, arguments: Iterable[str], settings: Mapping[str, str], *, quiet: bool = False
) -> Program:
    command = [sys.executable, *arguments]
    return Program(
        name,
        lambda: command,
        env=_inherited() | dict(settings) | {"PYTHONUNBUFFERED": "1"},
        cwd=ROOT,
        ready=partial(responds, int(settings["PORT"]), "/readyz") if name == "web" else None,
        quiet=quiet,
    )


def _inherited() -> dict[str, str]:
    """Without the variable that would make every process compile all libraries at each start."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def responds(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
