"""Starts a child process that ends when its parent ends."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO

from deploy.local.servers.system_accounts import SystemAccount

PR_SET_PDEATHSIG = 1  # from <linux/prctl.h>

_libc = ctypes.CDLL(None) if sys.platform == "linux" else None


def spawn(
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str],
    cwd: Path,
    account: SystemAccount | None = None,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    output: IO[bytes] | int = subprocess.PIPE,
    errors: IO[bytes] | int = subprocess.STDOUT,
    death_signal: int = signal.SIGTERM,
) -> subprocess.Popen[bytes]:
    """Start a child in its own session, so that Ctrl-C in the terminal reaches only its parent."""
    return subprocess.Popen(
        [str(part) for part in command],
        env=dict(env),
        cwd=cwd,
        stdin=stdin,
        stdout=output,
        stderr=errors,
        start_new_session=True,
        preexec_fn=_in_child(death_signal),
        **(account.as_popen() if account else {}),
    )


def follow_parent(death_signal: int) -> None:
    """Make Linux signal us when our parent dies, even by SIGKILL. Does nothing elsewhere."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)


def _in_child(death_signal: int) -> Callable[[], None]:
    parent = os.getpid()

    def prepare() -> None:
        follow_parent(death_signal)
        if os.getppid() != parent:  # the parent died before prctl was called
            os._exit(1)

    return prepare


def kill_group(pid: int, signal_number: int) -> None:
    """Signal a child and its descendants. A group that no longer exists is not an error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal_number)


def wait_or_none(process: subprocess.Popen[bytes], seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        return None
