"""The tests in this folder read the pages of one demo."""

from collections.abc import Iterator

import pytest

from tests.running_service import configured_for


@pytest.fixture(scope="module")
def app(demo_app: object) -> Iterator[object]:
    with configured_for(demo_app.extensions["comanda"]):
        yield demo_app
