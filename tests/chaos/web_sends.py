"""Messages that the web process sends itself: it is killed, frozen and stopped."""

import signal
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import psutil

from core.settings import Settings
from tests.chaos.load import Crowd
from tests.chaos.outcomes import Outcome, count, queues_empty, wait_until_idle
from tests.chaos.stage import LEASE_SECONDS, Stage

WEB = "web"
RESUMED_SECONDS, STOPPED_SECONDS = 60.0, 30.0
SLOW_MS = 400
MOST_IN_FLIGHT = int(Settings.model_fields["direct_sends"].default)
T = TypeVar("T")
BEGUN_TWICE = """
SELECT message_id FROM message_changes WHERE tenant_id = ANY(%s) AND state = 'sending'
 GROUP BY message_id HAVING count(*) > 1
"""


def killed(stage: Stage, step: str, times: int, **conditions: int) -> Outcome:
    """Callers wait for their messages. What was in flight may become unknown, nothing else."""
    crowd = Crowd(stage, prefer="")
    stage.network("POST", "/settings", conditions)
    _restart(stage, f"{step}:{times}")
    crowd.send(40)
    _until(lambda: bool(stage.deaths), 25)
    stage.wait_until_ready()
    crowd.send(20)
    drained = queues_empty(stage, crowd, RESUMED_SECONDS)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    outcome.note = f"{len(stage.deaths)} killed; answers {dict(crowd.answers)}"
    outcome.expect(bool(stage.deaths), "nobody was killed")
    outcome.expect(drained < RESUMED_SECONDS, "not resumed within 60 s")
    outcome.expect(
        outcome.ever_unknown <= outcome.in_flight,
        f"{outcome.ever_unknown} unknown, more than were in flight",
    )
    outcome.expect(outcome.ever_unknown <= MOST_IN_FLIGHT, "more unknown than may be in flight")
    _nothing_begun_twice(stage, crowd, outcome)
    return outcome


def killed_after_bytes(stage: Stage) -> Outcome:
    """Receipts arrive after the lease has expired. Until then the state must be `unknown`."""
    later = int((LEASE_SECONDS + 6) * 1000)
    outcome = killed(
        stage, "after_bytes", 30, delay_ms=150, sent_ms=later, delivered_ms=later, read_ms=later
    )
    outcome.expect(outcome.ever_unknown > 0, "none was unknown")
    outcome.expect(outcome.unknown < outcome.ever_unknown, "no receipt settled any")
    return outcome


def frozen(stage: Stage, step: str, times: int) -> Outcome:
    """The process is frozen until the leases of its messages have expired, then it continues."""
    crowd = Crowd(stage, prefer="")
    _restart(stage, f"{step}:{times}:stop")
    load = threading.Thread(target=crowd.send, args=(20,), daemon=True)
    load.start()
    sleeper = _until(lambda: _stopped_process(stage), 25)
    began = time.monotonic()
    _until(lambda: _unknown(stage, crowd) > 0, RESUMED_SECONDS)
    was_unknown = _unknown(stage, crowd)
    if sleeper is not None:
        sleeper.send_signal(signal.SIGCONT)
    load.join(60)
    drained = queues_empty(stage, crowd, RESUMED_SECONDS)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    outcome.note = (
        f"frozen {time.monotonic() - began:.0f} s, {was_unknown} were unknown;"
        f" answers {dict(crowd.answers)}"
    )
    outcome.expect(sleeper is not None, "the process was not frozen")
    outcome.expect(was_unknown > 0, "none was unknown")
    outcome.expect(outcome.unknown == 0, f"{outcome.unknown} stayed unknown")
    _nothing_begun_twice(stage, crowd, outcome)
    stage.armed.discard(WEB)
    return outcome


def stopped(stage: Stage) -> Outcome:
    """An orderly stop under load, three times: every message that is stored has its answer."""
    crowd = Crowd(stage, prefer="")
    stage.network("POST", "/settings", {"delay_ms": SLOW_MS})
    ended = threading.Event()
    load = crowd.send_until(ended, 60)
    took: list[float] = []
    for _ in range(3):
        time.sleep(2.0)
        began = time.monotonic()
        stage.end(WEB, seconds=STOPPED_SECONDS)
        took.append(time.monotonic() - began)
        stage.start(WEB)
        stage.wait_until_ready()
    ended.set()
    load.join()
    drained = queues_empty(stage, crowd, RESUMED_SECONDS)
    wait_until_idle(stage, crowd)
    outcome = count(stage, crowd)
    outcome.seconds = drained
    outcome.note = (
        f"stopped in {', '.join(f'{one:.1f}' for one in took)} s; answers {dict(crowd.answers)}"
    )
    unanswered = outcome.accepted - len(crowd.promised)
    outcome.expect(unanswered == 0, f"{unanswered} stored without an answer")
    outcome.expect(outcome.ever_unknown == 0, f"{outcome.ever_unknown} became unknown")
    outcome.expect(max(took) < STOPPED_SECONDS, "a stop did not end in time")
    outcome.expect(crowd.answers["200"] > 0, "nothing was sent while the caller waited")
    _nothing_begun_twice(stage, crowd, outcome)
    return outcome


def _restart(stage: Stage, fault: str) -> None:
    stage.end(WEB)
    stage.start(WEB, fault)
    stage.wait_until_ready()


def _nothing_begun_twice(stage: Stage, crowd: Crowd, outcome: Outcome) -> None:
    twice = len(stage.ask(BEGUN_TWICE, crowd.tenants))
    outcome.expect(twice == 0, f"{twice} begun twice")


def _unknown(stage: Stage, crowd: Crowd) -> int:
    sql = "SELECT count(*) FROM messages WHERE tenant_id = ANY(%s) AND state = 'unknown'"
    return int(stage.ask(sql, crowd.tenants)[0][0])


def _stopped_process(stage: Stage) -> psutil.Process | None:
    """The server's own process waits for the one that serves requests."""
    children = psutil.Process(stage.processes[WEB].pid).children(recursive=True)
    return next((one for one in children if one.status() == psutil.STATUS_STOPPED), None)


def _until(look: Callable[[], T], seconds: float) -> T:
    end = time.monotonic() + seconds
    while not (seen := look()) and time.monotonic() < end:
        time.sleep(0.05)
    return seen
