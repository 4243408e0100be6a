"""One Chromium for all browser tests of a worker."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.browser.driver import start_chromium


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with start_chromium() as browser:
        yield browser
