"""`make run`: sets up and starts the whole service, and stops it on Ctrl-C."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.i18n.compile import compile_translations
from deploy.local.errors import CannotRun
from deploy.local.files import Locked, hold_lock
from deploy.local.ports import is_free, remembered_port
from deploy.local.processes.logs import Terminal
from deploy.local.processes.programs import (
    ROOT,
    agent_programs,
    app_programs,
    postgres_program,
    python_program,
    valkey_program,
)
from deploy.local.processes.supervisor import StopRequested, Supervisor
from deploy.local.servers.databases import (
    APP,
    DATABASE,
    LINKED_HOST_ROLE,
    LINKED_STORE,
    OWNER,
    make_linked_store,
    make_roles_and_database,
    prepare_external,
    with_driver,
)
from deploy.local.servers.postgres import Postgres
from deploy.local.servers.valkey import Valkey
from deploy.local.settings import load_or_make_secrets, service_settings, write_service_file
from deploy.local.welcome import welcome

PREPARE = ["-m", "flask", "--app", "wsgi", "local", "prepare", "--json"]


def run() -> int:
    os.umask(0o077)  # only the current user can read the files that we and our children write
    folder = open_data_dir()
    try:
        lock = hold_lock(folder / "run.lock")
    except Locked as error:
        raise CannotRun(
            f"Comanda is already running here as process {error.holder}; "
            f"stop it with Ctrl-C or `kill {error.holder}`."
        ) from None
    with lock:
        return LocalService(folder, requested_port()).run()


def data_dir() -> Path:
    return Path(os.environ.get("DATA_DIR") or ROOT / ".data").absolute()


def open_data_dir() -> Path:
    path = data_dir()
    try:
        path.mkdir(parents=True, exist_ok=True)
        # If we run as root, PostgreSQL runs as another user and must be able to pass through
        # this folder; its files are protected individually.
        path.chmod(0o711 if os.geteuid() == 0 else 0o700)
    except OSError as error:
        raise CannotRun(f"{path} cannot be used for data: {error.strerror}.") from None
    return path


def requested_port() -> int:
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
        self.secrets = load_or_make_secrets(data_dir)
        self.terminal = Terminal()
        self.supervisor = Supervisor(data_dir / "logs", self.terminal)
        self.service_file = data_dir / "service.env"
        self.database: Postgres | None = None
        self.store_url = os.environ.get("LINKED_STORE_URL", "")

    def run(self) -> int:
        try:
            self.start()
            self.supervisor.run()
        except StopRequested:
            pass
        finally:
            self.stop()
        return 0

    def start(self) -> None:
        print_line = self.terminal.print_line
        print_line("Starting the database and the queue")
        addresses = self.start_servers()
        for name, setting in (("simulator", "SIMULATOR_URL"), ("live", "LIVE_URL")):
            port = remembered_port(self.data_dir / "ports.json", name)
            addresses[setting] = f"http://127.0.0.1:{port}"
        settings = service_settings(self.data_dir, self.port, self.secrets, addresses)
        write_service_file(self.service_file, settings)
        print_line("Preparing the data")
        compile_translations()
        prepared = self.prepare(settings)
        print_line("Starting the service")
        programs = app_programs(settings, self.store_url)
        programs += agent_programs(settings, prepared.get("agents", []))
        for child in [self.supervisor.start(program) for program in programs]:
            self.supervisor.wait_ready(child)
        if not self.store_url:
            print_line("Phones cannot be linked: LINKED_STORE_URL names no database for it.")
        prepared.setdefault("pages", []).append(["Phones", f"{addresses['SIMULATOR_URL']}/phones"])
        if prepared.get("agents"):
            prepared["pages"].append(["Tickets", str(self.data_dir / "tickets")])
        print_line(welcome(settings["BASE_URL"], self.data_dir, self.supervisor.logs, prepared))

    def start_servers(self) -> dict[str, str]:
        """Start both at once, except those whose URL was given."""
        redis_url, queue = os.environ.get("REDIS_URL"), None
        database_url = os.environ.get("DATABASE_URL")
        if not redis_url:
            server = Valkey(
                self.data_dir / "valkey",
                port=remembered_port(self.data_dir / "ports.json", "valkey"),
                password=self.secrets["redis_password"],
            )
            server.prepare()
            redis_url, queue = server.url, self.supervisor.start(valkey_program(server))
        app_url, owner_url = (
            self.external_database(database_url) if database_url else self.start_database()
        )
        if queue:
            self.supervisor.wait_ready(queue)
        return {
            "DATABASE_URL": app_url,
            "MIGRATION_DATABASE_URL": owner_url,
            "REDIS_URL": redis_url,
        }

    def external_database(self, url: str) -> tuple[str, str]:
        if owner_url := os.environ.get("MIGRATION_DATABASE_URL"):
            return with_driver(url), with_driver(owner_url)
        return prepare_external(url, self.secrets["app_password"])

    def start_database(self) -> tuple[str, str]:
        self.database = server = Postgres(
            self.data_dir / "postgres",
            port=remembered_port(self.data_dir / "ports.json", "postgres"),
            password=self.secrets["postgres_password"],
            print_line=self.terminal.print_line,
        )
        server.prepare()
        self.supervisor.start_ready(postgres_program(server))
        owner, app = self.secrets["owner_password"], self.secrets["app_password"]
        make_roles_and_database(server.connect(), owner_password=owner, app_password=app)
        if not self.store_url:
            make_linked_store(server.connect(), self.secrets["host_password"])
            self.store_url = server.url(
                LINKED_HOST_ROLE, self.secrets["host_password"], LINKED_STORE
            )
        return server.url(APP, app, DATABASE), server.url(OWNER, owner, DATABASE)

    def prepare(self, settings: Mapping[str, str]) -> dict[str, Any]:
        printed = self.supervisor.finish(python_program("prepare", PREPARE, settings, quiet=True))
        try:
            return dict(json.loads(printed.strip().splitlines()[-1]))
        except (ValueError, IndexError):
            raise CannotRun(f"The preparation printed no JSON but: {printed[-500:]}") from None

    def stop(self) -> None:
        self.terminal.print_line("Stopping")
        self.service_file.unlink(missing_ok=True)  # flask commands then report what is missing
        self.supervisor.stop()
        if self.database:
            self.database.release()
        self.terminal.print_line("Stopped")
