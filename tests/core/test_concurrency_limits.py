"""One tenant never holds all threads or connections of a process."""

import re
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

from core.concurrency_limits import ConcurrencyLimit, HeavyWork
from core.storage import images, spreadsheets
from tenants import passwords
from tests.architecture.layers import ROOT


def test_one_tenant_gets_half_of_the_places_and_all_tenants_no_more_than_the_limit():
    limits = ConcurrencyLimit(4)
    with limits.place(1) as first, limits.place(1) as second, limits.place(1) as third:
        assert (first, second, third) == (True, True, False)
        with limits.place(2) as fourth, limits.place(3) as fifth, limits.place(4) as sixth:
            assert (fourth, fifth, sixth) == (True, True, False)


def test_a_place_is_free_again_when_it_is_given_back():
    limits = ConcurrencyLimit(2)
    for _ in range(5):
        with limits.place(1) as taken:
            assert taken


def test_a_place_is_free_again_after_an_error():
    limits = ConcurrencyLimit(2)
    try:
        with limits.place(1):
            raise ValueError
    except ValueError:
        pass
    with limits.place(1) as taken:
        assert taken


def test_heavy_work_runs_a_little_at_a_time_and_few_threads_wait_for_it():
    """Uploads and sign-ins that wait for their turn hold threads, too."""
    work, go_on = HeavyWork(at_once=1, waiting=2, seconds=30), Event()

    def hold():
        with work.slot() as taken:
            return taken and go_on.wait(30)

    with ThreadPoolExecutor(3) as hands:
        held = [hands.submit(hold) for _ in range(3)]
        until = time.monotonic() + 10
        while work._inside._value and time.monotonic() < until:
            time.sleep(0.01)
        began = time.monotonic()
        with work.slot() as taken:
            assert not taken
        assert time.monotonic() - began < 5, "it did not wait"
        go_on.set()
        assert all(one.result() for one in held)
    with work.slot() as taken:
        assert taken


def test_a_turn_that_does_not_come_is_given_up():
    work = HeavyWork(at_once=1, waiting=1, seconds=0.01)
    with work.slot() as first, work.slot() as second:
        assert (first, second) == (True, False)
    with work.slot() as taken:
        assert taken


def test_no_kind_of_heavy_work_holds_all_threads_of_a_web_process():
    text = (ROOT / "deploy/granian.env").read_text()
    threads = int(re.search(r"(?m)^GRANIAN_BLOCKING_THREADS=(\d+)", text)[1])
    for work in (images._decoding, spreadsheets._reading, passwords._hashing):
        assert work.most <= threads // 3
