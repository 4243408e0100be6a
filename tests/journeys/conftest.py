"""Journeys: real processes, and a customer's server that receives their webhooks."""

from collections.abc import Iterator

import pytest

from tests.running_service import app, chromium, database, service, settings
from tests.webhooks.receivers import Receiver

__all__ = ["app", "chromium", "database", "server", "service", "settings"]


@pytest.fixture(scope="module")
def server() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.close()
