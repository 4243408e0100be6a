"""The service behind a real PgBouncer in transaction mode, with few connections to share."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg2
import pytest

from deploy.local.ports import any_free
from deploy.local.servers.system_accounts import server_account
from tests.conftest import ROOT, _settings
from tests.databases import APP_ROLE, clone, database_url
from tests.factories import FreshClient
from tests.messaging.messages.sending.conftest import caller, network, sender  # noqa: F401
from tests.running_service import configured_for
from tests.service_processes import compiled_templates

CONFIGURATION = ROOT / "deploy/pgbouncer/pgbouncer.ini"
SERVER_CONNECTIONS = 2


@pytest.fixture(scope="session")
def database(worker_number: int) -> str:
    return clone(f"comanda_pooled_{worker_number}", emptied=False)


@pytest.fixture(scope="session")
def pooler(database: str) -> Iterator[int]:
    """The port of PgBouncer, with the shipped configuration but for addresses and sizes."""
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip("PgBouncer is not installed (Debian's package is `pgbouncer`)")
    port = any_free()
    with TemporaryDirectory() as name:
        folder = Path(name)
        with (folder / "pgbouncer.ini").open("w") as file:
            _configuration(database, folder, port).write(file)
        account = server_account()
        if account is not None:  # PgBouncer does not run as root
            folder.chmod(0o755)
        process = subprocess.Popen(
            [program, folder / "pgbouncer.ini"], **(account.as_popen() if account else {})
        )
        try:
            _wait_for(database_url(APP_ROLE, database), port)
            yield port
        finally:
            process.terminate()
            process.wait(10)


def _configuration(database: str, folder: Path, port: int) -> ConfigParser:
    server = psycopg2.extensions.parse_dsn(database_url(APP_ROLE, database))
    read = ConfigParser(interpolation=None, inline_comment_prefixes=None)
    read.read(CONFIGURATION)
    entries = read["databases"]
    for name in list(entries):
        replaced = (
            entries.pop(name)
            .replace("host=127.0.0.1 port=5432", f"host={server['host']} port={server['port']}")
            .replace("dbname=comanda ", f"dbname={database} ")
            .replace("pool_size=20", f"pool_size={SERVER_CONNECTIONS}")
        )
        entries[name.replace("comanda", database, 1)] = replaced
    users = folder / "userlist.txt"
    users.write_text(f'"{APP_ROLE}" "{server["password"]}"\n')
    read["pgbouncer"].update(listen_port=str(port), auth_file=str(users))
    return read


def _wait_for(url: str, port: int) -> None:
    parts = psycopg2.extensions.parse_dsn(url) | {"port": port, "host": "127.0.0.1"}
    for _ in range(200):
        try:
            with closing(psycopg2.connect(**parts)):
                return
        except psycopg2.OperationalError:
            time.sleep(0.05)
    raise AssertionError("PgBouncer does not answer")


@pytest.fixture(scope="session")
def settings(database: str, worker_number: int, pooler: int) -> object:
    usual = _settings(database, worker_number)
    start, _, _ = usual.database_url.rpartition("@")
    return usual.model_copy(
        update={
            "database_url": f"{start}@127.0.0.1:{pooler}/{database}",
            "database_pooler": True,
            "database_prepare": False,
        }
    )


@pytest.fixture(scope="module")
def app(settings: object) -> Iterator[object]:
    from wsgi import build_app

    with configured_for(settings):
        made = build_app(settings)
        made.jinja_env.bytecode_cache = compiled_templates()
        made.test_client_class = FreshClient
        yield made
