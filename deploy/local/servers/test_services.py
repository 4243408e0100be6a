"""A PostgreSQL and a Valkey for one test run, deleted afterwards."""

import contextlib
import secrets
import shutil
import signal
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from deploy.local.errors import CannotRun
from deploy.local.files import Locked, hold_lock
from deploy.local.ports import any_free
from deploy.local.processes.child_process import kill_group, spawn, wait_or_none
from deploy.local.servers.postgres import Postgres
from deploy.local.servers.valkey import Valkey

MOST_RUNS_AT_ONCE = 16
SERVER_ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


@dataclass(frozen=True)
class Services:
    admin_url: str
    redis_url: str
    stop: Callable[[], None]


def start_test_services(folder: Path, *, durable: bool = False, admin_url: str = "") -> Services:
    """Start both servers, empty, in a part of `folder` that only this run uses.

    `admin_url`: a PostgreSQL that runs already, in place of ours.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock, home = _own_part(folder)
    with contextlib.ExitStack() as opened:
        opened.callback(lock.close)
        admin_url = admin_url or _on_a_free_port(
            lambda port: _start_postgres(home, port, opened, durable)
        )
        redis_url = _on_a_free_port(lambda port: _start_valkey(home, port, opened, durable))
        return Services(admin_url, redis_url, opened.pop_all().close)


def _own_part(folder: Path) -> tuple[IO[str], Path]:
    for number in range(1, MOST_RUNS_AT_ONCE + 1):
        try:
            lock = hold_lock(folder / f"{number}.lock")
        except Locked:
            continue
        home = folder / str(number)
        home.mkdir(exist_ok=True)
        for passed in (folder, home):  # for root, PostgreSQL runs as another user
            passed.chmod(0o711)
        return lock, home
    raise CannotRun(f"{MOST_RUNS_AT_ONCE} test runs are at work in {folder} already.")


def _on_a_free_port(start: Callable[[int], str]) -> str:
    """Retry, because another program may take the port between our choice and the start."""
    for _ in range(2):
        with contextlib.suppress(CannotRun):
            return start(any_free())
    return start(any_free())


def _start_postgres(home: Path, port: int, opened: contextlib.ExitStack, durable: bool) -> str:
    server = Postgres(
        home / "postgres",
        port=port,
        password=secrets.token_urlsafe(24),
        durable=durable,
        print_line=lambda _: None,
    )
    if server.data.is_dir():  # from an earlier run; without fsync it may be damaged
        server.clear_stale()
        shutil.rmtree(server.data)
    with contextlib.ExitStack() as starting:
        server.prepare()
        starting.callback(server.release)
        with (home / "postgres.log").open("wb") as log:
            process = spawn(
                server.command(),
                env=SERVER_ENV,
                cwd=Path("/"),
                account=server.account,
                output=log,
                death_signal=signal.SIGQUIT,
            )
        # PostgreSQL's immediate shutdown: test data needs no checkpoint.
        starting.callback(_end, process, signal.SIGQUIT)
        server.wait_ready(process)
        opened.push(starting.pop_all())
    return server.admin_url


def _start_valkey(home: Path, port: int, opened: contextlib.ExitStack, durable: bool) -> str:
    server = Valkey(home / "valkey", port=port, password=secrets.token_urlsafe(24), durable=durable)
    shutil.rmtree(server.folder, ignore_errors=True)  # left from an earlier run
    server.prepare()
    with contextlib.ExitStack() as starting:
        with server.settings() as settings, (home / "valkey.log").open("wb") as log:
            process = spawn(
                server.command(),
                env=SERVER_ENV,
                cwd=server.folder,
                stdin=settings,
                output=log,
                death_signal=signal.SIGKILL,
            )
        starting.callback(_end, process, signal.SIGKILL)
        server.wait_ready(process)
        opened.push(starting.pop_all())
    return server.url


def _end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    process.send_signal(how)
    if wait_or_none(process, 10) is None:
        kill_group(process.pid, signal.SIGKILL)
        process.wait()
