"""For the tests of real processes: one running service for all of a worker's modules.

It has a database and a Redis of its own, as its workers would take the letters and bells of the
tests that stay in their own process. A conftest.py that imports these fixtures puts the tests
beside it on that ground.
"""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest

from core.ground import stand_on
from messaging.simulator.conditions import Conditions
from messaging.waiting import use_waiting
from tests.databases import admin
from tests.service import Service

if TYPE_CHECKING:  # loaded by who drives one
    from playwright.sync_api import Browser

_ground: list[object] = []


@dataclass(frozen=True)
class Served:
    database: str
    settings: object
    app: object
    service: Service


@contextmanager
def standing_on(settings: object) -> Iterator[None]:
    """What a process keeps once, it keeps of these settings; then of those it had before."""
    before = _ground[-1:]
    take_ground(settings)
    yield
    if before:
        take_ground(before[0])


def take_ground(settings: object) -> None:
    _ground[:] = [settings]
    stand_on(settings)
    use_waiting(settings.redis_url)


@pytest.fixture(scope="session")
def database(served: Served) -> str:
    return served.database


@pytest.fixture(scope="session")
def settings(served: Served) -> object:
    return served.settings


@pytest.fixture(scope="module")
def app(served: Served) -> Iterator[object]:
    with standing_on(served.settings):
        yield served.app


@pytest.fixture(scope="module")
def service(served: Served, app: object) -> Iterator[Service]:
    """As it was when it started: what a module changed or added does not reach the next."""
    _forget_money(served.database)
    _calm_weather(served)
    usual = set(served.service.processes)
    yield served.service
    for name in set(served.service.processes) - usual:
        with suppress(ProcessLookupError):
            served.service.stops(name)
        del served.service.processes[name]


@pytest.fixture(scope="module")
def chromium(chromium_of_worker: "Browser") -> Iterator["Browser"]:
    """The worker's one; what a module opened in it is closed after the module."""
    from tests.browser.driver import at_work

    with at_work(chromium_of_worker):
        yield chromium_of_worker


def _forget_money(database: str) -> None:
    """Providers of earlier tests are gone; asking them again would keep a worker busy."""
    with closing(admin(database)) as connection, connection.cursor() as cursor:
        for table in ("payment_links", "payment_signals", "refunds"):
            cursor.execute(f"UPDATE {table} SET due_at = NULL WHERE due_at IS NOT NULL")


def _calm_weather(served: Served) -> None:
    headers = {
        "X-Simulator-Secret": served.settings.simulator_secret,
        "Content-Type": "application/json",
    }
    body = json.dumps(Conditions().model_dump()).encode()
    urlopen(Request(f"{served.service.network}/_sim/settings", body, headers)).close()
