"""Sending: workers are killed and frozen, the network is cut, Redis and PostgreSQL are down."""

import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable

import psutil
from redis import Redis

from jobs.sending.worker import SENDING_AT_ONCE
from tests.chaos.load import Crowd
from tests.chaos.outcomes import AT_WORK, Outcome, count, queues_empty, wait_until_idle
from tests.chaos.stage import LEASE_SECONDS, WORKERS, Stage

LOST_ANSWER = "905550000006"
REDIS_SECONDS = float(os.environ.get("CHAOS_REDIS_SECONDS", "60"))
RESUMED_SECONDS, CLEAR_SECONDS, RECOVERED_SECONDS = 60.0, 30.0, 10.0
DOWN_SECONDS = 2.0
BEGUN_TWICE = """
SELECT message_id FROM message_changes WHERE tenant_id = ANY(%s) AND state = 'sending'
 GROUP BY message_id HAVING count(*) > 1
"""


def killed(stage: Stage, step: str, times: int, **conditions: int) -> Outcome:
    """Both workers have the fault; one that dies is started again without it."""
    crowd = Crowd(stage)
    stage.network("POST", "/settings", conditions)
    stage.end(*WORKERS)
    crowd.send(80)
    stage.workers(f"{step}:{times}")
    _until(lambda: bool(stage.deaths), 25)
    crowd.send(20)
    drained = queues_empty(stage, crowd, RESUMED_SECONDS)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    outcome.note = f"{len(stage.deaths)} killed"
    outcome.expect(bool(stage.deaths), "nobody was killed")
    outcome.expect(drained < RESUMED_SECONDS, "not resumed within 60 s")
    outcome.expect(
        outcome.ever_unknown <= outcome.in_flight,
        f"{outcome.ever_unknown} unknown, more than were in flight",
    )
    most = SENDING_AT_ONCE * len(stage.deaths)
    outcome.expect(outcome.ever_unknown <= most, f"more than {most} unknown by these kills")
    return outcome


def killed_after_bytes(stage: Stage) -> Outcome:
    """Receipts arrive after the lease has expired. Until then the state must be `unknown`."""
    later = int((LEASE_SECONDS + 6) * 1000)
    outcome = killed(
        stage, "after_bytes", 40, delay_ms=150, sent_ms=later, delivered_ms=later, read_ms=later
    )
    outcome.expect(outcome.ever_unknown > 0, "none was unknown")
    outcome.expect(outcome.unknown < outcome.ever_unknown, "no receipt settled any")
    return outcome


def dropped(stage: Stage) -> Outcome:
    crowd = Crowd(stage)
    stage.network("POST", "/settings", {"drop_after": 0.3})
    crowd.send(60)
    crowd.send(8, LOST_ANSWER)
    drained = queues_empty(stage, crowd, 60)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    settled = 1 - outcome.unknown / max(outcome.ever_unknown, 1)
    outcome.note = f"{settled:.1%} of {outcome.ever_unknown} settled by their receipts"
    outcome.expect(outcome.ever_unknown > 0, "no answer was lost")
    outcome.expect(settled >= 0.99, "fewer than 99 % settled")
    return outcome


def flushed(stage: Stage) -> Outcome:
    crowd = Crowd(stage)
    client = Redis.from_url(stage.settings.redis_url)
    stopped = threading.Event()
    load = crowd.send_until(stopped, 60)
    for _ in range(5):
        time.sleep(1.0)
        client.flushall()
    stopped.set()
    load.join()
    drained = queues_empty(stage, crowd, 60)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    outcome.note = f"5 times; answers {dict(crowd.answers)}"
    outcome.expect(set(crowd.answers) == {"202"}, "the API did not accept all")
    outcome.expect(drained < CLEAR_SECONDS, "backlog not clear within 30 s")
    return outcome


