"""Python commands in processes of their own that need not import everything again.

A new process of the service spends seconds on imports, and a running service has seven. These are
forked from one process that has imported what all of them import. It imports nothing more, so a
worker that lacks an import of its own still fails.
"""

import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parent.parent
# What every worker imports, and the large libraries of the web and live servers.
IMPORTED = ["jobs.worker", "aiohttp.web", "flask_openapi3", "granian.cli", "openpyxl"]

_forks = multiprocessing.get_context("forkserver")
_forks.set_forkserver_preload(IMPORTED)


class ForkedProcess:
    """`python -m module …`, with the methods of `subprocess.Popen` that tests use."""

    def __init__(
        self, command: list[str], environment: dict[str, str], log: Path | None = None
    ) -> None:
        """`log`: the file for its standard error."""
        self.args = command
        arguments = (command, environment, log)
        self._process = _forks.Process(target=run_module, args=arguments, daemon=False)
        self._process.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, seconds: float | None = None) -> int:
        self._process.join(seconds)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired(self.args, seconds)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def run_module(command: list[str], environment: dict[str, str], log: Path | None = None) -> None:
    """Become the command, as if a new interpreter had started."""
    _, _, module, *arguments = command
    if log is not None:
        with log.open("wb") as file:
            os.dup2(file.fileno(), sys.stderr.fileno())
    multiprocessing.set_start_method("fork", force=True)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    sys.argv = [module, *arguments]
    # runpy warns of a module that is imported already.
    warnings.filterwarnings("ignore", category=RuntimeWarning, module="runpy")
    runpy.run_module(module, run_name="__main__", alter_sys=True)
