"""Things of several threads are passed on together, and none is lost."""

import threading
import time

from core.queue.gathering import Gatherer


def test_things_are_passed_on_together_after_a_pause():
    batches = []
    gatherer = Gatherer("test", 0.2, batches.append)
    for number in range(3):
        gatherer.add(number)
    assert batches == []
    gatherer.stop()
    assert batches == [[0, 1, 2]]


def test_more_is_gathered_while_things_keep_arriving():
    times = []
    gatherer = Gatherer("test", 0.03, lambda _: times.append(time.monotonic()))
    while len(times) < 5:
        gatherer.add("x")
        time.sleep(0.005)
    gatherer.stop()
    assert times[4] - times[3] > times[1] - times[0]


def test_every_thread_and_every_thing_is_served_also_after_a_failure():
    found = []

    def pass_on(batch):
        if not found:
            found.append("failed")
            raise ZeroDivisionError
        found.extend(batch)

    gatherer = Gatherer("test", 0.001, pass_on)
    gatherer.add("lost")
    while not found:
        time.sleep(0.01)
    threads = [
        threading.Thread(target=lambda start=start: [gatherer.add(start + n) for n in range(200)])
        for start in (0, 200, 400)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    gatherer.stop()
    assert sorted(found[1:]) == list(range(600))


def test_what_is_added_while_the_process_ends_is_passed_on():
    batches = []
    gatherer = Gatherer("test", 0.001, batches.append)
    gatherer.add(1)
    gatherer.stop()
    gatherer.add(2)
    assert batches == [[1], [2]]
