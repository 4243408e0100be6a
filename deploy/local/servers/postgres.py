"""The embedded PostgreSQL: created once, run in the foreground, stopped cleanly."""

import contextlib
import hashlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import IO

import psutil
import psycopg2
import psycopg2.extensions

from deploy.local.errors import CannotRun
from deploy.local.files import Locked, hold_lock
from deploy.local.servers.postgres_binaries import find_binaries
from deploy.local.servers.system_accounts import SystemAccount, own_folder, run_as, server_account

LONGEST_SOCKET_FOLDER = 80  # macOS allows 103 characters including the name of the socket
STALE_SECONDS = 20

SMALL_MACHINE = {
    "shared_buffers": "128MB",
    "max_connections": "250",
    "max_wal_size": "512MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "log_line_prefix": "",
    "lc_messages": "C",
    # Never log the statement, parameters or key of a failed statement: they contain customer data.
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
    "password_encryption": "scram-sha-256",
}
# A password that is used for one test run needs no slow hash. Both sides compute it at every
# connection, which takes longer than most statements.
FAST_PASSWORDS = {"scram_iterations": "1"}
NOT_DURABLE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
    "max_connections": "300",
}


class Postgres:
    """One cluster, in `folder` or, if that is a link, where the server's account can reach it."""

    superuser = "postgres"
    stop_signal = signal.SIGINT  # fast shutdown: ends all sessions and writes a checkpoint
    more_settings: Mapping[str, str] = MappingProxyType({})

    def __init__(
        self,
        folder: Path,
        *,
        port: int,
        password: str,
        durable: bool = True,
        print_line: Callable[[str], None] = print,
    ) -> None:
        self.folder = folder
        self.port = port
        self.password = password
        self.durable = durable
        self.print_line = print_line
        self._lock: IO[str] | None = None

    @cached_property
    def account(self) -> SystemAccount | None:
        return server_account(self.folder)

    @cached_property
    def binaries(self) -> Path:
        return find_binaries(self.account)

    @cached_property
    def place(self) -> Path:
        return own_folder(self.folder, self.account, self.print_line).resolve()

    @property
    def data(self) -> Path:
        return self.place / "data"

    def prepare(self) -> None:
        """Create the cluster if needed and stop a stale server, before the server starts."""
        try:
            self._lock = hold_lock(self.place / "lock")
        except Locked as error:
            raise CannotRun(
                f"The database in {self.place} is in use by process {error.holder}; "
                "stop that one first."
            ) from None
        if not self.data.is_dir():
            self._make_cluster()
        self._check_release()
        self.clear_stale()

    def _make_cluster(self) -> None:
        draft, password = self.place / "new", self.place / "password"
        shutil.rmtree(draft, ignore_errors=True)
        password.unlink(missing_ok=True)
        descriptor = os.open(password, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(self.password + "\n")
            if self.account:
                os.chown(password, self.account.uid, self.account.gid)
            made = run_as(
                self.account,
                self.binaries / "initdb",
                f"--pgdata={draft}",
                f"--username={self.superuser}",
                f"--pwfile={password}",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                *self.locale(),
                *([] if self.durable else ["--no-sync", *_set(self.fast_passwords())]),
            )
        finally:
            password.unlink(missing_ok=True)
        if made.returncode:
            last = (made.stderr.strip() or made.stdout.strip()).splitlines()[-1:]
            raise CannotRun(f"PostgreSQL could not make its folder {draft}: {' '.join(last)}")
        draft.rename(self.data)  # so that an existing data folder is always complete

    def locale(self) -> list[str]:
        """The built-in provider sorts the same on every system, whatever its locales."""
        return ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]

    def fast_passwords(self) -> dict[str, str]:
        return FAST_PASSWORDS

    def _for_tests(self) -> dict[str, str]:
        return {} if self.durable else NOT_DURABLE | self.fast_passwords()

    def _check_release(self) -> None:
        made_by = (self.data / "PG_VERSION").read_text().strip()
        own_release = run_as(self.account, self.binaries / "postgres", "-V").stdout.split()[-1]
        if own_release.split(".")[0] != made_by:
            raise CannotRun(
                f"The data in {self.data} belongs to PostgreSQL {made_by}, but this is "
                f"{own_release}: dump it with the old release, or start afresh with `make reset`."
            )

    def release(self) -> None:
        """Release the folder for another run; call it after the server has ended."""
        if self._lock:
            self._lock.close()
            self._lock = None

    def command(self) -> list[str | Path]:
        settings = {**SMALL_MACHINE, **self._for_tests(), **self.more_settings}
        settings["unix_socket_directories"] = str(self.socket_folder())
        head: list[str | Path] = [self.binaries / "postgres", "-D", self.data]
        return [*head, "-h", "127.0.0.1", "-p", str(self.port), *_set(settings)]

    def socket_folder(self) -> Path:
        if len(str(self.place)) <= LONGEST_SOCKET_FOLDER:
            return self.place
        key = hashlib.sha256(os.fsencode(self.place)).hexdigest()[:12]
        short = Path(tempfile.gettempdir()) / f"comanda-{key}"
        short.mkdir(mode=0o700, exist_ok=True)
        uid, gid = (self.account.uid, self.account.gid) if self.account else (os.geteuid(), -1)
        found = short.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (uid, os.geteuid()):
            raise CannotRun(f"{short} belongs to somebody else; remove it and start again.")
        os.chown(short, uid, gid)
        return short

    def url(self, user: str, password: str, database: str) -> str:
        return f"postgresql+psycopg2://{user}:{password}@127.0.0.1:{self.port}/{database}"

    @property
    def admin_url(self) -> str:
        return self.url(self.superuser, self.password, "postgres")

    def connect(self, database: str = "postgres") -> psycopg2.extensions.connection:
        return psycopg2.connect(
            host="127.0.0.1",
            port=self.port,
            user=self.superuser,
            password=self.password,
            dbname=database,
            connect_timeout=3,
        )

    def is_ready(self) -> bool:
        try:
            self.connect().close()
        except psycopg2.OperationalError as error:
            if "password authentication failed" in str(error):
                raise CannotRun(
                    f"secrets.json does not fit the database in {self.place}: put the old file "
                    "back, or start afresh with `make reset`."
                ) from None
            return False
        return True

    def wait_ready(self, process: subprocess.Popen[bytes], seconds: float = 30) -> None:
        deadline = time.monotonic() + seconds
        while not self.is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                raise CannotRun(f"PostgreSQL did not start; its data is in {self.data}.")
            time.sleep(0.05)

    def clear_stale(self) -> None:
        """Stop a server that a killed run left in this folder; otherwise no server could start.

        If its process id now belongs to another program, that program is left alone.
        """
        postmaster = self._postmaster()
        if postmaster:
            postmaster.send_signal(self.stop_signal)
            _wait_gone([postmaster], STALE_SECONDS)
        orphans = list(self._processes())
        for stop in (psutil.Process.terminate, psutil.Process.kill):
            for process in orphans:
                with contextlib.suppress(psutil.NoSuchProcess):
                    stop(process)
            orphans = _wait_gone(orphans, 2)
        if orphans:
            raise CannotRun(f"Process {orphans[0].pid} will not leave {self.data}; end it first.")
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _postmaster(self) -> psutil.Process | None:
        with contextlib.suppress(OSError, ValueError, IndexError, psutil.Error):
            first_line = (self.data / "postmaster.pid").read_text().splitlines()[0]
            process = psutil.Process(int(first_line))
            return process if self._belongs_to_cluster(process) else None
        return None

    def _processes(self) -> Iterator[psutil.Process]:
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if self._belongs_to_cluster(process):
                    yield process

    def _belongs_to_cluster(self, process: psutil.Process) -> bool:
        """PostgreSQL's working folder is its data folder, which identifies the cluster."""
        return process.name() == "postgres" and Path(process.cwd()) == self.data

    def shut_down_cleanly(self) -> bool:
        state = run_as(self.account, self.binaries / "pg_controldata", self.data).stdout
        return any(
            line.split(":", 1)[1].strip() == "shut down"
            for line in state.splitlines()
            if line.startswith("Database cluster state:")
        )


def _wait_gone(processes: list[psutil.Process], seconds: float) -> list[psutil.Process]:
    """The processes that are still alive. Zombies do not count: a container may not reap them."""
    deadline = time.monotonic() + seconds
    while alive := [process for process in processes if not _is_gone(process)]:
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    return alive


def _is_gone(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _set(settings: dict[str, str]) -> list[str]:
    """The settings as arguments of `postgres` or `initdb`."""
    return [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
