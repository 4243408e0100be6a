"""For tests of real processes: one running service for all modules of a test worker.

It has its own database and Redis, because its workers would take the e-mails and wake-ups of tests
that run in their own process. A conftest.py that imports these fixtures makes the tests beside it
use this service.
"""

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest
from redis import Redis

from core.app_setup import configure_process
from core.queue.tenant_waiters import configure_waiters
from messaging.messages.sync_wait import configure_sync_wait
from messaging.simulator.network.behaviour import NetworkBehaviour
from tests.databases import admin_connection
from tests.service_processes import Service

if TYPE_CHECKING:  # imported only by tests that use it
    from playwright.sync_api import Browser

_settings_in_use: list[object] = []


@dataclass(frozen=True)
class RunningService:
    database: str
    settings: object
    app: object
    service: Service


@contextmanager
def configured_for(settings: object) -> Iterator[None]:
    """Configure this process for these settings, then restore the previous ones."""
    before = _settings_in_use[-1:]
    use_settings(settings)
    yield
    if before:
        use_settings(before[0])


def use_settings(settings: object) -> None:
    _settings_in_use[:] = [settings]
    configure_process(settings)
    configure_sync_wait(settings.redis_url)
    configure_waiters(settings.redis_url, settings.waiting_readers)


@pytest.fixture(scope="session")
def database(served: RunningService) -> str:
    return served.database


@pytest.fixture(scope="session")
def settings(served: RunningService) -> object:
    return served.settings


@pytest.fixture(scope="module")
def app(served: RunningService) -> Iterator[object]:
    with configured_for(served.settings):
        yield served.app


@pytest.fixture(scope="module")
def service(served: RunningService, app: object) -> Iterator[Service]:
    """In its initial state: what a module changed or added does not reach the next."""
    _clear_due_payments(served.database)
    _reset_simulator(served)
    _forget_sign_ins(served)
    usual = set(served.service.processes)
    yield served.service
    for name in set(served.service.processes) - usual:
        with suppress(ProcessLookupError):
            served.service.stops(name)
        del served.service.processes[name]


@pytest.fixture(scope="module")
def chromium(chromium_of_worker: "Browser") -> Iterator["Browser"]:
    """The worker's only browser; what a module opened in it is closed after the module."""
    from tests.browser.driver import own_event_loop

    with own_event_loop(chromium_of_worker):
        yield chromium_of_worker


def _clear_due_payments(database: str) -> None:
    """The providers of earlier tests are gone; asking them again would keep a worker busy."""
    with closing(admin_connection(database)) as connection, connection.cursor() as cursor:
        for table in ("payment_links", "payment_signals", "refunds"):
            cursor.execute(f"UPDATE {table} SET due_at = NULL WHERE due_at IS NOT NULL")


def _forget_sign_ins(served: RunningService) -> None:
    """All tests sign in from one address, which may do so ten times and then twice a minute."""
    with closing(Redis.from_url(served.settings.redis_url)) as redis:
        for key in redis.scan_iter("*bucket:signin:*"):
            redis.delete(key)


def _reset_simulator(served: RunningService) -> None:
    headers = {
        "X-Simulator-Secret": served.settings.simulator_secret,
        "Content-Type": "application/json",
    }
    body = json.dumps(NetworkBehaviour().model_dump()).encode()
    urlopen(Request(f"{served.service.network}/_sim/settings", body, headers)).close()
