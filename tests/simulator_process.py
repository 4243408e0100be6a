"""The simulated network in its own process, at the URL in the tests' settings."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.forked_process import ForkedProcess
from tests.messaging.simulator.simulated_network import _answers, eventually


@contextmanager
def run_simulator(settings: object) -> Iterator[str]:
    port = settings.simulator_url.rpartition(":")[2]
    command = [sys.executable, "-m", "messaging.simulator", "--port", port]
    environment = {**os.environ, "SIMULATOR_SECRET": settings.simulator_secret}
    process = ForkedProcess(command, environment)
    try:
        eventually(lambda: _answers(settings.simulator_url), 90)
        yield settings.simulator_url
    finally:
        process.terminate()
        process.wait(10)
