"""`python -m deploy.local run` with a cheap start: `python -m tests.deploy.local.forked_run run`.

Twelve Python processes spend half a minute of processor time on the same imports. Here the first
start of each is a fork of this process, which has imported what they have in common; nothing else
differs: the supervisor, the arguments, the environment, the pipes and the sessions. A process that
starts again after it died is started as usual.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

from deploy.local.__main__ import main
from deploy.local.processes import child_process
from tests.forked_process import IMPORTED, run_module

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


class ForkingPopen(subprocess.Popen[bytes]):
    """Runs a Python module in the forked process where `Popen` would execute a new program."""

    started: ClassVar[set[tuple[str, ...]]] = set()

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        preexec_fn: Callable[[], None],
        **options: Any,
    ) -> None:
        forks = command[0] == sys.executable and tuple(command) not in self.started
        self.started.add(tuple(command))

        def become_module() -> None:
            preexec_fn()
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # `Popen` waits for one of them
            _become(list(command), dict(env))

        prepare = become_module if forks else preexec_fn
        super().__init__(command, env=env, preexec_fn=prepare, **options)


def _become(command: list[str], environment: dict[str, str]) -> None:
    signal.set_wakeup_fd(-1)
    for number in HANDLED:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    Path("/proc/self/comm").write_text(command[2])  # the command line is that of the supervisor
    sys.stdout.reconfigure(line_buffering=True)
    code: object = 1
    try:
        run_module(command, environment)
        code = 0
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    if sys.platform == "linux":  # macOS does not allow it
        for name in IMPORTED:
            import_module(name)
        child_process.subprocess = SimpleNamespace(Popen=ForkingPopen)
    sys.exit(main(sys.argv[1:]))
