"""The service on two machines with one PostgreSQL and one Valkey; see tests/hosts."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import _settings
from tests.databases import clone
from tests.hosts.installation import Installation, install
from tests.running_service import configured_for


@pytest.fixture(scope="session")
def database(worker_number: int) -> str:
    return clone(f"comanda_hosts_{worker_number}", emptied=False)


@pytest.fixture(scope="module")
def hosts(
    database: str, worker_number: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    folder: Path = tmp_path_factory.mktemp("hosts")
    settings = _settings(database, worker_number)
    with (
        install(settings, database, folder) as made,
        configured_for(made.settings),
        made.app.app_context(),
    ):
        yield made


@pytest.fixture(scope="module")
def app(hosts: Installation) -> object:
    return hosts.app


@pytest.fixture(scope="module")
def settings(hosts: Installation) -> object:
    return hosts.settings


@pytest.fixture(autouse=True)
def _buckets_are_full() -> None:
    """The service has its own Redis and its own lanes."""
