"""One Chromium for the tests of a module; another could not start beside it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.driver import start_chromium


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with start_chromium() as browser:
        yield browser
