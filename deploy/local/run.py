"""`make run`: from an empty folder to a service that answers, and back again on Ctrl-C."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from deploy.local.databases import APP, OWNER, make_roles_and_database, prepare_external
from deploy.local.databases import with_driver
from deploy.local.errors import CannotRun
from deploy.local.files import Locked, hold_lock
from deploy.local.logs import Terminal
from deploy.local.ports import is_free, kept_port
from deploy.local.postgres import Postgres
from deploy.local.processes import (
    ROOT,
    app_programs,
    postgres_program,
    python_program,
    valkey_program,
)
from deploy.local.settings import keep_secrets, service_settings, write_service_file
from deploy.local.supervisor import Program, StopAsked, Supervisor
from deploy.local.translations import compile_translations
from deploy.local.valkey import Valkey
from deploy.local.welcome import welcome

PREPARE = ["-m", "flask", "--app", "wsgi", "local", "prepare", "--json"]


def run() -> int:
    data_dir = open_data_dir()
    try:
        lock = hold_lock(data_dir / "run.lock")
    except Locked as taken:
        raise CannotRun(
            f"Comanda is already running here as process {taken.holder}; "
            f"stop it with Ctrl-C or `kill {taken.holder}`."
        ) from None
    with lock:
        return LocalService(data_dir, wanted_port()).run()


def open_data_dir() -> Path:
    path = Path(os.environ.get("DATA_DIR") or ROOT / ".data").absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
        # PostgreSQL of a root that started us runs as another user and passes through; what
        # lies here is closed file by file.
        path.chmod(0o711 if os.geteuid() == 0 else 0o700)
    except OSError as error:
        raise CannotRun(f"{path} cannot be used for data: {error.strerror}.") from None
    return path


def wanted_port() -> int:
    text = os.environ.get("PORT") or "8000"
    if not text.isdigit() or not 0 < int(text) < 65536:
        raise CannotRun(f"PORT must be a number from 1 to 65535, and is {text!r}.")
    port = int(text)
    if is_free(port):
        return port
    other = next((p for p in range(port + 1, min(port + 100, 65536)) if is_free(p)), 8001)
    raise CannotRun(
        f"Port {port} is taken by another program; choose another one: PORT={other} make run"
    )


class LocalService:
    def __init__(self, data_dir: Path, port: int) -> None:
        self.data_dir = data_dir
        self.port = port
        self.kept = keep_secrets(data_dir)
        self.terminal = Terminal()
        self.supervisor = Supervisor(data_dir / "logs", self.terminal)
        self.service_file = data_dir / "service.env"
        self.release: list[Callable[[], None]] = []

    def run(self) -> int:
        say = self.terminal.say
        try:
            self.start()
            self.supervisor.run()
        except StopAsked:
            pass
        finally:
            say("Stopping")
            self.service_file.unlink(missing_ok=True)
            self.supervisor.stop()
            for step in self.release:
                step()
        say("Stopped")
        return 0

    def start(self) -> None:
        self.terminal.say("Starting the database and the queue")
        settings = service_settings(self.data_dir, self.port, self.kept, self.start_servers())
        write_service_file(self.service_file, settings)
        compile_translations(ROOT)
        self.terminal.say("Preparing the database")
        prepared = self.prepare(settings)
        self.terminal.say("Starting the service")
        for child in [self.supervisor.start(program) for program in app_programs(settings)]:
            self.supervisor.wait_ready(child)
        self.terminal.say(welcome(settings["BASE_URL"], self.data_dir, prepared))

    def start_servers(self) -> dict[str, str]:
        """Our own two, except for those whose address was given."""
        started, addresses = [], {}
        if not os.environ.get("DATABASE_URL"):
            database = self.own_database()
            started.append(self.supervisor.start(postgres_program(database)))
        if not (addresses_redis := os.environ.get("REDIS_URL")):
            ...
        return addresses

    def prepare(self, settings: Mapping[str, str]) -> dict[str, Any]:
        printed = self.supervisor.finish(python_program("prepare", PREPARE, settings))
        try:
            return dict(json.loads(printed.strip().splitlines()[-1]))
        except (ValueError, IndexError):
            raise CannotRun(f"The preparation printed no JSON but: {printed[-500:]}") from None
