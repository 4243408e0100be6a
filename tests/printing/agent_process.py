"""Real agent processes, and printers that count the tickets of real orders."""

import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.printing.fake_print_server import FakePrinter

ROOT = Path(__file__).parents[2]
# A ticket contains the order's number once; options and notes never look like one.
NUMBER = re.compile(rb"([A-Z]{2,6}-\d{8}-\d{4})")
MARKED = ("REPRINT", "TEKRAR", "YEN")


class CountingPrinter(FakePrinter):
    """Identifies tickets by the order's number, and reprints by the heading before it."""

    def printed(self) -> list[str]:
        return [found.decode() for found in NUMBER.findall(self.paper)]

    def doubled(self) -> int:
        return sum(count - 1 for count in Counter(self.printed()).values())

    def marked(self) -> int:
        plain = self.paper.decode("cp857", "replace").upper()
        return max(plain.count(word) for word in MARKED)


class AgentProcess:
    """Restarted when it dies, without the injected fault, like by an init system."""

    def __init__(self, server: str, folder: Path, code: str = "") -> None:
        self.server, self.folder, self.code = server, folder, code
        self.deaths = 0
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, fault: str = "") -> None:
        command = [sys.executable, "-m", "printing.agent", "--data", str(self.folder), "--no-scan"]
        command += ["--server", self.server, "--demo", str(self.folder / "tickets")]
        if self.code:
            command += ["--pair", self.code]
        kept = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        environment = {**kept, "PRINT_AGENT_FAULT": fault, "PRINT_AGENT_ALLOW_FAULTS": "1"}
        with (self.folder / "agent.log").open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log
            )

    def mind(self) -> None:
        if self.process is not None and self.process.poll() is not None:
            self.deaths += 1
            self.start()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def wait_until(true: Any, seconds: float, agent: AgentProcess | None = None) -> float:
    """Return how long it took, or `seconds` if it never became true."""
    began = time.monotonic()
    while (took := time.monotonic() - began) < seconds:
        if agent is not None:
            agent.mind()
        if true():
            return took
        time.sleep(0.05)
    return seconds
