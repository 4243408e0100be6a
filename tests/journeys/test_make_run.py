"""The whole of `make run`: it comes up, gets up again when killed, and leaves nothing behind."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest

from deploy.local.ports import any_free
from deploy.local.processes.programs import responds
from deploy.local.servers.postgres import Postgres
from tests.deploy.local.processes import BACK_WITHIN_SECONDS, eventually, gone
from tests.timeouts import allow_for_load

ROOT = Path(__file__).parents[2]
START_SECONDS = 180  # beside other tests a start is slow, not wrong
WELCOME_ENDS = "Ctrl-C stops everything.\n"
CHILDREN = {
    "postgres": "bin/postgres",
    "valkey": "valkey-server",
    "web": "granian",
    "worker": "jobs.worker",
    "scheduler": "jobs.scheduler",
    "host": "jobs.linked.hos",  # Linux keeps fifteen letters of a name
}


def command_of(process: psutil.Process) -> str:
    """Its name and its command; a forked process has only a name of its own."""
    try:
        return " ".join([process.name(), *process.cmdline()])
    except psutil.Error:  # it ended meanwhile
        return ""


class LocalRun:
    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.port = any_free()
        self.output = data_dir.with_suffix(".out")
        clean = {k: v for k, v in os.environ.items() if not k.endswith(("_URL", "PASSWORD"))}
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.deploy.local.forked_run", "run"],
                cwd=ROOT,
                env=clean | {"DATA_DIR": str(data_dir), "PORT": str(self.port)},
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait_welcome(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while WELCOME_ENDS not in (said := self.output.read_text()):
            assert self.process.poll() is None, said
            assert time.monotonic() < deadline, said
            time.sleep(0.05)
        return said

    def children(self, kind: str) -> list[psutil.Process]:
        return [
            child
            for child in psutil.Process(self.process.pid).children()
            if not gone(child.pid) and CHILDREN[kind] in command_of(child)
        ]

    def everybody(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[object]:
    runs: list[LocalRun] = []

    def run() -> LocalRun:
        runs.append(LocalRun(tmp_path / "data"))
        return runs[-1]

    yield run
    for one in runs:
        one.process.terminate()
        one.process.wait()
    database = tmp_path / "data" / "postgres"
    if database.is_symlink():
        shutil.rmtree(database.resolve())


def ask_with(curl: str) -> dict[str, object]:
    """Send the request of the printed command, without curl."""
    _, _, header, address = shlex.split(curl)
    name, _, value = header.partition(": ")
    request = urllib.request.Request(address, headers={name: value})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def replaced(run: LocalRun, kind: str, before: set[int], killed: int) -> bool:
    now = {child.pid for child in run.children(kind)}
    return killed not in now and len(now) == len(before)


@pytest.mark.fault
def test_it_runs_recovers_and_leaves_nothing(start):
    run = start()
    text = run.wait_welcome()
    [curl] = re.findall(r"^ +(curl .*/me)$", text, re.MULTILINE)
    assert ask_with(curl)["tenant"]["state"] == "active"
    logs = run.data_dir / "logs"
    assert str(logs) in text
    eventually(lambda: "answered" in (logs / "web.log").read_text())
    after_the_list = run.output.read_text().rpartition(WELCOME_ENDS)[2]
    assert after_the_list.strip() == "", "requests are in the log files, not on the screen"
    assert (run.data_dir / "service.env").stat().st_mode & 0o777 == 0o600

    for kind in CHILDREN:
        before = {child.pid for child in run.children(kind)}
        killed = before.copy().pop()
        os.kill(killed, signal.SIGKILL)
        eventually(
            partial(replaced, run, kind, before, killed), allow_for_load(BACK_WITHIN_SECONDS)
        )
        # The process is there at once; a busy machine takes longer to load it.
        eventually(lambda: responds(run.port, "/readyz"), START_SECONDS)

    everybody = run.everybody()
    assert len(everybody) > len(CHILDREN)
    run.process.send_signal(signal.SIGINT)
    assert run.process.wait(allow_for_load(30)) == 0
    assert [process for process in everybody if not gone(process.pid)] == []
    assert not (run.data_dir / "service.env").exists()
    database = Postgres(run.data_dir / "postgres", port=1, password="x", print_line=lambda _: None)
    assert database.shut_down_cleanly()

    again = start()
    began = time.monotonic()
    assert curl.partition("http")[0] in again.wait_welcome(), "the demo key is kept"
    assert time.monotonic() - began < allow_for_load(30)