def redis_away(stage: Stage) -> Outcome:
    crowd, greedy = Crowd(stage), Crowd(stage, businesses=1, plan="starter")
    stopped = threading.Event()
    load = crowd.send_until(stopped, 10)
    time.sleep(1.0)
    stage.valkey.kill()
    began = time.monotonic()
    burst = greedy.burst(greedy.businesses[0], 200)
    took = time.monotonic() - began
    time.sleep(max(REDIS_SECONDS - took, 0))
    waiting = stage.ask(AT_WORK, crowd.tenants, crowd.tenants)[0][0]
    back = time.monotonic()
    stage.valkey.start()
    stopped.set()
    load.join()
    queues_empty(stage, crowd, 90)
    drained = time.monotonic() - back
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    granted = burst[200]
    outcome.note = (
        f"away {back - began:.0f} s, {waiting} waited; answers {dict(crowd.answers)};"
        f" limits: {granted} of 200 granted in {took:.1f} s;"
        f" died and started again: {dict(Counter(d.name for d in stage.deaths))}"
    )
    outcome.expect(set(crowd.answers) == {"202"}, "the API did not accept all")
    outcome.expect(burst[429] > 0, "no limit was met")
    outcome.expect(granted <= 40 + 20 * (took + 1), "limits fell open")
    outcome.expect(drained < CLEAR_SECONDS, "backlog not clear within 30 s")
    return outcome


def database_restarted(stage: Stage) -> Outcome:
    crowd = Crowd(stage)
    stopped = threading.Event()
    load = crowd.send_until(stopped, 20)
    recoveries: list[float] = []
    while_down: list[int] = []
    promised_down = 0
    for _ in range(3):
        time.sleep(2.0)
        stage.database.stop_at_once()
        down = time.monotonic()
        while time.monotonic() - down < DOWN_SECONDS:
            while_down.append(crowd.send_one(crowd.businesses[0]))
            time.sleep(0.1)
        up = time.monotonic()
        # What was committed just before the stop may be answered just after it.
        promised_down += sum(down + 0.3 < at < up for at in crowd.promised_at)
        stage.database.start()
        _until(lambda: crowd.send_one(crowd.businesses[0]) == 202, 30)
        recoveries.append(time.monotonic() - up)
    stopped.set()
    load.join()
    drained = queues_empty(stage, crowd, 60)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    outcome.note = (
        f"recovered in {', '.join(f'{one:.1f}' for one in recoveries)} s;"
        f" while down {sorted(set(while_down))}; answers {dict(crowd.answers)}"
    )
    outcome.expect(set(while_down) == {503}, "while down not every answer was 503")
    outcome.expect(promised_down == 0, f"{promised_down} promised while down")
    outcome.expect(max(recoveries) <= RECOVERED_SECONDS, "recovery took more than 10 s")
    return outcome


def frozen(stage: Stage, step: str) -> Outcome:
    """A worker stands still past its lease while another works; then it wakes and goes on.

    At a claim it has leased the lane and wakes while the other is in the midst of its messages.
    """
    crowd = Crowd(stage, businesses=1)
    stage.end(*WORKERS)
    crowd.send(60)
    stage.start("worker-1", f"{step}:1:stop")
    sleeper = psutil.Process(stage.processes["worker-1"].pid)
    _until(lambda: sleeper.status() == psutil.STATUS_STOPPED, 25)
    was_frozen = sleeper.status() == psutil.STATUS_STOPPED
    began = time.monotonic()
    stage.network("POST", "/settings", {"delay_ms": 2000})
    stage.start("worker-2")
    if step == "claim":
        _until(lambda: _taken_over(stage, crowd, step) > 0, RESUMED_SECONDS)
    else:
        queues_empty(stage, crowd, RESUMED_SECONDS)
    sleeper.send_signal(signal.SIGCONT)
    queues_empty(stage, crowd, RESUMED_SECONDS)
    drained = time.monotonic() - began
    time.sleep(3.0)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    twice = len(stage.ask(BEGUN_TWICE, crowd.tenants))
    taken_over = _taken_over(stage, crowd, step)
    outcome.note = f"{taken_over} taken over; {twice} begun twice"
    outcome.expect(was_frozen, "the worker was not frozen")
    outcome.expect(drained < RESUMED_SECONDS, "not resumed within 60 s")
    outcome.expect(twice == 0, f"{twice} begun twice")
    if step == "claim":
        outcome.expect(taken_over > 0, "nothing was taken over")
    return outcome


def _taken_over(stage: Stage, crowd: Crowd, step: str) -> int:
    """Frozen at a claim, the worker had started none of its messages; at other steps, some."""
    before = 0 if step == "claim" else 1
    sql = "SELECT count(*) FROM messages WHERE tenant_id = ANY(%s) AND attempt > %s"
    return int(stage.ask(sql, crowd.tenants, before)[0][0])


def _until(look: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not look() and time.monotonic() < end:
        time.sleep(0.05)
