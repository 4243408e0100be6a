"""What is added within a few milliseconds is passed on together, and nothing is lost."""

import os
import subprocess
import sys
import threading
import time

from core.queue.batching_thread import BatchingThread
from tests.timeouts import allow_for_load

BATCH_AT_EXIT = """
import atexit
from core.queue.batching_thread import BatchingThread

gathered = BatchingThread("test", 0.05, lambda items: print(items, flush=True))
atexit.register(lambda: gathered.add([3]))
gathered.add([1, 2])
"""


class Batches:
    """Collects batches; `arrived` is set with each of them."""

    def __init__(self):
        self.all = []
        self.threads = set()
        self.arrived = threading.Event()

    def __call__(self, items):
        self.all.append(items)
        self.threads.add(threading.current_thread().name)
        self.arrived.set()


def test_items_of_several_calls_are_one_batch():
    batches = Batches()
    gathered = BatchingThread("gathers", 0.2, batches)
    gathered.add([1])
    gathered.add([2, 3])
    assert batches.all == []
    assert batches.arrived.wait(allow_for_load(5))
    batches.arrived.clear()
    gathered.add([4])
    assert batches.arrived.wait(allow_for_load(5))
    assert batches.all == [[1, 2, 3], [4]]
    assert {name.rpartition("_")[0] for name in batches.threads} == {"gathers"}
    gathered.stop()


def test_pauses_become_longer_while_items_keep_arriving():
    times = []
    gathered = BatchingThread("test", 0.03, lambda _: times.append(time.monotonic()))
    while len(times) < 5:
        gathered.add(["x"])
        time.sleep(0.005)
    gathered.stop()
    assert times[4] - times[3] > times[1] - times[0]


def test_items_of_several_threads_are_all_sent():
    batches = Batches()
    gathered = BatchingThread("test", 0.001, batches)
    threads = [
        threading.Thread(target=lambda start=start: [gathered.add([start + n]) for n in range(200)])
        for start in (0, 200, 400)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gathered.stop()
    assert sorted(one for batch in batches.all for one in batch) == list(range(600))


def test_without_items_nothing_is_sent_and_no_thread_begins():
    gathered = BatchingThread("test", 0.0, lambda items: 1 / 0)
    gathered.add([])
    assert gathered._thread is None
    gathered.stop()


def test_stop_waits_for_the_last_batch_and_later_items_are_sent_at_once():
    batches = Batches()
    gathered = BatchingThread("test", 0.1, batches)
    gathered.add([1])
    gathered.stop()
    assert batches.all == [[1]]
    gathered.add([2])
    assert batches.all == [[1], [2]]


def test_a_batch_that_fails_does_not_stop_the_next():
    batches = Batches()

    def send(items):
        if items == [1]:
            raise ZeroDivisionError
        batches(items)

    gathered = BatchingThread("test", 0.0, send)
    gathered.add([1])
    while gathered._waiting:
        pass
    gathered.add([2])
    gathered.stop()
    assert batches.all == [[2]]


def test_nothing_is_lost_when_the_process_ends():
    done = subprocess.run(
        [sys.executable, "-c", BATCH_AT_EXIT], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n") == ["[1, 2]", "[3]", ""]


def test_a_forked_process_begins_with_nothing_and_has_a_thread_of_its_own():
    batches = Batches()
    gathered = BatchingThread("test", 0.2, batches)
    gathered.add([1])
    with gathered._lock:  # as if another thread held it
        child = os.fork()
    if child == 0:
        gathered.add([2])
        gathered.stop()
        os._exit(0 if batches.all == [[2]] else 1)
    assert os.waitpid(child, 0)[1] == 0
    gathered.stop()
    assert batches.all == [[1]]
