"""PostgreSQL and Valkey that can be stopped and started again on the same port."""

import secrets
import shutil
import signal
import subprocess
from pathlib import Path

from deploy.local.ports import any_free
from deploy.local.processes.child_process import spawn
from deploy.local.servers.postgres import Postgres
from deploy.local.servers.valkey import Valkey

SERVER_ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


class Database:
    """Durable: what it committed must be there after an immediate shutdown."""

    def __init__(self, home: Path) -> None:
        self.log = home / "postgres.log"
        self.server = Postgres(
            home / "postgres",
            port=any_free(),
            password=secrets.token_urlsafe(24),
            durable=True,
            print_line=lambda _: None,
        )
        if self.server.data.is_dir():
            self.server.clear_stale()
            shutil.rmtree(self.server.data)
        self.server.prepare()
        self.process = self.start()

    def start(self) -> "subprocess.Popen[bytes]":
        with self.log.open("ab") as log:
            self.process = spawn(
                self.server.command(),
                env=SERVER_ENV,
                cwd=Path("/"),
                account=self.server.account,
                output=log,
                death_signal=signal.SIGQUIT,
            )
        self.server.wait_ready(self.process, 120)
        return self.process

    def stop_at_once(self) -> None:
        """PostgreSQL's immediate shutdown: no checkpoint, recovery at the next start."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(120)  # on a busy machine with slow disks

    def close(self) -> None:
        if self.process.poll() is None:
            self.stop_at_once()
        self.server.release()


class ValkeyServer:
    """Not durable: a kill loses everything in it, as the design allows."""

    def __init__(self, home: Path) -> None:
        self.log = home / "valkey.log"
        password = secrets.token_urlsafe(24)
        self.server = Valkey(home / "valkey", port=any_free(), password=password, durable=False)
        self.server.prepare()
        self.process = self.start()

    def start(self) -> "subprocess.Popen[bytes]":
        with self.server.settings() as settings, self.log.open("ab") as log:
            self.process = spawn(
                self.server.command(),
                env=SERVER_ENV,
                cwd=self.server.folder,
                stdin=settings,
                output=log,
                death_signal=signal.SIGKILL,
            )
        self.server.wait_ready(self.process)
        return self.process

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def close(self) -> None:
        if self.process.poll() is None:
            self.kill()
