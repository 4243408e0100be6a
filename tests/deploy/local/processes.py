"""Waiting for processes to come and to go."""

import time
from collections.abc import Callable

import psutil
import pytest

from tests.timeouts import allow_for_load

BACK_WITHIN_SECONDS = 5.0


def eventually(check: Callable[[], object], seconds: float = BACK_WITHIN_SECONDS) -> object:
    seconds = allow_for_load(seconds)
    deadline = time.monotonic() + seconds
    while not (found := check()):
        if time.monotonic() > deadline:
            pytest.fail(f"not true within {seconds} s")
        time.sleep(0.05)
    return found


def gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
