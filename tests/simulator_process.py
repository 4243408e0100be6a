"""The simulated network in its own process, at the URL in the tests' settings."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.messaging.simulator.simulated_network import _answers, eventually

ROOT = Path(__file__).parent.parent


@contextmanager
def run_simulator(settings: object) -> Iterator[str]:
    port = settings.simulator_url.rpartition(":")[2]
    process = subprocess.Popen(
        [sys.executable, "-m", "messaging.simulator", "--port", port],
        cwd=ROOT,
        env={**os.environ, "SIMULATOR_SECRET": settings.simulator_secret},
    )
    try:
        eventually(lambda: _answers(settings.simulator_url), 90)
        yield settings.simulator_url
    finally:
        process.terminate()
        process.wait(10)
