"""Optional file of registered lines: a restart of the simulator loses chats, but not lines."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from messaging.simulator.network.state import SimulatedLine


class LinesFile:
    def __init__(self, path: Path | None) -> None:
        self._path = path

    def read(self) -> list[SimulatedLine]:
        if self._path is None or not self._path.is_file():
            return []
        return [SimulatedLine(**facts) for facts in json.loads(self._path.read_text())]

    def write(self, lines: Iterable[SimulatedLine]) -> None:
        if self._path is None:
            return
        beside = self._path.with_name(f"{self._path.name}.new")
        # The file holds the lines' secrets.
        opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(opened, "w") as file:
            json.dump([asdict(line) for line in lines], file)
        beside.replace(self._path)
