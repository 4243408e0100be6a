"""A supervisor with a few programs, run as `python -m tests.deploy.local.supervised_programs`."""

import sys
from functools import partial
from pathlib import Path

from deploy.local.errors import CannotRun
from deploy.local.processes.logs import Terminal
from deploy.local.processes.supervisor import Program, Supervisor

WRITE_PID = "import os,sys; open(sys.argv[1],'a').write(f'{os.getpid()}\\n');"
CAST = {
    "steady": WRITE_PID + "print('at work',flush=True); import time; time.sleep(600)",
    # Ends only by SIGKILL.
    "stubborn": WRITE_PID
    + "import signal,time; signal.signal(15,signal.SIG_IGN); print('no',flush=True);"
    + "time.sleep(600)",
    # Starts another process and does not wait for it.
    "parent": WRITE_PID
    + "import subprocess,time; subprocess.Popen([sys.executable,'-c',"
    + repr(WRITE_PID + "import time; time.sleep(600)")
    + ",sys.argv[1]+'.child']); time.sleep(600)",
    "talker": WRITE_PID
    + "[print('blah '*20,flush=True) for _ in range(12000)]; import time; time.sleep(600)",
    # As core/logs.py writes them.
    "logger": WRITE_PID
    + """
import time
print('2026-11-16T04:16:49.6Z [info     ] answered       [comanda.web] status=200')
print('2026-11-16T04:16:49.6Z [debug    ] looked         [comanda.web]')
print('{"event": "answered", "logger": "comanda.web", "level": "info", "timestamp": "x"}')
print('2026-11-16T04:16:49.6Z [warning  ] redis unavailable [core.redis] level=info')
print('{"event": "printer [info     ] lost", "level": "error", "timestamp": "x"}')
print('Traceback (most recent call last):')
print('the end', flush=True)
time.sleep(600)
""",
    "broken": "import sys; sys.exit('the reason is here')",
}


def main(folder: Path, names: list[str]) -> int:
    supervisor = Supervisor(folder / "logs", Terminal())
    try:
        for name in names:
            pid_file = folder / name
            supervisor.start_ready(
                Program(
                    name,
                    partial(list, [sys.executable, "-c", CAST[name], pid_file]),
                    env={},
                    cwd=folder,
                    ready=pid_file.is_file,
                    patience=1,
                )
            )
        print("ready", flush=True)
        supervisor.run()
    except CannotRun as error:
        print(error)
        return 1
    finally:
        supervisor.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
