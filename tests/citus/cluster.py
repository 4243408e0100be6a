"""A coordinator and two workers on this machine, from an installed PostgreSQL with Citus."""

import os
import re
import secrets
import shutil
import signal
import subprocess
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from pathlib import Path
from types import MappingProxyType

import psycopg2
from psycopg2 import sql

from deploy.local.errors import CannotRun
from deploy.local.ports import any_free
from deploy.local.processes.child_process import spawn
from deploy.local.servers.postgres import Postgres
from deploy.local.servers.system_accounts import run_as

ROOT = Path(__file__).parents[2]
DISTRIBUTION = ROOT / "deploy" / "citus"
DEBIAN = "/usr/lib/postgresql"
NODES = ("coordinator", "worker-1", "worker-2")
FIRST_WITH_BUILTIN_LOCALE, FIRST_WITH_FAST_PASSWORDS = 17, 16
SERVER_ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
HOW_TO_GET_ONE = (
    "No PostgreSQL with Citus was found: install postgresql-17-citus-13.2 from the repository of"
    " Citus for Debian and Ubuntu, or set CITUS_BIN to the folder with the programs of a PostgreSQL"
    " (15 or newer) that has Citus."
)


class NoCitus(CannotRun):
    pass


def find_binaries(chosen: str = "", debian: str = DEBIAN) -> Path:
    """The folder of initdb and postgres, beside which is the library of Citus."""
    if chosen:
        folder = Path(chosen)
        if not (folder / "initdb").exists():
            raise NoCitus(f"CITUS_BIN is {folder}, which has no initdb. {HOW_TO_GET_ONE}")
        return folder
    releases = sorted(Path(debian).glob("[0-9]*"), key=lambda one: -int(one.name))
    for release in releases:
        if (release / "lib" / "citus.so").is_file() and (release / "bin" / "initdb").exists():
            return release / "bin"
    raise NoCitus(HOW_TO_GET_ONE)


class Node(Postgres):
    """One PostgreSQL of the cluster. Nodes trust each other: they listen on loopback only."""

    def __init__(self, folder: Path, binaries: Path, *, preload: str) -> None:
        super().__init__(
            folder,
            port=any_free(),
            password=secrets.token_urlsafe(24),
            durable=False,
            print_line=lambda _: None,
        )
        self._binaries = binaries
        self.more_settings = MappingProxyType(
            {
                "max_prepared_transactions": "600",  # twice max_connections
                "wal_level": "logical",  # for moving shards
                "max_wal_senders": "10",
                **({"shared_preload_libraries": preload} if preload else {}),
                **({"citus.shard_count": "4"} if preload else {}),
            }
        )

    @cached_property
    def binaries(self) -> Path:
        return self._binaries

    @cached_property
    def major_release(self) -> int:
        shown = run_as(self.account, self.binaries / "postgres", "--version").stdout
        found = re.search(r"\) (\d+)", shown)
        if found is None:
            raise NoCitus(f"{self.binaries / 'postgres'} does not run. {HOW_TO_GET_ONE}")
        return int(found[1])

    def locale(self) -> list[str]:
        if self.major_release >= FIRST_WITH_BUILTIN_LOCALE:
            return super().locale()
        return ["--locale=C.UTF-8"]

    def fast_passwords(self) -> dict[str, str]:
        """Older releases have no such setting."""
        return super().fast_passwords() if self.major_release >= FIRST_WITH_FAST_PASSWORDS else {}

    def trust_loopback(self) -> None:
        lines = ("local all all trust", "host all all 127.0.0.1/32 trust")
        (self.data / "pg_hba.conf").write_text("\n".join(lines) + "\n")


class Cluster:
    def __init__(self, folder: Path, binaries: Path, *, preload: str = "citus") -> None:
        self.folder = folder
        self.nodes = {name: Node(folder / name, binaries, preload=preload) for name in NODES}
        self._opened = ExitStack()

    @property
    def coordinator(self) -> Node:
        return self.nodes["coordinator"]

    @property
    def workers(self) -> list[Node]:
        return [self.nodes[name] for name in NODES[1:]]

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o711)  # as root, PostgreSQL runs under another account
        with self._opened as opened:
            for name, node in self.nodes.items():
                if node.data.is_dir():
                    node.clear_stale()
                    shutil.rmtree(node.data)
                node.prepare()
                opened.callback(Postgres.release, node)
                node.trust_loopback()
                with (self.folder / f"{name}.log").open("wb") as log:
                    process = spawn(
                        node.command(),
                        env=SERVER_ENV,
                        cwd=Path("/"),
                        account=node.account,
                        output=log,
                        death_signal=signal.SIGQUIT,
                    )
                opened.callback(_end, process)
                try:
                    node.wait_ready(process)
                except CannotRun:
                    lines = (self.folder / f"{name}.log").read_text().splitlines()
                    fatal = [line for line in lines if "FATAL" in line] or lines[-1:]
                    said = " ".join(fatal[:1])
                    raise NoCitus(f"{name} did not start: {said}. {HOW_TO_GET_ONE}") from None
            self._opened = opened.pop_all()

    def stop(self) -> None:
        self._opened.close()

    def make_roles(self, roles: Sequence[str], password: str) -> None:
        """On every node, before there is a database that would copy them to the workers."""
        for node in self.nodes.values():
            with _connected(node, "postgres") as cursor:
                for role in roles:
                    statement = "CREATE ROLE {} LOGIN NOSUPERUSER NOBYPASSRLS PASSWORD {}"
                    names = (sql.Identifier(role), sql.Literal(password))
                    cursor.execute(sql.SQL(statement).format(*names))

    def make_database(
        self, name: str, owner: str, migrate: Callable[[], None], *, distribute: bool = True
    ) -> None:
        """An empty database on every node; migrated and distributed as deploy/citus describes."""
        for node in self.nodes.values():
            with _connected(node, "postgres") as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
                cursor.execute(f"CREATE DATABASE {name} OWNER {owner}")
        for node in self.nodes.values():
            with _connected(node, name) as cursor:
                self._create_extension(cursor)
        with _connected(self.coordinator, name) as cursor:
            cursor.execute(
                "SELECT citus_set_coordinator_host('127.0.0.1', %s)", [self.coordinator.port]
            )
            for worker in self.workers:
                cursor.execute("SELECT citus_add_node('127.0.0.1', %s)", [worker.port])
        migrate()
        for file in ("roles.sql", "distribute.sql") if distribute else ():
            with _connected(self.coordinator, name) as cursor:
                cursor.execute(statements(DISTRIBUTION / file))

    def _create_extension(self, cursor: "psycopg2.extensions.cursor") -> None:
        try:
            cursor.execute("CREATE EXTENSION citus")
        except psycopg2.Error as error:
            reason = str(error).splitlines()[0]
            raise NoCitus(
                f"PostgreSQL {self.coordinator.major_release} in {self.coordinator.binaries} has no"
                f" Citus ({reason}). {HOW_TO_GET_ONE}"
            ) from None


def statements(path: Path) -> str:
    """The file without psql's own commands; a failed statement ends it, as ON_ERROR_STOP does."""
    return re.sub(r"^\\.*$", "", path.read_text(), flags=re.MULTILINE)


@contextmanager
def _connected(node: Node, database: str):  # type: ignore[no-untyped-def]
    with closing(node.connect(database)) as connection:
        connection.autocommit = True
        with connection.cursor() as cursor:
            yield cursor


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.send_signal(signal.SIGQUIT)
    process.wait(60)


def chosen_binaries() -> str:
    return os.environ.get("CITUS_BIN", "")
