"""Output of the child processes: a log file each; warnings and errors also on the terminal."""

import os
import re
import select
import sys
from pathlib import Path
from typing import IO

BIGGEST_FILE = 5 * 1024 * 1024
LONGEST_LINE = 4000  # a pipe accepts this much at once without blocking
COLOURS = (36, 33, 35, 32, 34, 96, 93, 95)
# The level as core/logs.py writes it, for people or as JSON. A line without a level is shown: it
# may be the traceback of a process that could not start.
ROUTINE = re.compile(rb'^\S+Z \[(?:debug|info) *\] |^\{.*"level": "(?:debug|info)"')


def is_routine(line: bytes) -> bool:
    """True if a line belongs only in the log file."""
    return ROUTINE.match(line) is not None


class LogFile:
    """The log file of one child. A full file is renamed to `.log.1`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._open()

    def _open(self) -> None:
        self._file: IO[bytes] = self.path.open("ab", buffering=0)
        self._size = self.path.stat().st_size

    def write(self, line: bytes) -> None:
        if self._size > BIGGEST_FILE:
            self._file.close()
            self.path.replace(self.path.with_suffix(".log.1"))
            self._open()
        self._size += self._file.write(line + b"\n") or 0

    def tail(self, lines: int) -> list[str]:
        return self.path.read_text(errors="replace").splitlines()[-lines:]

    def close(self) -> None:
        self._file.close()


class Terminal:
    """Never blocks: a stopped pager must not stop the service."""

    def __init__(self, output: IO[str] | None = None) -> None:
        self._output = output or sys.stdout
        self._descriptor = self._output.fileno()
        self.coloured = self._output.isatty() and "NO_COLOR" not in os.environ
        self._names: list[str] = []

    def line(self, name: str, text: bytes) -> None:
        if name not in self._names:
            self._names.append(name)
        label = f"{name:<9} |"
        if self.coloured:
            colour = COLOURS[self._names.index(name) % len(COLOURS)]
            label = f"\x1b[{colour}m{label}\x1b[0m"
        self._write(label.encode() + b" " + text[:LONGEST_LINE] + b"\n")

    def print_line(self, text: str) -> None:
        for line in text.splitlines() or [""]:
            self._write(line.encode() + b"\n")

    def _write(self, data: bytes) -> None:
        try:
            self._output.flush()
            if select.select([], [self._descriptor], [], 0)[1]:
                os.write(self._descriptor, data)
        except OSError:  # the terminal is closed; the log files still have every line
            pass
