"""Starts processes in order, keeps them running, stops them in the reverse order.

It has a single thread: children are started with `preexec_fn`, which is not safe with threads.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO

from deploy.local.errors import CannotRun
from deploy.local.processes.child_process import kill_group, spawn
from deploy.local.processes.logs import LogFile, Terminal, is_routine
from deploy.local.servers.system_accounts import SystemAccount

STOP_TIMEOUT_SECONDS = 10.0  # for a child to stop after the signal
STEADY_SECONDS = 10.0  # a child that ran this long is not in a crash loop
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 3.0
SECOND_SIGNAL_SECONDS = 0.5  # `make` forwards a signal that we also got; not a second request
READY_SECONDS = 180.0  # for a busy machine; a child that dies is detected at once


@dataclass(frozen=True)
class Program:
    """What to run and how. The command is built at every start."""

    name: str
    command: Callable[[], Iterable[str | Path]]
    env: Mapping[str, str]
    cwd: Path
    account: SystemAccount | None = None
    stdin: Callable[[], IO[bytes]] | None = None
    before: Callable[[], None] | None = None
    ready: Callable[[], bool] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    patience: float = STOP_TIMEOUT_SECONDS
    may_hurry: bool = True  # whether a second Ctrl-C kills it
    tier: int = 9  # higher tiers stop first
    quiet: bool = False  # its output goes only to its log file


@dataclass
class Child:
    program: Program
    journal: LogFile
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause: float = FIRST_PAUSE
    start_at: float | None = None
    rest: bytes = b""  # an incomplete line
    pipe: IO[bytes] | None = None
    faults: int = 0

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None


class StopRequested(Exception):
    """Ctrl-C or SIGTERM during the start."""


class Supervisor:
    def __init__(self, logs: Path, terminal: Terminal) -> None:
        logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.logs = logs
        self.terminal = terminal
        self.children: list[Child] = []
        self._selector = selectors.DefaultSelector()
        self._asked: list[float] = []
        self._stopping = False
        self._listen_for_signals()

    def _listen_for_signals(self) -> None:
        reader, writer = os.pipe()
        for end in (reader, writer):
            os.set_blocking(end, False)
        self._selector.register(reader, selectors.EVENT_READ)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            # nohup ignores SIGHUP on purpose; a shell's `&` ignores SIGINT only against Ctrl-C.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._asked.append(time.monotonic())

    @property
    def in_a_hurry(self) -> bool:
        return bool(self._asked) and self._asked[-1] - self._asked[0] > SECOND_SIGNAL_SECONDS

    def start(self, program: Program) -> Child:
        """Start a program and restart it if it dies. Returns at once."""
        child = Child(program, LogFile(self.logs / f"{program.name}.log"))
        self.children.append(child)
        self._launch(child)
        return child

    def start_ready(self, program: Program, seconds: float = READY_SECONDS) -> Child:
        child = self.start(program)
        self.wait_ready(child, seconds)
        return child

    def wait_ready(self, child: Child, seconds: float = READY_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        name, ready = child.program.name, child.program.ready
        while ready and not ready():
            self._check_processes(0.05)
            if self._asked:
                raise StopRequested
            if child.faults > 2 or time.monotonic() > deadline:
                last = "\n".join(child.journal.tail(8))
                raise CannotRun(f"{last}\n{name} did not start; see {child.journal.path}.")

    def finish(self, program: Program) -> str:
        """Run a program to its end and return its standard output; standard error is logged."""
        child = Child(program, LogFile(self.logs / f"{program.name}.log"))
        with tempfile.TemporaryFile() as answer:
            child.process = spawn(
                list(program.command()),
                env=program.env,
                cwd=program.cwd,
                output=answer,
                errors=subprocess.PIPE,
                death_signal=program.death_signal,
            )
            self._follow(child, child.process.stderr)
            while child.process.poll() is None:
                self._check_processes(0.05)
                if self._asked:
                    self._end([child])
                    raise StopRequested
            code = child.process.returncode
            self._clean_up_after(child)
            if code:
                last = "\n".join(child.journal.tail(12))
                raise CannotRun(f"{last}\n{program.name} failed; see {child.journal.path}.")
            answer.seek(0)
            return answer.read().decode()

    def run(self) -> None:
        """Keep everything running until a stop is requested."""
        while not self._asked:
            self._check_processes(0.5)

    def stop(self) -> None:
        """Stop tier by tier, web processes first and the database last. Idempotent."""
        self._stopping = True
        for tier in sorted({child.program.tier for child in self.children}, reverse=True):
            self._end([child for child in self.children if child.program.tier == tier])
        self.children.clear()

    def _launch(self, child: Child) -> None:
        program = child.program
        child.start_at, child.started = None, time.monotonic()
        try:
            if program.before:
                program.before()
            with contextlib.ExitStack() as given:
                stdin = given.enter_context(program.stdin()) if program.stdin else None
                child.process = spawn(
                    list(program.command()),
                    env=program.env,
                    cwd=program.cwd,
                    account=program.account,
                    stdin=stdin or subprocess.DEVNULL,
                    death_signal=program.death_signal,
                )
        except (OSError, subprocess.SubprocessError, CannotRun) as error:
            child.journal.write(str(error).encode())
            self.terminal.line(program.name, str(error).encode())
            self._plan_restart(child)
            return
        self._follow(child, child.process.stdout)

    def _follow(self, child: Child, pipe: IO[bytes] | None) -> None:
        if pipe:
            os.set_blocking(pipe.fileno(), False)
            self._selector.register(pipe, selectors.EVENT_READ, child)
        child.pipe = pipe

    def _check_processes(self, seconds: float) -> None:
        """One iteration of the loop: forward output, restart dead children."""
        now = time.monotonic()
        due = [child.start_at for child in self.children if child.start_at is not None]
        for key, _ in self._selector.select(max(0.0, min([seconds, *(at - now for at in due)]))):
            if key.data is None:
                with contextlib.suppress(BlockingIOError):
                    os.read(key.fd, 4096)
            else:
                self._read(key.data)
        for child in self.children:
            if child.process and child.process.poll() is not None:
                self._handle_exit(child)
            elif child.start_at is not None and child.start_at <= time.monotonic():
                self._launch(child)

    def _read(self, child: Child) -> None:
        while child.pipe:
            try:
                part = os.read(child.pipe.fileno(), 65536)
            except BlockingIOError:
                return
            if not part:  # the child closed its output
                self._leave(child)
                return
            *lines, child.rest = (child.rest + part).split(b"\n")
            for line in lines:
                child.journal.write(line)
                if not (child.program.quiet or is_routine(line)):
                    self.terminal.line(child.program.name, line)

    def _leave(self, child: Child) -> None:
        if child.pipe:
            self._selector.unregister(child.pipe)
            child.pipe.close()
            child.pipe = None

    def _handle_exit(self, child: Child) -> None:
        code = child.process.returncode if child.process else 0
        self._clean_up_after(child)
        if self._stopping:
            return
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with {code}"
        self.terminal.line(child.program.name, f"{how}; starting it again".encode())
        self._plan_restart(child)

    def _plan_restart(self, child: Child) -> None:
        now = time.monotonic()
        if now - child.started > STEADY_SECONDS:
            child.pause, child.faults = FIRST_PAUSE, 0
        child.faults += 1
        child.start_at = now + child.pause
        child.pause = min(child.pause * 3, LONGEST_PAUSE)

    def _clean_up_after(self, child: Child) -> None:
        """Read its remaining output and kill the processes that it left behind."""
        if child.process:
            kill_group(child.process.pid, signal.SIGKILL)
            self._read(child)
            self._leave(child)
            child.process = None

    def _end(self, children: list[Child]) -> None:
        stopped_at = time.monotonic()
        for child in children:
            child.start_at = None
            if child.process and child.alive:
                child.process.send_signal(child.program.stop_signal)
        while alive := [(c.program, c.process) for c in children if c.alive and c.process]:
            for program, process in alive:
                hurried = self.in_a_hurry and program.may_hurry
                if hurried or time.monotonic() - stopped_at > program.patience:
                    kill_group(process.pid, signal.SIGKILL)
            self._check_processes(0.05)
        for child in children:
            self._clean_up_after(child)
            child.journal.close()
